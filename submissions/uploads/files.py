"""Uploaded files: stored in the database in chunks, waiting to be read, and deleted.

Every worker reaches the chunks. Retention gives up sources before the rest: submissions are released, and
bytes that nobody needs go.
"""

from __future__ import annotations

import io
import logging
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import psycopg
from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, default_storage
from django.db import connection, transaction
from django.db.models import F, Func, PositiveBigIntegerField, Q, QuerySet, Sum
from django.utils import timezone

from submissions.core.database import insert
from submissions.intake.members import PositionedFile
from submissions.intake.sandbox.archives import JOBS, UploadedFile, unpack, unpack_all
from submissions.intake.sandbox.process import ReusedChild
from submissions.intake.unpacking import DEFAULT_LIMITS, DEFAULT_PATTERNS
from submissions.models import Batch, BoilerplateUpload, DeletedBatch, ResumableUpload, Upload
from submissions.uploads.fingerprinting import delete_unused_sources
from submissions.uploads.models import FileChunk

if TYPE_CHECKING:
    from submissions.intake.entries import Entry
    from submissions.intake.left_out.patterns import FilePatterns
    from submissions.intake.limits import Limits

CHUNK_BYTES = 1 << 20
SELECT = "SELECT data FROM submissions_filechunk WHERE name = %s AND number = %s"

# The folder of files that grow.
RESUMABLE_FOLDER = "resumable"
EXTEND = "UPDATE submissions_filechunk SET data = data || %s WHERE name = %s AND number = %s"

# The folder of uploaded files, in the folder of the default storage.
UPLOADS_FOLDER = "uploads"
# The temporary file of a request, as Django names it.
TEMPORARY_NAME = re.compile(r"tmp\w{8}\.upload.*", re.DOTALL)
# The files of a failed upload are kept for this time, so that it can be tried again.
KEPT_FOR_RETRY = timedelta(days=2)

logger = logging.getLogger(__name__)


class DatabaseStorage(Storage):
    """Files as rows of `FileChunk`; a file is stored whole or not at all, and is not changed afterwards."""

    def exists(self, name: str) -> bool:
        """Return whether there is a file of this name, or in a folder of this name."""
        return _chunks(name).exists() or FileChunk.objects.filter(name__startswith=f"{name}/").exists()

    def size(self, name: str) -> int:
        sizes = Func(F("data"), function="octet_length", output_field=PositiveBigIntegerField())
        total = _chunks(name).aggregate(total=Sum(sizes))["total"]
        if total is None:
            raise FileNotFoundError(f"there is no file {name}")
        return int(total)

    def delete(self, name: str) -> None:
        _chunks(name).delete()

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        """Return the names of the folders and of the files in a folder."""
        firsts = FileChunk.objects.filter(name__startswith=f"{path}/", number=0).order_by("name")
        names = [name[len(path) + 1 :] for name in firsts.values_list("name", flat=True)]
        folders = dict.fromkeys(name.partition("/")[0] for name in names if "/" in name)
        return list(folders), [name for name in names if "/" not in name]

    def get_modified_time(self, name: str) -> datetime:
        stored = _chunks(name).filter(number=0).values_list("stored", flat=True).first()
        if stored is None:
            raise FileNotFoundError(f"there is no file {name}")
        return stored

    def _save(self, name: str, content: File[bytes]) -> str:
        with transaction.atomic():
            for number, data in enumerate(_parts(content)):
                insert(connection, FileChunk, {"name": [name], "number": [number], "data": [data]})
        return name

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:
        if mode != "rb":
            raise ValueError(f"{name} cannot be changed: it is stored in the database")
        return File(cast("io.BytesIO", io.BufferedReader(_Chunks(name, self.size(name)))), name)


def _chunks(name: str) -> QuerySet[FileChunk]:
    return FileChunk.objects.filter(name=name)


def _parts(content: File[bytes]) -> Iterator[bytes]:
    """Yield the content in pieces of CHUNK_BYTES; an empty file has one empty piece."""
    content.seek(0)
    data = content.read(CHUNK_BYTES)
    yield data
    while data := content.read(CHUNK_BYTES):
        yield data


