"""Read uploaded boilerplate: register its files, and record why others were refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.db import IntegrityError, transaction

from fingerprint.engine import Unreadable
from submissions import lifecycle
from submissions.ingest.documents import delete_unused
from submissions.ingest.sources import groups, identify, store_documents, store_sources
from submissions.ingest.uploads import entries
from submissions.intake.sandbox.documents import NamedFile
from submissions.lifecycle import language_lock
from submissions.models.records import Refusal
from submissions.work import jobs

if TYPE_CHECKING:
    from submissions.models import BoilerplateUpload

# Refusals that are stored with their reasons; the rest is counted.
MAX_REFUSALS = 50


class NamedDocument(NamedTuple):
    """The name of a file, and the primary keys of its source and its document."""

    name: str
    source: int
    document: int


def read_boilerplate(upload: BoilerplateUpload) -> None:
    """Register the files of an upload as boilerplate, and enqueue their documents.

    Nothing is registered when the upload was deleted or has ended meanwhile.

    Raises
    ------
    IntegrityError
        When a source was deleted, or the language of the assignment was changed meanwhile: read it again.
    """
    language = upload.assignment.language
    files, refusals = _documents_and_refusals(upload)
    documents = [file.document for file in files]
    with transaction.atomic():
        language_lock(upload.assignment_id)
        upload.assignment.refresh_from_db(fields=["language"])
        if upload.assignment.language != language:
            raise IntegrityError("the language of the assignment was changed meanwhile")
        if lifecycle.finish_boilerplate(upload.pk, refusals[:MAX_REFUSALS], len(refusals)):
            for file in files:
                _register(upload, file)
            if files:
                jobs.enqueue("fingerprint_boilerplate", upload.assignment_id)
            return
    delete_unused(documents)


def _documents_and_refusals(upload: BoilerplateUpload) -> tuple[list[NamedDocument], list[Refusal]]:
    used: list[NamedDocument] = []
    refusals: list[Refusal] = []
    for group in groups(entries(upload.uploads.all(), in_one_folder=True)):
        refusals += [Refusal(name=entry.name, reason=entry.reason) for entry in group if entry.data is None]
        files = [NamedFile(entry.name, entry.data) for entry in group if entry.data is not None]
        languages = list(identify(files, "text" if upload.statement else upload.assignment.language))
        sources = store_sources([data for _, data in files])
        for file, language, source in zip(files, languages, sources, strict=True):
            if isinstance(language, Unreadable):
                refusals.append(Refusal(name=file.name, reason=str(language)))
            else:
                used.append(NamedDocument(file.name, source, store_documents([(source, language)])[0]))
    return used, refusals


def _register(upload: BoilerplateUpload, file: NamedDocument) -> None:
    upload.assignment.boilerplate.get_or_create(
        document_id=file.document,
        first=None,
        after=None,
        statement=upload.statement,
        defaults={"name": file.name, "source_id": file.source},
    )
