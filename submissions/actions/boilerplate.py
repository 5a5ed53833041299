"""Register boilerplate: code that was handed out, or a passage that everybody may have."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, BinaryIO, cast

from django.db import transaction

from fingerprint.engine import Unreadable, token_lines
from submissions import tasks
from submissions.archives.unpack import unpack_all
from submissions.ingest.documents import delete_unused, store_document
from submissions.models import Boilerplate, SubmissionFile
from submissions.storage.sources import text_of
from submissions.storage.tokens import unpack_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.core.files import File

    from submissions.archives.unpack import Unpacked
    from submissions.models import Assignment, Pair

# Characters of a path in the name of a passage; the rest of the name needs less than a hundred.
PATH_CHARACTERS = 900


@transaction.atomic
def add_boilerplate(assignment: Assignment, uploads: Sequence[File[bytes]]) -> list[Unpacked]:
    """Register handed-out code, loose or in archives; return the entries that cannot be used."""
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
    return refused


@transaction.atomic
def remove_boilerplate(boilerplate: Boilerplate) -> None:
    """Make boilerplate count again, and rank the assignment anew."""
    assignment, document = boilerplate.assignment, boilerplate.document_id
    boilerplate.delete()
    transaction.on_commit(partial(delete_unused, [document]))
    tasks.enqueue_rank(assignment)


@transaction.atomic
def ignore_passage(assignment: Assignment, pair: Pair, key: str) -> Boilerplate | None:
    """Register a passage as boilerplate and rank anew; return None where the pair has no passage `key`."""
    passage = next((passage for passage in pair.passages if passage.key == key), None)
    if passage is None:
        return None
    file = SubmissionFile.objects.select_related("source", "document").get(pk=passage.left_file)
    first, count = passage.left_token, passage.tokens
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
    lines = token_lines(text_of(file), unpack_tokens(bytes(file.document.tokens)))
    path = file.path[-PATH_CHARACTERS:]
    return f"passage of {path}, lines {lines[first]} to {lines[first + count - 1]}"
