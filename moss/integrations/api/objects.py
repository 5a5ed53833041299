"""The user of a request, and names as this user may see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

from django.core.exceptions import PermissionDenied
from ninja import Path, Query, Schema

from moss.integrations.api.problems import Problem
from submissions.core.names import anonymous_names, real_names
from submissions.core.rights import Right, limits_of, may
from submissions.reports.progress import ranking_progress
from submissions.reports.read import report_state

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.http import HttpRequest

    from submissions.core.names import Names
    from submissions.models import Assignment, Report

LARGEST_ID = 2**63 - 1
Id = Annotated[int, Path(ge=1, le=LARGEST_ID)]
Threshold = Annotated[
    int, Query(ge=0, le=100, description="Similarity in percent from which on pairs stand out; 0: suggested.")
]


def user_of(request: HttpRequest) -> User:
    return cast("User", request.user)


def names_of(request: HttpRequest, assignment: Assignment) -> Names:
    """Return the names of an assignment as the user of a token may see them."""
    sees = may(user_of(request), Right.SEE_NAMES, assignment.course)
    return real_names(assignment) if sees else anonymous_names(assignment)


def report_of(assignment: Assignment) -> Report:
    """Return the newest finished report.

    Raises
    ------
    Problem
        When there is none yet.
    """
    report = report_state(assignment).report
    if not report:
        raise Problem(404, "There is no finished report yet. Its state says what is going on.")
    return report


class RankingOut(Schema):
    """The stage of a ranking; `total` is 0 where its items are not counted.

    `note` says which workers take no part because they are of another version; it is empty without any.
    """

    stage: str
    done: int
    total: int
    note: str


def ranking_out(assignment: Assignment) -> RankingOut:
    """Return the progress of an assignment's queued or running ranking."""
    progress = ranking_progress(assignment)
    return RankingOut(stage=progress.stage, done=progress.done, total=progress.total, note=progress.note)


def require_writing(user: User) -> None:
    """Raise PermissionDenied where a token only reads, or is for some courses and this is about others."""
    limits = limits_of(user)
    if Right.CHANGE not in limits.rights or limits.courses is not None:
        raise PermissionDenied("This takes a token that may write and is for all courses.")
