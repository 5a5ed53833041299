"""What an account has stored and uploaded, its tokens, and the hints that it dismissed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db.models import Q, Sum
from django.utils import timezone

from submissions.models import (
    ApiToken,
    Batch,
    Boilerplate,
    DeletedBatch,
    DismissedHint,
    Entry,
    ListedEntry,
    ResumableUpload,
    Upload,
)
from submissions.permissions import Limits, Right, limit

if TYPE_CHECKING:
    from django.contrib.auth.models import User

HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Usage:
    """Bytes of all files in the courses of an instructor, and the instructor's uploads of the last hour."""

    stored: int
    uploads: int


def usage_of(user: User) -> Usage:
    return Usage(stored_bytes(user), uploads_of_the_last_hour(user))


def stored_bytes(owner: User) -> int:
    """Return the bytes of the files in the courses of `owner`; uploads that wait count as they came."""
    files = Entry.objects.filter(batch__assignment__course__owner=owner, accepted=True)
    handed_out = Boilerplate.objects.filter(assignment__course__owner=owner, first=None)
    waiting = Upload.objects.filter(
        Q(batch__assignment__course__owner=owner) | Q(boilerplate_upload__assignment__course__owner=owner)
    )
    # Those that arrive in parts count whole, so that what was begun can be ended.
    arriving = ResumableUpload.objects.filter(assignment__course__owner=owner, ended=None)
    listed = ListedEntry.objects.filter(batch__assignment__course__owner=owner).exclude(source=None)
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
    present = Batch.objects.filter(uploaded_by=user, created__gt=since)
    deleted = DeletedBatch.objects.filter(uploaded_by=user, uploaded__gt=since)
    return present.count() + deleted.count()


READ_RIGHTS = frozenset({Right.READ, Right.SEE_NAMES})
# The last use of a token is exact to this, so that not every request writes to the database.
EXACT_TO = timedelta(minutes=1)


def tokens(user: User) -> list[ApiToken]:
    """Return the tokens of a user that were not revoked, the newest first."""
    return list(ApiToken.objects.filter(user=user, revoked=None).prefetch_related("courses"))


def all_tokens(account: str = "") -> list[ApiToken]:
    """Return the tokens that were not revoked, of an account by its user name or of all, by account."""
    rows = ApiToken.objects.filter(revoked=None).select_related("user").prefetch_related("courses")
    return list((rows.filter(user__username=account) if account else rows).order_by("user__username", "pk"))


def token_by_digest(digest: str) -> ApiToken | None:
    """Return the token with this digest, valid or not; its `user` may do no more than the token allows."""
    token = ApiToken.objects.select_related("user").filter(digest=digest).first()
    if token:
        rights = READ_RIGHTS if token.scope == ApiToken.Scope.READ else frozenset(Right)
        courses = frozenset(token.courses.values_list("pk", flat=True)) if token.restricted else None
        limit(token.user, Limits(rights, courses))
    return token


def note_use(token: ApiToken) -> None:
    """Store that a token is used now."""
    now = timezone.now()
    if token.used is None or now - token.used >= EXACT_TO:
        ApiToken.objects.filter(pk=token.pk).update(used=now)


def has_dismissed(user: User, hint: str) -> bool:
    return DismissedHint.objects.filter(user=user, name=hint).exists()
