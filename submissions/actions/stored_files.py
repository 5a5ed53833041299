"""Store uploaded files until a worker reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from django.core.files.storage import default_storage

from submissions.ingest.uploads import FOLDER
from submissions.models import Upload

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.core.files import File

    from submissions.models import Batch, BoilerplateUpload


def upload_name(files: Sequence[File[bytes]]) -> str:
    """Return the name for files that were uploaded together: `main.py and 3 more`."""
    first = files[0].name or "upload"
    return (first if len(files) == 1 else f"{first} and {len(files) - 1} more")[-255:]


def store_files(files: Sequence[File[bytes]], **owner: Batch | BoilerplateUpload) -> None:
    """Store uploaded files for their owner, all of them or none: `store_files(files, batch=batch)`."""
    written = []
    try:
        for file in files:
            # A name that is known before writing, so that a file that was written in part is deleted too.
            written.append(f"{FOLDER}/{uuid4().hex}")
            default_storage.save(written[-1], file)
            Upload.objects.create(name=file.name or "upload", file=written[-1], **owner)
    except BaseException:
        for name in written:
            default_storage.delete(name)
        raise
