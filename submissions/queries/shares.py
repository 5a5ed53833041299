"""Links that were made for others."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Q
from django.shortcuts import get_object_or_404
from django.utils import timezone

from submissions.models import Share
from submissions.queries.access import courses

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from submissions.models import Assignment, Pair, Report

# Links that have ended are kept; a page lists the newest of them.
ENDED_LISTED = 50


class Shares(NamedTuple):
    """Links of an assignment: those that work, and the newest of those that have ended."""

    working: list[Share]
    ended: list[Share]


def shares(of: Assignment) -> Shares:
    """Give the links of an assignment, newest first."""
    made = of.shares.select_related("created_by")
    works = Q(revoked=None, expires__gt=timezone.now())
    return Shares(list(made.filter(works)), list(made.exclude(works)[:ENDED_LISTED]))


def share(user: User, pk: int) -> Share:
    """Find it, or raise Http404 where `user` may not know that it exists."""
    visible = Share.objects.filter(assignment__course__in=courses(user))
    return get_object_or_404(visible.select_related("assignment"), pk=pk)


def pair_named(report: Report, left: str, right: str) -> Pair | None:
    """Find a report's pair by the names of its submissions, in the order of pairs."""
    chosen = report.pairs.select_related("left__batch", "right__batch")
    return chosen.filter(left__name=left, right__name=right).first()
