"""Unpack a batch: store its sources and submissions, and record the result for each entry."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import SystemRandom
from typing import TYPE_CHECKING, NamedTuple

from django.db import connection, transaction
from django.db.models import F
from django.db.models.functions import Least
from django.utils import timezone

from submissions import lifecycle
from submissions.enrolment import save_students, stored_names
from submissions.ingest.documents import delete_unused_sources
from submissions.ingest.sandboxed import grouping_reader
from submissions.ingest.sources import BatchEnded, list_entries, save_listing, store_documents
from submissions.intake import reasons
from submissions.intake.archives.commit_log import commits_by_submission
from submissions.intake.archives.members import CommitTimes
from submissions.intake.left_out.listing import folders_around
from submissions.intake.limits import BadArchive
from submissions.lifecycle import language_lock
from submissions.models import Batch, Document, Entry, Submission, SubmissionFile
from submissions.models.records import Commits
from submissions.rows import insert
from submissions.storage.listings import listed_upload, modified

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from django.db.models import QuerySet

    from submissions.intake.archives.grouping import Grouping
    from submissions.intake.archives.listed_upload import GroupedUpload
    from submissions.models import ListedEntry
    from submissions.rows import Columns


class ReadEntry(NamedTuple):
    """An entry for the page of a batch: used if it has no reason; `submission` is empty if not known."""

    name: str
    size: int
    reason: str
    submission: str = ""


@dataclass
class GroupedBatch:
    """The entries of a batch for its page, and those that are used, by path, with their grouping."""

    grouping: Grouping
    entries: list[ReadEntry] = field(default_factory=list)
    used: dict[str, ListedEntry] = field(default_factory=dict)

    def owners(self) -> dict[str, str]:
        """Return the submission of each used entry, by path."""
        return {path: self.grouping.places[path].submission for path in self.used}


def ingest_batch(batch: Batch, *, is_interactive: bool = False) -> None:
    """Store the submissions of a batch, replacing those of an earlier run, so that it can be fingerprinted.

    A batch with a preview is only unpacked: it waits for its uploader, and is grouped when this is called
    again.

    Raises
    ------
    BadArchive
        When no entry of the upload can be used; the message is for the uploader.
    BatchEnded
        When the batch was cancelled or deleted meanwhile.
    TakesLong
        When this `is_interactive` work and takes too long for it.
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

    Raises
    ------
    BadArchive
        When a limit is reached; the message is for the uploader.
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
            grouped.entries.append(ReadEntry(row.name, row.size, reason, owner))
    for path in left_out.paths:
        for folder in folders_around(path):
            submissions.setdefault(folder, places[path].submission)
        grouped.used.pop(path)
    for entry in left_out.entries:
        grouped.entries.append(ReadEntry(*entry, submissions.get(entry.name, "")))


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
    """Return the times of commits by submission."""
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


def _save_entries(batch: Batch, entries: list[ReadEntry], submissions: dict[str, Submission]) -> None:
    keys = {name: submission.pk for name, submission in submissions.items()}
    columns: Columns = {
        "batch_id": [batch.pk] * len(entries),
        "name": [entry.name for entry in entries],
        "size": [entry.size for entry in entries],
        "accepted": [not entry.reason for entry in entries],
        "reason": [entry.reason for entry in entries],
        "submission_id": [keys.get(entry.submission) for entry in entries],
    }
    insert(connection, Entry, columns)


def _save_submissions(
    batch: Batch, grouped: GroupedBatch, commits: Mapping[str, Commits]
) -> dict[str, Submission]:
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


def add_documents_done(batch_id: int, number: int) -> None:
    """Add to the number of documents read of a batch, without counting them again."""
    done = Least(F("documents_done") + number, F("documents_total"))
    batch = Batch.objects.filter(pk=batch_id, state=Batch.State.FINGERPRINTING)
    batch.update(documents_done=done, touched=timezone.now())


def _documents(batch_id: int) -> QuerySet[Document]:
    return Document.objects.filter(files__submission__batch=batch_id).distinct()


# The start of a zip's calendar (1980), or of a tar's before it (1970), means that no time was stored.
NO_TIME = datetime(1980, 1, 3, tzinfo=UTC)
# A zip stores times in steps of two seconds; files that differ by no more were all written at once.
SAME_TIME = timedelta(seconds=2)


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
    for name, time in times:
        latest[name] = max(time, latest.get(name, time))
    return latest


def _file_time(file: tuple[str, datetime]) -> datetime:
    return file[1]


def _aware(time: datetime) -> datetime:
    return timezone.make_aware(time) if timezone.is_naive(time) else time
