"""The submissions of an assignment."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Count
from django.http import HttpRequest
from ninja import Router, Schema

from moss.integrations.api.cursors import A_PART, Cursor, Limit, cursor_of, numbers_of
from moss.integrations.api.objects import Id, names_of, user_of
from submissions.core.access import all_submissions, find_assignment
from submissions.core.models import Commits
from submissions.core.names import Names
from submissions.core.rights import Right
from submissions.models import Submission

router = Router()


class CommitsOut(Schema):
    """The times of the first and the last commit, which anybody can set, and the number of commits."""

    first: datetime
    last: datetime
    number: int


class SubmissionOut(Schema):
    """A submission: its `id` is that of pairs and cases; `upload` is null for a copy of another assignment's.

    `students`, as the upload names them, `handed_in` and `commits` are null where names are hidden.
    """

    id: int
    name: str
    upload: int | None
    role: str
    files: int
    handed_in: datetime | None
    commits: CommitsOut | None
    students: list[str] | None


class Submissions(Schema):
    items: list[SubmissionOut]
    next: str | None


@router.get(
    "/assignments/{assignment_id}/submissions",
    response=Submissions,
    summary="List submissions",
    url_name="api_submissions",
)
def list_submissions(
    request: HttpRequest, assignment_id: Id, cursor: Cursor = "", limit: Limit = A_PART
) -> Submissions:
    """List the submissions of all uploads, also replaced ones, in the order of their ids."""
    assignment = find_assignment(user_of(request), assignment_id, Right.READ)
    [last] = numbers_of(cursor, 1)
    rows = all_submissions(assignment).filter(pk__gt=last).order_by("pk").select_related("batch")
    counted = rows.annotate(file_count=Count("files")).prefetch_related("students")
    part, names = list(counted[: limit + 1]), names_of(request, assignment)
    following = cursor_of(part[limit - 1].pk) if len(part) > limit else None
    return Submissions(items=[_submission_out(one, names) for one in part[:limit]], next=following)


def _submission_out(row: Submission, names: Names) -> SubmissionOut:
    return SubmissionOut(
        id=row.pk,
        name=names.display_name(row.name),
        upload=None if row.origin_id else row.batch_id,
        role=row.batch.role,
        files=row.file_count,  # type: ignore[attr-defined] # annotated
        handed_in=None if names.hidden else row.handed_in,
        commits=None if names.hidden else _commits_out(row.commits),
        students=None if names.hidden else [one.name for one in row.students.all()],
    )


def _commits_out(commits: Commits | None) -> CommitsOut | None:
    if commits is None:
        return None
    return CommitsOut(first=commits.first_time, last=commits.last_time, number=commits.number)
