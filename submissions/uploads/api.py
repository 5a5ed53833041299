"""The API of uploads, also in parts, of the submissions of an assignment, and of boilerplate.

Uploads in parts go on after a lost connection, by the tus protocol 1.0.0 (https://tus.io/).
"""

from __future__ import annotations

from base64 import b64decode
from datetime import datetime
from typing import Annotated, Any, Literal

from django.conf import settings
from django.db.models import Count
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.urls import reverse
from django.utils.http import http_date
from ninja import Field, Form, Header, Router, Schema, Status

from submissions.core.access import all_submissions, find_assignment, find_batch, find_boilerplate, find_resumable
from submissions.core.api import (
    A_PART,
    Body,
    Cursor,
    Files,
    Id,
    Input,
    Limit,
    Problem,
    answer_of,
    names_of,
    numbers_of,
    part_of,
    require_valid,
    user_of,
)
from submissions.core.models import Commits
from submissions.core.names import Names
from submissions.core.rights import Right
from submissions.courses.retention import delete_batch
from submissions.intake.choices import BadChoices, Choices
from submissions.intake.limits import BadArchive
from submissions.models import Batch, Boilerplate, BoilerplateUpload, ResumableUpload, Submission
from submissions.pages.requests import too_much_at_once
from submissions.reports.api import RankingOut, ranking_out
from submissions.reports.progress import uploads_before
from submissions.reports.read import listed_boilerplate, listed_boilerplate_uploads
from submissions.uploads import change as boilerplate_actions, files as uploads
from submissions.uploads.change import create_batch, end_resumable, group_as, read_listed
from submissions.uploads.forms import SubmissionsForm, UploadForm
from submissions.uploads.read import NotYet, listed_batches, preview_of

uploads_router = Router()
PATH, URL = "/assignments/{assignment_id}/uploads", "uploads"

resumable_router = Router()
NEW, ONE = "/assignments/{assignment_id}/resumable", "/resumable/{resumable_id}"
VERSION = "1.0.0"
PART_TYPE = "application/offset+octet-stream"
LONGEST_NAME = 255
PART = {"content": {PART_TYPE: {"schema": {"type": "string", "format": "binary"}}}}

# What the document says of headers that the protocol has refused by 412 and 413, not by 422.
LIMITS = {"Tus-Resumable": {"enum": [VERSION]}, "Upload-Length": {"maximum": settings.MAX_UPLOAD_BYTES}}

Version = Annotated[str, Header(alias="Tus-Resumable")]
Offset = Annotated[int, Header(alias="Upload-Offset", ge=0)]
Length = Annotated[int, Header(alias="Upload-Length", ge=1)]
Metadata = Annotated[str, Header(alias="Upload-Metadata")]

submissions_router = Router()

boilerplate_router = Router()


class UploadOut(Schema):
    """An upload and its progress; `before` is how many uploads are read before a waiting one.

    Of one that is `incomplete` not all was read: work of students is missing.
    """

    id: int
    assignment: int
    name: str
    role: str
    state: str
    message: str
    incomplete: bool
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
    return answer_of(
        UploadOut,
        batch,
        assignment=batch.assignment_id,
        name=names.redact_text(batch.name),
        message=names.redact_text(batch.message),
        # The exact time can reveal who handed in.
        created=None if names.hidden else batch.created,
        before=uploads_before(batch),
        ranking=ranking_out(batch.assignment) if ranks else None,
    )


@uploads_router.get(PATH, response=Uploads, summary="List uploads", url_name="api_uploads")
def list_uploads(request: HttpRequest, assignment_id: Id, cursor: Cursor = "", limit: Limit = A_PART) -> Uploads:
    """List the uploads of an assignment, the newest first."""
    assignment = find_assignment(user_of(request), assignment_id, Right.READ)
    [before] = numbers_of(cursor, 1)
    rows = listed_batches(assignment).select_related("assignment__course__owner")
    part, following = part_of(rows.filter(pk__lt=before) if before else rows, limit)
    return Uploads(items=[upload_out(request, one) for one in part], next=following)


@uploads_router.post(PATH, response={202: UploadOut}, summary="Upload files", url_name="api_uploads")
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
    require_valid(form)
    data = form.cleaned_data
    batch = create_batch(assignment, user, data["files"], preview=options.preview, role=data["role"])
    batch.refresh_from_db()
    request.audit_subject = batch.name  # type: ignore[attr-defined] # read by submissions.audit.log
    return Status(202, upload_out(request, find_batch(user, batch.pk, Right.READ)))


@uploads_router.get("/uploads/{upload_id}", response=UploadOut, summary="Get the state", url_name="api_upload")
def get_upload(request: HttpRequest, upload_id: Id) -> UploadOut:
    return upload_out(request, find_batch(user_of(request), upload_id, Right.READ))


