"""The suggested threshold, estimated from the similarities of one report. It hides no pair."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from fingerprint.types import Floats, Hashes


# With fewer pairs than this there is no distribution to estimate from, and the default is suggested. Copies
# that were rewritten completely still reach it; independent programs that are not tiny hardly ever do.
MIN_PAIRS = 20
DEFAULT_THRESHOLD = 0.5
# The tail is estimated between the median and this quantile. A larger part of the pairs is honest, even in a
# class with many copies, since the number of honest pairs grows with the square of the class.
UPPER_QUANTILE = 0.8
# The tail of honest pairs is a little heavier than exponential.
TAIL_MARGIN = 1.25
# In a class of unrelated programs the estimate is near 0, in one of copies near 1; keep it between these.
LOWEST_THRESHOLD, HIGHEST_THRESHOLD = 0.2, 0.9
# Of many candidate pairs only the best are scored; the threshold is estimated from a random sample, which is
# large enough for precise quantiles.
SAMPLE_SIZE = 10_000
SAMPLE_SEED = 1


class SuggestedThreshold(NamedTuple):
    """A threshold: pairs from similarity `value` on should be read first. `reason` explains it to users."""

    value: float
    reason: str


def sample_rows(keys: Hashes) -> npt.NDArray[np.int64]:
    """Return the rows of the `SAMPLE_SIZE` lowest keys, ascending: all if there are fewer."""
    if len(keys) <= SAMPLE_SIZE:
        return np.arange(len(keys), dtype=np.int64)
    return np.sort(np.argpartition(keys, SAMPLE_SIZE)[:SAMPLE_SIZE]).astype(np.int64)


def suggest_threshold(similarities: Sequence[float] | Floats, pairs: int | None = None) -> SuggestedThreshold:
    """Suggest a threshold from the similarities of all pairs that share anything, or of a sample of them.

    Nearly all pairs of a class are unrelated, and above the median their number falls about exponentially:
    the similarity rises by the same amount each time the number of pairs above it falls by the factor e. The
    estimate is the similarity above which one unrelated pair is left, plus a margin.

    Parameters
    ----------
    similarities : similarities in [0, 1]
    pairs : number of all pairs, if `similarities` is a sample
    """
    count = len(similarities) if pairs is None else pairs
    if count < MIN_PAIRS:
        few = "one pair is" if count == 1 else f"{count} pairs are"
        reason = f"{few} too few for an estimate; {DEFAULT_THRESHOLD:.0%} suits most tasks"
        return SuggestedThreshold(DEFAULT_THRESHOLD, reason)
    values = np.asarray(similarities, dtype=np.float64)
    median, upper = (float(quantile) for quantile in np.quantile(values, (0.5, UPPER_QUANTILE)))
    rise = (upper - median) / log((1 - 0.5) / (1 - UPPER_QUANTILE))
    estimate = median + TAIL_MARGIN * rise * log(count / 2)
    value = round(min(max(estimate, LOWEST_THRESHOLD), HIGHEST_THRESHOLD), 2)
    end = f"rarely exceed {estimate:.0%}" if estimate < 1 else "may reach 100%"
    reason = (
        f"half of the {count} pairs are below {median:.0%} and a fifth above {upper:.0%}, "
        f"so unrelated pairs {end}"
    )
    if value != round(estimate, 2):
        bound = "lowest" if estimate < LOWEST_THRESHOLD else "highest"
        reason += f"; {value:.0%} is the {bound} suggestion"
    return SuggestedThreshold(value, reason)
