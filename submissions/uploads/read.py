"""Submissions, files, entries and previews of uploads, as a reader may see them.

Names and metadata of students are read in children of this process; a thread computes answers for web requests.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass
from functools import cache
from queue import SimpleQueue
from threading import BoundedSemaphore, Lock, Thread
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from django.conf import settings
from django.db.models import Count, Exists, IntegerField, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce, Collate
from django.shortcuts import get_object_or_404

from submissions.core.access import all_submissions, readable_pairs, readable_submissions
from submissions.intake.left_out.rules import REASONS
from submissions.intake.sandbox.documents import DocumentReader
from submissions.intake.sandbox.groupings import GroupingReader
from submissions.intake.sentences import EXCLUDED, NOT_CHOSEN
from submissions.intake.warnings import ReadFile
from submissions.matches.groups import natural_key
from submissions.models import Alias, Assignment, Batch, Document, Entry, Report, Submission, SubmissionFile
from submissions.uploads.models import HEAVY
from submissions.uploads.stored_documents import listed_upload

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    from submissions.core.names import Names
    from submissions.intake.preview import Preview
    from submissions.intake.rosters import Roster

    Compute = Callable[[], Any]
    ListedSubmission = WithAnnotations[Submission, "SubmissionAnnotations"]

# Pairs of which both sides were handed in, and not by one student; see `Pair.can_make_case`.
CAN_MAKE_CASE = Q(same_student=False, with_model=False)

# Seconds that a request waits, and requests of a process that wait at a time.
WAIT_SECONDS, SLOTS = 5.0, 4
# Answers that wait to be computed; answers that are kept, and for how many seconds.
# Files that no front-end could read, and those that are kept for reading only.
UNCOMPARED = Q(document__state__in=(Document.State.FAILED, Document.State.KEPT))
MAX_WAITING, MAX_KEPT, KEPT_SECONDS = 20, 8, 60.0


class Link(NamedTuple):
    """A link of the graph of submissions: a pair by the primary keys of its submissions."""

    left: int
    right: int
    similarity: float


def links(report: Report, threshold: float, among: Collection[int] | None = None) -> list[Link]:
    """Return the pairs with a similarity of at least `threshold` in [0, 1], most similar first.

    Pairs of a student and the same student's earlier work, and those with model solutions, are left out.
    With `among`, primary keys of submissions, return only pairs whose left submission is among them.
    """
    pairs = readable_pairs(report).filter(CAN_MAKE_CASE, similarity__gte=threshold)
    if among is not None:
        pairs = pairs.filter(left__in=among)
    return [Link(*row) for row in pairs.values_list("left_id", "right_id", "similarity")]


def submissions_by_id(ids: Iterable[int]) -> dict[int, Submission]:
    return Submission.objects.in_bulk(set(ids))


def find_submission(assignment: Assignment, pk: int) -> Submission:
    """Return a submission of an assignment, replaced or not, or raise Http404."""
    return get_object_or_404(all_submissions(assignment).select_related("batch__uploaded_by", "origin__batch"), pk=pk)


def replaced_by(submission: Submission) -> Submission | None:
    """Return the newest submission of the same name, or None when `submission` is the newest."""
    same_name = Submission.objects.filter(
        batch__assignment=submission.batch.assignment_id, batch__state__in=Batch.FULLY_READ, name=submission.name
    )
    newest = same_name.select_related("batch").order_by("-batch_id").first()
    return newest if newest and newest.batch_id > submission.batch_id else None


def ranked_ids(report: Report, names: Iterable[str]) -> dict[str, int]:
    """Return the primary keys of a report's submissions with these names; other names are left out."""
    return dict(readable_submissions(report).filter(name__in=list(names)).values_list("name", "pk"))


def submission_files(submission: Submission) -> QuerySet[SubmissionFile]:
    """Return a submission's files with the results of their front-end, without bytes and tokens, by path."""
    files = submission.files.select_related("source", "document")
    return files.defer("source__data", *HEAVY).order_by("path", "pk")


def files_with_sources(files: Iterable[SubmissionFile]) -> Iterator[SubmissionFile]:
    """Yield the `files` that a front-end could read, with their bytes; fetch a few at a time."""
    ready = SubmissionFile.objects.filter(pk__in=[file.pk for file in files], document__state=Document.State.READY)
    with_bytes = ready.select_related("source", "document").defer(
        "document__tokens", "document__lexical", "document__lines", "document__coarse"
    )
    return with_bytes.iterator(chunk_size=5)


def refused_entries(submission: Submission) -> QuerySet[Entry]:
    """Return the entries of the upload that were handed in with the submission but not accepted."""
    return submission.entries.filter(accepted=False)


def readable_files(submission: int) -> list[SubmissionFile]:
    """Return the files of a submission that can be shown, with their sources, by path."""
    files = SubmissionFile.objects.filter(submission=submission, source__emptied=None)
    readable = files.filter(document__state__in=(Document.State.READY, Document.State.KEPT))
    return list(readable.select_related("source", "document").defer(*HEAVY).order_by("path", "pk"))


