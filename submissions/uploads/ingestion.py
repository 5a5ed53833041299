"""Unpack a batch: store its sources and submissions, and record the result for each entry.

Which files are compared is decided for many of them at once; they and their pending documents are stored
with few queries.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from random import SystemRandom
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import IntegrityError, connection, transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Least
from django.utils import timezone

from fingerprint.engine import Unreadable, front_end, profile_of
from submissions.core.database import flush_later, insert
from submissions.core.models import Commits
from submissions.core.submitters import save_students, stored_names
from submissions.intake import sentences as reasons
from submissions.intake.entries import CommitTimes, Entry, folders_around
from submissions.intake.file_languages import settled_languages
from submissions.intake.layouts.registry import is_metadata
from submissions.intake.left_out.listing import digest
from submissions.intake.limits import BadArchive, Limits
from submissions.intake.members import MOST_LOG_BYTES, commits_by_submission
from submissions.intake.sentences import UNMATCHED
from submissions.models import Batch, Document, Entry as StoredEntry, ListedEntry, Source, Submission, SubmissionFile
from submissions.uploads import lifecycle
from submissions.uploads.files import entries
from submissions.uploads.fingerprinting import PARAMS, delete_unused_sources
from submissions.uploads.lifecycle import language_lock
from submissions.uploads.read import document_reader, grouping_reader
from submissions.uploads.stored_documents import listed_upload, modified
from submissions.work.kinds import INTERACTIVE_SECONDS, TakesLong

if TYPE_CHECKING:
    from submissions.core.database import Columns
    from submissions.intake.grouping import Grouping
    from submissions.intake.preview import GroupedUpload

# Files, and bytes of them, that are stored at a time; rows of an INSERT.
GROUP_FILES, GROUP_BYTES = 256, 4_000_000
INSERT_ROWS = 1000
# Of the work of students: the times of commits are read, too.
LIMITS = Limits(commit_log_bytes=MOST_LOG_BYTES)
# Ends the profile of documents that are not compared.
KEPT_SUFFIX = "-kept"

# The start of a zip's calendar (1980), or of a tar's before it (1970), means that no time was stored.
NO_TIME = datetime(1980, 1, 3, tzinfo=UTC)
# A zip stores times in steps of two seconds; files that differ by no more were all written at once.
SAME_TIME = timedelta(seconds=2)


def groups(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Yield entries in groups, each small enough to be stored at a time, or of one entry."""
    group: list[Entry] = []
    size = 0
    for entry in entries:
        added = len(entry.data or b"")
        if group and (len(group) == GROUP_FILES or size + added > GROUP_BYTES):
            yield group
            group, size = [], 0
        group.append(entry)
        size += added
    if group:
        yield group


def identify(files: Sequence[Entry], language: str, likely: str = "") -> Iterator[str | Unreadable]:
    """Yield for each file the name of its front-end, or why it has none.

    `likely` is the language of most files of the class; it decides where a file leaves doubt.
    """
    return document_reader().identify(files, language, settings.FILE_SECONDS, likely)


def store_sources(files: Sequence[bytes]) -> list[int]:
    """Store the bytes of files that are not stored; return the primary keys of all sources.

    Raises IntegrityError when one was deleted meanwhile with another upload.
    """
    by_digest = {sha256(data).hexdigest(): data for data in files}
    _fill_again(by_digest)
    keys = _source_keys(by_digest)
    new = sorted(by_digest.keys() - keys.keys())  # in one order: others may insert the same
    if new:
        data = [by_digest[digest] for digest in new]
        columns: Columns = {"sha256": new, "data": data, "size": [len(each) for each in data]}
        with transaction.atomic():
            flush_later(connection)
            keys |= {digest: pk for pk, digest in insert(connection, Source, columns, ("id", "sha256"))}
        if others := by_digest.keys() - keys.keys():  # stored by somebody else meanwhile
            keys |= _source_keys(others)
    if len(keys) < len(by_digest):
        raise IntegrityError("a source was deleted meanwhile")
    return [keys[sha256(data).hexdigest()] for data in files]


