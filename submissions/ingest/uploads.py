"""Uploaded files that wait to be read: their entries, and deleting them."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import timedelta
from typing import TYPE_CHECKING

from django.db.models import Q
from django.utils import timezone

from submissions.archives.unpack import DEFAULT_LIMITS, DEFAULT_PATTERNS, unpack_all
from submissions.models import Batch, BoilerplateUpload, Upload

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.db.models import QuerySet

    from submissions.archives.left_out.patterns import FilePatterns
    from submissions.archives.unpack import UnpackedEntry

# The folder of uploaded files, in the folder of the default storage.
FOLDER = "uploads"
# The files of a failed upload are kept for this time, so that it can be tried again.
KEPT_FOR_RETRY = timedelta(days=2)


def entries_in_one_folder(
    uploads: QuerySet[Upload], patterns: FilePatterns = DEFAULT_PATTERNS
) -> Iterator[UnpackedEntry]:
    """Yield the entries of uploaded files as `unpack_all` does, in the order in which they were chosen."""
    with ExitStack() as opened:
        ordered = uploads.order_by("pk")
        files = [(upload.name, opened.enter_context(upload.file.open("rb"))) for upload in ordered]
        yield from unpack_all(files, DEFAULT_LIMITS, patterns)


def discard_uploads(uploads: QuerySet[Upload]) -> None:
    """Delete uploaded files that are no longer needed."""
    for upload in uploads:
        upload.file.delete(save=False)
        upload.delete()


def unneeded_uploads() -> QuerySet[Upload]:
    """Return the uploaded files that wait neither to be read nor to be tried again."""
    running = Q(batch__state__in=Batch.RUNNING) | Q(boilerplate_upload__state__in=BoilerplateUpload.RUNNING)
    failed = Q(batch__state=Batch.State.FAILED, batch__touched__gt=timezone.now() - KEPT_FOR_RETRY)
    return Upload.objects.exclude(pk__in=Upload.objects.filter(running | failed).values("pk"))
