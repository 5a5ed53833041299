"""The threshold of a report: the one that somebody chose for its assignment, or else the suggested one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from submissions.models import Report


def suggested_threshold(report: Report) -> float:
    """Return the similarity in [0, 1] that the ranking suggests; see `fingerprint.ranking.threshold`."""
    return float(report.parameters["threshold"]["value"])


def threshold_of(report: Report) -> float:
    """Return the similarity in [0, 1] from which on the pairs of a report stand out."""
    chosen = report.assignment.threshold
    return suggested_threshold(report) if chosen is None else chosen


def is_suggested(report: Report, threshold: float) -> bool:
    """Return whether what the ranking stored of all pairs, with its suggestion, holds at a threshold."""
    return threshold == suggested_threshold(report)
