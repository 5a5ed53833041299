"""Metrics of how well scores rank labelled pairs; ties never depend on the order of the input."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float64]
Labels = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]


class Metrics(NamedTuple):
    """Metrics of one set: numbers of scored pairs and of plagiarised ones (positives); the rest in [0, 1]."""

    pairs: int
    positives: int
    ap: float
    auc: float
    best_f1: float
    precision_at_n: float


class _CumulativeCounts(NamedTuple):
    """Numbers of pairs and positives with at least each distinct score, highest score first."""

    pairs: Counts
    positives: Counts


def _cumulative_counts(scores: Scores, labels: Labels) -> _CumulativeCounts:
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    last = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
    return _CumulativeCounts(last + 1, np.cumsum(labels[order], dtype=np.int64)[last])


def average_precision(scores: Scores, labels: Labels) -> float:
    """Return the mean precision over the positives, each at its own score as the threshold.

    Equal scores are one threshold, so that the precision includes the whole tie.
    """
    counts = _cumulative_counts(scores, labels)
    gained = np.diff(counts.positives, prepend=0)
    return float((gained * (counts.positives / counts.pairs)).sum() / counts.positives[-1])


def auc(scores: Scores, labels: Labels) -> float:
    """Return the probability that a positive scores higher than a negative; a tie counts half.

    Computed from average ranks (Mann-Whitney).
    """
    _, rank_of_score, counts = np.unique(scores, return_inverse=True, return_counts=True)
    average_ranks = np.cumsum(counts) - (counts - 1) / 2
    positives = int(labels.sum())
    above = average_ranks[rank_of_score][labels].sum() - positives * (positives + 1) / 2
    return float(above / (positives * (len(labels) - positives)))


def best_f1(scores: Scores, labels: Labels) -> float:
    """Return the highest F1 over all thresholds."""
    counts = _cumulative_counts(scores, labels)
    return float((2 * counts.positives / (counts.pairs + counts.positives[-1])).max())


def precision_at_n(scores: Scores, labels: Labels) -> float:
    """Return the share of positives in the first N pairs, N being the number of positives.

    Of a tie that crosses position N, the positives count in proportion to its part before N.
    """
    counts = _cumulative_counts(scores, labels)
    n = int(counts.positives[-1])
    cut = int(np.searchsorted(counts.pairs, n))
    pairs_before, positives_before = (counts.pairs[cut - 1], counts.positives[cut - 1]) if cut else (0, 0)
    share = (n - pairs_before) / (counts.pairs[cut] - pairs_before)
    return float((positives_before + share * (counts.positives[cut] - positives_before)) / n)


def measure(scores: Scores, labels: Labels) -> Metrics:
    """Return all metrics of a set; `scores` and `labels` have one element for each pair.

    Raises
    ------
    ValueError
        When all pairs have the same label or a score is NaN.
    """
    positives = int(labels.sum())
    if not 0 < positives < len(labels):
        raise ValueError(f"{positives} of {len(labels)} pairs are plagiarised; both labels are needed")
    if np.isnan(scores).any():
        raise ValueError(f"{int(np.isnan(scores).sum())} scores are NaN")
    return Metrics(
        pairs=len(labels),
        positives=positives,
        ap=average_precision(scores, labels),
        auc=auc(scores, labels),
        best_f1=best_f1(scores, labels),
        precision_at_n=precision_at_n(scores, labels),
    )


def level_aucs(scores: Scores, labels: Labels, levels: npt.NDArray[np.str_]) -> dict[str, float]:
    """Return the AUC of each level's positives against all negatives; empty if the set has one level only."""
    if len(np.unique(levels)) < 2:  # noqa: PLR2004 - a single level
        return {}
    positive_levels = sorted({str(level) for level in levels[labels]})
    selections = {level: ~labels | (levels == level) for level in positive_levels}
    return {level: auc(scores[selected], labels[selected]) for level, selected in selections.items()}
