"""Assignments and their settings."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from django.contrib.auth.models import User
from django.db import transaction
from django.forms.models import model_to_dict
from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from moss.integrations.api.inputs import Body, Name, Time
from moss.integrations.api.objects import Id, names_of, user_of
from moss.integrations.api.problems import Problem, invalid_form
from submissions.core.access import find_assignment, find_course
from submissions.core.rights import Right, courses_of_old_work
from submissions.courses import retention as deletions
from submissions.courses.forms import AssignmentForm, SettingsForm, save_settings, take_back_languages
from submissions.models import Assignment
from submissions.reports.change import choose_threshold
from submissions.reports.old_work import comparable_assignments
from submissions.uploads.rereading import rereading_of

router = Router()


class AssignmentOut(Schema):
    """An assignment with its settings; `teams` and `hold` are null where names are hidden.

    `threshold`, in percent, is null for the suggested one.
    """

    id: int
    course: int
    name: str
    term: str
    language: str
    language_patterns: str
    common_limit: int | None
    threshold: int | None
    due: datetime | None
    teams: str | None
    compare_mates: bool
    include_patterns: str
    exclude_patterns: str
    compare_course: bool
    compared_with: list[int]
    compare_archive: bool
    hold: str | None
    created: datetime


class Assignments(Schema):
    items: list[AssignmentOut]


class AssignmentSettings(Body):
    """Settings of an assignment; an empty language is detected for each file."""

    term: str = ""
    language: str = ""
    language_patterns: str = ""
    common_limit: int | None = None
    due: Time | None = None
    teams: str = ""
    compare_mates: bool = False
    include_patterns: str = ""
    exclude_patterns: str = ""
    compare_course: bool = False
    compared_with: Annotated[list[int], Field(default_factory=list)]
    compare_archive: bool = False
    hold: str = ""
    threshold: Annotated[int, Field(ge=1, le=100)] | None = None


class AssignmentIn(AssignmentSettings):
    """A new assignment."""

    name: Name


class AssignmentChange(AssignmentSettings):
    """The settings to change; those that are left out stay."""

    name: Name = ""
    read_again: bool = False


def assignment_out(request: HttpRequest, assignment: Assignment) -> AssignmentOut:
    fields = AssignmentOut.model_fields.keys() - {"course", "teams", "hold", "compared_with", "threshold"}
    hidden = names_of(request, assignment).hidden
    return AssignmentOut(
        **{name: getattr(assignment, name) for name in fields},
        course=assignment.course_id,
        threshold=None if assignment.threshold is None else round(assignment.threshold * 100),
        teams=None if hidden else assignment.teams,
        hold=None if hidden else assignment.hold,
        compared_with=_readable_comparisons(assignment, user_of(request)),
    )


@router.get("/courses/{course_id}/assignments", response=Assignments, summary="List assignments")
def list_assignments(request: HttpRequest, course_id: Id) -> Assignments:
    course = find_course(user_of(request), course_id, Right.READ)
    rows = course.assignments.select_related("course__owner", "course__roster")
    return Assignments(items=[assignment_out(request, one) for one in rows])


@router.post("/courses/{course_id}/assignments", response={201: AssignmentOut}, summary="Create one")
def create_assignment(request: HttpRequest, course_id: Id, body: AssignmentIn) -> Status[AssignmentOut]:
    """Create an assignment with its settings; those that are left out have their defaults."""
    user = user_of(request)
    settings = body.dict(exclude_unset=True)
    form = AssignmentForm(find_course(user, course_id, Right.CHANGE), settings)
    with transaction.atomic():  # so that no assignment stays of which a setting is refused
        if not form.is_valid():
            raise invalid_form(form)
        assignment = form.save()
        _change(assignment, user, settings, confirmed=False)
    return Status(201, assignment_out(request, find_assignment(user, assignment.pk, Right.READ)))


@router.get(
    "/assignments/{assignment_id}",
    response=AssignmentOut,
    summary="Get an assignment",
    url_name="api_assignment",
)
def get_assignment(request: HttpRequest, assignment_id: Id) -> AssignmentOut:
    return assignment_out(request, find_assignment(user_of(request), assignment_id, Right.READ))


@router.patch(
    "/assignments/{assignment_id}",
    response=AssignmentOut,
    summary="Change settings",
    url_name="api_assignment",
)
def change_assignment(request: HttpRequest, assignment_id: Id, body: AssignmentChange) -> AssignmentOut:
    """Change some settings; another language has all files read again, which `read_again` has to confirm."""
    user = user_of(request)
    assignment = find_assignment(user, assignment_id, Right.CHANGE)
    changes = body.dict(exclude_unset=True, exclude={"read_again"})
    _change(assignment, user, changes, confirmed=body.read_again)
    return assignment_out(request, find_assignment(user, assignment_id, Right.READ))


@router.delete(
    "/assignments/{assignment_id}",
    response={204: None},
    summary="Delete it with its uploads and reports",
    url_name="api_assignment",
)
def delete_assignment(request: HttpRequest, assignment_id: Id) -> Status[None]:
    """Delete an assignment with its uploads, reports and decisions."""
    deletions.delete_assignment(find_assignment(user_of(request), assignment_id, Right.DELETE))
    return Status(204, None)


def _change(assignment: Assignment, user: User, changes: dict[str, Any], *, confirmed: bool) -> None:
    """Store settings; raise a problem where one is not allowed, or files would be read again unconfirmed."""
    stored = assignment.chosen_languages
    threshold = {"percent": changes.pop("threshold")} if "threshold" in changes else {}
    form = SettingsForm(assignment.course, _settings(assignment, user) | changes, instance=assignment)
    form.offer_assignments(comparable_assignments(assignment, user), assignment)
    form.offer_archive(assignment)
    if not form.is_valid():
        raise invalid_form(form)
    chosen = take_back_languages(assignment, stored)
    if chosen != stored:
        reading = rereading_of(assignment, chosen)
        if not reading.changes_nothing and not confirmed:
            raise Problem(409, "Another language has files read again. Confirm that with read_again: true.")
    save_settings(form, user, chosen if chosen != stored else None)
    if threshold:
        choose_threshold(assignment, user, **threshold)


def _settings(assignment: Assignment, user: User) -> dict[str, Any]:
    """Return the stored settings as a form sends them."""
    stored = model_to_dict(assignment, fields=SettingsForm.base_fields)
    offered = comparable_assignments(assignment, user).order_by().values("pk")
    chosen = assignment.compared_with.filter(pk__in=offered)
    # Sent as chosen, it would be refused; it stays stored, and holds again when the course is back.
    archive = assignment.compare_archive and assignment.course.in_archive
    return stored | {"compared_with": list(chosen.values_list("pk", flat=True)), "compare_archive": archive}


def _readable_comparisons(assignment: Assignment, user: User) -> list[int]:
    courses = courses_of_old_work(user, assignment.course)
    readable = assignment.compared_with.filter(course__in=courses)
    return list(readable.order_by("pk").values_list("pk", flat=True))
