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

from submissions.intake.archives.unpack import DEFAULT_PATTERNS
from submissions.intake.sandbox.archives import UploadedFile, unpack, unpack_all
from submissions.models import Batch, BoilerplateUpload, Upload

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from django.db.models import QuerySet

    from submissions.intake.archives.members import UnpackedEntry
    from submissions.intake.left_out.patterns import FilePatterns

# The folder of uploaded files, in the folder of the default storage.
FOLDER = "uploads"
# The temporary file of a request, as Django names it.
TEMPORARY_NAME = re.compile(r"tmp\w{8}\.upload.*", re.DOTALL)
# The files of a failed upload are kept for this time, so that it can be tried again.
KEPT_FOR_RETRY = timedelta(days=2)


def entries(
    uploads: QuerySet[Upload], patterns: FilePatterns = DEFAULT_PATTERNS, *, in_one_folder: bool = False
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
        return unpack(files[0], settings.READER_MEMORY, patterns=patterns)
    return unpack_all(files, settings.READER_MEMORY, patterns=patterns)


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
