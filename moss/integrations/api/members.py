"""The people of a course: members, and invitations to become one."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from django.http import Http404, HttpRequest
from ninja import Field, Router, Schema, Status

from moss.integrations.api.inputs import Body
from moss.integrations.api.objects import Id, user_of
from moss.integrations.api.problems import invalid_form
from submissions.core.access import find_course
from submissions.core.rights import Right
from submissions.courses import change as actions
from submissions.courses.change import invitation_address, mail_invitation, mail_owner
from submissions.courses.forms import InvitationForm
from submissions.courses.read import course_with_people, find_invitation, find_membership, people_of
from submissions.models import Invitation, Membership

router = Router()
MEMBERS, INVITATIONS = "/courses/{course_id}/members", "/courses/{course_id}/invitations"
MEMBER, INVITATION = f"{MEMBERS}/{{member_id}}", f"{INVITATIONS}/{{invitation_id}}"
RoleName = Literal["instructor", "assistant", "observer"]


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


class RoleIn(Body):
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


@router.get(MEMBERS, response=Members, summary="List members", url_name="api_members")
def list_members(request: HttpRequest, course_id: Id) -> Members:
    course = course_with_people(user_of(request), course_id)
    items = [_member_out(one) for one in people_of(course).members]
    return Members(owner=course.owner.get_username(), items=items)


@router.patch(MEMBER, response=MemberOut, summary="Change a role", url_name="api_member")
def change_member(request: HttpRequest, course_id: Id, member_id: Id, body: RoleIn) -> MemberOut:
    """Change the role of another member; a request for one's own is answered 403."""
    user = user_of(request)
    row = _member(request, course_id, member_id, Right.INVITE)
    request.audit_subject = f"{row}; {body.role}"  # type: ignore[attr-defined] # read by moss.audit
    actions.change_role(row, body.role, user)
    mail_owner(request, user, row.course, actions.access_text(row))
    return _member_out(row)


@router.delete(MEMBER, response={204: None}, summary="Remove a member", url_name="api_member")
def remove_member(request: HttpRequest, course_id: Id, member_id: Id) -> Status[None]:
    """End a membership, that of others or one's own. What the member decided stays."""
    row = _member(request, course_id, member_id, Right.MANAGE)
    request.audit_subject = str(row)  # type: ignore[attr-defined] # read by moss.audit
    actions.remove_member(row)
    return Status(204, None)


@router.get(INVITATIONS, response=Invitations, summary="List invitations", url_name="api_invitations")
def list_invitations(request: HttpRequest, course_id: Id) -> Invitations:
    """List the invitations that can be accepted."""
    course = find_course(user_of(request), course_id, Right.MANAGE)
    rows = people_of(course).invitations
    return Invitations(items=[_invitation_out(request, one) for one in rows])


@router.post(INVITATIONS, response={201: NewInvitationOut}, summary="Invite", url_name="api_invitations")
def invite(request: HttpRequest, course_id: Id, body: InvitationIn) -> Status[NewInvitationOut]:
    """Invite a person, who becomes a member by opening the link; it is mailed where mail is set."""
    user = user_of(request)
    course = find_course(user, course_id, Right.INVITE)
    form = InvitationForm(user, body.dict())
    if not form.is_valid():
        raise invalid_form(form)
    row = actions.invite(course, user, form.cleaned_data["email"], body.role)
    request.audit_subject = f"{row.email}; {row.role}"  # type: ignore[attr-defined] # read by moss.audit
    mail_owner(request, user, course, actions.access_text(row))
    answer = _invitation_out(request, row).dict() | {"mailed": mail_invitation(request, row)}
    return Status(201, NewInvitationOut(**answer))


@router.delete(INVITATION, response={204: None}, summary="Withdraw an invitation", url_name="api_invitation")
def withdraw_invitation(request: HttpRequest, course_id: Id, invitation_id: Id) -> Status[None]:
    """Delete an invitation: its link ends."""
    row = find_invitation(user_of(request), invitation_id)
    if row.course_id != course_id:
        raise Http404
    request.audit_subject = str(row)  # type: ignore[attr-defined] # read by moss.audit
    row.delete()
    return Status(204, None)


def _member(request: HttpRequest, course_id: int, member_id: int, right: Right) -> Membership:
    row = find_membership(user_of(request), member_id, right)
    if row.course_id != course_id:
        raise Http404
    return row


def _member_out(row: Membership) -> MemberOut:
    return MemberOut(
        id=row.pk,
        user=row.user.get_username(),
        name=row.user.get_full_name(),
        role=row.role,
        group=row.group,
        created=row.created,
    )


def _invitation_out(request: HttpRequest, row: Invitation) -> InvitationOut:
    is_inviter = row.invited_by_id == user_of(request).pk
    fields = {name: getattr(row, name) for name in ("email", "role", "created", "expires")}
    return InvitationOut(
        id=row.pk,
        invited_by=row.invited_by.get_username(),
        url=invitation_address(request, row) if is_inviter else None,
        **fields,
    )