def preview_of(batch: Batch) -> Preview:
    """Return a listed batch as it is going to be read; nothing of it is read for that.

    It is grouped in a child: names and metadata are what students wrote, and this is a web process. Raises BadArchive
    when a limit is reached; the message is for the uploader. Raises NotYet while the child groups it; ask again.
    """
    preview: Preview = LATER.get(("preview", batch.pk), _version(batch), lambda: _grouping(batch))
    return preview


def _version(batch: Batch) -> object:
    """Return all that a preview depends on; another unpacking and an erasure change the entries."""
    entries = batch.listed_entries.aggregate(Count("pk"), Max("pk"))
    assignment = batch.assignment
    return batch.since, entries, batch.grouping_choices, assignment.file_patterns, assignment.chosen_languages


def _grouping(batch: Batch) -> Callable[[], Preview]:
    """Return a function that groups a batch; it needs no database."""
    listed = list(batch.listed_entries.all())
    upload, chosen = listed_upload(batch, listed), batch.assignment.chosen_languages
    languages = {row.name: row.language for row in listed}
    reader = grouping_reader()
    return lambda: reader.preview(upload).with_languages(languages, chosen)


def absent_students(roster: Roster, preview: Preview) -> list[str]:
    """Return the names of the students of a roster of whom a previewed upload has nothing, in their order."""
    students = {student for one in preview.submissions for student in one.grouped.students}
    return sorted((one.display_name for one in roster.absent(students)), key=natural_key)


@cache
def document_reader() -> DocumentReader:
    """Return the reader of this process; it starts its child when it is first used."""
    return DocumentReader(settings.READER_MEMORY)


@cache
def grouping_reader() -> GroupingReader:
    """Return what groups uploads for this process; it starts its child when it is first used."""
    return GroupingReader(settings.READER_MEMORY)


class NotYet(Exception):
    """The answer is not there; ask again."""


@dataclass(slots=True)
class _Asked:
    key: object
    answer: Future[Any]
    ended: float = 0.0

    def __post_init__(self) -> None:
        self.answer.add_done_callback(self._end)

    def _end(self, _answer: Future[Any]) -> None:
        self.ended = time.monotonic()


class WaitingAnswers:
    """Computes answers in one thread of this process, in the order in which they were asked for.

    The thread stays: the kernel ends a child when the thread that started it ends.
    """

    def __init__(self, seconds: float = WAIT_SECONDS, slots: int = SLOTS) -> None:
        self.seconds = seconds
        self._slots, self._lock = BoundedSemaphore(slots), Lock()
        self._asked: dict[Hashable, _Asked] = {}
        self._queue: SimpleQueue[tuple[Future[Any], Compute]] = SimpleQueue()
        self._owner = 0

    def get(self, subject: Hashable, key: object, prepare: Callable[[], Compute]) -> Any:
        """Return the answer of a key about a subject, or raise its error.

        For a new key `prepare` is called at once, and the function that it returns is called in the thread. A
        new key of a subject takes the place of an earlier key that waits. Raises NotYet.
        """
        answer = self._answer(subject, key) or self._ask(subject, key, prepare)
        if not answer.done() and self._slots.acquire(blocking=False):
            try:
                wait([answer], self.seconds)
            finally:
                self._slots.release()
        if not answer.done() or answer.cancelled():
            raise NotYet
        return answer.result()

    def _answer(self, subject: Hashable, key: object) -> Future[Any] | None:
        with self._lock:
            self._drop_old()
            one = self._asked.get(subject)
            return one.answer if one and one.key == key else None

    def _ask(self, subject: Hashable, key: object, prepare: Callable[[], Compute]) -> Future[Any]:
        """Have an answer computed. Of two requests that ask at once, the second takes the place."""
        with self._lock:
            if sum(not one.answer.done() for one in self._asked.values()) >= MAX_WAITING:
                raise NotYet
        compute = prepare()
        answer: Future[Any] = Future()
        with self._lock:
            self._start()
            if earlier := self._asked.pop(subject, None):
                earlier.answer.cancel()
            self._asked[subject] = _Asked(key, answer)
            self._queue.put((answer, compute))
        return answer

    def _drop_old(self) -> None:
        ended = sorted(
            (one.ended, number, subject)
            for number, (subject, one) in enumerate(self._asked.items())
            if one.answer.done()
        )
        oldest = time.monotonic() - KEPT_SECONDS
        for place, (since, _, subject) in enumerate(reversed(ended)):
            if since < oldest or place >= MAX_KEPT:
                del self._asked[subject]

    def _start(self) -> None:
        if self._owner != os.getpid():
            self._owner = os.getpid()
            Thread(target=self._compute, name="later", daemon=True).start()

    def _compute(self) -> None:
        while True:
            answer, compute = self._queue.get()
            if answer.set_running_or_notify_cancel():
                try:
                    answer.set_result(compute())
                except Exception as error:  # noqa: BLE001 - whoever asks gets it
                    answer.set_exception(error)
            # Nothing of an upload is held while the thread waits.
            del answer, compute


