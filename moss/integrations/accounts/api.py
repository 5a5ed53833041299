"""Accounts of the installation, for administrators."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import IntegrityError
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Field, Router, Schema, Status

from moss.integrations.accounts import change
from submissions.core.api import (
    A_PART,
    Body,
    Cursor,
    Id,
    Limit,
    Problem,
    answer_of,
    numbers_of,
    part_of,
    require_writing,
    user_of,
)
from submissions.core.rights import limits_of

router = Router()
ONE = "/accounts/{account_id}"
REFUSED = "This takes a token of an administrator for all courses."
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


class AccountIn(Body):
    """A person who signs in with a campus account, or is invited to choose a password."""

    username: Annotated[str, Field(min_length=1, max_length=150)]
    email: Annotated[str, Field(max_length=254)] = ""
    first_name: Text = ""
    last_name: Text = ""


class InvitedOut(Schema):
    """Where no mail was sent, `address` is where the person chooses a password."""

    address: str


@router.get("/accounts", response=Accounts, summary="List accounts", url_name="api_accounts")
def list_accounts(request: HttpRequest, limit: Limit = A_PART, cursor: Cursor = "") -> Accounts:
    _administrator(request)
    (last,) = numbers_of(cursor, 1)
    rows, following = part_of(User.objects.filter(pk__gt=last or 0).order_by("pk"), limit)
    return Accounts(items=[answer_of(AccountOut, row) for row in rows], next=following)


@router.post("/accounts", response={201: AccountOut}, summary="Create an account", url_name="api_accounts")
def create_account(request: HttpRequest, body: AccountIn) -> Status[AccountOut]:
    caller = _writing(request)
    try:
        created = change.create_accounts([body.dict()], caller)
    except ValidationError as error:
        raise Problem(422, " ".join(error.messages)) from error
    except IntegrityError:  # another request creates it at the same moment
        created = []
    if not created:
        raise Problem(409, "There is an account of this name.")
    return Status(201, answer_of(AccountOut, created[0]))


@router.post(f"{ONE}/invitation", response=InvitedOut, summary="Invite", url_name="api_invite_account")
def invite_account(request: HttpRequest, account_id: Id) -> InvitedOut:
    """Send the person of an account that nobody used yet a link to choose a password."""
    caller, user = _writing(request), _account(account_id)
    if user.last_login or user.has_usable_password():
        raise Problem(409, "This account is used: its person asks for a new password where one signs in.")
    return InvitedOut(address=change.invite(user, caller))


@router.post(f"{ONE}/disable", response=AccountOut, summary="Close an account", url_name="api_disable_account")
def disable_account(request: HttpRequest, account_id: Id) -> AccountOut:
    """Close an account and end its sessions and tokens; what it owns stays."""
    caller, user = _writing(request), _account(account_id)
    change.close([user], caller)
    user.refresh_from_db()
    return answer_of(AccountOut, user)


def _administrator(request: HttpRequest) -> User:
    user = user_of(request)
    if not user.is_staff or limits_of(user).courses is not None:
        raise PermissionDenied(REFUSED)
    return user


def _writing(request: HttpRequest) -> change.Caller:
    user = _administrator(request)
    require_writing(user)
    return change.Caller(user.get_username(), request.path)


def _account(number: int) -> User:
    """Return an open account; those of administrators change in `/admin/`, which asks for a second factor."""
    user = get_object_or_404(User, pk=number, is_active=True)
    if user.is_staff or user.is_superuser:
        raise PermissionDenied("Accounts of administrators are changed in /admin/.")
    return user
