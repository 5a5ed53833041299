"""Uploads: sending, their progress, their preview, and deleting them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from django.http import HttpRequest
from ninja import Field, Form, Router, Schema, Status

from moss.integrations.api.cursors import A_PART, Cursor, Limit, cursor_of, numbers_of
from moss.integrations.api.inputs import Body, Files, Input
from moss.integrations.api.objects import Id, RankingOut, names_of, ranking_out, user_of
from moss.integrations.api.problems import Problem, invalid_form
from submissions.core.access import find_assignment, find_batch
from submissions.core.rights import Right
from submissions.courses.retention import delete_batch
from submissions.intake.choices import BadChoices, Choices
from submissions.intake.limits import BadArchive
from submissions.models import Batch
from submissions.reports.progress import uploads_before
from submissions.uploads.change import create_batch, group_as, read_listed
from submissions.uploads.forms import SubmissionsForm
from submissions.uploads.read import NotYet, listed_batches, preview_of

router = Router()
PATH, URL = "/assignments/{assignment_id}/uploads", "uploads"


class UploadOut(Schema):
    """An upload and its progress; `before` is how many uploads are read before a waiting one."""

    id: int
    assignment: int
    name: str
    role: str
    state: str
    message: str
    created: datetime | None
    documents_done: int
    documents_total: int
    before: int | None
    ranking: RankingOut | None


class Uploads(Schema):
    items: list[UploadOut]
    next: str | None


class UploadIn(Input):
    """Fields of a new upload. With `preview` it waits until a request has it read.

    `paths` is a JSON list with the paths of the files, where they come from a folder.
    """

    role: Literal["class", "earlier", "model"] = "class"
    preview: bool = False
    paths: str = ""


class NotYetOut(Schema):
    """The preview is being computed: ask for it again after some seconds."""

    state: Literal["computing"] = "computing"


class LayoutIn(Body):
    """Choices for the grouping of an upload; see docs/do/grouping.md. A missing field has its default."""

    layout: str = ""
    depth: int | None = None
    attempts: Literal["last", "all"] = "last"
    split: Annotated[list[str], Field(default_factory=list)]
    renames: Annotated[dict[str, str], Field(default_factory=dict)]


def upload_out(request: HttpRequest, batch: Batch) -> UploadOut:
    names = names_of(request, batch.assignment)
    ranks = batch.state == Batch.State.RANKING
    return UploadOut(
        id=batch.pk,
        assignment=batch.assignment_id,
        name=names.redact_text(batch.name),
        role=batch.role,
        state=batch.state,
        message=names.redact_text(batch.message),
        # The exact time can reveal who handed in.
        created=None if names.hidden else batch.created,
        documents_done=batch.documents_done,
        documents_total=batch.documents_total,
        before=uploads_before(batch),
        ranking=ranking_out(batch.assignment) if ranks else None,
    )


@router.get(PATH, response=Uploads, summary="List uploads", url_name="api_uploads")
def list_uploads(
    request: HttpRequest, assignment_id: Id, cursor: Cursor = "", limit: Limit = A_PART
) -> Uploads:
    """List the uploads of an assignment, the newest first."""
    assignment = find_assignment(user_of(request), assignment_id, Right.READ)
    [before] = numbers_of(cursor, 1)
    rows = listed_batches(assignment).select_related("assignment__course__owner")
    part = list((rows.filter(pk__lt=before) if before else rows)[: limit + 1])
    following = cursor_of(part[limit - 1].pk) if len(part) > limit else None
    return Uploads(items=[upload_out(request, one) for one in part[:limit]], next=following)


@router.post(
    PATH,
    response={202: UploadOut},
    summary="Upload files",
    url_name="api_uploads",
)
def create_upload(
    request: HttpRequest,
    assignment_id: Id,
    files: Files,  # noqa: ARG001 - the form takes them from the request
    options: Form[UploadIn],
) -> Status[UploadOut]:
    """Upload files or archives; the answer has the id of the upload, whose state says when it is read."""
    user = user_of(request)
    assignment = find_assignment(user, assignment_id, Right.CHANGE)
    form = SubmissionsForm(request.POST, request.FILES)
    if not form.is_valid():
        raise invalid_form(form)
    data = form.cleaned_data
    batch = create_batch(assignment, user, data["files"], preview=options.preview, role=data["role"])
    batch.refresh_from_db()
    request.audit_subject = batch.name  # type: ignore[attr-defined] # read by moss.audit
    return Status(202, upload_out(request, find_batch(user, batch.pk, Right.READ)))


@router.get("/uploads/{upload_id}", response=UploadOut, summary="Get the state", url_name="api_upload")
def get_upload(request: HttpRequest, upload_id: Id) -> UploadOut:
    return upload_out(request, find_batch(user_of(request), upload_id, Right.READ))


@router.delete("/uploads/{upload_id}", response={204: None}, summary="Delete an upload and what came from it")
def delete_upload(request: HttpRequest, upload_id: Id) -> Status[None]:
    delete_batch(find_batch(user_of(request), upload_id, Right.DELETE))
    return Status(204, None)


@router.get(
    "/uploads/{upload_id}/preview",
    response={200: dict[str, Any], 202: NotYetOut},
    summary="Preview an upload",
    url_name="api_preview",
)
def get_preview(request: HttpRequest, upload_id: Id) -> dict[str, Any] | Status[NotYetOut]:
    """Return who handed in what, of an upload that waits to be read; 202 while that is not computed."""
    return _preview(_listed(request, upload_id))


@router.put(
    "/uploads/{upload_id}/layout",
    response={200: dict[str, Any], 202: NotYetOut},
    summary="Choose how an upload is grouped",
)
def choose_layout(request: HttpRequest, upload_id: Id, body: LayoutIn) -> dict[str, Any] | Status[NotYetOut]:
    """Group an upload that waits to be read in another way. Answers as the preview does."""
    batch = _listed(request, upload_id)
    try:
        waited = group_as(batch, Choices.from_json(body.dict()))
    except BadChoices as error:
        raise Problem(422, str(error)) from error
    if not waited:
        raise _not_listed()
    return _preview(_listed(request, upload_id))


@router.post("/uploads/{upload_id}/read", response={202: UploadOut}, summary="Have a previewed upload read")
def read_upload(request: HttpRequest, upload_id: Id) -> Status[UploadOut]:
    if not read_listed(_listed(request, upload_id)):
        raise _not_listed()
    return Status(202, get_upload(request, upload_id))


def _preview(batch: Batch) -> dict[str, Any] | Status[NotYetOut]:
    try:
        return preview_of(batch).to_json()
    except NotYet:
        return Status(202, NotYetOut())
    except BadArchive as error:
        raise Problem(422, str(error)) from error


def _listed(request: HttpRequest, upload_id: int) -> Batch:
    batch = find_batch(user_of(request), upload_id, Right.CHANGE)
    if not batch.is_listed:
        raise _not_listed()
    return batch


def _not_listed() -> Problem:
    return Problem(409, "This upload does not wait to be read. Its state says what it does.")
