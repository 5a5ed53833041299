"""Courses."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from django.forms.models import model_to_dict
from django.http import HttpRequest
from ninja import Query, Router, Schema, Status

from moss.integrations.api.inputs import Body, Name
from moss.integrations.api.objects import Id, require_writing, user_of
from moss.integrations.api.problems import Problem, invalid_form
from submissions.core.access import find_course
from submissions.core.rights import Right, require, rights
from submissions.courses import retention as deletions
from submissions.courses.forms import CourseSettingsForm
from submissions.courses.read import listed_courses
from submissions.courses.retention import months_kept, source_days_kept
from submissions.models import Course

router = Router()
CourseName = Annotated[str, Query(max_length=200, description="The name of the course, to confirm it.")]


class CourseOut(Schema):
    """A course; `rights` are what the token may do in it.

    `months_kept` is how long assignments are kept: `keep_months` or the default, within the most.
    `source_days_kept` is the same of sources.
    """

    id: int
    name: str
    owner: str
    keep_months: int | None
    months_kept: int | None
    keep_sources_days: int | None
    source_days_kept: int | None
    in_archive: bool
    created: datetime
    rights: list[str]


class Courses(Schema):
    items: list[CourseOut]


class CourseChange(Body):
    """The settings to change; those that are left out stay. `in_archive` takes the right `own`."""

    name: Name = ""
    keep_months: int | None = None
    keep_sources_days: int | None = None
    in_archive: bool = False


class CourseIn(CourseChange):
    """A new course, which is yours."""

    name: Name


def course_out(request: HttpRequest, course: Course) -> CourseOut:
    return CourseOut(
        id=course.pk,
        name=course.name,
        owner=course.owner.get_username(),
        keep_months=course.keep_months,
        months_kept=months_kept(course),
        keep_sources_days=course.keep_sources_days,
        source_days_kept=source_days_kept(course),
        in_archive=course.in_archive,
        created=course.created,
        rights=sorted(rights(user_of(request), course)),
    )


@router.get("/courses", response=Courses, summary="List the courses that you may read")
def list_courses(request: HttpRequest) -> Courses:
    return Courses(items=[course_out(request, one) for one in listed_courses(user_of(request))])


@router.post("/courses", response={201: CourseOut}, summary="Create a course")
def create_course(request: HttpRequest, body: CourseIn) -> Status[CourseOut]:
    require_writing(user_of(request))
    form = CourseSettingsForm(user_of(request), body.dict())
    if not form.is_valid():
        raise invalid_form(form)
    return Status(201, course_out(request, form.save()))


@router.get("/courses/{course_id}", response=CourseOut, summary="Get a course", url_name="api_course")
def get_course(request: HttpRequest, course_id: Id) -> CourseOut:
    return course_out(request, find_course(user_of(request), course_id, Right.READ))


@router.patch(
    "/courses/{course_id}", response=CourseOut, summary="Change settings of a course", url_name="api_course"
)
def change_course(request: HttpRequest, course_id: Id, body: CourseChange) -> CourseOut:
    """Change its name, how long assignments and sources are kept, or whether it is in the archive."""
    user = user_of(request)
    course = find_course(user, course_id, Right.MANAGE)
    changes = body.dict(exclude_unset=True)
    if "in_archive" in changes:
        require(user, Right.OWN, course)
    stored = model_to_dict(course, fields=CourseSettingsForm.base_fields)
    form = CourseSettingsForm(course.owner, stored | changes, instance=course)
    if not form.is_valid():
        raise invalid_form(form)
    return course_out(request, form.save())


@router.delete(
    "/courses/{course_id}",
    response={204: None},
    summary="Delete it with all its assignments",
    url_name="api_course",
)
def delete_course(request: HttpRequest, course_id: Id, name: CourseName) -> Status[None]:
    """Delete a course with its assignments, uploads, reports and decisions, unless a hold protects one."""
    course = find_course(user_of(request), course_id, Right.OWN)
    if name != course.name:
        text = "This is not the name of the course. Nothing was deleted."
        raise Problem(422, text, errors=[{"field": "name", "message": text}])
    deletions.delete_course(course)
    return Status(204, None)
