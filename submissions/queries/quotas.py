"""Bytes that an instructor has stored, and uploads of the last hour."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db.models import Q, Sum
from django.utils import timezone

from submissions.models import (
    Batch,
    Boilerplate,
    DeletedBatch,
    Entry,
    ListedEntry,
    ResumableUpload,
    Upload,
)

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