def _fill_again(by_digest: Mapping[str, bytes]) -> None:
    """Store the bytes of sources that retention emptied."""
    for source in Source.objects.filter(sha256__in=by_digest.keys(), emptied__isnull=False):
        Source.objects.filter(pk=source.pk).update(data=by_digest[source.sha256], emptied=None)


def _source_keys(digests: Iterable[str]) -> dict[str, int]:
    return dict(Source.objects.filter(sha256__in=list(digests)).values_list("sha256", "pk"))


def store_documents(sources: Sequence[tuple[int, str]], state: str = Document.State.PENDING) -> list[int]:
    """Store a pending document for each (source, front-end) that has none; return their primary keys.

    A document that failed is pending again: the cause may have been the machine. With the state KEPT they are
    documents of their own, which are not compared. Raises IntegrityError when a source was deleted meanwhile.
    """
    keys: dict[tuple[int, str], int] = {}
    wanted = sorted(set(sources))
    for start in range(0, len(wanted), INSERT_ROWS):
        keys |= _store_documents(wanted[start : start + INSERT_ROWS], state)
    if len(keys) < len(wanted):
        raise IntegrityError("a document was deleted meanwhile")
    return [keys[source] for source in sources]


def _store_documents(sources: Sequence[tuple[int, str]], state: str) -> dict[tuple[int, str], int]:
    suffix = KEPT_SUFFIX if state == Document.State.KEPT else ""
    profiles = {language: profile_of(front_end(language), PARAMS).key + suffix for _, language in sources}
    keys = _document_keys(sources, profiles)
    new = [source for source in sources if source not in keys]
    if new:
        languages = [language for _, language in new]
        columns: Columns = {
            "source_id": [source for source, _ in new],
            "profile": [profiles[language] for language in languages],
            "language": languages,
            "state": [state] * len(new),
        }
        insert(connection, Document, columns, ("id",))
        keys = _document_keys(sources, profiles)
    failed = Document.objects.filter(pk__in=keys.values(), state=Document.State.FAILED)
    failed.update(state=Document.State.PENDING, reason="", attempts=0, seconds=0)
    return keys


def _document_keys(sources: Sequence[tuple[int, str]], profiles: dict[str, str]) -> dict[tuple[int, str], int]:
    rows = Document.objects.filter(source__in={source for source, _ in sources})
    stored = {(source, profile): pk for pk, source, profile in rows.values_list("pk", "source_id", "profile")}
    return {
        (source, language): stored[source, profiles[language]]
        for source, language in sources
        if (source, profiles[language]) in stored
    }


class BatchEnded(Exception):
    """The batch was cancelled or deleted while it was processed."""


def list_entries(batch: Batch, *, is_interactive: bool) -> list[ListedEntry]:
    """Unpack a batch, store the sources of its files, and return its entries; these are not saved.

    Raises BadArchive when nothing of the upload can be read; the message is for the uploader. Raises
    BatchEnded when the batch was cancelled or deleted meanwhile. Raises TakesLong when this `is_interactive`
    work and takes too long for it.
    """
    deadline = time.monotonic() + INTERACTIVE_SECONDS
    listed: list[ListedEntry] = []
    incomplete = False
    for group in groups(entries(batch.uploads.all(), batch.assignment.file_patterns, LIMITS)):
        if is_interactive and time.monotonic() > deadline:
            raise TakesLong
        publish_progress(batch, f"{len(listed)} entries read")
        listed += _listed_group(batch, group)
        incomplete |= any(entry.incomplete for entry in group)
    Batch.objects.filter(pk=batch.pk).update(incomplete=incomplete)
    _settle_languages(listed)
    return listed


def _settle_languages(listed: Sequence[ListedEntry]) -> None:
    """Set the languages of doubtful files to that of the files of the class that are certain."""

    def again(numbers: Sequence[int], likely: str) -> Iterator[str]:
        for start in range(0, len(numbers), GROUP_FILES):
            group = [listed[number] for number in numbers[start : start + GROUP_FILES]]
            data = Source.objects.in_bulk({row.source_id for row in group})
            named = [Entry(row.name, row.size, data=bytes(data[row.source_id or 0].data)) for row in group]
            for row, language in zip(group, identify(named, "", likely), strict=True):
                yield row.language if isinstance(language, Unreadable) else language

    names, detected = [row.name for row in listed], [row.language for row in listed]
    for row, language in zip(listed, settled_languages(names, detected, again), strict=True):
        row.language = language


