"""Jobs that read files: of an upload, of boilerplate, and of an assignment whose language was changed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Sum

from fingerprint.engine import Unreadable
from submissions.core.database import WAITS_FOR_ROOM
from submissions.core.models import Refusal
from submissions.intake.limits import BadArchive
from submissions.models import Assignment, Batch, BoilerplateUpload, Document, Job, LanguageChange, Upload
from submissions.uploads import ingestion, lifecycle, rereading
from submissions.uploads.files import discard_uploads, entries
from submissions.uploads.fingerprinting import delete_unused, fingerprint_groups, fingerprint_pending
from submissions.uploads.lifecycle import enqueue_rank, language_lock
from submissions.uploads.rereading import needs_coarse_streams
from submissions.work import jobs
from submissions.work.kinds import HEAVY, INTERACTIVE, TakesLong

# Refusals that are stored with their reasons; the rest is counted.
MAX_REFUSALS = 50

# Work up to these sizes takes a worker a few seconds. A class of 100 short programs is within both.
SMALL_UPLOAD_BYTES = 2_000_000
SMALL_BATCH_FILES = 100
# A job reads this many documents, or more while no other work waits, or for this time: uploads take turns.
CHUNK = 64
SLICE_SECONDS = 10
# Number of jobs that read one upload at the same time.
LANES = 4
Fingerprinting = Batch.State.FINGERPRINTING


class NamedDocument(NamedTuple):
    """The name of a file, and the primary keys of its source and its document."""

    name: str
    source: int
    document: int


def register_boilerplate(upload: BoilerplateUpload) -> None:
    """Register the files of an upload as boilerplate, and enqueue their documents.

    Nothing is registered when the upload was deleted or has ended meanwhile. Raises IntegrityError when a
    source was deleted, or the language of the assignment was changed meanwhile: read it again.
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
    for group in ingestion.groups(entries(upload.uploads.all(), in_one_folder=True)):
        refusals += [Refusal(name=entry.name, reason=entry.reason) for entry in group if entry.data is None]
        files = [entry for entry in group if entry.data is not None]
        languages = list(ingestion.identify(files, "text" if upload.statement else upload.assignment.language))
        sources = ingestion.store_sources([entry.data or b"" for entry in files])
        for file, language, source in zip(files, languages, sources, strict=True):
            if isinstance(language, Unreadable):
                refusals.append(Refusal(name=file.name, reason=str(language)))
            else:
                used.append(NamedDocument(file.name, source, ingestion.store_documents([(source, language)])[0]))
    return used, refusals


def _register(upload: BoilerplateUpload, file: NamedDocument) -> None:
    upload.assignment.boilerplate.get_or_create(
        document_id=file.document,
        first=None,
        after=None,
        statement=upload.statement,
        defaults={"name": file.name, "source_id": file.source},
    )


# Uploads


def upload_queue(size: int) -> str:
    return INTERACTIVE if size <= SMALL_UPLOAD_BYTES else HEAVY


def enqueue_unpacking(batch: Batch) -> None:
    """Have a batch unpacked when this transaction commits."""
    size = batch.uploads.aggregate(size=Sum("size"))["size"] or 0
    jobs.enqueue("unpack", batch.pk, user=batch.uploaded_by_id, queue=upload_queue(size))


def unpack(job: Job) -> None:
    """Unpack a batch and enqueue its documents; what a lost worker has unpacked is only enqueued."""
    waiting = Batch.objects.filter(pk=job.subject, state__in=lifecycle.TO_UNPACK)
    batch = waiting.select_related("assignment").first()
    try:
        if batch:
            ingestion.ingest_batch(batch, is_interactive=job.queue == INTERACTIVE)
    except ingestion.BatchEnded:
        return
    except BadArchive as error:
        raise jobs.Refused(str(error), "nothing of the upload can be read") from error
    enqueue_documents(job.subject, job.queue)


def enqueue_documents(batch_id: int, queue: str) -> None:
    """Enqueue the reading of a batch's documents, or its ranking where they are read."""
    batch = Batch.objects.filter(pk=batch_id, state=Fingerprinting).first()
    if batch is None:
        return
    discard_uploads(Upload.objects.filter(batch=batch_id))
    keys = ingestion.pending_documents(batch_id)
    _enqueue_lanes("read_documents", batch_id, keys, queue, batch.uploaded_by_id)
    _rank_when_read(batch_id)


def _enqueue_lanes(kind: str, subject: int, keys: Sequence[int], queue: str, user: int | None) -> None:
    chosen = HEAVY if len(keys) > SMALL_BATCH_FILES else queue
    for lane in sorted({key % LANES for key in keys}):
        jobs.enqueue(kind, subject, lane, queue=chosen, user=user)


def read_documents(job: Job) -> None:
    """Read some of a batch's documents, those of one lane; the rest follows after the work of others.

    Raises Again or TakesLong or Later when documents are left: at once, in the heavy queue, or after those
    that another process reads.
    """
    batch = Batch.objects.filter(pk=job.subject, state=Fingerprinting).first()
    if batch is None:
        return

    coarse, count = needs_coarse_streams(batch.assignment_id), partial(ingestion.add_documents_done, batch.pk)
    _read_lane(job, partial(ingestion.pending_documents, batch.pk), count, coarse=coarse)
    _rank_when_read(batch.pk)


