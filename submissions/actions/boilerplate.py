"""Register and remove boilerplate: files that were handed out, and single passages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, BinaryIO, cast

from django.db import transaction

from fingerprint.engine import Unreadable, storable, token_lines
from submissions import tasks
from submissions.actions.quotas import check_quotas
from submissions.archives.unpack import unpack_all
from submissions.ingest.documents import delete_unused, store_document
from submissions.models import Boilerplate, SubmissionFile
from submissions.storage.sources import file_text
from submissions.storage.tokens import unpack_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.core.files import File

    from submissions.archives.unpack import UnpackedEntry
    from submissions.models import Assignment, Pair

# Characters of the path in the name of a passage; the rest of the name takes fewer than 100.
PATH_CHARACTERS = 900


@transaction.atomic
def add_boilerplate(assignment: Assignment, uploads: Sequence[File[bytes]]) -> list[UnpackedEntry]:
    """Register handed-out files, single or in archives; return the refused entries with their reasons.

    Raises
    ------
    QuotaExceeded
        When they are more than may be stored.
    """
    check_quotas(assignment, uploads)
    refused, documents = [], []
    for entry in unpack_all([(upload.name or "upload", cast("BinaryIO", upload.file)) for upload in uploads]):
        if entry.data is None:
            refused.append(entry)
            continue
        try:
            document = store_document(entry.data, entry.name, assignment.language)
        except Unreadable as error:
            refused.append(entry._replace(data=None, reason=str(error)))
            continue
        assignment.boilerplate.get_or_create(
            document=document,
            first=None,
            after=None,
            defaults={"name": entry.name, "source": document.source},
        )
        documents.append(document.pk)
    if documents:
        transaction.on_commit(partial(tasks.fingerprint_boilerplate.delay, assignment.pk, documents))
    return [entry._replace(reason=storable(entry.reason)) for entry in refused]


@transaction.atomic
def remove_boilerplate(boilerplate: Boilerplate) -> None:
    """Remove boilerplate and enqueue a new ranking."""
    assignment, document = boilerplate.assignment, boilerplate.document_id
    boilerplate.delete()
    transaction.on_commit(partial(delete_unused, [document]))
    tasks.enqueue_rank(assignment)


@transaction.atomic
def ignore_passage(assignment: Assignment, pair: Pair, key: str) -> Boilerplate | None:
    """Register the pair's passage with `key` as boilerplate and enqueue a new ranking.

    Return None, and do neither, when the pair has no such passage.
    """
    passage = next((passage for passage in pair.passages if passage.key == key), None)
    if passage is None:
        return None
    files = SubmissionFile.objects.filter(pk__in=(passage.left_file, passage.right_file))
    # The choice of the side depends on the content, so that it reveals nothing about the order of the names.
    file = files.select_related("source", "document").order_by("source__sha256", "submission")[0]
    first = passage.left_token if file.pk == passage.left_file else passage.right_token
    count = passage.tokens
    boilerplate, _ = Boilerplate.objects.get_or_create(
        assignment=assignment,
        document=file.document,
        first=first,
        after=first + count,
        defaults={"name": _passage_name(file, first, count), "source": file.source},
    )
    tasks.enqueue_rank(assignment)
    return boilerplate


def _passage_name(file: SubmissionFile, first: int, count: int) -> str:
    lines = token_lines(file_text(file), unpack_tokens(bytes(file.document.tokens)))
    path = file.path[-PATH_CHARACTERS:]
    return f"passage of {path}, lines {lines[first]} to {lines[first + count - 1]}"
