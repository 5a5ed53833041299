"""Sources and documents: stored once, fingerprinted once, whoever hands them in."""

from __future__ import annotations

import logging
from hashlib import sha256
from typing import TYPE_CHECKING

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import connection, transaction
from django.db.models import F

from fingerprint.engine import (
    Params,
    TooSlow,
    Unreadable,
    identify,
    profile_of,
    read,
    time_limit,
    token_lines,
)
from submissions.models import Document, Source
from submissions.storage import fingerprints as store
from submissions.storage.syntax_spans import pack_styles, styles_in
from submissions.storage.tokens import pack_lexical, pack_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from fingerprint.engine import Reading

logger = logging.getLogger(__name__)

PARAMS = Params()
# A source whose reading ended its worker this often is not tried again.
ATTEMPTS = 2


def keep(data: bytes, filename: str, language: str) -> Document:
    """Store a source and the document that its front-end will make of it; nothing twice.

    Raises
    ------
    Unreadable
        When the bytes are no text of any language.
    """
    _, chosen = identify(data, filename, language)
    source, _ = Source.objects.get_or_create(
        sha256=sha256(data).hexdigest(), defaults={"data": data, "size": len(data)}
    )
    profile = profile_of(chosen, PARAMS).key
    document, made = Document.objects.get_or_create(
        source=source, profile=profile, defaults={"language": chosen.name}
    )
    if not made:  # what failed may have been the machine's fault: a new upload is a new chance
        failed = Document.objects.filter(pk=document.pk, state=Document.State.FAILED)
        failed.update(state=Document.State.PENDING, reason="", attempts=0)
    return document


def fingerprint(document: Document) -> None:
    """Read a pending document and store its tokens and fingerprints, all or nothing.

    May run twice and at the same time. A file that cannot be read, or that ended its worker before, is
    marked failed with the reason.
    """
    if document.attempts >= ATTEMPTS:
        _fail(document, f"reading it ended the worker process {ATTEMPTS} times")
        return
    Document.objects.filter(pk=document.pk).update(attempts=F("attempts") + 1)
    try:
        reading = read(bytes(document.source.data), "", document.language, settings.FILE_SECONDS)
    except Unreadable as error:
        _fail(document, str(error))
        return
    except (SoftTimeLimitExceeded, MemoryError):  # not the file's fault
        raise
    except Exception as error:  # whatever a lexer does, it costs one file and is named
        logger.exception("document %s cannot be read", document.pk)
        _fail(document, f"its front-end broke on it ({type(error).__name__})")
        return
    from fingerprint.engine import fingerprint as fingerprint_tokens  # noqa: PLC0415 - numba, in workers only

    found = fingerprint_tokens(reading.tokens.kinds, PARAMS)
    styles = _styles(reading)
    with transaction.atomic():
        locked = Document.objects.select_for_update().filter(pk=document.pk, state=Document.State.PENDING)
        if not locked.exists():
            return
        store.save(connection, document.pk, found.hashes, found.positions)
        locked.update(
            state=Document.State.READY,
            token_count=len(reading.tokens),
            tokens=pack_tokens(reading.tokens, token_lines(reading.text, reading.tokens)),
            lexical=pack_lexical(reading.lexical),
            styles=styles,
        )


def _styles(reading: Reading) -> bytes:
    """Colours for reading; a file whose lexer takes too long a second time goes without."""
    try:
        with time_limit(settings.FILE_SECONDS):
            return pack_styles(styles_in(reading.text, reading.front_end.name))
    except TooSlow:
        return pack_styles([])


def _fail(document: Document, reason: str) -> None:
    pending = Document.objects.filter(pk=document.pk, state=Document.State.PENDING)
    pending.update(state=Document.State.FAILED, reason=reason)


def drop_unused(documents: Iterable[int]) -> None:
    """Delete those of `documents`, and their sources, that no submission and no boilerplate holds."""
    unused = Document.objects.filter(pk__in=list(documents), files=None, boilerplate=None)
    with transaction.atomic():
        keys = list(unused.values_list("pk", flat=True))
        sources = list(unused.values_list("source_id", flat=True))
        Document.objects.filter(pk__in=keys).delete()
        Source.objects.filter(pk__in=sources, documents=None).delete()


def drop_forgotten(before: datetime) -> None:
    """Delete sources stored before then that nobody holds any more, with all that was made of them."""
    sources = Source.objects.filter(created__lt=before, files=None, boilerplate=None)
    keys = list(sources.values_list("pk", flat=True))
    with transaction.atomic():
        Document.objects.filter(source__in=keys).delete()
        Source.objects.filter(pk__in=keys).delete()
