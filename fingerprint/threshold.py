"""Where honest pairs end: a threshold suggested from the scores of one report. It hides nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fingerprint.weights import Floats

# With fewer submissions there is no distribution to speak of, and this stands for it: what programs that
# were rewritten from end to end still score, and independent ones of some size hardly do.
FEW = 8
PLAIN = 0.5
# Honest best matches scatter around their median; so many deviations above it lies next to none of them.
DEVIATIONS = 3.0
# The median deviation of a normal distribution, in standard deviations, is 1 / NORMAL.
NORMAL = 1.4826
# A class of unrelated programs gives deviations near 0, one of copies a median near 1.
LEAST, MOST = 0.2, 0.9


class Suggestion(NamedTuple):
    """Pairs from `value` on deserve reading first; `reason` says how it was found."""

    value: float
    reason: str


def suggest(best: Sequence[float] | Floats) -> Suggestion:
    """Suggest a threshold from each submission's similarity to its best match (0 where it has none).

    Most submissions of a class are honest, so the median and the scatter *below* it are theirs; copies only
    lengthen the upper tail, and are told from it.
    """
    if len(best) < FEW:
        reason = f"{len(best)} submissions are too few to tell where honest pairs end"
        return Suggestion(PLAIN, f"{reason}; {PLAIN:.2f} suits most tasks")
    scores = np.asarray(best, dtype=np.float64)
    median = float(np.median(scores))
    scatter = NORMAL * float(np.median(median - scores[scores <= median]))
    found = median + DEVIATIONS * scatter
    value = round(min(max(found, LEAST), MOST), 2)
    reason = (
        f"half of the {len(best)} submissions' best matches are below {median:.2f} "
        f"and scatter by {scatter:.2f}; honest ones end near {found:.2f}"
    )
    if value != round(found, 2):
        reason += f", and {value:.2f} is as {'low' if found < LEAST else 'high'} as a suggestion goes"
    return Suggestion(value, reason)
