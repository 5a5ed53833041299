"""Read uploaded boilerplate: register its files, and record why others were refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction

from fingerprint.engine import Unreadable
from submissions import lifecycle
from submissions.ingest.documents import delete_unused, store_document
from submissions.ingest.uploads import entries_in_one_folder
from submissions.models.records import Refusal

if TYPE_CHECKING:
    from submissions.models import Assignment, BoilerplateUpload, Document

# Refusals that are stored with their reasons; the rest is counted.
MAX_REFUSALS = 50


def read_boilerplate(upload: BoilerplateUpload) -> list[int]:
    """Register the files of an upload as boilerplate; return the primary keys of their documents.

    Nothing is registered when the upload was deleted or has ended meanwhile.
    """
    documents, refusals = _documents_and_refusals(upload)
    with transaction.atomic():
        if lifecycle.finish_boilerplate(upload.pk, refusals[:MAX_REFUSALS], len(refusals)):
            for name, document in documents:
                _register(upload.assignment, name, document)
            return [document.pk for _, document in documents]
    delete_unused([document.pk for _, document in documents])
    return []


def _documents_and_refusals(upload: BoilerplateUpload) -> tuple[list[tuple[str, Document]], list[Refusal]]:
    documents, refusals = [], []
    language = upload.assignment.language
    for entry in entries_in_one_folder(upload.uploads.all()):
        reason = entry.reason
        if entry.data is not None:
            try:
                document = store_document(entry.data, entry.name, language, settings.FILE_SECONDS)
                documents.append((entry.name, document))
                continue
            except Unreadable as error:
                reason = str(error)
        refusals.append(Refusal(name=entry.name, reason=reason))
    return documents, refusals


def _register(assignment: Assignment, name: str, document: Document) -> None:
    assignment.boilerplate.get_or_create(
        document=document, first=None, after=None, defaults={"name": name, "source": document.source}
    )