LATER = WaitingAnswers()


class SubmissionAnnotations(TypedDict):
    file_count: int
    superseded: bool


def count_of(rows: QuerySet[Any], group: str, aggregate: Count | None = None) -> Coalesce:
    """Return a subquery that counts `rows` per `group`.

    Several counts over joins in one query would multiply each other; subqueries do not.
    """
    counted = rows.order_by().values(group).annotate(n=aggregate or Count("pk")).values("n")
    return Coalesce(Subquery(counted, output_field=IntegerField()), 0)


def listed_batches(assignment: Assignment) -> QuerySet[Batch]:
    """Return the batches of an assignment, newest first, with `submission_count` and `skipped_count`."""
    return assignment.batches.exclude(role=Batch.Role.OTHER).annotate(
        submission_count=count_of(Submission.objects.filter(batch=OuterRef("pk")), "batch"),
        skipped_count=count_of(Entry.objects.filter(batch=OuterRef("pk"), accepted=False), "batch"),
    )


def batch_submissions(batch: Batch, names: Names) -> Sequence[ListedSubmission] | QuerySet[ListedSubmission]:
    """Return the submissions of a batch with `file_count` and `superseded`, by displayed name.

    A submission is superseded when a later finished batch has one of the same name.
    """
    later = Submission.objects.filter(
        batch__assignment=batch.assignment_id, batch__state=Batch.State.DONE, batch__gt=batch.pk, name=OuterRef("name")
    )
    counted = batch.submissions.annotate(file_count=Count("files"), superseded=Exists(later))
    if names.hidden:
        return counted.order_by(alias_of("batch__assignment", "name"), "pk")
    return sorted(counted, key=lambda submission: natural_key(names.display_name(submission.name)))


class LeftOutKind(NamedTuple):
    """Files of one origin that an upload left out; `rule` is empty where a pattern of the assignment did."""

    reason: str
    entries: int
    size: int
    rule: str
    counted_next: bool


def left_out_kinds(batch: Batch) -> list[LeftOutKind]:
    """Return what was left out of an upload because nobody in the class wrote it, most entries first."""
    rules = {reason: rule for rule, reason in REASONS.items()}
    taken_in = batch.assignment.file_patterns.taken_in
    left_out = batch.entries.filter(accepted=False, reason__in=[*rules, EXCLUDED, NOT_CHOSEN])
    rows = left_out.order_by().values_list("reason").annotate(Count("pk"), Sum("size"))
    kinds = [
        LeftOutKind(reason, count, size, rules.get(reason, ""), rules.get(reason, "") in taken_in)
        for reason, count, size in rows
    ]
    return sorted(kinds, key=lambda kind: (-kind.entries, kind.reason))


def read_files(batch: Batch) -> list[ReadFile]:
    files = SubmissionFile.objects.filter(submission__batch=batch, document__state=Document.State.READY)
    read = ("language", "token_count", "read_share", "unclosed_line", "disguised")
    rows = files.order_by("pk").values_list("submission__name", "path", *(f"document__{name}" for name in read))
    return [ReadFile(*row) for row in rows]


def uncompared_files(batch: Batch, names: Names) -> QuerySet[SubmissionFile]:
    """Return the files of a batch that are not compared, by displayed name."""
    rows = SubmissionFile.objects.filter(UNCOMPARED, submission__batch=batch)
    rows = rows.select_related("submission", "document").defer("document__tokens", "document__coarse")
    alias = alias_of("submission__batch__assignment", "submission__name")
    return rows.order_by(alias if names.hidden else "submission__name", "path")


def taken_entries(batch: Batch, names: Names) -> Sequence[Entry] | QuerySet[Entry]:
    """Return the entries of an upload that were taken; as paths in their submissions where names are hidden.

    The path of an entry may have ids of the student and the exact time of handing in.
    """
    if not names.hidden:
        return batch.entries.filter(accepted=True)
    files = SubmissionFile.objects.filter(submission__batch=batch)
    rows = files.values_list("submission__name", "path", "source__size")
    entries = [Entry(name=f"{name}/{path}", size=size, accepted=True) for name, path, size in rows]
    return sorted(entries, key=lambda entry: (names.redact_text(entry.name), entry.size))


def displayed_entries(entries: QuerySet[Entry], names: Names) -> Sequence[Entry] | QuerySet[Entry]:
    """Return entries of an upload, by displayed path where names are hidden."""
    if not names.hidden:
        return entries
    return sorted(entries, key=lambda entry: (names.redact_entry(entry.name), entry.reason, entry.size))


def alias_of(assignment: str, name: str) -> Collate:
    """Return the alias of a row's submission; `assignment` and `name` are fields of the row.

    It is sorted as Python sorts it, whatever the collation of the database is.
    """
    aliases = Alias.objects.filter(assignment=OuterRef(assignment), name=OuterRef(name))
    return Collate(Subquery(aliases.values("alias")), "C")