class _Chunks(PositionedFile):
    """A stored file, opened for reading; the chunk that was read last is kept."""

    def __init__(self, name: str, size: int) -> None:
        super().__init__(size)
        self._name = name
        self._number, self._data = -1, b""

    def read_at(self, position: int, size: int) -> bytes:
        number, start = divmod(position, CHUNK_BYTES)
        if number != self._number:
            with connection.wrap_database_errors:
                connection.ensure_connection()
                with psycopg.Cursor(connection.connection) as cursor:
                    row = cursor.execute(SELECT, [self._name, number], binary=True).fetchone()
            if row is None:
                raise FileNotFoundError(f"{self._name} was deleted while it was read")
            self._data, self._number = bytes(row[0]), number
        return self._data[start : start + size]


def room(offset: int) -> int:
    """Return how many bytes fit into the chunk in which a file of `offset` bytes ends."""
    return CHUNK_BYTES - offset % CHUNK_BYTES


def append_bytes(name: str, offset: int, data: bytes) -> None:
    """Append at most `room(offset)` bytes to a file of `offset` bytes; call this in a transaction."""
    number, inside = divmod(offset, CHUNK_BYTES)
    if inside:
        with connection.cursor() as cursor:
            cursor.execute(EXTEND, [data, name, number])
    else:
        insert(connection, FileChunk, {"name": [name], "number": [number], "data": [data]})


def opened(name: str) -> File[bytes]:
    return DatabaseStorage().open(name)


def delete(name: str) -> None:
    DatabaseStorage().delete(name)


def entries(
    uploads: QuerySet[Upload],
    patterns: FilePatterns = DEFAULT_PATTERNS,
    limits: Limits = DEFAULT_LIMITS,
    *,
    in_one_folder: bool = False,
) -> Iterator[Entry]:
    """Yield the entries of uploaded files in the order in which they were chosen; a child unpacks them.

    Several files are taken as if they were in one folder, and so is a single one if `in_one_folder`. Raises
    BadArchive when nothing of a single upload can be read.
    """
    files, memory, child = [*map(_uploaded_file, uploads.order_by("pk"))], settings.READER_MEMORY, unpacking_child()
    if len(files) == 1 and not in_one_folder:
        return unpack(files[0], memory, limits, patterns, reused=child)
    return unpack_all(files, memory, limits, patterns, reused=child)


@cache
def unpacking_child() -> ReusedChild:
    """Return the children that unpack for this process: each one upload, and the next one is started before it."""
    return ReusedChild(settings.READER_MEMORY, JOBS, 1)


def _uploaded_file(upload: Upload) -> UploadedFile:
    stored = upload.file
    return UploadedFile(upload.name, upload.size, partial(stored.storage.open, stored.name, "rb"))


def discard_uploads(uploads: QuerySet[Upload]) -> None:
    """Delete uploaded files that are no longer needed."""
    with transaction.atomic():
        for upload in uploads:
            upload.file.delete(save=False)
            upload.delete()


def unneeded_uploads() -> QuerySet[Upload]:
    """Return the uploaded files that wait neither to be read nor to be tried again."""
    running = Q(batch__state__in=Batch.CANCELLABLE) | Q(boilerplate_upload__state__in=BoilerplateUpload.RUNNING)
    failed = Q(batch__state=Batch.State.FAILED, batch__touched__gt=timezone.now() - KEPT_FOR_RETRY)
    return Upload.objects.exclude(pk__in=Upload.objects.filter(running | failed).values("pk"))


def delete_orphans(before: datetime) -> None:
    """Delete files from before `before` that no upload refers to: a process ended while it stored them."""
    if not default_storage.exists(UPLOADS_FOLDER):
        return
    names = {f"{UPLOADS_FOLDER}/{name}" for name in default_storage.listdir(UPLOADS_FOLDER)[1]}
    for name in names.difference(Upload.objects.values_list("file", flat=True)):
        try:
            if default_storage.get_modified_time(name) < before:
                default_storage.delete(name)
        except FileNotFoundError:  # It was deleted meanwhile, with its upload.
            continue


