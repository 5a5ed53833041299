"""Share links of an assignment."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Q
from django.utils import timezone

from submissions.queries.withheld import readable_pairs

if TYPE_CHECKING:
    from submissions.models import Assignment, Pair, Report, Share

# Maximum number of expired and revoked links on a page; older ones stay in the database.
ENDED_LISTED = 50


class Shares(NamedTuple):
    """Share links of an assignment: the valid ones, and the newest of those that expired or were revoked."""

    working: list[Share]
    ended: list[Share]


def shares(assignment: Assignment) -> Shares:
    """Return the share links of an assignment, newest first."""
    links = assignment.shares.select_related("created_by")
    valid = Q(revoked=None, expires__gt=timezone.now())
    return Shares(list(links.filter(valid)), list(links.exclude(valid)[:ENDED_LISTED]))


def pair_by_names(report: Report, left: str, right: str) -> Pair | None:
    """Return a report's pair by the names of its submissions, `left` sorted before `right`."""
    pairs = readable_pairs(report).select_related("left__batch", "right__batch")
    return pairs.filter(left__name=left, right__name=right).first()
