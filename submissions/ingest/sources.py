"""Decide which files of an upload are compared; store them and their pending documents with few queries."""

from __future__ import annotations

import time
from hashlib import sha256
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from fingerprint.engine import Unreadable, front_end, leaves_doubt, profile_of
from submissions import lifecycle
from submissions.ingest.documents import PARAMS
from submissions.ingest.sandboxed import document_reader
from submissions.ingest.uploads import entries
from submissions.intake.archives.commit_log import MOST_LOG_BYTES
from submissions.intake.archives.languages import likely_language
from submissions.intake.layouts.registry import is_metadata
from submissions.intake.left_out.listing import digest
from submissions.intake.limits import Limits
from submissions.intake.sandbox.documents import NamedFile
from submissions.models import Batch, Document, ListedEntry, Source
from submissions.models.records import Commits
from submissions.rows import flush_later, insert
from submissions.work.kinds import INTERACTIVE_SECONDS, TakesLong

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from submissions.intake.archives.members import UnpackedEntry
    from submissions.rows import Columns

# Files, and bytes of them, that are stored at a time; rows of an INSERT.
GROUP_FILES, GROUP_BYTES = 256, 4_000_000
INSERT_ROWS = 1000
# Of the work of students: the times of commits are read, too.
LIMITS = Limits(commit_log_bytes=MOST_LOG_BYTES)
# Ends the profile of documents that are not compared.
KEPT_SUFFIX = "-kept"


def groups(entries: Iterable[UnpackedEntry]) -> Iterator[list[UnpackedEntry]]:
    """Yield entries in groups, each small enough to be stored at a time, or of one entry."""
    group: list[UnpackedEntry] = []
    size = 0
    for entry in entries:
        added = len(entry.data or b"")
        if group and (len(group) == GROUP_FILES or size + added > GROUP_BYTES):
            yield group
            group, size = [], 0
        group.append(entry)
        size += added
    if group:
        yield group


def identify(files: Sequence[NamedFile], language: str, likely: str = "") -> Iterator[str | Unreadable]:
    """Yield for each file the name of its front-end, or why it has none.

    `likely` is the language of most files of the class; it decides where a file leaves doubt.
    """
    return document_reader().identify(files, language, settings.FILE_SECONDS, likely)


def store_sources(files: Sequence[bytes]) -> list[int]:
    """Store the bytes of files that are not stored; return the primary keys of all sources.

    Raises
    ------
    IntegrityError
        When one was deleted meanwhile with another upload.
    """
    by_digest = {sha256(data).hexdigest(): data for data in files}
    _fill_again(by_digest)
    keys = _source_keys(by_digest)
    new = sorted(by_digest.keys() - keys.keys())  # in one order: others may insert the same
    if new:
        data = [by_digest[digest] for digest in new]
        columns: Columns = {"sha256": new, "data": data, "size": [len(each) for each in data]}
        with transaction.atomic():
            flush_later(connection)
            keys |= {digest: pk for pk, digest in insert(connection, Source, columns, ("id", "sha256"))}
        if others := by_digest.keys() - keys.keys():  # stored by somebody else meanwhile
            keys |= _source_keys(others)
    if len(keys) < len(by_digest):
        raise IntegrityError("a source was deleted meanwhile")
    return [keys[sha256(data).hexdigest()] for data in files]


def _fill_again(by_digest: Mapping[str, bytes]) -> None:
    """Store the bytes of sources that retention emptied."""
    for source in Source.objects.filter(sha256__in=by_digest.keys(), emptied__isnull=False):
        Source.objects.filter(pk=source.pk).update(data=by_digest[source.sha256], emptied=None)


def _source_keys(digests: Iterable[str]) -> dict[str, int]:
    return dict(Source.objects.filter(sha256__in=list(digests)).values_list("sha256", "pk"))


def store_documents(sources: Sequence[tuple[int, str]], state: str = Document.State.PENDING) -> list[int]:
    """Store a pending document for each (source, front-end) that has none; return their primary keys.

    A document that failed is pending again: the cause may have been the machine. With the state KEPT they
    are documents of their own, which are not compared.

    Raises
    ------
    IntegrityError
        When a source was deleted meanwhile.
    """
    keys: dict[tuple[int, str], int] = {}
    wanted = sorted(set(sources))
    for start in range(0, len(wanted), INSERT_ROWS):
        keys |= _store_documents(wanted[start : start + INSERT_ROWS], state)
    if len(keys) < len(wanted):
        raise IntegrityError("a document was deleted meanwhile")
    return [keys[source] for source in sources]


def _store_documents(sources: Sequence[tuple[int, str]], state: str) -> dict[tuple[int, str], int]:
    suffix = KEPT_SUFFIX if state == Document.State.KEPT else ""
    profiles = {language: profile_of(front_end(language), PARAMS).key + suffix for _, language in sources}
    keys = _document_keys(sources, profiles)
    new = [source for source in sources if source not in keys]
    if new:
        languages = [language for _, language in new]
        columns: Columns = {
            "source_id": [source for source, _ in new],
            "profile": [profiles[language] for language in languages],
            "language": languages,
            "state": [state] * len(new),
        }
        insert(connection, Document, columns, ("id",))
        keys = _document_keys(sources, profiles)
    failed = Document.objects.filter(pk__in=keys.values(), state=Document.State.FAILED)
    failed.update(state=Document.State.PENDING, reason="", attempts=0)
    return keys


def _document_keys(
    sources: Sequence[tuple[int, str]], profiles: dict[str, str]
) -> dict[tuple[int, str], int]:
    rows = Document.objects.filter(source__in={source for source, _ in sources})
    stored = {(source, profile): pk for pk, source, profile in rows.values_list("pk", "source_id", "profile")}
    return {
        (source, language): stored[source, profiles[language]]
        for source, language in sources
        if (source, profiles[language]) in stored
    }


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
    for group in groups(entries(batch.uploads.all(), batch.assignment.file_patterns, LIMITS)):
        if is_interactive and time.monotonic() > deadline:
            raise TakesLong
        publish_progress(batch, f"{len(listed)} entries read")
        listed += _listed_group(batch, group)
    _settle_languages(listed)
    return listed


def _settle_languages(listed: Sequence[ListedEntry]) -> None:
    """Set the language of doubtful files to that of most files of the class, if it fits."""
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
    row.commits = Commits(**entry.commits._asdict()) if entry.commits else None
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
