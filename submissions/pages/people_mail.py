"""Mails about the people of a course, with the addresses of its pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.urls import reverse

from submissions.actions import people
from submissions.permissions import acts_as_administrator

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.http import HttpRequest
    from django.utils.functional import _StrPromise

    from submissions.models import Course, Invitation


def invitation_address(request: HttpRequest, invitation: Invitation) -> str:
    """Return the link of an invitation; whoever has it can accept it."""
    return request.build_absolute_uri(reverse("invitation", args=[people.invitation_token(invitation)]))


def mail_invitation(request: HttpRequest, invitation: Invitation) -> bool:
    """Send an invitation; return whether mail is set and the mail server took it."""
    return bool(settings.MAIL) and people.send_invitation(invitation, invitation_address(request, invitation))


def tell_owner(
    request: HttpRequest, user: User, course: Course, access: str | _StrPromise, owner: User | None = None
) -> None:
    """Mail the owner what access an administrator gave, if mail is set; `owner` is a former one."""
    if settings.MAIL and acts_as_administrator(user, course):
        address = request.build_absolute_uri(reverse("people", args=[course.pk]))
        people.tell_owner(owner or course.owner, course, user, access, address)
