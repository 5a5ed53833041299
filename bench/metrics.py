"""How well scores order labelled pairs; pairs with equal scores are never ordered by accident."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float64]
Labels = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]


class Metrics(NamedTuple):
    """Figures of one set: `pairs` scored, `positives` of them plagiarised, the rest in [0, 1]."""

    pairs: int
    positives: int
    ap: float
    auc: float
    best_f1: float
    precision_at_n: float


class _Steps(NamedTuple):
    """One row for each distinct score, highest first: pairs and positives with at least that score."""

    pairs: Counts
    positives: Counts


def _steps(scores: Scores, labels: Labels) -> _Steps:
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    return _Steps(last + 1, np.cumsum(labels[order], dtype=np.int64)[last])


def average_precision(scores: Scores, labels: Labels) -> float:
    """Mean precision over the positives; equal scores are one threshold, so each sees the whole tie."""
    steps = _steps(scores, labels)
    gained = np.diff(steps.positives, prepend=0)
    return float((gained * (steps.positives / steps.pairs)).sum() / steps.positives[-1])


def auc(scores: Scores, labels: Labels) -> float:
    """Chance that a positive outscores a negative, a tie counting half (Mann-Whitney, average ranks)."""
    _, ties, counts = np.unique(scores, return_inverse=True, return_counts=True)
    average_ranks = np.cumsum(counts) - (counts - 1) / 2
    positives = int(labels.sum())
    above = average_ranks[ties][labels].sum() - positives * (positives + 1) / 2
    return float(above / (positives * (len(labels) - positives)))


def best_f1(scores: Scores, labels: Labels) -> float:
    """Highest F1 over all thresholds."""
    steps = _steps(scores, labels)
    return float((2 * steps.positives / (steps.pairs + steps.positives[-1])).max())


def precision_at_n(scores: Scores, labels: Labels) -> float:
    """Share of positives in the first N pairs, N the number of positives; a tie across N counts pro rata."""
    steps = _steps(scores, labels)
    wanted = int(steps.positives[-1])
    cut = int(np.searchsorted(steps.pairs, wanted))
    pairs_before, found_before = (steps.pairs[cut - 1], steps.positives[cut - 1]) if cut else (0, 0)
    share = (wanted - pairs_before) / (steps.pairs[cut] - pairs_before)
    return float((found_before + share * (steps.positives[cut] - found_before)) / wanted)


def measure(scores: Scores, labels: Labels) -> Metrics:
    """All figures of a set.

    Raises
    ------
    ValueError
        When all pairs carry the same label, or a score is not a number: no order can be judged then.
    """
    positives = int(labels.sum())
    if not 0 < positives < len(labels):
        raise ValueError(f"{positives} of {len(labels)} pairs are plagiarised; both kinds are needed")
    if np.isnan(scores).any():
        raise ValueError(f"{int(np.isnan(scores).sum())} scores are not numbers")
    return Metrics(
        pairs=len(labels),
        positives=positives,
        ap=average_precision(scores, labels),
        auc=auc(scores, labels),
        best_f1=best_f1(scores, labels),
        precision_at_n=precision_at_n(scores, labels),
    )


def level_aucs(scores: Scores, labels: Labels, levels: npt.NDArray[np.str_]) -> dict[str, float]:
    """AUC of each level's positives against all negatives of the set; empty when there is one level only."""
    if len(np.unique(levels)) < 2:  # noqa: PLR2004 - fewer than two is one
        return {}
    wanted = sorted({str(level) for level in levels[labels]})
    kept = {level: ~labels | (levels == level) for level in wanted}
    return {level: auc(scores[rows], labels[rows]) for level, rows in kept.items()}
