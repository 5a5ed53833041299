"""Coarse streams of documents: only a class in several languages needs them, so only its files get them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from django.conf import settings

from fingerprint.engine import Unreadable, coarse_family
from submissions.ingest.sandboxed import document_reader
from submissions.models import Batch, Document
from submissions.storage.tokens import pack_coarse

if TYPE_CHECKING:
    from django.db.models import QuerySet

logger = logging.getLogger(__name__)


def needs_coarse_streams(assignment_id: int) -> bool:
    """Return whether the files of an assignment are in languages of several families."""
    languages = _documents(assignment_id).values_list("language", flat=True).distinct()
    return len({coarse_family(language) for language in languages} - {""}) > 1


def without_coarse_stream(assignment_id: int) -> list[int]:
    """Return the primary keys of the documents of an assignment that need a coarse stream and have none.

    They were read for a class in one language.
    """
    if not needs_coarse_streams(assignment_id):
        return []
    boilerplate = Document.objects.filter(boilerplate__assignment=assignment_id)
    rows = (_documents(assignment_id) | boilerplate.distinct()).filter(state=Document.State.READY, coarse=b"")
    return sorted(pk for pk, language in rows.values_list("pk", "language") if coarse_family(language))


def read_coarse_stream(document_id: int) -> None:
    """Read a document again and store its coarse stream; leave it without where that fails now.

    Nothing is done for a source whose bytes were deleted.
    """
    document = Document.objects.select_related("source").get(pk=document_id)
    if document.source.emptied:
        return
    try:
        reading = document_reader().read(
            bytes(document.source.data), document.language, settings.FILE_SECONDS, coarse=True
        )
    except Unreadable as error:
        logger.warning("document %s gets no coarse stream: %s", document_id, error)
        return
    coarse = pack_coarse(reading.coarse, reading.coarse_lines)
    Document.objects.filter(pk=document_id).update(coarse=coarse)


def _documents(assignment_id: int) -> QuerySet[Document]:
    batches = Batch.objects.filter(assignment=assignment_id).exclude(role=Batch.Role.OTHER)
    return Document.objects.filter(files__submission__batch__in=batches).distinct()
