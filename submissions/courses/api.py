"""The API of courses: their people, their roster and their assignments."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from django.contrib.auth.models import User
from django.db import transaction
from django.forms.models import model_to_dict
from django.http import Http404, HttpRequest
from ninja import Field, File, Query, Router, Schema, Status, UploadedFile

from submissions.core import api
from submissions.core.access import find_assignment, find_course
from submissions.core.rights import Right, courses_of_old_work, may, require, rights
from submissions.courses import change as actions, forms, read, retention as deletions
from submissions.courses.change import invitation_address, mail_invitation, mail_owner
from submissions.courses.retention import months_kept, source_days_kept
from submissions.models import Assignment, Course, CourseRoster, Invitation, Membership
from submissions.reports.change import choose_threshold
from submissions.reports.old_work import comparable_assignments
from submissions.uploads.forms import RosterForm
from submissions.uploads.rereading import rereading_of

courses_router = Router()
CourseName = Annotated[str, Query(max_length=200, description="The name of the course, to confirm it.")]

members_router = Router()
MEMBERS, INVITATIONS = "/courses/{course_id}/members", "/courses/{course_id}/invitations"
MEMBER, INVITATION = f"{MEMBERS}/{{member_id}}", f"{INVITATIONS}/{{invitation_id}}"
RoleName = Literal["instructor", "assistant", "observer"]

rosters_router = Router()
PATH, URL = "/courses/{course_id}/roster", "api_roster"
SUBJECT = "roster"

assignments_router = Router()


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


class CourseChange(api.Body):
    """The settings to change; those that are left out stay. `in_archive` takes the right `own`."""

    name: api.Name = ""
    keep_months: int | None = None
    keep_sources_days: int | None = None
    in_archive: bool = False


class CourseIn(CourseChange):
    """A new course, which is yours."""

    name: api.Name


def course_out(request: HttpRequest, course: Course) -> CourseOut:
    return api.answer_of(
        CourseOut,
        course,
        owner=course.owner.get_username(),
        months_kept=months_kept(course),
        source_days_kept=source_days_kept(course),
        rights=sorted(rights(api.user_of(request), course)),
    )


@courses_router.get("/courses", response=Courses, summary="List the courses that you may read")
def list_courses(request: HttpRequest) -> Courses:
    return Courses(items=[course_out(request, one) for one in read.listed_courses(api.user_of(request))])


@courses_router.post("/courses", response={201: CourseOut}, summary="Create a course")
def create_course(request: HttpRequest, body: CourseIn) -> Status[CourseOut]:
    api.require_writing(api.user_of(request))
    form = forms.CourseSettingsForm(api.user_of(request), body.dict())
    api.require_valid(form)
    return Status(201, course_out(request, form.save()))


@courses_router.get("/courses/{course_id}", response=CourseOut, summary="Get a course", url_name="api_course")
def get_course(request: HttpRequest, course_id: api.Id) -> CourseOut:
    return course_out(request, find_course(api.user_of(request), course_id, Right.READ))


@courses_router.patch(
    "/courses/{course_id}", response=CourseOut, summary="Change settings of a course", url_name="api_course"
)
def change_course(request: HttpRequest, course_id: api.Id, body: CourseChange) -> CourseOut:
    """Change its name, how long assignments and sources are kept, or whether it is in the archive."""
    user = api.user_of(request)
    course = find_course(user, course_id, Right.MANAGE)
    changes = body.dict(exclude_unset=True)
    if "in_archive" in changes:
        require(user, Right.OWN, course)
    stored = model_to_dict(course, fields=forms.CourseSettingsForm.base_fields)
    form = forms.CourseSettingsForm(course.owner, stored | changes, instance=course)
    api.require_valid(form)
    return course_out(request, form.save())


@courses_router.delete(
    "/courses/{course_id}", response={204: None}, summary="Delete it with all its assignments", url_name="api_course"
)
def delete_course(request: HttpRequest, course_id: api.Id, name: CourseName) -> Status[None]:
    """Delete a course with its assignments, uploads, reports and decisions, unless a hold protects one."""
    course = find_course(api.user_of(request), course_id, Right.OWN)
    if name != course.name:
        text = "This is not the name of the course. Nothing was deleted."
        raise api.Problem(422, text, errors=[{"field": "name", "message": text}])
    deletions.delete_course(course)
    return Status(204, None)


class MemberOut(Schema):
    """A member of a course; `group` is the campus group that gave the role, empty if a person did."""

    id: int
    user: str
    name: str
    role: str
    group: str
    created: datetime


class Members(Schema):
    """The owner of a course, who is no member, and its members by user name."""

    owner: str
    items: list[MemberOut]


class RoleIn(api.Body):
    """The new role of a member."""

    role: RoleName


class InvitationOut(Schema):
    """An invitation that nobody accepted yet; `url` is its link for who made it, null for others."""

    id: int
    email: str
    role: str
    invited_by: str
    created: datetime
    expires: datetime
    url: str | None


class NewInvitationOut(InvitationOut):
    """A new invitation; where it was not `mailed`, send the person its `url`."""

    mailed: bool


class Invitations(Schema):
    items: list[InvitationOut]


class InvitationIn(RoleIn):
    """Whom to invite, and as what."""

    email: Annotated[str, Field(max_length=254, json_schema_extra={"format": "email"})]


@members_router.get(MEMBERS, response=Members, summary="List members", url_name="api_members")
def list_members(request: HttpRequest, course_id: api.Id) -> Members:
    course = read.course_with_people(api.user_of(request), course_id)
    items = [_member_out(one) for one in read.people_of(course).members]
    return Members(owner=course.owner.get_username(), items=items)


@members_router.patch(MEMBER, response=MemberOut, summary="Change a role", url_name="api_member")
def change_member(request: HttpRequest, course_id: api.Id, member_id: api.Id, body: RoleIn) -> MemberOut:
    """Change the role of another member; a request for one's own is answered 403."""
    user = api.user_of(request)
    row = _member(request, course_id, member_id, Right.INVITE)
    request.audit_subject = f"{row}; {body.role}"  # type: ignore[attr-defined] # read by submissions.audit.log
    actions.change_role(row, body.role, user)
    mail_owner(request, user, row.course, actions.access_text(row))
    return _member_out(row)


