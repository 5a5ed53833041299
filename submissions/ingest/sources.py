"""Store the bytes of many files and their pending documents with few queries."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import IntegrityError, connection, transaction

from fingerprint.engine import front_end, profile_of
from submissions.ingest.documents import PARAMS
from submissions.ingest.sandboxed import document_reader
from submissions.models import Document, Source
from submissions.rows import flush_later, insert

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fingerprint.engine import Unreadable
    from submissions.intake.archives.members import UnpackedEntry
    from submissions.intake.sandbox.documents import NamedFile
    from submissions.rows import Columns

# Files, and bytes of them, that are stored at a time; rows of an INSERT.
GROUP_FILES, GROUP_BYTES = 256, 4_000_000
INSERT_ROWS = 1000
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
