"""Contents of an upload: its entries are listed first, and grouped into submissions later."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from django.db import connection, transaction
from django.utils import timezone

from fingerprint.engine import Unreadable, leaves_doubt
from submissions import lifecycle
from submissions.ingest.sources import GROUP_FILES, INSERT_ROWS, groups, identify, store_sources
from submissions.ingest.uploads import entries
from submissions.intake.archives.languages import likely_language
from submissions.intake.layouts.registry import is_metadata
from submissions.intake.left_out.listing import digest
from submissions.intake.sandbox.documents import NamedFile
from submissions.models import Batch, ListedEntry, Source
from submissions.rows import flush_later
from submissions.work.kinds import INTERACTIVE_SECONDS, TakesLong

if TYPE_CHECKING:
    from collections.abc import Sequence

    from submissions.intake.archives.members import UnpackedEntry


class BatchEnded(Exception):
    """The batch was cancelled or deleted while it was processed."""


def list_entries(batch: Batch, *, is_interactive: bool) -> list[ListedEntry]:
    """Unpack a batch, store the sources of its files, and return its entries; these are not saved.

    Raises
    ------
    BadArchive
        When nothing of the upload can be read; the message is for the uploader.
    BatchEnded
        When the batch was cancelled or deleted meanwhile.
    TakesLong
        When this `is_interactive` work and takes too long for it.
    """
    deadline = time.monotonic() + INTERACTIVE_SECONDS
    listed: list[ListedEntry] = []
    for group in groups(entries(batch.uploads.all(), batch.assignment.file_patterns)):
        if is_interactive and time.monotonic() > deadline:
            raise TakesLong
        publish_progress(batch, f"{len(listed)} entries read")
        listed += _listed_group(batch, group)
    _settle_languages(listed)
    return listed


def _settle_languages(listed: Sequence[ListedEntry]) -> None:
    """Give files whose name and content leave doubt the language of most files of the class, if it fits."""
    likely = likely_language(row.language for row in listed)
    doubtful = [row for row in listed if row.language not in ("", likely) and leaves_doubt(row.name)]
    for start in range(0, len(doubtful) if likely else 0, GROUP_FILES):
        group = doubtful[start : start + GROUP_FILES]
        data = Source.objects.in_bulk({row.source_id for row in group})
        named = [NamedFile(row.name, bytes(data[row.source_id or 0].data)) for row in group]
        for row, language in zip(group, identify(named, "", likely), strict=True):
            if not isinstance(language, Unreadable):
                row.language = language


def publish_progress(batch: Batch, message: str) -> None:
    unpacking = Batch.objects.filter(pk=batch.pk, state=Batch.State.UNPACKING)
    with transaction.atomic():
        flush_later(connection)
        changed = unpacking.update(message=message, touched=timezone.now())
    if not changed:
        raise BatchEnded


def _listed_group(batch: Batch, group: Sequence[UnpackedEntry]) -> list[ListedEntry]:
    rows = [_listed(batch, entry) for entry in group]
    files = [(row, entry.data) for row, entry in zip(rows, group, strict=True) if entry.data is not None]
    named = [NamedFile(row.name, data) for row, data in files]
    for (row, _), language in zip(files, identify(named, ""), strict=True):
        if isinstance(language, Unreadable):
            row.reason = str(language)
        else:
            row.language = language
    kept = [(row, data) for row, data in files if row.language or is_metadata(row.name)]
    keys = store_sources([data for _, data in kept])
    for (row, _), key in zip(kept, keys, strict=True):
        row.source_id = key
    return rows


def _listed(batch: Batch, entry: UnpackedEntry) -> ListedEntry:
    row = ListedEntry(batch=batch, name=entry.name, size=entry.size, reason=entry.reason)
    if entry.data is not None:
        row.digest, row.left_out = digest(entry.data), entry.left_out
        row.modified = entry.modified.isoformat() if entry.modified else ""
    return row


@transaction.atomic
def save_listing(batch: Batch, listed: Sequence[ListedEntry]) -> None:
    """Save the entries of a batch for its uploader to check; raise BatchEnded if it has ended."""
    if not lifecycle.list_batch(batch.pk):
        raise BatchEnded
    batch.listed_entries.all().delete()
    ListedEntry.objects.bulk_create(listed, batch_size=INSERT_ROWS)
