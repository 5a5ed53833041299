"""Where honest pairs end: a threshold suggested from the scores of one report. It hides nothing."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from fingerprint.types import Floats


# With fewer pairs there is no distribution to speak of, and this stands for it: what programs that were
# rewritten from end to end still score, and independent ones of some size hardly do.
FEW = 20
PLAIN = 0.5
# The tail is read off between the median and this share of the pairs: even a class with many copies has
# more honest pairs than that, since those grow with its square.
TAIL = 0.8
# Honest tails are a little heavier than exponential.
MARGIN = 1.25
# A class of unrelated programs ends near 0, one of copies near 1.
LEAST, MOST = 0.2, 0.9
# Of a long list's pairs only the best are scored; the median of so many others is as good as that of all.
SAMPLE = 10_000
SEED = 1


class Suggestion(NamedTuple):
    """Pairs from `value` on deserve reading first; `reason` says how it was found."""

    value: float
    reason: str


def sample(count: int) -> npt.NDArray[np.int64]:
    """Draw `SAMPLE` rows of `count` pairs, the same in every run, ascending."""
    return np.sort(np.random.default_rng(SEED).choice(count, SAMPLE, replace=False))


def suggest(similarities: Sequence[float] | Floats, pairs: int | None = None) -> Suggestion:
    """Suggest a threshold from the similarities of all `pairs` that share anything, or of a sample of them.

    Nearly all pairs of a class are honest, and their scores fall off about exponentially above the median:
    by as much for every further e-fold of pairs. The highest of n honest ones is where that leaves one.
    """
    count = len(similarities) if pairs is None else pairs
    if count < FEW:
        few = "one pair is" if count == 1 else f"{count} pairs are"
        return Suggestion(PLAIN, f"{few} too few to tell where honest ones end; {PLAIN:.0%} suits most tasks")
    middle, upper = (float(q) for q in np.quantile(np.asarray(similarities, dtype=np.float64), (0.5, TAIL)))
    fold = (upper - middle) / log((1 - 0.5) / (1 - TAIL))
    found = middle + MARGIN * fold * log(count / 2)
    value = round(min(max(found, LEAST), MOST), 2)
    reason = (
        f"half of the {count} pairs are below {middle:.0%} and a fifth above {upper:.0%}; "
        f"falling off like that, honest ones end {f'near {found:.0%}' if found < 1 else 'nowhere below 100%'}"
    )
    if value != round(found, 2):
        reason += f", and {value:.0%} is as {'low' if found < LEAST else 'high'} as a suggestion goes"
    return Suggestion(value, reason)
