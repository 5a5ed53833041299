"""Register and remove boilerplate: files that were handed out, and single passages."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction

from fingerprint.engine import group_passages
from submissions.actions.quotas import check_quotas
from submissions.actions.stored_files import save_uploads, stored_files, upload_name
from submissions.ingest.documents import delete_unused
from submissions.lifecycle import enqueue_rank
from submissions.models import Boilerplate, BoilerplateUpload, SubmissionFile
from submissions.reading import upload_queue
from submissions.storage.tokens import unpack_with_lines
from submissions.work import jobs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.core.files import File

    from submissions.models import Assignment, Pair

# Characters of the path in the name of a passage; the rest of the name takes fewer than 100.
PATH_CHARACTERS = 900


def add_boilerplate(assignment: Assignment, uploads: Sequence[File[bytes]]) -> BoilerplateUpload:
    """Store handed-out files, single or in archives, and enqueue them to be read and registered.

    Raises
    ------
    QuotaExceeded
        When they are more than may be stored.
    """
    size = sum(file.size for file in uploads)
    queue = upload_queue(size)
    with stored_files(uploads) as stored, transaction.atomic():
        check_quotas(assignment, size)
        upload = assignment.boilerplate_uploads.create(name=upload_name(uploads))
        save_uploads(stored, boilerplate_upload=upload)
        jobs.enqueue("read_boilerplate", upload.pk, queue=queue)
    return upload


def dismiss_boilerplate_upload(upload: BoilerplateUpload) -> None:
    """Delete the record of uploaded boilerplate that was read or failed; what was registered stays."""
    BoilerplateUpload.objects.filter(pk=upload.pk).exclude(state__in=BoilerplateUpload.RUNNING).delete()


@transaction.atomic
def remove_boilerplate(boilerplate: Boilerplate) -> None:
    """Remove boilerplate and enqueue a new ranking."""
    assignment, documents = boilerplate.assignment, [boilerplate.document_id, boilerplate.next_document_id]
    boilerplate.delete()
    transaction.on_commit(partial(delete_unused, [pk for pk in documents if pk]))
    enqueue_rank(assignment)


@transaction.atomic
def ignore_passage(assignment: Assignment, pair: Pair, key: str) -> Boilerplate | None:
    """Register the pair's block with the passage `key` as boilerplate and enqueue a new ranking.

    Return None, and do neither, when the pair has no such block, or is translated: its passages are no
    tokens of either language.
    """
    blocks = [] if pair.translated else group_passages(pair.passages)
    block = next((block for block in blocks if any(passage.key == key for passage in block)), None)
    if block is None:
        return None
    files = SubmissionFile.objects.filter(pk__in=(block[0].left_file, block[0].right_file))
    # The choice of the side depends on the content, so that it reveals nothing about the order of the names.
    file = files.select_related("source", "document").order_by("source__sha256", "submission")[0]
    on_side = block if file.pk == block[0].left_file else [passage.exchanged for passage in block]
    first, count = on_side[0].left_token, on_side[-1].left_token + on_side[-1].tokens - on_side[0].left_token
    boilerplate, _ = Boilerplate.objects.get_or_create(
        assignment=assignment,
        document=file.document,
        first=first,
        after=first + count,
        defaults={"name": _passage_name(file, first, count), "source": file.source},
    )
    enqueue_rank(assignment)
    return boilerplate


def _passage_name(file: SubmissionFile, first: int, count: int) -> str:
    _, lines = unpack_with_lines(bytes(file.document.tokens))
    path = file.path[-PATH_CHARACTERS:]
    return f"passage of {path}, lines {lines[first]} to {lines[first + count - 1]}"
