"""Fingerprint each document once, however often it is handed in, and delete those that nobody needs."""

from __future__ import annotations

import logging
import time
from contextlib import contextmanager, suppress
from itertools import accumulate
from typing import TYPE_CHECKING

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.models import F

from fingerprint.engine import Params, Unreadable
from submissions.database_errors import is_database_away, is_no_room
from submissions.ingest.sandboxed import document_reader
from submissions.intake.sandbox.process import NotStarted
from submissions.models import Document, Source
from submissions.rows import update
from submissions.storage.fingerprints import pack_fingerprints
from submissions.storage.posting_runs import add_run
from submissions.storage.syntax_spans import pack_columns
from submissions.storage.tokens import pack_coarse, pack_lexical, pack_tokens, pack_words
from submissions.work.locks import Work, work_locks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from fingerprint.engine import Reading

logger = logging.getLogger(__name__)

PARAMS = Params()
# A source that ended its worker process this often is not tried again.
MAX_ATTEMPTS = 3
# Documents are read and stored in groups: up to so many, so many bytes of source, and so many seconds.
GROUP_DOCUMENTS, GROUP_BYTES, GROUP_SECONDS = 64, 500_000, 1.0
# Documents of a group in one language are lexed together: up to so many, and so many bytes.
BATCH_DOCUMENTS, BATCH_BYTES = 32, 150_000


def fingerprint_pending(document_ids: Sequence[int]) -> None:
    """Fingerprint the pending ones of the given documents."""
    for _ in fingerprint_groups(document_ids):
        pass


def fingerprint_groups(
    document_ids: Sequence[int], most: int = GROUP_DOCUMENTS, *, coarse: bool = False
) -> Iterator[int]:
    """Fingerprint the pending ones of the given documents; after each group, yield how many ids are done.

    A group has at most `most` documents. With `coarse` they get their coarse streams.

    It is safe to run twice, also concurrently: a document is stored with all of its tokens and fingerprints,
    or not at all. A file that cannot be read, or that ended its worker process MAX_ATTEMPTS times, is marked
    as failed with the reason. No document is locked while this waits to be continued.
    """
    done = 0
    while done < len(document_ids):
        group = document_ids[done : done + _group_size(document_ids[done : done + most])]
        with work_locks(Work.DOCUMENT, group) as mine:
            left = _fingerprint_group(mine, coarse=coarse)
        done += group.index(left[0]) if left else len(group)
        yield done


def _group_size(document_ids: Sequence[int]) -> int:
    """Return how many of the first documents are read together.

    One whose reading was begun before is read alone, so that what ends its worker is blamed on it only.
    """
    pending = Document.objects.filter(pk__in=document_ids, state=Document.State.PENDING)
    known = {pk: row for pk, *row in pending.values_list("pk", "attempts", "source__size")}
    total = 0
    for number, pk in enumerate(document_ids):
        attempts, size = known.get(pk, (0, 0))
        total += size
        if number and (attempts or total > GROUP_BYTES):
            return number
        if attempts:
            return 1
    return len(document_ids)


def _fingerprint_group(document_ids: list[int], *, coarse: bool) -> list[int]:
    """Fingerprint documents; return the last ones, which are left because the others took GROUP_SECONDS."""
    rows = Document.objects.filter(state=Document.State.PENDING).select_related("source")
    pending = rows.in_bulk(document_ids)
    documents = [pending[pk] for pk in document_ids if pk in pending and _may_be_tried(pending[pk])]
    if not documents:
        return []
    document_reader().start().wait_until_ready()  # If it does not start, no attempt is counted.
    keys = [document.pk for document in documents]
    Document.objects.filter(pk__in=keys).update(attempts=F("attempts") + 1)
    readings: dict[int, Reading] = {}
    done = 0
    for document, result in _results(documents, coarse=coarse):
        done += 1
        if isinstance(result, Unreadable):
            _fail(document, str(result))
        else:
            readings[document.pk] = result
    _save_or_wait(readings, keys[done:])
    return keys[done:]


def _results(
    documents: Sequence[Document], *, coarse: bool
) -> Iterator[tuple[Document, Reading | Unreadable]]:
    """Read documents for about GROUP_SECONDS, at least the first ones of one language.

    These are read together, but all alone once that failed: no file keeps another one from being read.
    """
    started, done, together = time.monotonic(), 0, True
    while done < len(documents) and (not done or time.monotonic() - started <= GROUP_SECONDS):
        batch = documents[done : done + (_batch_size(documents[done:]) if together else 1)]
        try:
            results = _read(batch, coarse=coarse)
        except Unreadable as error:
            if len(batch) > 1:
                started, together = time.monotonic(), False
                continue
            results = [error]
        yield from zip(batch, results, strict=True)
        done += len(batch)