def publish_progress(batch: Batch, message: str) -> None:
    unpacking = Batch.objects.filter(pk=batch.pk, state=Batch.State.UNPACKING)
    with transaction.atomic():
        flush_later(connection)
        changed = unpacking.update(message=message, touched=timezone.now())
    if not changed:
        raise BatchEnded


def _listed_group(batch: Batch, group: Sequence[Entry]) -> list[ListedEntry]:
    rows = [_listed(batch, entry) for entry in group]
    files = [(row, entry.data) for row, entry in zip(rows, group, strict=True) if entry.data is not None]
    unpacked = [entry for entry in group if entry.data is not None]
    for (row, _), language in zip(files, identify(unpacked, ""), strict=True):
        if isinstance(language, Unreadable):
            row.reason = str(language)
        else:
            row.language = language
    kept = [(row, data) for row, data in files if row.language or is_metadata(row.name)]
    keys = store_sources([data for _, data in kept])
    for (row, _), key in zip(kept, keys, strict=True):
        row.source_id = key
    return rows


def _listed(batch: Batch, entry: Entry) -> ListedEntry:
    row = ListedEntry(batch=batch, name=entry.name, size=entry.size, reason=entry.reason)
    row.commits = Commits(**entry.commits._asdict()) if entry.commits else None
    if entry.data is not None:
        row.digest, row.left_out = digest(entry.data), entry.left_out
        row.modified = entry.modified.isoformat() if entry.modified else ""
    return row


@transaction.atomic
def save_listing(batch: Batch, listed: Sequence[ListedEntry]) -> None:
    """Save the entries of a batch for its uploader to check; raise BatchEnded if it has ended."""
    if not lifecycle.list_batch(batch.pk):
        raise BatchEnded
    batch.listed_entries.all().delete()
    ListedEntry.objects.bulk_create(listed, batch_size=INSERT_ROWS)


@dataclass
class GroupedBatch:
    """The entries of a batch for its page, the used entries by path, and the grouping of the entries."""

    grouping: Grouping
    entries: list[Entry] = field(default_factory=list)
    used: dict[str, ListedEntry] = field(default_factory=dict)

    def owners(self) -> dict[str, str]:
        """Return the submission of each used entry, by path."""
        return {path: self.grouping.places[path].submission for path in self.used}


def ingest_batch(batch: Batch, *, is_interactive: bool = False) -> None:
    """Store the submissions of a batch for fingerprinting, in place of an earlier run's submissions.

    A batch with a preview is only unpacked: it waits for its uploader, and is grouped when this is called
    again. Raises BadArchive when no entry of the upload can be used; the message is for the uploader. Raises
    BatchEnded when the batch was cancelled or deleted meanwhile. Raises TakesLong when this `is_interactive`
    work and takes too long for it.
    """
    listed = list(batch.listed_entries.all()) or list_entries(batch, is_interactive=is_interactive)
    if batch.preview and any(row.language for row in listed):
        save_listing(batch, listed)
        return
    grouped = group_batch(batch, listed)
    _save(batch, grouped, _commits(listed, grouped))
    delete_unused_sources(row.source_id for row in listed if row.source_id)
    if not grouped.used:
        raise BadArchive(reasons.NOTHING_USED)


def group_batch(batch: Batch, listed: Sequence[ListedEntry]) -> GroupedBatch:
    """Group the entries of a batch into submissions, and leave out what is no work of a student.

    Raises BadArchive when a limit is reached; the message is for the uploader.
    """
    answer = grouping_reader().group(listed_upload(batch, listed))
    grouped = GroupedBatch(answer.grouping)
    reasons = {row.name: row.reason for row in listed if row.digest} | grouped.grouping.ignored
    grouped.used = {row.name: row for row in listed if row.digest and not reasons[row.name]}
    _name_attempts(grouped, reasons)
    _leave_out(listed, grouped, reasons, answer)
    return grouped


