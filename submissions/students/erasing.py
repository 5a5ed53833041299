"""Erase a student: one transaction for everything, and a receipt that stays."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext

from submissions.audit.models import AuditAction
from submissions.intake.limits import BadArchive
from submissions.models import AuditEntry, Batch, BoilerplateUpload, Erasure, FileChunk, Job, ListedEntry, Upload
from submissions.students.finding import Decided
from submissions.students.naming import LONGEST_NAME, Spellings, digest
from submissions.students.register import (
    NOT_CHOSEN,
    OWN_REASONS,
    SOMEBODY_ELSE,
    Counts,
    erase_names,
    erase_submissions,
    erase_texts,
    held_titles,
    new_names,
)
from submissions.students.scope import NotFound, Scope, scope
from submissions.uploads import lifecycle
from submissions.uploads.files import discard_uploads, entries
from submissions.uploads.fingerprinting import delete_unused_sources
from submissions.uploads.lifecycle import enqueue_rank
from submissions.work import jobs
from submissions.work.jobs import erasing
from submissions.work.kinds import FILE_UNSEARCHED, REMOVED, REMOVED_UNSEARCHED

logger = logging.getLogger(__name__)

# Processor seconds of the search of one file of an upload that waits, and of all its files, and bytes of a
# file that are searched at once.
FILE_SECONDS, SEARCH_SECONDS, PART_BYTES = 20.0, 120.0, 1 << 16


@transaction.atomic
def ask_for_erasure(work: Scope, who: str, reason: str, address: str | None = None) -> Erasure:
    """Have a student erased, with an entry of the audit log; `who` is a user name.

    Raises NotFound when all of the student's work is under a hold, or nobody decided on a similar name.
    """
    if work.undecided:
        raise NotFound(undecided_message(work))
    if not work.erasable and not work.enrolled.exists():
        text = _("Nothing was erased, because a hold protects it: {held}.")
        raise NotFound(text.format(held=", ".join(held_titles(work.held))))
    erasure = Erasure.objects.create(
        who=who,
        reason=reason,
        student=work.text,
        courses=[one.course.pk for one in work.chosen],
        result={"decided": work.decided.as_json()},
    )
    jobs.enqueue("erase_student", erasure.pk)
    subject = f"receipt {erasure.pk}"
    AuditEntry.objects.create(
        who=who, address=address, action=AuditAction.ERASED, subject=subject, page="erase_student"
    )
    return erasure


def erase_student(job: Job) -> None:
    """Erase the student of a waiting erasure; one that was carried out does nothing.

    Raises Refused when there is no such student any more, or work of a similar name came meanwhile. Raises
    Later when an upload that waited was read or deleted before it could be searched.
    """
    erasure = Erasure.objects.filter(pk=job.subject, state=Erasure.State.QUEUED).first()
    if erasure is None:
        return
    try:
        work = scope(erasure.student, erasure.courses, Decided.from_json(erasure.result.get("decided", {})))
    except NotFound as error:
        raise jobs.Refused(str(error), "there is no such student") from error
    if work.undecided:
        raise jobs.Refused(undecided_message(work), "nobody decided on a similar name")
    # Commit this before locking: a running ranking holds the lock until it sees that it was cancelled.
    for assignment in work.touched:
        lifecycle.cancel_reports(assignment)
    try:
        with transaction.atomic():
            _erase(erasure, work)
    except FileNotFoundError as gone:
        # What came of an upload that was read meanwhile is to be erased, too.
        raise jobs.Later(jobs.BUSY, "an upload was read or deleted meanwhile", counts=True) from gone
    logger.info("erasure %s is done: %s rows removed", erasure.pk, sum(erasure.result["removed"].values()))


def undecided_message(work: Scope) -> str:
    """Return a sentence on the rows of similar names that nobody decided on."""
    number = len(work.undecided)
    text = ngettext(
        "Nothing was erased yet. First say whose %(number)d similar name or id is.",
        "Nothing was erased yet. First say whose these %(number)d similar names or ids are.",
        number,
    )
    return text % {"number": number}


def fail_erasure(job: Job, message: str) -> None:
    for erasure in Erasure.objects.filter(pk=job.subject, state=Erasure.State.QUEUED):
        _end(erasure, Erasure.State.FAILED, message)


def _erase(erasure: Erasure, work: Scope) -> None:
    for assignment in work.touched:
        lifecycle.lock_assignment(assignment.pk)
    counts = Counts()
    names_and_ids = work.spellings().texts.union({work.text}, *(one.names for one in work.chosen))
    groups, digests = len(work.shared), sorted(map(digest, names_and_ids))
    held, touched = held_titles(work.held), work.touched
    names, left = new_names(work), _left_of(work)
    work.settle()
    erasing.send(Erasure, scope=work, counts=counts)
    erase_unread(work, counts)
    erase_names(work, names, counts)
    erase_submissions(work, names, counts)
    counts.delete(work.enrolled)
    if kept := erase_texts(work, erasure, counts):
        left.append({"course": "", "assignments": [], "rows": kept, "why": OWN_REASONS})
    for assignment in touched:
        _rank(assignment.pk, counts)
    erasure.result = {**counts.as_json(), "groups": groups, "held": held, "left": left}
    erasure.refresh_from_db(fields=["reason", "message"])
    erasure.digests = digests
    _end(erasure, Erasure.State.DONE)


def _left_of(work: Scope) -> list[dict[str, Any]]:
    """Return what an erasure leaves that has the name or a similar one: where, how many rows, and why.

    The names are not in it: a similar one would tell whom the receipt is about.
    """
    others = [(one.course, one.places, one.rows.number, SOMEBODY_ELSE) for one in work.others]
    left = [(one.course, (), len(one.students) + len(one.enrolled), NOT_CHOSEN) for one in work.left]
    return [
        {"course": course.name, "assignments": list(places), "rows": number, "why": why}
        for course, places, number, why in (*others, *left)
    ]


def _rank(assignment_id: int, counts: Counts) -> None:
    """Rank an assignment without the work that left, or delete its reports where none is left."""
    assignment = lifecycle.lock_assignment(assignment_id)
    if assignment is None:
        return
    uploaded = assignment.batches.exclude(role=Batch.Role.OTHER).filter(state__in=Batch.FULLY_READ)
    if uploaded.filter(submissions__isnull=False).exists():
        enqueue_rank(assignment)
    else:
        counts.delete(assignment.reports.all())


def _end(erasure: Erasure, state: Erasure.State, message: str = "") -> None:
    erasure.state, erasure.message, erasure.finished = state, message, timezone.now()
    erasure.student = ""
    erasure.save()


def erase_unread(scope: Scope, counts: Counts) -> None:
    """Remove the stored uploads and listings that name the student; their batches fail with the reason.

    They are opened in the child that unpacks uploads. One that cannot be opened is removed too, in the
    courses of the student. Of a listing, only the files leave that have words of the student and cannot be
    searched in time, as `_Files` says, with the stored upload, which cannot be listed again then.
    """
    held = [one.pk for one in scope.held]
    waiting = Batch.objects.exclude(uploads=None, listed_entries=None).exclude(assignment__in=held)
    for batch in waiting.filter(assignment__course__in=scope.courses).distinct().select_related("assignment"):
        spellings = scope.spellings(batch.assignment.course_id)
        files = _Files(scope.spellings(batch.assignment.course_id, whole_only=True))
        unsearched: list[ListedEntry] = []
        is_named = is_unopened = False
        try:
            is_named = _lists(batch, spellings, files, unsearched) or _holds(batch, spellings, files)
        except BadArchive:
            is_unopened = True
        if is_named:
            _remove(batch, REMOVED, counts)
        elif unsearched or (is_unopened and batch.listed_entries.exists()):
            _empty(batch, unsearched, counts)
        elif is_unopened:
            _remove(batch, REMOVED_UNSEARCHED, counts)
    starters = BoilerplateUpload.objects.filter(assignment__course__in=scope.courses)
    starters = starters.exclude(uploads=None).exclude(assignment__in=held).distinct()
    for upload in starters.select_related("assignment"):
        if any(scope.spellings(upload.assignment.course_id).is_in(one.name) for one in upload.uploads.all()):
            _discard(upload.uploads.all(), counts)
            lifecycle.fail_boilerplate(upload.pk, REMOVED)


class _Files:
    """Searches the files of one upload for whole names and ids: a word of a name may be a variable."""

    def __init__(self, spellings: Spellings) -> None:
        self._spellings = spellings
        self._end = time.thread_time() + SEARCH_SECONDS

    def name(self, data: bytes) -> bool:
        """Return whether a file names the student; raise BadArchive when it takes too long to search.

        Only a part with a word of the student can take long: FILE_SECONDS, while SEARCH_SECONDS of the upload are left.
        """
        end = min(time.thread_time() + FILE_SECONDS, self._end)
        for part in _parts(data):
            text = part.decode(errors="replace")
            if not self._spellings.may_be_in(text):
                continue
            if time.thread_time() > end:
                raise BadArchive("the file takes too long to search")
            if self._spellings.is_in(text):
                return True
        return False


def _parts(data: bytes) -> Iterator[bytes]:
    """Yield a file in parts that end with a line, or else overlap by more than a name has."""
    start = 0
    while start < len(data):
        # A part begins with the end of a line, so that what follows is not taken for the start of a path.
        line_end = data.rfind(b"\n", start + 1, start + PART_BYTES)
        is_last = start + PART_BYTES >= len(data)
        end = line_end if line_end > 0 and not is_last else start + PART_BYTES
        yield data[start : end if line_end > 0 else end + LONGEST_NAME]
        start = end


def _lists(batch: Batch, spellings: Spellings, files: _Files, unsearched: list[ListedEntry]) -> bool:
    """Return whether the listing of a batch names the student, in a path or in a file.

    The rows whose file cannot be searched in time are added to `unsearched`.
    """
    for row in batch.listed_entries.select_related("source").iterator():
        try:
            if spellings.is_in(row.name) or (row.source and files.name(bytes(row.source.data))):
                return True
        except BadArchive:
            unsearched.append(row)
    return False


def _holds(batch: Batch, spellings: Spellings, files: _Files) -> bool:
    uploads = batch.uploads.all()
    if any(spellings.is_in(one.name) for one in uploads):
        return True
    unpacked = entries(uploads, batch.assignment.file_patterns) if uploads else ()
    return any(spellings.is_in(entry.name) or (entry.data is not None and files.name(entry.data)) for entry in unpacked)


def _discard(uploads: QuerySet[Upload], counts: Counts) -> None:
    counts.removed["submissions.Upload"] += uploads.count()
    chunks = FileChunk.objects.filter(name__in=uploads.values("file"))
    counts.removed["submissions.FileChunk"] += chunks.count()
    discard_uploads(uploads)


def _empty(batch: Batch, unsearched: list[ListedEntry], counts: Counts) -> None:
    """Remove a stored upload, and of its listing the files of some rows; it says so and is incomplete."""
    _discard(batch.uploads.all(), counts)
    rows = ListedEntry.objects.filter(pk__in=[row.pk for row in unsearched])
    counts.removed["submissions.ListedEntry"] += rows.update(
        reason=FILE_UNSEARCHED, source=None, language="", digest=b"", left_out="", commits=None
    )
    counts.removed.update(delete_unused_sources([row.source_id for row in unsearched if row.source_id]))
    Batch.objects.filter(pk=batch.pk).update(incomplete=batch.incomplete or bool(unsearched))


@transaction.atomic
def _remove(batch: Batch, reason: str, counts: Counts) -> None:
    sources = list(batch.listed_entries.exclude(source=None).values_list("source_id", flat=True))
    _discard(batch.uploads.all(), counts)
    counts.delete(ListedEntry.objects.filter(batch=batch))
    counts.removed.update(delete_unused_sources(sources))
    unfinished = Batch.objects.filter(pk=batch.pk).exclude(state__in=Batch.FULLY_READ)
    lifecycle.change_batches(unfinished, Batch.State.FAILED, reason, "a student was erased")
