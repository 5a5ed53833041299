"""Read and unpack what students send in child processes with the limits of the settings."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

from django.conf import settings

from submissions.sandbox import archives
from submissions.sandbox.archives import UploadedFile
from submissions.sandbox.documents import DocumentReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from submissions.archives.unpack import UnpackedEntry
    from submissions.models import Upload


@cache
def document_reader() -> DocumentReader:
    """Return the reader of this process; it starts its child when it is first used."""
    return DocumentReader(settings.READER_MEMORY)


def upload_entries(uploads: Iterable[Upload]) -> Iterator[UnpackedEntry]:
    """Yield the entries of one archive, or of several files uploaded together.

    Raises
    ------
    BadArchive
        When nothing of a single upload can be read.
    """
    files = [_uploaded_file(upload) for upload in uploads]
    if len(files) == 1:
        return archives.unpack(files[0], settings.READER_MEMORY)
    return archives.unpack_all(files, settings.READER_MEMORY)


def _uploaded_file(upload: Upload) -> UploadedFile:
    stored = upload.file
    return UploadedFile(upload.name, stored.size, partial(stored.storage.open, stored.name, "rb"))
