"""Decide again which stored files are compared and in which language, and have the changed ones read.

All state changes of a change of language are conditional and logged.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any, NamedTuple

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from fingerprint.engine import Unreadable, coarse_family, front_end, profile_of
from submissions.core.database import WAITS_FOR_ROOM, update
from submissions.intake.entries import Entry
from submissions.intake.file_languages import ChosenLanguages
from submissions.intake.packed_readings import pack_coarse
from submissions.models import Assignment, Batch, Boilerplate, Document, LanguageChange, SubmissionFile
from submissions.uploads.fingerprinting import PARAMS, delete_unused
from submissions.uploads.ingestion import GROUP_FILES, identify, store_documents
from submissions.uploads.lifecycle import language_lock
from submissions.uploads.read import document_reader
from submissions.work import jobs
from submissions.work.jobs import change_rows

Rows = QuerySet[SubmissionFile] | QuerySet[Boilerplate]

State = LanguageChange.State
NEXT = "the language was changed again"

_READING = ("document__language", "document__state", "document__profile")
_HEAVY = ("document__tokens", "document__lexical", "document__lines", "document__styles")

logger = logging.getLogger(__name__)


def queue(assignment: Assignment, user: User | None, chosen: ChosenLanguages) -> LanguageChange:
    """Set the languages of an assignment, and queue the change, in the caller's transaction."""
    language_lock(assignment.pk, change=True)
    stored = Assignment.objects.select_for_update(no_key=True).get(pk=assignment.pk)
    running = stored.language_changes.filter(state__in=LanguageChange.RUNNING)
    _change(running, State.CANCELLED, NEXT)
    change = LanguageChange.objects.create(
        assignment=stored, changed_by=user, before=stored.language, after=chosen.language, patterns=chosen.patterns
    )
    jobs.enqueue("change_language", change.pk, user=user and user.pk)
    for one in (assignment, stored):
        one.language, one.language_patterns = chosen.language, chosen.patterns
    stored.save(update_fields=["language", "language_patterns"])
    return change


def start_reading(change_id: int) -> bool:
    """Let the chosen documents of a change be read. Return False when it was cancelled meanwhile."""
    return _change(LanguageChange.objects.filter(pk=change_id, state=State.QUEUED), State.READING)


def count_read(change_id: int, number: int) -> bool:
    """Add to the number of documents that were read. Return False when the change has ended."""
    reading = LanguageChange.objects.filter(pk=change_id, state=State.READING)
    return bool(reading.update(documents_done=F("documents_done") + number, touched=timezone.now()))


def note_room(change_id: int, *, is_waited_for: bool) -> None:
    """Note whether a change waits for room on the disk."""
    running = LanguageChange.objects.filter(pk=change_id, state__in=LanguageChange.RUNNING)
    running.update(message=WAITS_FOR_ROOM if is_waited_for else "", touched=timezone.now())


def finish(change_id: int) -> bool:
    """Set a change whose documents were all read to done. Return whether the state allowed it."""
    return _change(LanguageChange.objects.filter(pk=change_id, state=State.READING), State.DONE, message="")


def fail(change_id: int, message: str) -> None:
    running = LanguageChange.objects.filter(pk=change_id, state__in=LanguageChange.RUNNING)
    _change(running, State.FAILED, message, message=message)


def _change(rows: QuerySet[LanguageChange], state: State, reason: str = "", **fields: Any) -> bool:
    return change_rows("language change", rows, reason, state=state, **fields)


class FileLanguage(NamedTuple):
    """The language in which a file is read; a kept file is not compared."""

    name: str
    is_kept: bool = False


class StoredFile(NamedTuple):
    """A file of a submission, how it is read, and the language that it seems to have, if that is known.

    `is_outdated`: it was read by an earlier version of its front-end or of the engine.
    """

    pk: int
    batch: int
    submission: int
    path: str
    source: int
    detected: str
    language: FileLanguage
    is_outdated: bool = False

    def is_read_otherwise(self, language: FileLanguage) -> bool:
        return language != self.language or (self.is_outdated and not language.is_kept)


def stored_files(assignment: Assignment) -> list[StoredFile]:
    """Return the files of all submissions that can be compared, of the class and of earlier work."""
    rows = _files(assignment).values_list(
        "pk", "submission__batch_id", "submission_id", "path", "source_id", "detected", *_READING
    )
    current = current_profiles(row[6] for row in rows)
    return [
        StoredFile(
            pk,
            batch,
            submission,
            path,
            source,
            detected,
            FileLanguage(language, state == Document.State.KEPT),
            state == Document.State.READY and profile not in current,
        )
        for pk, batch, submission, path, source, detected, language, state, profile in rows
    ]


def current_profiles(languages: Iterable[str]) -> set[str]:
    """Return the profiles in which files of these languages are read now."""
    return {profile_of(front_end(language), PARAMS).key for language in set(languages)}


