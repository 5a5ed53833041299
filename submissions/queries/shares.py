"""Share links of an assignment, and whether who made them may still share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.db.models import BooleanField, Case, Q, When
from django.utils import timezone

from submissions.models import Share
from submissions.permissions import Right, still_has
from submissions.queries.withheld import readable_pairs

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from submissions.models import Assignment, Course, Pair, Report

# Maximum number of expired and revoked links on a page; older ones stay in the database.
ENDED_LISTED = 50


class Shares(NamedTuple):
    """Share links of an assignment: those that work, those that stopped, and the newest that ended.

    Those that `stopped` would still be valid, but who made them may not share any more. Those that `ended`
    expired or were revoked.
    """

    working: list[Share]
    stopped: list[Share]
    ended: list[Share]


def shares_of(assignment: Assignment) -> Shares:
    """Return the share links of an assignment, newest first."""
    links = assignment.shares.select_related("created_by")
    works = Case(When(_maker_may_share(), then=True), default=False, output_field=BooleanField())
    valid = list(links.filter(_is_valid()).annotate(works=works))
    return Shares(
        [share for share in valid if share.works],
        [share for share in valid if not share.works],
        list(links.exclude(_is_valid())[:ENDED_LISTED]),
    )


def stopped_shares() -> QuerySet[Share]:
    """Return the links of all courses that stopped, because who made them may not share any more."""
    return Share.objects.filter(_is_valid()).exclude(_maker_may_share())


def assignments_with_stopped_shares(course: Course) -> QuerySet[Assignment]:
    """Return the assignments of a course that have links that stopped."""
    return course.assignments.filter(pk__in=stopped_shares().order_by().values("assignment"))


def _is_valid() -> Q:
    return Q(revoked=None, expires__gt=timezone.now())


def _maker_may_share() -> Q:
    return still_has(Right.SHARE, "created_by", "assignment__course")


def pair_by_names(report: Report, left: str, right: str) -> Pair | None:
    """Return a report's pair by the names of its submissions, `left` sorted before `right`."""
    pairs = readable_pairs(report).select_related("left__batch", "right__batch")
    return pairs.filter(left__name=left, right__name=right).first()
