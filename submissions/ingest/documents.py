"""Fingerprint each document once, however often it is handed in, and delete those that nobody needs."""

from __future__ import annotations

import logging
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.models import F

from fingerprint.engine import Params, Unreadable
from submissions.disk_space import is_database_away, is_no_room
from submissions.ingest.sandboxed import document_reader
from submissions.models import Document, Source
from submissions.sandbox.process import NotStarted
from submissions.storage import fingerprints
from submissions.storage.syntax_spans import pack_columns
from submissions.storage.tokens import pack_coarse, pack_lexical, pack_tokens
from submissions.work_locks import Work, work_lock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from submissions.sandbox.document_answers import DocumentTokens

logger = logging.getLogger(__name__)

PARAMS = Params()
# A source that ended its worker process this often is not tried again.
MAX_ATTEMPTS = 3


def fingerprint_pending(document_ids: list[int]) -> None:
    """Fingerprint the pending ones of the given documents."""
    pending = Document.objects.filter(pk__in=document_ids, state=Document.State.PENDING)
    for document in pending.select_related("source"):
        with work_lock(Work.DOCUMENT, document.pk) as mine:
            if mine:
                fingerprint_document(document)


def fingerprint_document(document: Document) -> None:
    """Read a pending document and store all of its tokens and fingerprints, or none.

    It is safe to run twice, also concurrently. A file that cannot be read, or that ended its worker process
    MAX_ATTEMPTS times, is marked as failed with the reason.
    """
    if document.attempts >= MAX_ATTEMPTS:
        _fail(document, f"reading it ended the worker process {MAX_ATTEMPTS} times")
        return
    document_reader().start().wait_until_ready()  # If it does not start, no attempt is counted.
    Document.objects.filter(pk=document.pk).update(attempts=F("attempts") + 1)
    try:
        with _errors_as_unreadable(f"document {document.pk}"):
            data = bytes(document.source.data)
            reading = document_reader().read(data, document.language, settings.FILE_SECONDS)
    except Unreadable as error:
        _fail(document, str(error))
    else:
        _save_or_wait(document, reading)


@contextmanager
def _errors_as_unreadable(name: str) -> Iterator[None]:
    """Raise Unreadable for any error in the body, which reads one file; `name` is for the log.

    The end of a worker's memory or time is not caused by the file, nor is a reader that does not start, so
    those errors are not changed.
    """
    try:
        yield
    except (Unreadable, NotStarted, SoftTimeLimitExceeded, MemoryError):
        raise
    except Exception as error:
        logger.exception("%s cannot be read", name)
        raise Unreadable(f"its front-end broke on it ({type(error).__name__})") from error


def _save_or_wait(document: Document, reading: DocumentTokens) -> None:
    try:
        _save(document, reading)
    except Exception as error:
        # What is no fault of the file was no attempt.
        if is_no_room(error):
            _take_back_attempt(document)
        elif is_database_away(error):
            with suppress(OperationalError):  # It is still away: the attempt counts.
                connection.close_if_unusable_or_obsolete()
                _take_back_attempt(document)
        raise


def _take_back_attempt(document: Document) -> None:
    Document.objects.filter(pk=document.pk).update(attempts=F("attempts") - 1)


def _save(document: Document, reading: DocumentTokens) -> None:
    from fingerprint.engine import fingerprint  # noqa: PLC0415 - numba, in workers only

    hashes, positions = fingerprint(reading.tokens.kinds, PARAMS)
    with transaction.atomic():
        pending = Document.objects.select_for_update().filter(pk=document.pk, state=Document.State.PENDING)
        if not pending.exists():
            return
        fingerprints.save(connection, document.pk, hashes, positions)
        pending.update(
            state=Document.State.READY,
            token_count=len(reading.tokens),
            tokens=pack_tokens(reading.tokens, reading.lines),
            lexical=pack_lexical(reading.lexical),
            coarse=pack_coarse(reading.coarse, reading.coarse_lines),
            styles=pack_columns(reading.spans),
        )


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
