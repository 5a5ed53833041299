"""Submissions of a report and what links them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from submissions.models import Submission

if TYPE_CHECKING:
    from collections.abc import Iterable

    from submissions.models import Report


class Link(NamedTuple):
    """A pair of a report by the ids of its submissions."""

    left: int
    right: int
    similarity: float


def links(report: Report, line: float) -> list[Link]:
    """Pairs from `line` in [0, 1] on, most similar first."""
    pairs = report.pairs.filter(similarity__gte=line)
    return [Link(*row) for row in pairs.values_list("left_id", "right_id", "similarity")]


def submissions_by_id(ids: Iterable[int]) -> dict[int, Submission]:
    return Submission.objects.in_bulk(set(ids))
