"""Uploaded files that wait to be read: their entries, and deleting them."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from django.core.files.storage import default_storage

from submissions.archives.unpack import DEFAULT_LIMITS, DEFAULT_PATTERNS, unpack_all
from submissions.models import Upload

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from django.db.models import QuerySet

    from submissions.archives.left_out.patterns import FilePatterns
    from submissions.archives.unpack import UnpackedEntry

# The folder of uploaded files, in the folder of the default storage.
FOLDER = "uploads"


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


def delete_orphans(before: datetime) -> None:
    """Delete files from before `before` that no upload refers to: a process ended while it stored them."""
    if not default_storage.exists(FOLDER):
        return
    names = {f"{FOLDER}/{name}" for name in default_storage.listdir(FOLDER)[1]}
    for name in names.difference(Upload.objects.values_list("file", flat=True)):
        try:
            if default_storage.get_modified_time(name) < before:
                default_storage.delete(name)
        except FileNotFoundError:  # It was deleted meanwhile, with its upload.
            continue