@members_router.delete(MEMBER, response={204: None}, summary="Remove a member", url_name="api_member")
def remove_member(request: HttpRequest, course_id: api.Id, member_id: api.Id) -> Status[None]:
    """End a membership, that of others or one's own. What the member decided stays."""
    row = _member(request, course_id, member_id, Right.MANAGE)
    request.audit_subject = str(row)  # type: ignore[attr-defined] # read by submissions.audit.log
    actions.remove_member(row)
    return Status(204, None)


@members_router.get(INVITATIONS, response=Invitations, summary="List invitations", url_name="api_invitations")
def list_invitations(request: HttpRequest, course_id: api.Id) -> Invitations:
    """List the invitations that can be accepted."""
    course = find_course(api.user_of(request), course_id, Right.MANAGE)
    rows = read.people_of(course).invitations
    return Invitations(items=[_invitation_out(request, one) for one in rows])


@members_router.post(INVITATIONS, response={201: NewInvitationOut}, summary="Invite", url_name="api_invitations")
def invite(request: HttpRequest, course_id: api.Id, body: InvitationIn) -> Status[NewInvitationOut]:
    """Invite a person, who becomes a member by opening the link; it is mailed where mail is set."""
    user = api.user_of(request)
    course = find_course(user, course_id, Right.INVITE)
    form = forms.InvitationForm(user, body.dict())
    api.require_valid(form)
    row = actions.invite(course, user, form.cleaned_data["email"], body.role)
    request.audit_subject = f"{row.email}; {row.role}"  # type: ignore[attr-defined] # read by submissions.audit.log
    mail_owner(request, user, course, actions.access_text(row))
    answer = _invitation_out(request, row).dict() | {"mailed": mail_invitation(request, row)}
    return Status(201, NewInvitationOut(**answer))


@members_router.delete(INVITATION, response={204: None}, summary="Withdraw an invitation", url_name="api_invitation")
def withdraw_invitation(request: HttpRequest, course_id: api.Id, invitation_id: api.Id) -> Status[None]:
    """Delete an invitation: its link ends."""
    row = read.find_invitation(api.user_of(request), invitation_id)
    if row.course_id != course_id:
        raise Http404
    request.audit_subject = str(row)  # type: ignore[attr-defined] # read by submissions.audit.log
    row.delete()
    return Status(204, None)


def _member(request: HttpRequest, course_id: int, member_id: int, right: Right) -> Membership:
    row = read.find_membership(api.user_of(request), member_id, right)
    if row.course_id != course_id:
        raise Http404
    return row


def _member_out(row: Membership) -> MemberOut:
    return api.answer_of(MemberOut, row, user=row.user.get_username(), name=row.user.get_full_name())


