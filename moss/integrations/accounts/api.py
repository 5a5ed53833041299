"""Accounts of the installation, for administrators."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import IntegrityError
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema, Status

from moss.integrations.accounts import change
from submissions.core import api
from submissions.core.accounts import SERVICE
from submissions.core.rights import limits_of

router = Router()
ONE = "/accounts/{account_id}"
Text = Annotated[str, Field(max_length=150)]


class AccountOut(Schema):
    """An account; whoever never signed in has no `last_login`."""

    id: int
    username: str
    email: str
    first_name: str
    last_name: str
    is_staff: bool
    is_active: bool
    last_login: datetime | None


class Accounts(Schema):
    items: list[AccountOut]
    next: str | None


class AccountIn(api.Body):
    """A person who signs in with a campus account, or is invited to choose a password."""

    username: Annotated[str, Field(min_length=1, max_length=150)]
    email: Annotated[str, Field(max_length=254)] = ""
    first_name: Text = ""
    last_name: Text = ""


class InvitedOut(Schema):
    """The address of the page on which the person chooses a password; empty where it was sent by mail."""

    address: str


@router.get("/accounts", response=Accounts, summary="List accounts", url_name="api_accounts")
def list_accounts(request: HttpRequest, limit: api.Limit = api.A_PART, cursor: api.Cursor = "") -> Accounts:
    _administrator(request)
    (last,) = api.numbers_of(cursor, 1)
    rows, following = api.part_of(User.objects.filter(pk__gt=last).order_by("pk"), limit)
    return Accounts(items=[api.answer_of(AccountOut, row) for row in rows], next=following)


@router.post("/accounts", response={201: AccountOut}, summary="Create an account", url_name="api_accounts")
def create_account(request: HttpRequest, body: AccountIn) -> Status[AccountOut]:
    caller = _administrator(request)
    try:
        created = change.create_accounts([body.dict()], caller)
    except ValidationError as error:
        raise api.Problem(422, " ".join(error.messages)) from error
    except IntegrityError:  # another request creates it at the same moment
        created = []
    if not created:
        raise api.Problem(409, "There is an account of this name.")
    return Status(201, api.answer_of(AccountOut, created[0]))


@router.post(f"{ONE}/invitation", response=InvitedOut, summary="Invite", url_name="api_invite_account")
def invite_account(request: HttpRequest, account_id: api.Id) -> InvitedOut:
    """Send the person of an account that nobody used yet a link to choose a password."""
    caller, user = _administrator(request), _account(account_id)
    if user.last_login or user.has_usable_password() or user.username.startswith(SERVICE):
        raise api.Problem(409, "This account is used: new passwords are asked for on the page that signs in.")
    has_roles = user.memberships.exists() or user.courses.exists()
    if has_roles and not (settings.MAIL and user.email):
        raise api.Problem(409, "This account has roles in courses and gets no mail: run `moss account invite`.")
    return InvitedOut(address=change.invite(user, caller))


@router.post(f"{ONE}/disable", response=AccountOut, summary="Close an account", url_name="api_disable_account")
def disable_account(request: HttpRequest, account_id: api.Id) -> AccountOut:
    """Close an account and end its sessions and tokens; what it owns stays."""
    caller, user = _administrator(request), _account(account_id)
    change.close([user], caller)
    user.is_active = False
    return api.answer_of(AccountOut, user)


def _administrator(request: HttpRequest) -> change.Caller:
    user = api.user_of(request)
    if not user.is_staff or limits_of(user).courses is not None:
        raise PermissionDenied("This takes a token of an administrator for all courses.")
    if request.method != "GET":
        api.require_writing(user)
    return change.Caller(user.get_username(), request.path)


def _account(number: int) -> User:
    """Return an open account; those of administrators change in `/admin/`."""
    user = get_object_or_404(User, pk=number, is_active=True)
    if user.is_staff or user.is_superuser:
        raise PermissionDenied("Accounts of administrators are changed in /admin/.")
    return user
