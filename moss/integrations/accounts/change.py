"""Accounts that commands and the API create, invite, close and open again; the audit log names each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy

from moss.integrations.accounts.models import Session
from submissions.audit.models import AuditAction
from submissions.core.mails import Mail
from submissions.models import ApiToken, AuditEntry
from submissions.work.locks import Work, transaction_lock

NONE_LEFT = "No administrator could sign in any more: nothing was changed. First run moss manage createsuperuser."


class LastAdministrator(Exception):
    """Nobody who is an administrator could sign in any more."""


class Caller(NamedTuple):
    """The name of who changes accounts and the page or command, as entries of the audit log have them."""

    who: str
    page: str

    def note(self, what: str, users: Iterable[User]) -> None:
        kept = {**self._asdict(), "action": AuditAction.CHANGED_PEOPLE}
        for user in users:
            AuditEntry.objects.create(subject=f"{what}: {user.username}", **kept)


def create_accounts(rows: Iterable[Mapping[str, str]], caller: Caller) -> list[User]:
    """Create accounts without a password, of rows with their names; those that exist are left as they are.

    Raises ValidationError where one cannot be created; then none is.
    """
    created = list[User]()
    with transaction.atomic():
        transaction_lock(Work.ACCOUNTS, wait=True)  # Postgres takes names for others that differ in case.
        there = {name.casefold() for name in User.objects.values_list("username", flat=True)}
        for row in (row for row in rows if User.normalize_username(row["username"]).casefold() not in there):
            user = User(**row)
            user.set_unusable_password()
            try:
                user.full_clean()
            except ValidationError as error:
                raise ValidationError(f"{row['username']!r}: {' '.join(error.messages)}") from error
            user.save()
            created.append(user)
        caller.note("created", created)
    return created


def invite(user: User, caller: Caller) -> str:
    """Send a person the address at which to choose a password, which works once; return it if it was not sent."""
    parts = {"uidb36": user_pk_to_url_str(user), "key": default_token_generator.make_token(user)}
    address = f"{settings.PUBLIC_ORIGIN}{reverse('account_reset_password_from_key', kwargs=parts)}"
    context = {"username": user.username, "address": address, "days": settings.LINK_DAYS}
    mail = Mail(gettext_lazy("Your account for comparing submissions"), "accounts/invited.txt", context)
    caller.note("invited", [user])
    return "" if settings.MAIL and mail.send_to(user) else address


def leaves_no_administrator(closed: Iterable[User]) -> bool:
    """Return whether every administrator who can sign in is among these accounts."""
    can_sign_in = ~Q(password__startswith=UNUSABLE_PASSWORD_PREFIX) | Q(socialaccount__isnull=False)
    administrators = {*User.objects.filter(can_sign_in, is_staff=True, is_active=True)}
    return bool(administrators) and administrators <= {*closed}


def close(users: Sequence[User], caller: Caller) -> None:
    """Close accounts: nobody signs in to them, and their sessions and tokens end. What they own stays.

    Raises LastAdministrator where no administrator who can sign in would be left.
    """
    with transaction.atomic():
        transaction_lock(Work.ACCOUNTS, wait=True)  # Two administrators may close each other.
        if leaves_no_administrator(users):
            raise LastAdministrator(NONE_LEFT)
        User.objects.filter(pk__in=[user.pk for user in users]).update(is_active=False)
        Session.objects.filter(user__in=users).delete()
        ApiToken.objects.filter(user__in=users, revoked=None).update(revoked=timezone.now())
        caller.note("closed", users)


def reopen(users: Sequence[User], caller: Caller) -> None:
    """Open closed accounts again; the tokens that ended stay revoked."""
    with transaction.atomic():
        User.objects.filter(pk__in=[user.pk for user in users]).update(is_active=True)
        caller.note("opened again", users)