def _name_attempts(grouped: GroupedBatch, reasons: dict[str, str]) -> None:
    """Name the student in the reason of another attempt if a submission of that name is stored.

    Only names of submissions are hidden from readers who must not see them.
    """
    stored = set(grouped.owners().values())
    for path, name in grouped.grouping.earlier.items():
        if name in stored:
            reasons[path] = grouped.grouping.reason(path)


def _leave_out(
    listed: Sequence[ListedEntry], grouped: GroupedBatch, reasons: dict[str, str], answer: GroupedUpload
) -> None:
    """Remove the files that are left out, and list all entries, used or not, for the batch's page."""
    places = grouped.grouping.places
    left_out, submissions = answer.left_out, dict(answer.owners)
    for row in listed:
        reason = reasons.get(row.name, row.reason) if row.digest else row.reason
        if not left_out.replaces(row.name, accepted=not reason):
            owner = submissions.get(row.name, "")
            grouped.entries.append(Entry(row.name, row.size, reason, submission=owner))
    for path in left_out.paths:
        for folder in folders_around(path):
            submissions.setdefault(folder, places[path].submission)
        grouped.used.pop(path)
    for entry in left_out.entries:
        grouped.entries.append(entry._replace(submission=submissions.get(entry.name, "")))
    grouped.entries += [Entry(pattern, 0, UNMATCHED) for pattern in left_out.unmatched]


@transaction.atomic
def _save(batch: Batch, grouped: GroupedBatch, commits: Mapping[str, Commits]) -> None:
    if grouped.used and not lifecycle.start_fingerprinting(batch.pk):
        raise BatchEnded
    language_lock(batch.assignment_id)
    batch.assignment.refresh_from_db(fields=["language", "language_patterns"])
    batch.entries.all().delete()
    batch.submissions.all().delete()
    batch.listed_entries.all().delete()
    submissions = _save_submissions(batch, grouped, commits)
    _save_entries(batch, grouped.entries, submissions)
    documents = _documents_by_path(batch, grouped)
    places = [grouped.grouping.places[path] for path in grouped.used]
    columns: Columns = {
        "submission_id": [submissions[place.submission].pk for place in places],
        "path": [place.path for place in places],
        "source_id": [row.source_id for row in grouped.used.values()],
        "document_id": [documents[path] for path in grouped.used],
        "detected": [row.language for row in grouped.used.values()],
    }
    insert(connection, SubmissionFile, columns)


def _commits(listed: Iterable[ListedEntry], grouped: GroupedBatch) -> dict[str, Commits]:
    logs = {row.name: row.commits for row in listed if row.commits}
    times = {path: CommitTimes(log.first, log.last, log.number) for path, log in logs.items()}
    owners = grouped.owners()
    return {name: Commits(**one._asdict()) for name, one in commits_by_submission(times, owners).items()}


def _documents_by_path(batch: Batch, grouped: GroupedBatch) -> dict[str, int]:
    """Store the documents of a batch, to be read or only kept; return their primary keys."""
    languages = _languages(batch, grouped)
    compared = [path for path in languages if languages[path]]
    kept = [path for path in languages if not languages[path]]
    sources = {path: row.source_id or 0 for path, row in grouped.used.items()}
    read = store_documents([(sources[path], languages[path]) for path in compared])
    wanted = [(sources[path], grouped.used[path].language) for path in kept]
    others = store_documents(wanted, Document.State.KEPT)
    return dict(zip((*compared, *kept), (*read, *others), strict=True))


def _languages(batch: Batch, grouped: GroupedBatch) -> dict[str, str]:
    """Return the language in which each file is read, by path; empty for one that is not compared."""
    submissions: dict[str, list[str]] = defaultdict(list)
    for path, name in grouped.owners().items():
        submissions[name].append(path)
    chosen, languages = batch.assignment.chosen_languages, dict[str, str]()
    for paths in submissions.values():
        inside = [grouped.grouping.places[path].path for path in paths]
        detected = [grouped.used[path].language for path in paths]
        languages |= zip(paths, chosen.reading(inside, detected), strict=True)
    return languages


