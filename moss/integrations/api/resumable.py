"""Uploads in parts, which go on after a lost connection, by the tus protocol 1.0.0 (https://tus.io/)."""

from __future__ import annotations

from base64 import b64decode
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.urls import reverse
from django.utils.http import http_date
from ninja import Header, Router, Schema, Status

from moss.integrations.api.objects import Id, user_of
from moss.integrations.api.problems import Problem
from submissions.core.access import find_assignment, find_resumable
from submissions.core.rights import Right
from submissions.models import Batch
from submissions.pages.requests import too_much_at_once
from submissions.uploads import change as resumable_actions, files as uploads
from submissions.uploads.change import end_resumable

if TYPE_CHECKING:
    from submissions.models import ResumableUpload

router = Router()
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


class ResumableOut(Schema):
    """An upload in parts: `offset` bytes of `length` have arrived. `upload` is the id that it gets then."""

    id: int
    assignment: int
    offset: int
    length: int
    expires: datetime
    upload: int | None


@router.post(NEW, response={201: ResumableOut}, summary="Begin an upload in parts", url_name="api_resumables")
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
    upload = resumable_actions.begin_resumable(assignment, user, name, length, preview=preview, role=role)
    request.audit_subject = upload.name  # type: ignore[attr-defined] # read by moss.audit
    _describe(response, upload)
    response["Location"] = reverse("api-1:api_resumable", args=[upload.pk])
    return Status(201, _out(upload))


@router.get(ONE, response=ResumableOut, summary="Get an upload in parts", url_name="api_resumable")
def get_resumable(request: HttpRequest, resumable_id: Id) -> ResumableOut:
    return _out(_find_upload(request, resumable_id))


@router.api_operation(["HEAD"], ONE, response={200: None}, summary="Ask how much has arrived")
def head_resumable(
    request: HttpRequest, response: HttpResponse, resumable_id: Id, version: Version = VERSION
) -> None:
    """Ask where the next part begins: `Upload-Offset` says it."""
    _check_version(version)
    _describe(response, _find_upload(request, resumable_id))


@router.patch(ONE, response={204: None}, summary="Send a part", openapi_extra={"requestBody": PART})
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


@router.delete(ONE, response={204: None}, summary="Delete an upload in parts")
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
    return ResumableOut(
        id=upload.pk,
        assignment=upload.assignment_id,
        offset=upload.offset,
        length=upload.length,
        expires=upload.expiry,
        upload=upload.batch_id,
    )
