"""Accounts of programs, which belong to no person and which nobody can sign in to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from django.contrib.auth.models import User
from django.db import transaction

from submissions.actions.tokens import SERVICE
from submissions.models import AuditEntry, Membership
from submissions.models.audit import AuditAction

if TYPE_CHECKING:
    from collections.abc import Collection

    from submissions.models import Course

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,60}")


class BadName(ValueError):
    """A name that no service account can have, or an account that was closed; the message says which."""


@transaction.atomic
def service_account(account: str, courses: Collection[Course], role: str, who: str) -> User:
    """Return the service account of this name with a role in some courses; create it where there is none.

    No person gets such a name: the colon after `service` is in no name that a form or a provider gives.
    Without a password and an address, nobody signs in to it or finds it by one.

    Raises
    ------
    BadName
        When the name is none, or the account was closed.
    """
    if not NAME.fullmatch(account.removeprefix(SERVICE)):
        raise BadName("A service account is named as service:nightly: letters, digits, dots, hyphens.")
    user, created = User.objects.get_or_create(username=account)
    if created:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    elif not user.is_active:
        raise BadName(f"The account {account} was closed.")
    for course in courses:
        before = Membership.objects.filter(course=course, user=user).first()
        if before is None or before.role != role:
            Membership.objects.update_or_create(course=course, user=user, defaults={"role": role})
            AuditEntry.objects.create(
                who=who, action=AuditAction.CHANGED_PEOPLE, course=course.name,
                subject=f"{account}: {role}", page="moss token",
            )  # fmt: skip
    return user