def _read_lane(
    job: Job, pending: Callable[[], Sequence[int]], count: Callable[[int], bool], *, coarse: bool = False
) -> None:
    """Read the documents of a job's lane until its turn ends; `count` says whether they are still needed."""
    keys = [key for key in pending() if key % LANES == job.part]
    before, started = 0, time.monotonic()
    for done in fingerprint_groups(keys, CHUNK, coarse=coarse):
        is_needed = count(done - before)
        before = done
        if not is_needed:
            return
        if time.monotonic() - started > SLICE_SECONDS or (done >= CHUNK and jobs.is_awaited(job)):
            break
    left = {key for key in pending() if key % LANES == job.part}
    if left and left.issuperset(keys[:before]):  # Another process reads them.
        raise jobs.Later(jobs.BUSY)
    if left:
        raise jobs.Again if before >= min(CHUNK, len(keys)) else TakesLong


def _rank_when_read(batch_id: int) -> None:
    """Update the number of documents read; when none is left, enqueue the ranking, once."""
    if ingestion.count_pending(batch_id):
        return
    with transaction.atomic():
        if lifecycle.start_ranking(batch_id):
            enqueue_rank(Assignment.objects.get(batches=batch_id), waits=True)


def show_batch(job: Job, state: str, reason: str) -> None:
    if job.kind == "read_documents":
        lifecycle.note_room(job.subject, is_waited_for=reason == WAITS_FOR_ROOM)
    elif state == Job.State.RUNNING:
        lifecycle.start_unpacking(job.subject)
    else:
        lifecycle.requeue_batch(job.subject, reason)


def fail_batch(job: Job, message: str) -> None:
    """Fail the batch of a job; its other lanes stop."""
    lifecycle.fail_batch(job.subject, message, job.reason)


# Boilerplate


def read_boilerplate(job: Job) -> None:
    """Register uploaded files as boilerplate and enqueue their documents."""
    running = BoilerplateUpload.objects.filter(pk=job.subject, state__in=BoilerplateUpload.RUNNING)
    upload = running.select_related("assignment").first()
    if upload is not None:
        register_boilerplate(upload)
        discard_uploads(upload.uploads.all())


def fingerprint_boilerplate(job: Job) -> None:
    """Fingerprint the boilerplate of an assignment, then enqueue a ranking without it.

    Raises Later when documents are read by another process, or the assignment is being changed.
    """
    pending = Document.objects.filter(boilerplate__assignment=job.subject, state=Document.State.PENDING)
    fingerprint_pending(list(pending.order_by("pk").values_list("pk", flat=True).distinct()))
    if pending.exists():
        raise jobs.Later(jobs.BUSY)
    with transaction.atomic():
        assignment = lifecycle.lock_assignment(job.subject, wait=False)
        if assignment and assignment.batches.filter(state__in=Batch.FULLY_READ).exists():
            enqueue_rank(assignment)


def show_boilerplate(job: Job, state: str, reason: str) -> None:
    if state == Job.State.RUNNING:
        lifecycle.start_boilerplate(job.subject)
    else:
        lifecycle.requeue_boilerplate(job.subject, reason)


def fail_boilerplate(job: Job, message: str) -> None:
    lifecycle.fail_boilerplate(job.subject, message)


# Changes of the language


def change_language(job: Job) -> None:
    """Enqueue the documents that are read again for a change; raise Later while the assignment is ranked."""
    queued = LanguageChange.objects.filter(pk=job.subject, state=LanguageChange.State.QUEUED)
    for change in queued.select_related("assignment"):
        _choose_documents(change)
    for change in LanguageChange.objects.filter(pk=job.subject, state=LanguageChange.State.READING):
        keys = rereading.pending_rereading(change.assignment_id)
        _enqueue_lanes("read_again", change.pk, keys, INTERACTIVE, change.changed_by_id)
        _rank_when_read_again(change)


def _choose_documents(change: LanguageChange) -> None:
    assignment = change.assignment
    rereading.detect_languages(assignment)
    languages = rereading.boilerplate_languages(assignment, assignment.language)
    with transaction.atomic():
        if not lifecycle.lock_assignment(assignment.pk, wait=False):
            return
        rereading.choose_documents(assignment, languages)
        if not rereading.start_reading(change.pk):
            transaction.set_rollback(True)  # It was cancelled by the next change.


def read_again(job: Job) -> None:
    """Read some of a change's documents; raise as `read_documents` does."""
    for change in LanguageChange.objects.filter(pk=job.subject, state=LanguageChange.State.READING):
        count = partial(rereading.count_read, change.pk)
        _read_lane(job, partial(rereading.pending_rereading, change.assignment_id), count)
        _rank_when_read_again(change)


def _rank_when_read_again(change: LanguageChange) -> None:
    """Update the number of documents read; when none is left, end the change and enqueue a ranking, once."""
    if rereading.count_rereading(change):
        return
    with transaction.atomic():
        assignment = change.assignment
        if not rereading.finish(change.pk):
            return
        ranked = assignment.batches.filter(state__in=Batch.FULLY_READ)
        if rereading.waits_for_ranking(assignment.pk) and ranked.exists():
            enqueue_rank(assignment)


def show_change(job: Job, _state: str, reason: str) -> None:
    """Say on the page that a change waits for room on the disk."""
    rereading.note_room(job.subject, is_waited_for=reason == WAITS_FOR_ROOM)


def fail_change(job: Job, message: str) -> None:
    rereading.fail(job.subject, message)
