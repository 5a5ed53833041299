"""Uploaded files that wait to be read: their entries, and deleting them."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from submissions.archives.unpack import DEFAULT_LIMITS, DEFAULT_PATTERNS, unpack_all

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.db.models import QuerySet

    from submissions.archives.left_out.patterns import FilePatterns
    from submissions.archives.unpack import UnpackedEntry
    from submissions.models import Upload

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
