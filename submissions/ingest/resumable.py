"""Uploads that arrive in parts: storing the parts, and deleting what nobody sends the rest of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from submissions.models import ResumableUpload
from submissions.storage import growing_files

if TYPE_CHECKING:
    from collections.abc import Callable


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
    while data := read(min(growing_files.room(offset), upload.length - offset)):
        with transaction.atomic():
            locked = _locked_at(upload, offset, lock=True)
            growing_files.append(upload.file, offset, data)
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
    growing_files.delete(upload.file)
    upload.delete()


def delete_expired() -> None:
    """Delete the uploads whose time is over, and the parts of those whose assignment was deleted."""
    before = timezone.now() - ResumableUpload.KEPT
    for upload in ResumableUpload.objects.filter(touched__lt=before):
        delete_resumable(upload)
    known = set(ResumableUpload.objects.values_list("file", flat=True))
    for name in growing_files.names_before(before) - known:
        growing_files.delete(name)
