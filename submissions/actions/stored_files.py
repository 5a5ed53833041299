"""Store uploaded files until a worker reads them."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING
from uuid import uuid4

from django.core.files.storage import default_storage
from django.db import transaction

from submissions.ingest.uploads import FOLDER
from submissions.models import Upload

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from django.core.files import File

    from submissions.models import Batch, BoilerplateUpload


def upload_name(files: Sequence[File[bytes]]) -> str:
    """Return the name for files that were uploaded together: `main.py and 3 more`, or their folder."""
    first = files[0].name or "upload"
    folder, slash, _ = first.partition("/")
    if slash and all((file.name or "").startswith(f"{folder}/") for file in files):
        return folder[:255] or "upload"
    return (first if len(files) == 1 else f"{first} and {len(files) - 1} more")[-255:]


@contextmanager
def stored_files(files: Sequence[File[bytes]]) -> Iterator[list[Upload]]:
    """Store uploaded files and yield their rows, to be saved; delete the files if the body fails."""
    written: list[str] = []
    try:
        with transaction.atomic():  # Many small files are one commit where they are kept in the database.
            for file in files:
                # A name that is known before writing, so that a file that was written in part is deleted too.
                written.append(f"{FOLDER}/{uuid4().hex}")
                default_storage.save(written[-1], file)
        yield [
            Upload(name=file.name or "upload", file=name, size=file.size)
            for file, name in zip(files, written, strict=True)
        ]
    except BaseException:
        for name in written:
            default_storage.delete(name)
        raise


def save_uploads(uploads: Sequence[Upload], **owner: Batch | BoilerplateUpload) -> None:
    """Save stored files for their owner: `save_uploads(uploads, batch=batch)`."""
    for upload in uploads:
        for name, value in owner.items():
            setattr(upload, name, value)
    Upload.objects.bulk_create(uploads)