def has_outdated(assignment: Assignment) -> bool:
    """Return whether files of an assignment were read by an earlier version, which nobody reads again yet."""
    ready = _files(assignment).filter(document__state=Document.State.READY)
    languages = ready.values_list("document__language", flat=True).distinct()
    outdated = ready.exclude(document__profile__in=current_profiles(languages))
    running = assignment.language_changes.filter(state__in=LanguageChange.RUNNING)
    return outdated.exists() and not running.exists()


def languages_of_files(files: Iterable[StoredFile], chosen: ChosenLanguages) -> dict[int, FileLanguage]:
    """Return the language in which each file is read if the assignment has the `chosen` languages.

    The result is by primary key. If a file's language was not detected yet, its present language counts.
    """
    submissions: dict[int, list[StoredFile]] = defaultdict(list)
    for file in files:
        submissions[file.submission].append(file)
    result: dict[int, FileLanguage] = {}
    for submission in submissions.values():
        detected = [file.detected or file.language.name for file in submission]
        compared = chosen.reading([file.path for file in submission], detected)
        for file, language, wanted in zip(submission, detected, compared, strict=True):
            result[file.pk] = FileLanguage(wanted or language, is_kept=not wanted)
    return result


def detect_languages(assignment: Assignment) -> None:
    """Find out the language of the files for which it is not stored; it is stored group by group."""
    unknown = list(_files(assignment).filter(detected="").values_list("pk", flat=True))
    for start in range(0, len(unknown), GROUP_FILES):
        group = SubmissionFile.objects.filter(pk__in=unknown[start : start + GROUP_FILES])
        rows = list(group.select_related("source", "document").defer(*_HEAVY))
        files = [Entry(row.path, row.source.size, data=bytes(row.source.data)) for row in rows]
        detected = {
            row.pk: row.document.language if isinstance(language, Unreadable) else language
            for row, language in zip(rows, identify(files, ""), strict=True)
        }
        update(connection, SubmissionFile, [*detected], {"detected": [*detected.values()]})


def boilerplate_languages(assignment: Assignment, wanted: str) -> dict[int, str]:
    """Return the language in which each file of boilerplate is read, by primary key."""
    rows = assignment.boilerplate.filter(first=None, statement=False).select_related("source", "document")
    languages: dict[int, str] = {}
    for row in rows.defer(*_HEAVY).iterator(GROUP_FILES):
        language = next(identify([Entry(row.name, row.source.size, data=bytes(row.source.data))], wanted))
        languages[row.pk] = row.document.language if isinstance(language, Unreadable) else language
    return languages


def choose_documents(assignment: Assignment, boilerplate: Mapping[int, str]) -> None:
    """Set what replaces the document of each file that is read otherwise now, in the caller's transaction.

    `boilerplate` are the languages of its files. It is safe to run again, also for another language.
    """
    rejected = list(_replacing(assignment.pk).values_list("pk", flat=True))
    files = stored_files(assignment)
    chosen = languages_of_files(files, assignment.chosen_languages)
    otherwise = [file for file in files if file.is_read_otherwise(chosen[file.pk])]
    changed = {file.pk: (file.source, chosen[file.pk]) for file in otherwise}
    _replace(_files(assignment), SubmissionFile, changed)
    rows = assignment.boilerplate.filter(pk__in=boilerplate).select_related("document")
    others = {
        row.pk: (row.source_id, FileLanguage(boilerplate[row.pk]))
        for row in rows.only("source_id", "document__language")
        if boilerplate[row.pk] != row.document.language
    }
    _replace(assignment.boilerplate.all(), Boilerplate, others)
    transaction.on_commit(partial(delete_unused, rejected))


def _replace(
    rows: Rows, model: type[SubmissionFile | Boilerplate], changed: Mapping[int, tuple[int, FileLanguage]]
) -> None:
    rows.exclude(next_document=None).update(next_document=None)
    for is_kept, state in ((False, Document.State.PENDING), (True, Document.State.KEPT)):
        wanted = {pk: one for pk, one in changed.items() if one[1].is_kept == is_kept}
        sources = [(source, language.name) for source, language in wanted.values()]
        update(connection, model, [*wanted], {"next_document_id": store_documents(sources, state)})


def pending_rereading(assignment_id: int) -> list[int]:
    """Return the primary keys of the documents that are to replace others and were not read yet."""
    pending = _replacing(assignment_id).filter(state=Document.State.PENDING)
    return list(pending.order_by("pk").values_list("pk", flat=True))


def count_rereading(change: LanguageChange) -> int:
    """Update the document counts of a change; return the number of documents that were not read yet."""
    total = _replacing(change.assignment_id).exclude(state=Document.State.KEPT).count()
    pending = len(pending_rereading(change.assignment_id))
    reading = LanguageChange.objects.filter(pk=change.pk, state=LanguageChange.State.READING)
    reading.update(documents_total=total, documents_done=total - pending)
    return pending