def _invitation_out(request: HttpRequest, row: Invitation) -> InvitationOut:
    url = invitation_address(request, row) if row.invited_by_id == api.user_of(request).pk else None
    return api.answer_of(InvitationOut, row, invited_by=row.invited_by.get_username(), url=url)


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


@rosters_router.get(PATH, response=RosterOut, summary="Get the roster", url_name=URL)
def get_roster(request: HttpRequest, course_id: api.Id) -> RosterOut:
    course = find_course(api.user_of(request), course_id, Right.READ)
    return _roster_out(request, course)


@rosters_router.post(PATH, response={201: RosterOut}, summary="Add or replace the roster", url_name=URL)
def replace_roster(
    request: HttpRequest,
    course_id: api.Id,
    file: Annotated[UploadedFile, File()],  # noqa: ARG001 - the form takes it from the request
) -> Status[RosterOut]:
    """Read a CSV file of at most 5 MB and 20,000 rows; it replaces the roster that is there."""
    course = find_course(api.user_of(request), course_id, Right.CHANGE)
    form = RosterForm(request.POST, request.FILES)
    api.require_valid(form)
    actions.replace_roster(course, form.cleaned_data["file"].name or SUBJECT, form.roster)
    return Status(201, _roster_out(request, course))


@rosters_router.delete(PATH, response={204: None}, summary="Remove the roster", url_name=URL)
def remove_roster(request: HttpRequest, course_id: api.Id) -> Status[None]:
    """Delete the roster with its students; submissions have the names of their uploads again."""
    course = find_course(api.user_of(request), course_id, Right.CHANGE)
    _stored(request, course)
    actions.remove_roster(course)
    return Status(204, None)


@rosters_router.get(f"{PATH}/students", response=Students, summary="List its students", url_name="api_roster_students")
def list_roster_students(
    request: HttpRequest, course_id: api.Id, cursor: api.Cursor = "", limit: api.Limit = api.A_PART
) -> Students:
    """List the students of the roster in the order of its file; this takes the right to see names."""
    course = find_course(api.user_of(request), course_id, Right.SEE_NAMES)
    [last] = api.numbers_of(cursor, 1)
    rows = _stored(request, course).students.filter(pk__gt=last).order_by("pk")
    part, following = api.part_of(rows, limit)
    return Students(items=[StudentOut.from_orm(one) for one in part], next=following)


def _stored(request: HttpRequest, course: Course) -> CourseRoster:
    request.audit_subject = SUBJECT  # type: ignore[attr-defined] # read by submissions.audit.log
    roster = read.roster_of(course)
    if roster is None:
        raise api.Problem(404, "This course has no roster.")
    return roster


def _roster_out(request: HttpRequest, course: Course) -> RosterOut:
    roster = _stored(request, course)
    sees = may(api.user_of(request), Right.SEE_NAMES, course)
    return api.answer_of(
        RosterOut,
        roster,
        file=roster.name,
        students=roster.student_count,  # type: ignore[attr-defined] # annotated
        sections=roster.section_count,  # type: ignore[attr-defined]
        teams=roster.team_count,  # type: ignore[attr-defined]
        problems=roster.problems if sees else None,
    )


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
    only_patterns: str
    compare_course: bool
    compared_with: list[int]
    compare_archive: bool
    hold: str | None
    created: datetime


class Assignments(Schema):
    items: list[AssignmentOut]


class AssignmentSettings(api.Body):
    """Settings of an assignment; an empty language is detected for each file."""

    term: str = ""
    language: str = ""
    language_patterns: str = ""
    common_limit: int | None = None
    due: api.Time | None = None
    teams: str = ""
    compare_mates: bool = False
    include_patterns: str = ""
    exclude_patterns: str = ""
    only_patterns: str = ""
    compare_course: bool = False
    compared_with: Annotated[list[int], Field(default_factory=list)]
    compare_archive: bool = False
    hold: str = ""
    threshold: Annotated[int, Field(ge=1, le=100)] | None = None


class AssignmentIn(AssignmentSettings):
    """A new assignment."""

    name: api.Name


class AssignmentChange(AssignmentSettings):
    """The settings to change; those that are left out stay."""

    name: api.Name = ""
    read_again: bool = False


