"""What is taken away of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from django.db.models import Count, Sum

from submissions.models import Decision
from submissions.queries.decisions import with_decisions

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django_stubs_ext import WithAnnotations

    from submissions.models import Report, Submission
    from submissions.queries.decisions import DecidedPair

    CountedSubmission = WithAnnotations[Submission, "Counts"]


class Counts(TypedDict):
    file_count: int
    token_count: int | None


def counted_submissions(report: Report) -> QuerySet[CountedSubmission]:
    """Give a report's submissions with their upload, `file_count` and `token_count`."""
    counted = report.submissions.select_related("batch")
    return counted.annotate(
        file_count=Count("files"), token_count=Sum("files__document__token_count")
    ).order_by("pk")


def confirmed_pairs(report: Report) -> QuerySet[DecidedPair]:
    """Give a report's confirmed pairs with both submissions, most similar first, without their passages."""
    decided = with_decisions(report.pairs.select_related("left", "right").defer("passages"))
    return decided.filter(decision=Decision.State.CONFIRMED)


def confirmed_elsewhere(report: Report) -> int:
    """Count the pairs that were confirmed and that this report does not list."""
    confirmed = report.assignment.decisions.filter(state=Decision.State.CONFIRMED)
    return confirmed.count() - confirmed_pairs(report).count()
