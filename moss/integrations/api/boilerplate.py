"""Boilerplate: code that was handed out, and counts for nothing."""

from __future__ import annotations

from typing import Literal

from django.http import HttpRequest
from ninja import Form, Router, Schema, Status

from moss.integrations.api.inputs import Files, Input
from moss.integrations.api.objects import Id, names_of, user_of
from moss.integrations.api.problems import invalid_form
from submissions.core.access import find_assignment, find_boilerplate
from submissions.core.names import Names
from submissions.core.rights import Right
from submissions.models import Boilerplate, BoilerplateUpload
from submissions.reports.read import listed_boilerplate, listed_boilerplate_uploads
from submissions.uploads import change as boilerplate_actions
from submissions.uploads.forms import UploadForm

router = Router()


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


@router.get(
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


@router.post(
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
    if not form.is_valid():
        raise invalid_form(form)
    upload = boilerplate_actions.add_boilerplate(
        assignment, form.cleaned_data["files"], statement=options.statement
    )
    return Status(202, _upload(upload, names_of(request, assignment)))


@router.delete("/boilerplate/{boilerplate_id}", response={204: None}, summary="Remove boilerplate")
def remove_boilerplate(request: HttpRequest, boilerplate_id: Id) -> Status[None]:
    """Let this code count again, and rank the assignment again."""
    boilerplate_actions.remove_boilerplate(find_boilerplate(user_of(request), boilerplate_id, Right.CHANGE))
    return Status(204, None)


def _item(boilerplate: Boilerplate, names: Names) -> BoilerplateOut:
    name = names.redact_text(boilerplate.name)
    if boilerplate.statement:
        return BoilerplateOut(id=boilerplate.pk, name=name, kind="statement")
    return BoilerplateOut(
        id=boilerplate.pk, name=name, kind="file" if boilerplate.first is None else "passage"
    )


def _upload(upload: BoilerplateUpload, names: Names) -> BoilerplateUploadOut:
    return BoilerplateUploadOut(
        id=upload.pk,
        name=names.redact_text(upload.name),
        state=upload.state,
        message=names.redact_text(upload.message),
        refused=upload.refused,
    )