def delete_unfinished(before: datetime) -> None:
    """Delete temporary files of requests that did not change since `before`: their web process was killed."""
    folder = settings.FILE_UPLOAD_TEMP_DIR or tempfile.gettempdir()
    with os.scandir(folder) as entries:
        for entry in entries:
            if not TEMPORARY_NAME.fullmatch(entry.name):
                continue
            with suppress(FileNotFoundError):  # Its request has ended meanwhile.
                status = entry.stat(follow_symlinks=False)
                if status.st_uid == os.geteuid() and status.st_mtime < before.timestamp():
                    Path(entry).unlink()


class OtherOffset(Exception):
    """A part does not begin where the stored ones end, at `offset`."""

    def __init__(self, offset: int) -> None:
        super().__init__(f"The next part begins at byte {offset}.")
        self.offset = offset


def append(upload: ResumableUpload, offset: int, read: Callable[[int], bytes]) -> int:
    """Store what `read(most)` returns until it is nothing or the upload is whole; return the new offset.

    Every MiB is committed for itself, so that a lost connection costs at most one, and no lock is held while the next
    one is awaited. Raises OtherOffset when parts were stored meanwhile, or `offset` is not the end of the stored ones.
    """
    _locked_at(upload, offset)
    while data := read(min(room(offset), upload.length - offset)):
        with transaction.atomic():
            locked = _locked_at(upload, offset, lock=True)
            append_bytes(upload.file, offset, data)
            offset += len(data)
            locked.offset, locked.touched = offset, timezone.now()
            locked.save(update_fields=["offset", "touched"])
    return offset


def _locked_at(upload: ResumableUpload, offset: int, *, lock: bool = False) -> ResumableUpload:
    rows = ResumableUpload.objects.all()
    stored = (rows.select_for_update() if lock else rows).get(pk=upload.pk)
    if stored.offset != offset:
        raise OtherOffset(stored.offset)
    return stored


@transaction.atomic
def delete_resumable(upload: ResumableUpload) -> None:
    """Delete an upload with what arrived of it; its batch stays, if it is one already."""
    delete(upload.file)
    upload.delete()


def delete_expired_uploads() -> None:
    """Delete the uploads whose time is over, and the parts of those whose assignment was deleted."""
    before = timezone.now() - ResumableUpload.KEPT
    for upload in ResumableUpload.objects.filter(touched__lt=before):
        delete_resumable(upload)
    known = set(ResumableUpload.objects.values_list("file", flat=True))
    firsts = FileChunk.objects.filter(name__startswith=f"{RESUMABLE_FOLDER}/", number=0, stored__lt=before)
    for name in set(firsts.values_list("name", flat=True)) - known:
        delete(name)


def expiry(batch: Batch) -> datetime:
    """Return when a listed batch is deleted if it is neither changed nor read."""
    return batch.touched + timedelta(days=settings.PREVIEW_DAYS)


def delete_expired_batches() -> None:
    """Delete the listed batches whose time is over; a record of each stays, so that its address says so."""
    before = timezone.now() - timedelta(days=settings.PREVIEW_DAYS)
    for pk in Batch.objects.filter(state=Batch.State.LISTED, touched__lt=before).values_list("pk", flat=True):
        with transaction.atomic():
            # It may have been changed or read meanwhile.
            expired = Batch.objects.select_for_update(of=("self",)).filter(
                pk=pk, state=Batch.State.LISTED, touched__lt=before
            )
            for batch in expired:
                _delete(batch)


def _delete(batch: Batch) -> None:
    record = {"name": batch.name, "uploaded_by": batch.uploaded_by, "uploaded": batch.created}
    DeletedBatch.objects.get_or_create(batch=batch.pk, defaults={"assignment_id": batch.assignment_id, **record})
    listed = batch.listed_entries.exclude(source=None)
    sources = list(listed.values_list("source_id", flat=True).distinct())
    logger.info(
        "batch %s of assignment %s: deleted (nobody had it read for %s days)",
        batch.pk,
        batch.assignment_id,
        settings.PREVIEW_DAYS,
    )
    discard_uploads(batch.uploads.all())
    batch.delete()
    transaction.on_commit(partial(delete_unused_sources, sources))
