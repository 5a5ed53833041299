"""Submissions from Git repositories: lists of addresses, and what was fetched."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from moss.integrations.repositories import change as actions
from moss.integrations.repositories.change import LONGEST_TOKEN, RepositoriesForm
from moss.integrations.repositories.git import MOST_CHARACTERS
from moss.integrations.repositories.models import MOST_HOURS, Repository, RepositoryFetch
from submissions.core.access import find_assignment
from submissions.core.api import Body, Id, No, Problem, answer_of, names_of, require_valid, user_of
from submissions.core.rights import Right
from submissions.models import Assignment

router = Router()
PATH = "/assignments/{assignment_id}/repositories"
ONE = f"{PATH}/{{fetch_id}}"
MOST_FETCHES = 100
Token = Annotated[str, Field(max_length=LONGEST_TOKEN)]


class RepositoryOut(Schema):
    """A repository of a list: `state` is waiting, fetched or failed; `reason` says why it failed."""

    student: str | None
    address: str | None
    state: str
    reason: str
    commit: str | None
    committed: datetime | None
    left_out: list[str] | None


class FetchOut(Schema):
    """A list that is fetched: `state` is fetching, done, failed or cancelled; `upload` is what it became."""

    id: int
    assignment: int
    state: str
    message: str
    again_after_due: bool
    hours_after_due: int
    upload: int | None
    created: datetime | None
    done: int
    total: int


class FetchWithRepositories(FetchOut):
    repositories: list[RepositoryOut]


class Fetches(Schema):
    items: list[FetchOut]


class RepositoriesIn(Body):
    """A list as the page takes it: `student,address,branch,commit` a line, of which an address is enough.

    The grades of GitHub Classroom and the answers of GitHub's `accepted_assignments` and GitLab's projects are
    lists too. The role `starter` makes boilerplate of what is fetched.
    `token` reads private repositories of the one host of the list; no answer has it. With `again_after_due`
    the list is fetched once more when the due date has passed, or so many hours later.
    """

    repositories: Annotated[str, Field(max_length=MOST_CHARACTERS)]
    token: Token = ""
    role: Literal["class", "earlier", "model", "starter"] = "class"
    preview: bool = False
    again_after_due: bool = False
    hours_after_due: Annotated[int, Field(ge=0, le=MOST_HOURS)] = 0


class RetryIn(Body):
    """The token for private repositories, again."""

    token: Token = ""


class PlanIn(Body):
    """Take off that a list is fetched again: `again_after_due` is false."""

    again_after_due: No


@router.post(PATH, response={202: FetchOut}, summary="Fetch a list", url_name="api_repositories")
def fetch_list(request: HttpRequest, assignment_id: Id, body: RepositoriesIn) -> Status[FetchOut]:
    """Have repositories fetched; each becomes a submission of one upload, which the state names."""
    user = user_of(request)
    assignment = find_assignment(user, assignment_id, Right.CHANGE)
    form = RepositoriesForm(assignment, body.dict())
    require_valid(form)
    data = dict(form.cleaned_data)
    fetch = actions.start_fetch(assignment, user, data.pop("repositories"), **data)
    return Status(202, _fetch_out(request, fetch))


@router.get(PATH, response=Fetches, summary="List what was fetched", url_name="api_repositories")
def list_fetches(request: HttpRequest, assignment_id: Id) -> Fetches:
    """List the newest 100 lists of an assignment, the newest first."""
    assignment = find_assignment(user_of(request), assignment_id, Right.CHANGE)
    rows = assignment.repository_fetches.select_related("assignment__course")
    return Fetches(items=[_fetch_out(request, one) for one in rows[:MOST_FETCHES]])


@router.patch(PATH, response={204: None}, summary="Fetch nothing again", url_name="api_repositories")
def take_off_plan(request: HttpRequest, assignment_id: Id, body: PlanIn) -> Status[None]:  # noqa: ARG001 - it is checked
    """Have nothing fetched again when the due date has passed."""
    actions.take_off(find_assignment(user_of(request), assignment_id, Right.CHANGE))
    return Status(204, None)


@router.get(ONE, response=FetchWithRepositories, summary="Get the state", url_name="api_repository_fetch")
def get_fetch(request: HttpRequest, assignment_id: Id, fetch_id: Id) -> FetchWithRepositories:
    """Return what came of each repository; names and addresses are null where names are hidden."""
    fetch = _fetch(request, assignment_id, fetch_id)
    hidden = names_of(request, fetch.assignment).hidden
    rows = [_repository_out(one, hidden=hidden) for one in fetch.repositories.defer("data")]
    return FetchWithRepositories(**_fetch_out(request, fetch).dict(), repositories=rows)


@router.post(f"{ONE}/cancel", response=FetchOut, summary="Cancel", url_name="api_cancel_repositories")
def cancel_fetch(request: HttpRequest, assignment_id: Id, fetch_id: Id) -> FetchOut:
    """Stop before the next repository; nothing is uploaded. A list that has ended stays as it is."""
    actions.cancel(_fetch(request, assignment_id, fetch_id))
    return _fetch_out(request, _fetch(request, assignment_id, fetch_id))


@router.post(f"{ONE}/retry", response={202: FetchOut}, summary="Fetch what failed", url_name="api_retry_repositories")
def retry_fetch(request: HttpRequest, assignment_id: Id, fetch_id: Id, body: RetryIn) -> Status[FetchOut]:
    """Fetch the repositories again that failed, as a list of their own."""
    new = actions.retry_failed(_fetch(request, assignment_id, fetch_id), user_of(request), body.token)
    if new is None:
        raise Problem(409, "No repository of this list failed, or it is still being fetched.")
    return Status(202, _fetch_out(request, new))


def _fetch(request: HttpRequest, assignment_id: int, fetch_id: int) -> RepositoryFetch:
    assignment: Assignment = find_assignment(user_of(request), assignment_id, Right.CHANGE)
    fetch = assignment.repository_fetches.filter(pk=fetch_id).first()
    if fetch is None:
        raise Problem(404, "There is no such list.")
    return fetch


def _fetch_out(request: HttpRequest, fetch: RepositoryFetch) -> FetchOut:
    total = fetch.repositories.count()
    waiting = fetch.repositories.filter(state=Repository.State.WAITING).count()
    return answer_of(
        FetchOut,
        fetch,
        assignment=fetch.assignment_id,
        upload=fetch.batch_id,
        created=None if names_of(request, fetch.assignment).hidden else fetch.created,
        done=total - waiting,
        total=total,
    )


def _repository_out(row: Repository, *, hidden: bool) -> RepositoryOut:
    return RepositoryOut(
        student=None if hidden else row.student,
        address=None if hidden else row.address,
        state=row.state,
        reason=row.reason,
        commit=None if hidden else row.fetched_commit,
        committed=None if hidden else row.committed,
        left_out=None if hidden else row.left_out.splitlines(),
    )