def assignment_out(request: HttpRequest, assignment: Assignment) -> AssignmentOut:
    hidden = api.names_of(request, assignment).hidden
    courses = courses_of_old_work(api.user_of(request), assignment.course)
    readable = assignment.compared_with.filter(course__in=courses)
    return api.answer_of(
        AssignmentOut,
        assignment,
        course=assignment.course_id,
        threshold=None if assignment.threshold is None else round(assignment.threshold * 100),
        teams=None if hidden else assignment.teams,
        hold=None if hidden else assignment.hold,
        compared_with=list(readable.order_by("pk").values_list("pk", flat=True)),
    )


@assignments_router.get("/courses/{course_id}/assignments", response=Assignments, summary="List assignments")
def list_assignments(request: HttpRequest, course_id: api.Id) -> Assignments:
    course = find_course(api.user_of(request), course_id, Right.READ)
    rows = course.assignments.select_related("course__owner", "course__roster")
    return Assignments(items=[assignment_out(request, one) for one in rows])


@assignments_router.post("/courses/{course_id}/assignments", response={201: AssignmentOut}, summary="Create one")
def create_assignment(request: HttpRequest, course_id: api.Id, body: AssignmentIn) -> Status[AssignmentOut]:
    """Create an assignment with its settings; those that are left out have their defaults."""
    user = api.user_of(request)
    settings = body.dict(exclude_unset=True)
    form = forms.AssignmentForm(find_course(user, course_id, Right.CHANGE), settings)
    with transaction.atomic():  # so that no assignment stays of which a setting is refused
        api.require_valid(form)
        assignment = form.save()
        _change(assignment, user, settings, confirmed=False)
    return Status(201, assignment_out(request, find_assignment(user, assignment.pk, Right.READ)))


@assignments_router.get(
    "/assignments/{assignment_id}", response=AssignmentOut, summary="Get an assignment", url_name="api_assignment"
)
def get_assignment(request: HttpRequest, assignment_id: api.Id) -> AssignmentOut:
    return assignment_out(request, find_assignment(api.user_of(request), assignment_id, Right.READ))


@assignments_router.patch(
    "/assignments/{assignment_id}", response=AssignmentOut, summary="Change settings", url_name="api_assignment"
)
def change_assignment(request: HttpRequest, assignment_id: api.Id, body: AssignmentChange) -> AssignmentOut:
    """Change some settings; another language has all files read again, which `read_again` has to confirm."""
    user = api.user_of(request)
    assignment = find_assignment(user, assignment_id, Right.CHANGE)
    changes = body.dict(exclude_unset=True, exclude={"read_again"})
    _change(assignment, user, changes, confirmed=body.read_again)
    return assignment_out(request, find_assignment(user, assignment_id, Right.READ))


@assignments_router.delete(
    "/assignments/{assignment_id}",
    response={204: None},
    summary="Delete it with its uploads and reports",
    url_name="api_assignment",
)
def delete_assignment(request: HttpRequest, assignment_id: api.Id) -> Status[None]:
    """Delete an assignment with its uploads, reports and decisions."""
    deletions.delete_assignment(find_assignment(api.user_of(request), assignment_id, Right.DELETE))
    return Status(204, None)


def _change(assignment: Assignment, user: User, changes: dict[str, Any], *, confirmed: bool) -> None:
    """Store settings; raise a problem where one is not allowed, or files would be read again unconfirmed."""
    stored = assignment.chosen_languages
    threshold = {"percent": changes.pop("threshold")} if "threshold" in changes else {}
    form = forms.SettingsForm(assignment.course, _settings(assignment, user) | changes, instance=assignment)
    form.offer_assignments(comparable_assignments(assignment, user), assignment)
    form.offer_archive(assignment)
    api.require_valid(form)
    chosen = forms.take_back_languages(assignment, stored)
    if chosen != stored:
        reading = rereading_of(assignment, chosen)
        if not reading.changes_nothing and not confirmed:
            raise api.Problem(409, "Another language has files read again. Confirm that with read_again: true.")
    forms.save_settings(form, user, chosen if chosen != stored else None)
    if threshold:
        choose_threshold(assignment, user, **threshold)


def _settings(assignment: Assignment, user: User) -> dict[str, Any]:
    """Return the stored settings as a form sends them."""
    stored = model_to_dict(assignment, fields=forms.SettingsForm.base_fields)
    offered = comparable_assignments(assignment, user).order_by().values("pk")
    chosen = assignment.compared_with.filter(pk__in=offered)
    # Sent as chosen, it would be refused; it stays stored, and holds again when the course is back.
    archive = assignment.compare_archive and assignment.course.in_archive
    return stored | {"compared_with": list(chosen.values_list("pk", flat=True)), "compare_archive": archive}
