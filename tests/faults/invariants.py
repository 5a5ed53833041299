"""Invariants of the database, the files and the processes after a seed of `tests.faults`."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING

from django.core.files.storage import default_storage
from django.utils import timezone

from submissions.core.database import NO_ROOM
from submissions.models import (
    Assignment,
    Batch,
    Boilerplate,
    BoilerplateUpload,
    Decision,
    Document,
    Job,
    LanguageChange,
    Report,
    Source,
    Submission,
    SubmissionFile,
    Upload,
)
from submissions.reports.read import report_state
from submissions.uploads.files import UPLOADS_FOLDER, delete_orphans
from submissions.uploads.fingerprinting import delete_unreferenced
from submissions.work.locks import Work, sessions
from tests.faults.outcomes import outcome_violations
from tests.faults.person import COPIES, retried

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.faults.person import Acknowledged
    from tests.faults.work import BusyPerson

# What is due later than this is waiting for others, after a failed attempt.
SOON = timedelta(seconds=30)


def work_goes_on() -> bool:
    """Return whether any upload, ranking or other work has not ended."""
    return retried(
        lambda: (
            Job.objects.exclude(state=Job.State.FAILED).filter(due__lt=timezone.now() + SOON).exists()
            or Batch.objects.filter(state__in=Batch.RUNNING).exists()
            or BoilerplateUpload.objects.filter(state__in=BoilerplateUpload.RUNNING).exists()
            or LanguageChange.objects.filter(state__in=LanguageChange.RUNNING).exists()
            or any(report_state(assignment).pending for assignment in Assignment.objects.all())
        )
    )


def violations(person: BusyPerson, kinds: list[str]) -> list[str]:
    """Return the invariants that do not hold, one sentence each; `kinds` of work must have been done."""
    acknowledged, uploads = person.acknowledged, person.acknowledged.uploads
    checks: list[Callable[[], list[str]]] = [partial(_upload_violations, acknowledged, pk) for pk in uploads]
    checks += [partial(_report_violations, pk) for pk in retried(lambda: list(_assignments()))]
    checks += [
        partial(_languages, acknowledged),
        _unended,
        partial(_promises, acknowledged),
        partial(_decisions, acknowledged),
        person.archive.violations,
        partial(outcome_violations, person, kinds),
        _leftovers,
    ]
    return acknowledged.lies + [line for check in checks for line in retried(check)]


def _assignments() -> list[int]:
    return list(Assignment.objects.values_list("pk", flat=True))


def _unended() -> list[str]:
    """Return what ended otherwise than done, or not at all; a full disk is a reason to fail."""
    batches = Batch.objects.exclude(state=Batch.State.DONE).exclude(message=NO_ROOM)
    boilerplate = BoilerplateUpload.objects.exclude(state=BoilerplateUpload.State.DONE)
    return [
        f"{type(row).__name__} {row.pk} is {row.state}: {row.message}"
        for rows in (batches, boilerplate.exclude(message=NO_ROOM))
        for row in rows
    ]


def _upload_violations(acknowledged: Acknowledged, pk: int) -> list[str]:
    """Return what is wrong with an upload that the server accepted."""
    batch = Batch.objects.filter(pk=pk).first()
    if pk in acknowledged.deleted or batch is None:
        return _deletion_violations(acknowledged, pk, there=batch is not None)
    if batch.state != Batch.State.DONE:
        return []  # `_unended` tells
    lines = []
    names = set(Submission.objects.filter(batch=batch).values_list("name", flat=True))
    expected = set(acknowledged.uploads[pk]) - acknowledged.erased
    if names | acknowledged.perhaps_erased != expected | acknowledged.perhaps_erased:
        lines.append(f"batch {pk} has {len(names)} submissions, not {len(expected)}")
    documents = Document.objects.filter(files__submission__batch=batch)
    if documents.exclude(state=Document.State.READY).exists():
        reasons = set(documents.exclude(state=Document.State.READY).values_list("reason", flat=True))
        lines.append(f"batch {pk} has unread documents: {reasons}")
    if documents.filter(fingerprints=None).exists():
        lines.append(f"batch {pk} has documents without fingerprints")
    return lines


def _deletion_violations(acknowledged: Acknowledged, pk: int, *, there: bool) -> list[str]:
    if there:
        return [f"batch {pk} is there, and a person was told that it was deleted"]
    if pk in acknowledged.deleted | acknowledged.perhaps_deleted:
        return []
    return [f"batch {pk} was accepted and is lost"]


def _report_violations(assignment_id: int) -> list[str]:
    """Return what is wrong with the report of an assignment: it has one where an upload is done."""
    done = Batch.objects.filter(assignment=assignment_id, state=Batch.State.DONE)
    reports = list(Report.objects.filter(assignment=assignment_id).exclude(message=NO_ROOM))
    if [report.state for report in reports] != [Report.State.DONE] and (reports or done.exists()):
        return [f"assignment {assignment_id} has reports {[report.state for report in reports]}"]
    return [line for report in reports for line in _pair_violations(report)]


def _pair_violations(report: Report) -> list[str]:
    names = sorted(report.submissions.values_list("name", flat=True))
    if not names:  # ranked before anything was uploaded
        return []
    expected = len(list(combinations(names, 2)))
    best = report.pairs.order_by("-similarity").values_list("left__name", "right__name")[:1]
    lines = []
    if report.pairs.count() > expected:
        lines.append(f"report {report.pk} has {report.pairs.count()} pairs; there are {expected}")
    if [sorted(pair) for pair in best] != [COPIES]:
        lines.append(f"report {report.pk} of {len(names)} submissions has {list(best)} as its best pair")
    return lines


def _languages(acknowledged: Acknowledged) -> list[str]:
    """Return the assignments of another language than it was told, and the files that are read otherwise."""
    lines = []
    for assignment in Assignment.objects.filter(pk__in=acknowledged.languages):
        if assignment.language not in acknowledged.languages[assignment.pk]:
            lines.append(f"assignment {assignment.pk} has the language {assignment.language!r}")
        files = SubmissionFile.objects.filter(submission__batch__assignment=assignment)
        read = set(files.values_list("document__language", flat=True))
        failed = LanguageChange.objects.filter(assignment=assignment, message=NO_ROOM).exists()
        if read - {assignment.language or "python"} and not failed:
            lines.append(f"assignment {assignment.pk} ({assignment.language!r}) has files read in {read}")
    return lines


def _promises(acknowledged: Acknowledged) -> list[str]:
    """Return the boilerplate that the server accepted and that is neither registered nor refused."""
    registered = set(Boilerplate.objects.values_list("assignment_id", "name"))
    failed = set(BoilerplateUpload.objects.filter(message=NO_ROOM).values_list("assignment_id", "name"))
    lost = acknowledged.boilerplate - registered - failed
    return [f"boilerplate {name} of assignment {pk} was accepted and is lost" for pk, name in sorted(lost)]


def _decisions(acknowledged: Acknowledged) -> list[str]:
    stored = {(row.assignment_id, row.left, row.right): row for row in Decision.objects.all()}
    lines = []
    for key, answers in acknowledged.decisions.items():
        if acknowledged.perhaps_erased.intersection(key):
            continue
        # With a student go the decisions on the student.
        states = {Decision.State.UNDECIDED.value} if acknowledged.erased.intersection(key) else answers
        state = stored[key].state if key in stored else Decision.State.UNDECIDED.value
        if state not in states:
            lines.append(f"the decision on {key} is {state}, and a person was told {sorted(states)}")
    return lines


def _unused_documents() -> int:
    unused = Document.objects.filter(files=None, boilerplate=None, next_files=None, next_boilerplate=None)
    return unused.count()


def _leftovers() -> list[str]:
    """Return what nothing refers to, apart from what the sweep deletes some hours later."""
    delete_orphans(timezone.now())
    delete_unreferenced(timezone.now())
    files = default_storage.listdir(UPLOADS_FOLDER)[1] if default_storage.exists(UPLOADS_FOLDER) else []
    lines = [
        f"{count} {name} left"
        for name, count in (
            ("uploads", Upload.objects.count()),
            ("uploaded files", len(files)),
            ("sources without a file", Source.objects.filter(files=None, boilerplate=None).count()),
            ("documents without a file", _unused_documents()),
        )
        if count
    ]
    return lines + [f"{work.name} locks held: {held}" for work in Work if (held := sessions(work))]
