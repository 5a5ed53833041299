"""Refuse uploads beyond what an instructor may store, or upload in an hour."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.utils.translation import gettext as _

from submissions.intake.limits import format_size
from submissions.queries.quotas import stored_bytes, uploads_of_the_last_hour

if TYPE_CHECKING:
    from submissions.models import Assignment

# Seconds that an upload waits for other uploads of the same accounts.
LOCK_SECONDS = 30


class QuotaExceeded(Exception):
    """An upload was refused; the message says which limit, what is used, and what to do."""


def check_quotas(assignment: Assignment, size: int, user: User | None = None) -> None:
    """Return if the owner of the course may store `size` more bytes, and `user` upload once more this hour.

    Call this in the transaction that stores them: it locks the accounts until then, so that uploads at the
    same time are counted one after the other.

    Raises
    ------
    QuotaExceeded
        When they may not.
    """
    owner = assignment.course.owner
    _lock({owner.pk, user.pk} if user else {owner.pk})
    if user:
        _check_uploads(user)
    _check_storage(owner, size)


def _lock(accounts: set[int]) -> None:
    with connection.cursor() as cursor:  # Many uploads at once wait for each other, and need not fail.
        cursor.execute(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'")
    # In a fixed order, so that no two uploads wait for each other; this lock lets other rows refer to the
    # accounts meanwhile, such as new sessions.
    list(User.objects.select_for_update(no_key=True).filter(pk__in=accounts).order_by("pk"))


def _check_uploads(user: User) -> None:
    uploads, limit = uploads_of_the_last_hour(user), settings.UPLOADS_AN_HOUR
    if uploads >= limit:
        raise QuotaExceeded(
            _(
                "You made {uploads} uploads in the last hour; {limit} are allowed. Nothing was stored. "
                "Wait some minutes, and send many submissions as one archive."
            ).format(uploads=f"{uploads:,}", limit=f"{limit:,}")
        )


def _check_storage(owner: User, new: int) -> None:
    stored, limit = stored_bytes(owner), settings.STORAGE_BYTES
    if stored + new > limit:
        raise QuotaExceeded(
            _(
                "The courses of {owner} hold {stored} of at most {limit}. Nothing was stored. Delete old "
                "assignments or uploads, or ask whoever runs this service for more."
            ).format(
                owner=owner.get_username(),
                stored=format_size(stored),
                limit=format_size(limit),
            )
        )
