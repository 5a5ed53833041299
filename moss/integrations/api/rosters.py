"""The roster of a course."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from django.http import HttpRequest
from ninja import File, Router, Schema, Status, UploadedFile

from moss.integrations.api.cursors import A_PART, Cursor, Limit, cursor_of, numbers_of
from moss.integrations.api.objects import Id, user_of
from moss.integrations.api.problems import Problem, invalid_form
from submissions.core.access import find_course
from submissions.core.rights import Right, may
from submissions.courses import change as actions
from submissions.courses.read import roster_of
from submissions.models import Course, CourseRoster
from submissions.uploads.forms import RosterForm

router = Router()
PATH, URL = "/courses/{course_id}/roster", "api_roster"
SUBJECT = "roster"


class RosterOut(Schema):
    """The roster of a course; `problems`, of which it has at most 100, are null where names are hidden."""

    file: str
    created: datetime
    students: int
    sections: int
    teams: int
    problems: list[str] | None
    problem_count: int


class StudentOut(Schema):
    """A student of a roster; empty where the file does not say."""

    id: int
    name: str
    identifier: str
    login: str
    email: str
    section: str
    team: str
    other_ids: list[str]


class Students(Schema):
    items: list[StudentOut]
    next: str | None


@router.get(PATH, response=RosterOut, summary="Get the roster", url_name=URL)
def get_roster(request: HttpRequest, course_id: Id) -> RosterOut:
    course = find_course(user_of(request), course_id, Right.READ)
    return _roster_out(request, course)


@router.post(PATH, response={201: RosterOut}, summary="Add or replace the roster", url_name=URL)
def replace_roster(
    request: HttpRequest,
    course_id: Id,
    file: Annotated[UploadedFile, File()],  # noqa: ARG001 - the form takes it from the request
) -> Status[RosterOut]:
    """Read a CSV file of at most 5 MB and 20,000 rows; it replaces the roster that is there."""
    course = find_course(user_of(request), course_id, Right.CHANGE)
    form = RosterForm(request.POST, request.FILES)
    if not form.is_valid():
        raise invalid_form(form)
    actions.replace_roster(course, form.cleaned_data["file"].name or SUBJECT, form.roster)
    return Status(201, _roster_out(request, course))


@router.delete(PATH, response={204: None}, summary="Remove the roster", url_name=URL)
def remove_roster(request: HttpRequest, course_id: Id) -> Status[None]:
    """Delete the roster with its students; submissions have the names of their uploads again."""
    course = find_course(user_of(request), course_id, Right.CHANGE)
    _stored(request, course)
    actions.remove_roster(course)
    return Status(204, None)


@router.get(
    f"{PATH}/students", response=Students, summary="List its students", url_name="api_roster_students"
)
def list_roster_students(
    request: HttpRequest, course_id: Id, cursor: Cursor = "", limit: Limit = A_PART
) -> Students:
    """List the students of the roster in the order of its file; this takes the right to see names."""
    course = find_course(user_of(request), course_id, Right.SEE_NAMES)
    [last] = numbers_of(cursor, 1)
    rows = list(_stored(request, course).students.filter(pk__gt=last).order_by("pk")[: limit + 1])
    following = cursor_of(rows[limit - 1].pk) if len(rows) > limit else None
    return Students(items=[StudentOut.from_orm(one) for one in rows[:limit]], next=following)


def _stored(request: HttpRequest, course: Course) -> CourseRoster:
    request.audit_subject = SUBJECT  # type: ignore[attr-defined] # read by moss.audit
    roster = roster_of(course)
    if roster is None:
        raise Problem(404, "This course has no roster.")
    return roster


def _roster_out(request: HttpRequest, course: Course) -> RosterOut:
    roster = _stored(request, course)
    sees = may(user_of(request), Right.SEE_NAMES, course)
    return RosterOut(
        file=roster.name,
        created=roster.created,
        students=roster.student_count,  # type: ignore[attr-defined] # annotated
        sections=roster.section_count,  # type: ignore[attr-defined]
        teams=roster.team_count,  # type: ignore[attr-defined]
        problems=roster.problems if sees else None,
        problem_count=roster.problem_count,
    )