@uploads_router.delete("/uploads/{upload_id}", response={204: None}, summary="Delete an upload and what came from it")
def delete_upload(request: HttpRequest, upload_id: Id) -> Status[None]:
    delete_batch(find_batch(user_of(request), upload_id, Right.DELETE))
    return Status(204, None)


@uploads_router.get(
    "/uploads/{upload_id}/preview",
    response={200: dict[str, Any], 202: NotYetOut},
    summary="Preview an upload",
    url_name="api_preview",
)
def get_preview(request: HttpRequest, upload_id: Id) -> dict[str, Any] | Status[NotYetOut]:
    """Return who handed in what, of an upload that waits to be read; 202 while that is not computed."""
    return _preview(_listed(request, upload_id))


@uploads_router.put(
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


@uploads_router.post("/uploads/{upload_id}/read", response={202: UploadOut}, summary="Have a previewed upload read")
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


class ResumableOut(Schema):
    """An upload in parts: `offset` bytes of `length` have arrived. `upload` is the id that it gets then."""

    id: int
    assignment: int
    offset: int
    length: int
    expires: datetime
    upload: int | None


@resumable_router.post(NEW, response={201: ResumableOut}, summary="Begin an upload in parts", url_name="api_resumables")
def begin_resumable(  # noqa: PLR0917 - its headers
    request: HttpRequest,
    response: HttpResponse,
    assignment_id: Id,
    length: Length,
    metadata: Metadata = "",
    version: Version = VERSION,
) -> Status[ResumableOut]:
    """Begin an upload of one file; the answer says by `Location` where its parts are sent.

    `Upload-Metadata` has `filename`, `role` and `preview`, as an upload at once has them, in Base64.
    """
    _check_version(version)
    user = user_of(request)
    assignment = find_assignment(user, assignment_id, Right.CHANGE)
    if length > settings.MAX_UPLOAD_BYTES:
        raise Problem(413, too_much_at_once())
    fields = _fields(metadata)
    role = fields.get("role", Batch.Role.CLASS)
    if role not in {Batch.Role.CLASS, Batch.Role.EARLIER, Batch.Role.MODEL}:
        raise Problem(422, "The role is class, earlier or model.")
    name = fields.get("filename", "")[-LONGEST_NAME:] or "upload"
    preview = fields.get("preview", "") in {"true", "1"}
    upload = boilerplate_actions.begin_resumable(assignment, user, name, length, preview=preview, role=role)
    request.audit_subject = upload.name  # type: ignore[attr-defined] # read by submissions.audit.log
    _describe(response, upload)
    response["Location"] = reverse("api-1:api_resumable", args=[upload.pk])
    return Status(201, _out(upload))


@resumable_router.get(ONE, response=ResumableOut, summary="Get an upload in parts", url_name="api_resumable")
def get_resumable(request: HttpRequest, resumable_id: Id) -> ResumableOut:
    return _out(_find_upload(request, resumable_id))


@resumable_router.api_operation(["HEAD"], ONE, response={200: None}, summary="Ask how much has arrived")
def head_resumable(request: HttpRequest, response: HttpResponse, resumable_id: Id, version: Version = VERSION) -> None:
    """Ask where the next part begins: `Upload-Offset` says it."""
    _check_version(version)
    _describe(response, _find_upload(request, resumable_id))


@resumable_router.patch(ONE, response={204: None}, summary="Send a part", openapi_extra={"requestBody": PART})
def send_part(
    request: HttpRequest, response: HttpResponse, resumable_id: Id, offset: Offset, version: Version = VERSION
) -> Status[None]:
    """Send what follows the first `Upload-Offset` bytes; with the last part the upload is read as any other.

    What arrives of a part is kept although the rest is lost. 409 says that `Upload-Offset` is another.
    """
    _check_version(version)
    upload = _find_upload(request, resumable_id)
    if request.content_type != PART_TYPE:
        raise Problem(415, f"A part is sent as {PART_TYPE}.")
    if int(request.META.get("CONTENT_LENGTH") or 0) > upload.length - offset:
        raise Problem(413, f"The file has {upload.length} bytes; that is more.")
    try:
        upload.offset = uploads.append(upload, offset, lambda most: _read(request, most))
    except uploads.OtherOffset as error:
        raise Problem(409, str(error), {"Upload-Offset": str(error.offset)}) from error
    if upload.offset == upload.length:
        upload = end_resumable(upload)
    _describe(response, upload)
    return Status(204, None)


@resumable_router.delete(ONE, response={204: None}, summary="Delete an upload in parts")
def delete_resumable(request: HttpRequest, resumable_id: Id) -> Status[None]:
    """Delete what arrived. An upload that was whole is deleted by its own address."""
    uploads.delete_resumable(_find_upload(request, resumable_id))
    return Status(204, None)


def _find_upload(request: HttpRequest, pk: int) -> ResumableUpload:
    return find_resumable(user_of(request), pk)


def _read(request: HttpRequest, most: int) -> bytes:
    try:
        return request.read(most)
    except UnreadablePostError:
        return b""  # The connection is lost, so nobody waits for an answer; the client asks what arrived.


def _check_version(version: str) -> None:
    if version != VERSION:
        raise Problem(412, f"This is version {VERSION} of the protocol.", {"Tus-Version": VERSION})


def _fields(metadata: str) -> dict[str, str]:
    """Return the values of `Upload-Metadata`: keys, each with a value in Base64 after a space."""
    pairs = [pair.strip().partition(" ") for pair in metadata.split(",")]
    try:
        return {key: b64decode(value, validate=True).decode(errors="replace") for key, _, value in pairs}
    except ValueError as error:
        raise Problem(422, "Upload-Metadata has a value that is not Base64.") from error


def _describe(response: HttpResponse, upload: ResumableUpload) -> None:
    headers: dict[str, Any] = {
        "Tus-Resumable": VERSION,
        "Upload-Offset": upload.offset,
        "Upload-Length": upload.length,
        "Upload-Expires": http_date(upload.expiry.timestamp()),
        "Cache-Control": "no-store",
    }
    for name, value in headers.items():
        response[name] = str(value)


def _out(upload: ResumableUpload) -> ResumableOut:
    return answer_of(
        ResumableOut, upload, assignment=upload.assignment_id, expires=upload.expiry, upload=upload.batch_id
    )


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


@submissions_router.get(
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
    (part, following), names = part_of(counted, limit), names_of(request, assignment)
    return Submissions(items=[_submission_out(one, names) for one in part], next=following)


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


class BoilerplateIn(Input):
    """`paths` is a JSON list with the paths of the files, where they come from a folder.

    With `statement` they are the statement of the task, as plain text or Markdown: messages of its words, its
    numbers and its names do not count.
    """

    paths: str = ""
    statement: bool = False


class BoilerplateOut(Schema):
    id: int
    name: str
    kind: Literal["file", "passage", "statement"]


class BoilerplateUploadOut(Schema):
    """Files that were sent as boilerplate, and what became of them; `refused` is how many were not taken."""

    id: int
    name: str
    state: str
    message: str
    refused: int


class BoilerplateList(Schema):
    """`uploads` are those that are not read yet, that failed, or of which files were refused."""

    items: list[BoilerplateOut]
    uploads: list[BoilerplateUploadOut]


@boilerplate_router.get(
    "/assignments/{assignment_id}/boilerplate",
    response=BoilerplateList,
    summary="List boilerplate",
    url_name="api_boilerplate",
)
def list_boilerplate(request: HttpRequest, assignment_id: Id) -> BoilerplateList:
    assignment = find_assignment(user_of(request), assignment_id, Right.READ)
    names = names_of(request, assignment)
    return BoilerplateList(
        items=[_item(one, names) for one in listed_boilerplate(assignment)],
        uploads=[_upload(one, names) for one in listed_boilerplate_uploads(assignment)],
    )


@boilerplate_router.post(
    "/assignments/{assignment_id}/boilerplate",
    response={202: BoilerplateUploadOut},
    summary="Add boilerplate",
    url_name="api_boilerplate",
)
def add_boilerplate(
    request: HttpRequest,
    assignment_id: Id,
    files: Files,  # noqa: ARG001 - the form takes them from the request
    options: Form[BoilerplateIn],
) -> Status[BoilerplateUploadOut]:
    assignment = find_assignment(user_of(request), assignment_id, Right.CHANGE)
    form = UploadForm(request.POST, request.FILES)
    require_valid(form)
    upload = boilerplate_actions.add_boilerplate(assignment, form.cleaned_data["files"], statement=options.statement)
    return Status(202, _upload(upload, names_of(request, assignment)))


@boilerplate_router.delete("/boilerplate/{boilerplate_id}", response={204: None}, summary="Remove boilerplate")
def remove_boilerplate(request: HttpRequest, boilerplate_id: Id) -> Status[None]:
    """Let this code count again, and rank the assignment again."""
    boilerplate_actions.remove_boilerplate(find_boilerplate(user_of(request), boilerplate_id, Right.CHANGE))
    return Status(204, None)


def _item(boilerplate: Boilerplate, names: Names) -> BoilerplateOut:
    kind = "statement" if boilerplate.statement else "file" if boilerplate.first is None else "passage"
    return answer_of(BoilerplateOut, boilerplate, name=names.redact_text(boilerplate.name), kind=kind)


def _upload(upload: BoilerplateUpload, names: Names) -> BoilerplateUploadOut:
    texts = {"name": names.redact_text(upload.name), "message": names.redact_text(upload.message)}
    return answer_of(BoilerplateUploadOut, upload, **texts)