def _batch_size(documents: Sequence[Document]) -> int:
    """Return how many of the first documents are read together: at least one."""
    first = documents[:BATCH_DOCUMENTS]
    sizes = accumulate(document.source.size for document in first)
    fits = [
        size <= BATCH_BYTES and document.language == documents[0].language
        for document, size in zip(first, sizes, strict=True)
    ]
    return max(1, [*fits, False].index(False))


def _may_be_tried(document: Document) -> bool:
    if document.attempts < MAX_ATTEMPTS:
        return True
    _fail(document, f"reading it ended the worker process {MAX_ATTEMPTS} times")
    return False


def _read(documents: Sequence[Document], *, coarse: bool) -> list[Reading | Unreadable]:
    with _errors_as_unreadable(f"documents {[document.pk for document in documents]}"):
        files = [bytes(document.source.data) for document in documents]
        return document_reader().read_together(
            files, documents[0].language, settings.FILE_SECONDS, coarse=coarse
        )


@contextmanager
def _errors_as_unreadable(name: str) -> Iterator[None]:
    """Raise Unreadable for any error in the body, which reads files; `name` is for the log.

    The end of a worker's memory or time is not caused by the file, nor is a reader that does not start, so
    those errors are not changed.
    """
    try:
        yield
    except (Unreadable, NotStarted, SoftTimeLimitExceeded, MemoryError):
        raise
    except Exception as error:
        logger.exception("%s cannot be read", name)
        raise Unreadable.by_error(type(error).__name__) from error


def _save_or_wait(readings: dict[int, Reading], unread: list[int]) -> None:
    """Store what was read; take back the attempts of what was not, and of what is no fault of the files."""
    if unread:
        _take_back_attempts(unread)
    try:
        _save(readings)
    except Exception as error:
        if is_no_room(error):
            _take_back_attempts(readings)
        elif is_database_away(error):
            with suppress(OperationalError):  # It is still away: the attempts count.
                connection.close_if_unusable_or_obsolete()
                _take_back_attempts(readings)
        raise


def _take_back_attempts(document_ids: Iterable[int]) -> None:
    Document.objects.filter(pk__in=list(document_ids)).update(attempts=F("attempts") - 1)


def _save(readings: dict[int, Reading]) -> None:
    """Store the tokens and fingerprints of those documents that are still pending."""
    from fingerprint.engine import fingerprint  # noqa: PLC0415 - the engine, in workers only

    with transaction.atomic():
        locked = Document.objects.select_for_update().filter(pk__in=readings, state=Document.State.PENDING)
        pending = list(locked.order_by("pk").values_list("pk", flat=True))
        selected = {pk: fingerprint(readings[pk].tokens.kinds, PARAMS) for pk in pending}
        rows = [_columns(readings[pk], pack_fingerprints(*selected[pk])) for pk in pending]
        columns = {name: [row[name] for row in rows] for name in rows[0]} if rows else {}
        update(connection, Document, pending, columns)
        add_run({pk: hashes for pk, (hashes, _) in selected.items()})


def _columns(reading: Reading, fingerprints: bytes) -> dict[str, object]:
    return {
        "state": Document.State.READY,
        "token_count": len(reading.tokens),
        "read_share": reading.share,
        "unclosed_line": min(reading.unclosed, default=None),
        "tokens": pack_tokens(reading.tokens, reading.lines),
        "lexical": pack_lexical(reading.lexical),
        "spelling": b"".join(reading.spelling),
        "words": pack_words(reading.words),
        "fingerprints": fingerprints,
        "coarse": pack_coarse(reading.coarse, reading.coarse_lines),
        "styles": pack_columns(reading.spans) if reading.spans else b"",
    }


def _fail(document: Document, reason: str) -> None:
    pending = Document.objects.filter(pk=document.pk, state=Document.State.PENDING)
    pending.update(state=Document.State.FAILED, reason=reason)


def delete_unused(documents: Iterable[int]) -> None:
    """Delete those `documents`, with their sources, that no submission and no boilerplate refers to."""
    unused = Document.objects.filter(
        pk__in=list(documents), files=None, boilerplate=None, next_files=None, next_boilerplate=None
    )
    with transaction.atomic():
        keys = list(unused.values_list("pk", flat=True))
        sources = list(unused.values_list("source_id", flat=True))
        Document.objects.filter(pk__in=keys).delete()
        delete_unused_sources(sources)


def delete_unused_sources(sources: Iterable[int]) -> None:
    """Delete those `sources` that have no document and that nothing refers to."""
    unused = Source.objects.filter(documents=None, files=None, boilerplate=None, listed_entries=None)
    unused.filter(pk__in=list(sources)).delete()


def delete_unreferenced(before: datetime) -> None:
    """Delete sources from before `before` that no file or boilerplate refers to, with their documents."""
    sources = Source.objects.filter(created__lt=before, files=None, boilerplate=None, listed_entries=None)
    keys = list(sources.values_list("pk", flat=True))
    with transaction.atomic():
        Document.objects.filter(source__in=keys).delete()
        Source.objects.filter(pk__in=keys).delete()
