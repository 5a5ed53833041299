"""Uploaded files that wait to be read: their entries, and deleting them."""

from __future__ import annotations

import os
import re
import tempfile
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from submissions.intake.archives.unpack import DEFAULT_LIMITS, DEFAULT_PATTERNS
from submissions.intake.sandbox.archives import UploadedFile, unpack, unpack_all
from submissions.models import Batch, BoilerplateUpload, ResumableUpload, Upload
from submissions.storage import database_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

    from django.db.models import QuerySet

    from submissions.intake.archives.members import UnpackedEntry
    from submissions.intake.left_out.patterns import FilePatterns
    from submissions.intake.limits import Limits

# The folder of uploaded files, in the folder of the default storage.
FOLDER = "uploads"
# The temporary file of a request, as Django names it.
TEMPORARY_NAME = re.compile(r"tmp\w{8}\.upload.*", re.DOTALL)
# The files of a failed upload are kept for this time, so that it can be tried again.
KEPT_FOR_RETRY = timedelta(days=2)


def entries(
    uploads: QuerySet[Upload],
    patterns: FilePatterns = DEFAULT_PATTERNS,
    limits: Limits = DEFAULT_LIMITS,
    *,
    in_one_folder: bool = False,
) -> Iterator[UnpackedEntry]:
    """Yield the entries of uploaded files in the order in which they were chosen; a child unpacks them.

    Several files are taken as if they were in one folder, and so is a single one if `in_one_folder`.

    Raises
    ------
    BadArchive
        When nothing of a single upload can be read.
    """
    files = list(map(_uploaded_file, uploads.order_by("pk")))
    if len(files) == 1 and not in_one_folder:
        return unpack(files[0], settings.READER_MEMORY, limits, patterns)
    return unpack_all(files, settings.READER_MEMORY, limits, patterns)


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
    running = Q(batch__state__in=Batch.CANCELLABLE) | Q(
        boilerplate_upload__state__in=BoilerplateUpload.RUNNING
    )
    failed = Q(batch__state=Batch.State.FAILED, batch__touched__gt=timezone.now() - KEPT_FOR_RETRY)
    return Upload.objects.exclude(pk__in=Upload.objects.filter(running | failed).values("pk"))


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

    Every MiB is committed for itself, so that a lost connection costs at most one, and no lock is held
    while the next one is awaited.

    Raises
    ------
    OtherOffset
        When parts were stored meanwhile, or `offset` is not the end of the stored ones.
    """
    _locked_at(upload, offset)
    while data := read(min(database_files.room(offset), upload.length - offset)):
        with transaction.atomic():
            locked = _locked_at(upload, offset, lock=True)
            database_files.append(upload.file, offset, data)
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
    database_files.delete(upload.file)
    upload.delete()


def delete_expired() -> None:
    """Delete the uploads whose time is over, and the parts of those whose assignment was deleted."""
    before = timezone.now() - ResumableUpload.KEPT
    for upload in ResumableUpload.objects.filter(touched__lt=before):
        delete_resumable(upload)
    known = set(ResumableUpload.objects.values_list("file", flat=True))
    for name in database_files.names_before(before) - known:
        database_files.delete(name)
