"""Slow, obviously correct versions of the functions of bench.metrics."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, permutations

Labelled = list[tuple[int, bool]]  # score and whether plagiarised


def precision_and_recall(pairs: Labelled) -> list[tuple[Fraction, Fraction]]:
    """Return precision and recall with each distinct score as the threshold, highest first."""
    positives = sum(label for _, label in pairs)
    points = []
    for threshold in sorted({score for score, _ in pairs}, reverse=True):
        reported = [label for score, label in pairs if score >= threshold]
        points.append((Fraction(sum(reported), len(reported)), Fraction(sum(reported), positives)))
    return points


def average_precision(pairs: Labelled) -> Fraction:
    points = [(Fraction(1), Fraction(0)), *precision_and_recall(pairs)]
    return sum(((b[1] - a[1]) * b[0] for a, b in pairwise(points)), Fraction(0))


def auc(pairs: Labelled) -> Fraction:
    """Return the share of (positive, negative) pairs in the right order; a tie counts half."""
    positives = [score for score, label in pairs if label]
    negatives = [score for score, label in pairs if not label]
    in_order = sum(Fraction((a > b) * 2 + (a == b), 2) for a in positives for b in negatives)
    return Fraction(in_order) / (len(positives) * len(negatives))


def best_f1(pairs: Labelled) -> Fraction:
    points = precision_and_recall(pairs)
    return max(2 * p * r / (p + r) if p + r else Fraction(0) for p, r in points)


def precision_at_n(pairs: Labelled) -> Fraction:
    """Return the mean over every order that the scores allow: all permutations, sorted stably by score."""
    n = sum(label for _, label in pairs)
    orders = [sorted(order, key=lambda pair: -pair[0]) for order in permutations(pairs)]
    return Fraction(sum(label for order in orders for _, label in order[:n]), n * len(orders))
