"""Accounts: their tokens for other programs, what they may store, and the hints that they dismissed."""

from __future__ import annotations

import re
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Q, Sum
from django.utils import timezone
from django.utils.translation import gettext as _

from submissions import models
from submissions.audit.models import AuditAction
from submissions.core.rights import Limits, Right, limit
from submissions.intake.limits import format_size

HOUR = timedelta(hours=1)

READ_RIGHTS = frozenset({Right.READ, Right.SEE_NAMES})
# The last use of a token is exact to this, so that not every request writes to the database.
EXACT_TO = timedelta(minutes=1)

START = "moss_"
# What the user names of service accounts begin with.
SERVICE = "service:"
SECRET_BYTES = 32
PREFIX_CHARACTERS = 10

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,60}")

# Seconds that an upload waits for other uploads of the same accounts.
LOCK_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Usage:
    """Bytes of all files in the courses of an instructor, and the instructor's uploads of the last hour."""

    stored: int
    uploads: int


def usage_of(user: User) -> Usage:
    return Usage(stored_bytes(user), uploads_of_the_last_hour(user))


def stored_bytes(owner: User) -> int:
    """Return the bytes of the files in the courses of `owner`; uploads that wait count as they came."""
    files = models.Entry.objects.filter(batch__assignment__course__owner=owner, accepted=True)
    handed_out = models.Boilerplate.objects.filter(assignment__course__owner=owner, first=None)
    waiting = models.Upload.objects.filter(
        Q(batch__assignment__course__owner=owner) | Q(boilerplate_upload__assignment__course__owner=owner)
    )
    # Uploads in parts count with their whole length, so that an upload that was begun can be completed.
    arriving = models.ResumableUpload.objects.filter(assignment__course__owner=owner, ended=None)
    listed = models.ListedEntry.objects.filter(batch__assignment__course__owner=owner).exclude(source=None)
    return int(
        (listed.aggregate(total=Sum("size"))["total"] or 0)
        + (arriving.aggregate(total=Sum("length"))["total"] or 0)
        + (files.aggregate(total=Sum("size"))["total"] or 0)
        + (handed_out.aggregate(total=Sum("source__size"))["total"] or 0)
        + (waiting.aggregate(total=Sum("size"))["total"] or 0)
    )


def uploads_of_the_last_hour(user: User) -> int:
    """Return the number of uploads of a user, with those that were deleted since."""
    since = timezone.now() - HOUR
    present = models.Batch.objects.filter(uploaded_by=user, created__gt=since)
    deleted = models.DeletedBatch.objects.filter(uploaded_by=user, uploaded__gt=since)
    return present.count() + deleted.count()


def tokens(user: User) -> list[models.ApiToken]:
    """Return the tokens of a user that were not revoked, the newest first."""
    return list(models.ApiToken.objects.filter(user=user, revoked=None).prefetch_related("courses"))


def all_tokens(account: str = "") -> list[models.ApiToken]:
    """Return the tokens that were not revoked, of an account by its user name or of all, by account."""
    rows = models.ApiToken.objects.filter(revoked=None).select_related("user").prefetch_related("courses")
    return list((rows.filter(user__username=account) if account else rows).order_by("user__username", "pk"))


def token_by_digest(digest: str) -> models.ApiToken | None:
    """Return the token with this digest, valid or not; its `user` may do no more than the token allows."""
    token = models.ApiToken.objects.select_related("user").filter(digest=digest).first()
    if token:
        rights = READ_RIGHTS if token.scope == models.ApiToken.Scope.READ else frozenset(Right)
        courses = frozenset(token.courses.values_list("pk", flat=True)) if token.restricted else None
        limit(token.user, Limits(rights, courses))
    return token


def note_use(token: models.ApiToken) -> None:
    """Store that a token is used now."""
    now = timezone.now()
    if token.used is None or now - token.used >= EXACT_TO:
        models.ApiToken.objects.filter(pk=token.pk).update(used=now)


def has_dismissed(user: User, hint: str) -> bool:
    return models.DismissedHint.objects.filter(user=user, name=hint).exists()


def token_digest(secret: str) -> str:
    """Return the digest of a secret to store; a long, random secret cannot be guessed from a plain digest."""
    return sha256(secret.encode(errors="surrogatepass")).hexdigest()


@transaction.atomic
def create_token(
    user: User, name: str, scope: str, lasting: timedelta, courses: Collection[models.Course] = ()
) -> tuple[models.ApiToken, str]:
    """Create a token, for some courses only if any are given; return it with its secret.

    The secret is not stored.
    """
    secret = START + secrets.token_urlsafe(SECRET_BYTES)
    token = models.ApiToken.objects.create(
        user=user,
        name=name,
        scope=scope,
        restricted=bool(courses),
        prefix=secret[:PREFIX_CHARACTERS],
        digest=token_digest(secret),
        expires=timezone.now() + lasting,
    )
    token.courses.set(courses)
    return token, secret


def note_tokens(who: str, address: str | None, what: str, tokens: Collection[models.ApiToken]) -> None:
    """Write to the audit log whose tokens were created or revoked, and what they may do."""
    for token in tokens:
        may = f"{token.scope}, until {token.expires:%Y-%m-%d}"
        subject = f"{what}: {token} of {token.user.get_username()}, {may}"
        models.AuditEntry.objects.create(
            who=who, address=address, action=AuditAction.CHANGED_TOKENS, subject=subject, page="api_tokens"
        )


def revoke_tokens(user: User, keys: Collection[int]) -> int:
    """Revoke tokens of a user by primary keys; return how many of them were not revoked before."""
    return models.ApiToken.objects.filter(user=user, pk__in=keys, revoked=None).update(revoked=timezone.now())


class BadName(ValueError):
    """A name that no service account can have, or an account that was closed; the message says which."""


@transaction.atomic
def service_account(account: str, courses: Collection[models.Course], role: str, who: str) -> User:
    """Return the service account of this name with a role in some courses, or create it.

    No person gets such a name: the colon after `service` is in no name that a form or a provider gives. The
    account has no password and no address, so that nobody can sign in to it or find it by mail. Raises
    BadName when the name is not valid, or the account was closed.
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
        before = models.Membership.objects.filter(course=course, user=user).first()
        if before is None or before.role != role:
            models.Membership.objects.update_or_create(course=course, user=user, defaults={"role": role})
            models.AuditEntry.objects.create(
                who=who,
                action=AuditAction.CHANGED_PEOPLE,
                course=course.name,
                subject=f"{account}: {role}",
                page="moss token",
            )
    return user


class QuotaExceeded(Exception):
    """An upload was refused; the message says which limit, what is used, and what to do."""


def check_quotas(assignment: models.Assignment, size: int, user: User | None = None) -> None:
    """Return if the owner of the course may store `size` more bytes, and `user` upload once more this hour.

    Call this in the transaction that stores them: it locks the accounts until then, so that uploads at the
    same time are counted one after the other. Raises QuotaExceeded when they may not.
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
            ).format(owner=owner.get_username(), stored=format_size(stored), limit=format_size(limit))
        )


def dismiss_hint(user: User, name: str) -> None:
    """Do not show the hint of this name to a user any more; a second time changes nothing."""
    models.DismissedHint.objects.get_or_create(user=user, name=name)