def waits_for_ranking(assignment_id: int) -> bool:
    """Return whether the next ranking replaces the document of a file."""
    return _replacing(assignment_id).exists()


def replace_documents(assignment: Assignment) -> bool:
    """Let the files of an assignment have the documents that replace theirs, if all of these were read.

    Return whether any were replaced. Call this in the transaction of a ranking that locks the assignment.
    """
    running = assignment.language_changes.filter(state__in=LanguageChange.RUNNING)
    if running.exists() or pending_rereading(assignment.pk):
        return False
    replaced: list[int] = []
    for rows, model in ((_files(assignment), SubmissionFile), (assignment.boilerplate.all(), Boilerplate)):
        waiting = rows.exclude(next_document=None).values_list("pk", "document_id", "next_document_id")
        documents = {pk: (old, new) for pk, old, new in waiting}
        if model is Boilerplate:
            _delete_copies(assignment, {pk: new for pk, (_, new) in documents.items()})
        update(connection, model, [*documents], {"document_id": [new for _, new in documents.values()]})
        model.objects.filter(pk__in=documents).update(next_document=None)
        replaced += [old for old, _ in documents.values()]
    transaction.on_commit(partial(delete_unused, replaced))
    return bool(replaced)


def _delete_copies(assignment: Assignment, documents: dict[int, int]) -> None:
    """Remove boilerplate whose document will be that of other boilerplate: files of the same bytes."""
    unchanged = assignment.boilerplate.filter(first=None, statement=False, next_document=None)
    taken = set(unchanged.values_list("document_id", flat=True))
    first = {new: pk for pk, new in reversed(documents.items()) if new not in taken}
    assignment.boilerplate.filter(pk__in=documents.keys() - first.values()).delete()


def _files(assignment: Assignment | int) -> QuerySet[SubmissionFile]:
    files = SubmissionFile.objects.filter(submission__batch__assignment=assignment).order_by()
    # Copies follow their originals at the next ranking.
    uploaded = files.exclude(submission__batch__role=Batch.Role.OTHER)
    # What was released has no bytes to read.
    return uploaded.exclude(submission__batch__state=Batch.State.CANCELLED).filter(submission__released=None)


def _replacing(assignment_id: int) -> QuerySet[Document]:
    files = _files(assignment_id).exclude(next_document=None).values("next_document")
    boilerplate = Boilerplate.objects.filter(assignment=assignment_id).exclude(next_document=None)
    return Document.objects.filter(Q(pk__in=files) | Q(pk__in=boilerplate.values("next_document")))


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


@transaction.atomic
def change_language(
    assignment: Assignment, user: User | None, language: str, patterns: str | None = None
) -> LanguageChange:
    """Set the language of an assignment, and enqueue reading its files again.

    `patterns` are its languages by name, see `ChosenLanguages`; with None they stay.
    The last report stays until all of them are read. A change that is not finished is given up for this one.
    """
    kept = assignment.language_patterns if patterns is None else patterns
    return queue(assignment, user, ChosenLanguages(language, kept))


class Rereading(NamedTuple):
    """The effect of another language: files read again, files no longer compared, and their uploads.

    `unknown` counts files whose language must be detected first. `boilerplate` counts files of it;
    `passages` counts passages that are ignored, which apply only to files as they are read now.
    """

    read: int
    kept: int
    uploads: int
    unknown: int
    boilerplate: int
    passages: int

    @property
    def changes_nothing(self) -> bool:
        return not (self.read or self.kept or self.unknown or self.boilerplate)


def rereading_of(assignment: Assignment, chosen: ChosenLanguages) -> Rereading:
    """Return the effect of changing the languages of an assignment to these."""
    files = stored_files(assignment)
    new = languages_of_files(files, chosen)
    changed = [file for file in files if file.is_read_otherwise(new[file.pk])]
    kept = sum(new[file.pk].is_kept for file in changed)
    boilerplate = assignment.boilerplate.filter(first=None, statement=False)
    if chosen.language:
        boilerplate = boilerplate.exclude(document__language=chosen.language)
    return Rereading(
        read=len(changed) - kept,
        kept=kept,
        uploads=len({file.batch for file in changed}),
        unknown=sum(not file.detected for file in files),
        boilerplate=boilerplate.count(),
        passages=assignment.boilerplate.exclude(first=None).count(),
    )


def changes_of_language(assignment: Assignment) -> QuerySet[LanguageChange]:
    """Return the changes of an assignment's language, newest first, with their users."""
    return assignment.language_changes.select_related("changed_by").order_by("-pk")


def open_language_change(assignment: Assignment) -> LanguageChange | None:
    """Return the newest change of an assignment's language if it goes on or has failed."""
    newest = assignment.language_changes.order_by("-pk").first()
    return newest if newest and (newest.is_running or newest.state == newest.State.FAILED) else None
