"""Intervals of average precision: the pairs are drawn again by the program or group that they come from.

The pairs of one source program are not independent, so whole sources are drawn, with replacement.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from bench.labelled import LabelledPair
    from bench.metrics import Labels, Scores

RESAMPLES, SEED = 1000, 1
QUANTILES = (0.025, 0.975)


def sources(pairs: Sequence[LabelledPair]) -> npt.NDArray[np.int64]:
    """Return the number of the source of each pair: its group or, in a set of one group, a program.

    Of the two programs of a pair, the source is the one that occurs in more pairs, since the others were made
    from it.
    """
    if len({pair.group for pair in pairs}) > 1:
        names = [pair.group for pair in pairs]
    else:
        counts = Counter(side for pair in pairs for side in (pair.a, pair.b))
        names = [max((pair.a, pair.b), key=lambda side: counts[side]) for pair in pairs]
    return np.unique(names, return_inverse=True)[1].astype(np.int64)


def weighted_precision(order: npt.NDArray[np.intp], scores: Scores, labels: Labels, weights: Scores) -> float:
    """Return the average precision where each pair counts `weights` times; `order` sorts by falling score."""
    ordered = scores[order]
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    pairs = np.cumsum(weights[order])[last]
    positives = np.cumsum((weights * labels)[order])[last]
    gained = np.diff(positives, prepend=0.0)
    precision = np.divide(positives, pairs, out=np.zeros_like(pairs), where=pairs > 0)
    return float((gained * precision).sum() / positives[-1]) if positives[-1] else float("nan")


def precision_interval(scores: Scores, labels: Labels, pair_sources: npt.NDArray[np.int64]) -> tuple[float, float]:
    """Return the interval that contains the average precision of 95 % of the resampled sets."""
    random, count = np.random.default_rng(SEED), int(pair_sources.max()) + 1
    order = np.argsort(-scores, kind="stable")
    values = [
        weighted_precision(order, scores, labels, drawn[pair_sources].astype(np.float64))
        for drawn in random.multinomial(count, np.full(count, 1 / count), size=RESAMPLES)
    ]
    low, high = np.nanquantile(values, QUANTILES)
    return float(low), float(high)
