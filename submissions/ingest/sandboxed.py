"""Children of this process that read and unpack what students send, with the limits of the settings."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

from django.conf import settings

from submissions.intake.sandbox import archives
from submissions.intake.sandbox.archives import UploadedFile
from submissions.intake.sandbox.documents import DocumentReader
from submissions.intake.sandbox.groupings import GroupingReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from submissions.intake.archives.members import UnpackedEntry
    from submissions.intake.left_out.patterns import FilePatterns
    from submissions.models import Upload


@cache
def document_reader() -> DocumentReader:
    """Return the reader of this process; it starts its child when it is first used."""
    return DocumentReader(settings.READER_MEMORY)


@cache
def grouping_reader() -> GroupingReader:
    """Return what groups uploads for this process; it starts its child when it is first used."""
    return GroupingReader(settings.READER_MEMORY)


def upload_entries(upload: Upload, patterns: FilePatterns) -> Iterator[UnpackedEntry]:
    """Yield the entries of an archive, or the uploaded file as one entry.

    Raises
    ------
    BadArchive
        When nothing of it can be read.
    """
    return archives.unpack(_uploaded_file(upload), settings.READER_MEMORY, patterns=patterns)


def folder_entries(uploads: Iterable[Upload], patterns: FilePatterns) -> Iterator[UnpackedEntry]:
    """Yield the entries of several uploaded files, as if they were in one folder."""
    files = [_uploaded_file(upload) for upload in uploads]
    return archives.unpack_all(files, settings.READER_MEMORY, patterns=patterns)


def _uploaded_file(upload: Upload) -> UploadedFile:
    stored = upload.file
    return UploadedFile(upload.name, upload.size, partial(stored.storage.open, stored.name, "rb"))