def _save_entries(batch: Batch, entries: list[Entry], submissions: dict[str, Submission]) -> None:
    keys = {name: submission.pk for name, submission in submissions.items()}
    columns: Columns = {
        "batch_id": [batch.pk] * len(entries),
        "name": [entry.name for entry in entries],
        "size": [entry.size for entry in entries],
        "accepted": [not entry.reason for entry in entries],
        "reason": [entry.reason for entry in entries],
        "submission_id": [keys.get(entry.submission) for entry in entries],
    }
    insert(connection, StoredEntry, columns)


def _save_submissions(batch: Batch, grouped: GroupedBatch, commits: Mapping[str, Commits]) -> dict[str, Submission]:
    grouping, owners = grouped.grouping, grouped.owners()
    names = sorted(set(owners.values()))
    # In random order: primary keys are part of addresses, and must not reveal the order of names.
    SystemRandom().shuffle(names)
    written = ((owners[path], modified(row)) for path, row in grouped.used.items())
    files = [(name, time) for name, time in written if time]
    known = {name: one.submitted for name, one in grouping.submissions.items() if one.submitted}
    times = submission_times(files, timezone.now(), known)
    stored = stored_names(batch, names)
    rows = Submission.objects.bulk_create(
        [
            Submission(
                batch=batch,
                name=stored[name],
                identifier=grouping.submissions[name].identifier,
                handed_in=times.get(name),
                late=grouping.submissions[name].late,
                commits=commits.get(name),
            )
            for name in names
        ]
    )
    submissions = dict(zip(names, rows, strict=True))
    if batch.role != Batch.Role.MODEL:  # no student wrote these
        students = {name: one.students for name, one in grouping.submissions.items()}
        save_students(batch.assignment.course, submissions, students)
    return submissions


def pending_documents(batch_id: int) -> list[int]:
    """Return the primary keys of a batch's documents that were not read yet."""
    pending = _documents(batch_id).filter(state=Document.State.PENDING)
    return list(pending.order_by("pk").values_list("pk", flat=True))


def count_pending(batch_id: int) -> int:
    """Update the document counts of a batch; return the number of documents that were not read yet."""
    documents = _documents(batch_id)
    total, pending = documents.count(), documents.filter(state=Document.State.PENDING).count()
    batch = Batch.objects.filter(pk=batch_id, state=Batch.State.FINGERPRINTING)
    batch.update(documents_total=total, documents_done=total - pending, touched=timezone.now())
    return pending


def add_documents_done(batch_id: int, number: int) -> bool:
    """Add to the number of documents read of a batch; return whether the others are still needed."""
    done = Least(F("documents_done") + number, F("documents_total"))
    batch = Batch.objects.filter(pk=batch_id, state=Batch.State.FINGERPRINTING)
    return bool(batch.update(documents_done=done, touched=timezone.now()))


def _documents(batch_id: int) -> QuerySet[Document]:
    return Document.objects.filter(files__submission__batch=batch_id).distinct()


def submission_times(
    files: Iterable[tuple[str, datetime]], now: datetime, known: Mapping[str, datetime] | None = None
) -> dict[str, datetime]:
    """Return when each submission was handed in: as `known`, else the latest time of its files.

    `files` are pairs (submission, time of a file); no time is estimated if all of them are the same (within
    SAME_TIME). A naive time is in this server's time zone. A submission whose time is after `now` has none,
    since its clock was wrong.
    """
    latest = _latest(files) | {name: _aware(time) for name, time in (known or {}).items()}
    return {name: time for name, time in latest.items() if time <= now}


def _latest(files: Iterable[tuple[str, datetime]]) -> dict[str, datetime]:
    times = [(name, _aware(time)) for name, time in files]
    times = [(name, time) for name, time in times if time > NO_TIME]
    if not times or max(times, key=_file_time)[1] - min(times, key=_file_time)[1] <= SAME_TIME:
        return {}
    latest: dict[str, datetime] = {}
    for name, moment in times:
        latest[name] = max(moment, latest.get(name, moment))
    return latest


def _file_time(file: tuple[str, datetime]) -> datetime:
    return file[1]


def _aware(time: datetime) -> datetime:
    return timezone.make_aware(time) if timezone.is_naive(time) else time
