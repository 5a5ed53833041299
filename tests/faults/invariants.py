"""Invariants of the database, the files and the processes after a seed of `tests.faults`."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from itertools import combinations

import numpy as np
import numpy.typing as npt
from django.conf import settings
from django.core.files.storage import default_storage
from django.urls import reverse
from django.utils import timezone

from moss.integrations.webhooks.models import TEST, Delivery, Event, Webhook
from submissions.core.database import NO_ROOM
from submissions.models import (
    Assignment,
    Batch,
    Boilerplate,
    BoilerplateUpload,
    Decision,
    Document,
    Duration,
    Erasure,
    IgnoringProposal,
    Job,
    LanguageChange,
    PostingBlock,
    PostingRun,
    Report,
    Source,
    Submission,
    SubmissionFile,
    Upload,
)
from submissions.reports.jobs import GONE
from submissions.reports.read import report_state
from submissions.uploads.files import UPLOADS_FOLDER, delete_orphans
from submissions.uploads.fingerprinting import POSTING, delete_unreferenced
from submissions.uploads.stored_documents import unpack_hashes
from submissions.work.locks import Work, sessions
from tests.faults.person import COPIES, Acknowledged, retried
from tests.faults.work import BusyPerson
from tests.support.every_column import places_of
from tests.support.inbox import text_of

Hashes = npt.NDArray[np.uint64]


def outcome_violations(person: BusyPerson, kinds: list[str]) -> list[str]:
    """Return what does not hold, one sentence each."""
    checks = (_deliveries, _events, _mails, _erased)
    lines = [line for check in checks for line in check(person)]
    return [*lines, *_postings(), *_unmeasured(), *_failed_jobs(), *_undone(kinds)]


def _deliveries(person: BusyPerson) -> Iterator[str]:
    """Each delivery arrived, perhaps twice, by its id; one that failed waits for its next attempt."""
    came = {one.headers["webhook-id"] for one in person.neighbours.receiver.received}
    rows = Delivery.objects.filter(webhook=person.webhook)
    for row in rows:
        has_arrived = row.state == Delivery.State.ARRIVED
        if has_arrived and row.message_id not in came:
            yield f"{row} is said to have arrived, and has not"
        if not has_arrived and not (row.state == Delivery.State.WAITING and row.problem):
            yield f"{row} ({row.event}) is {row.state} after {row.attempts} attempts"
    if unknown := came - set(rows.values_list("message_id", flat=True)):
        yield f"{len(unknown)} deliveries arrived that are not stored"


def _events(person: BusyPerson) -> Iterator[str]:
    """Each event is one delivery: a report that is there was told, none twice, and so were the tests."""
    rows = Delivery.objects.filter(webhook=person.webhook)
    ready = rows.filter(event=Event.REPORT_READY).values_list("body", flat=True)
    deliveries_of_report = Counter(json.loads(body)["data"]["report_id"] for body in ready)
    done = Report.objects.filter(assignment__course=person.course, state=Report.State.DONE)
    for pk in done.values_list("pk", flat=True):
        if deliveries_of_report[pk] == 0:
            yield f"report {pk} was not sent to the webhook"
    if twice := [pk for pk, count in deliveries_of_report.items() if count > 1]:
        yield f"reports {twice} were sent in two deliveries"
    tests, certain = rows.filter(event=TEST).count(), person.asked.tests[True]
    if not certain <= tests <= certain + person.asked.tests[False]:
        yield f"{tests} test deliveries are stored, and {certain} were asked for"


def _mails(person: BusyPerson) -> Iterator[str]:
    """Each stopped webhook was told by mail, and each report that somebody waited for."""
    texts = [text_of(mail) for mail in person.neighbours.inbox.mails]
    for webhook in Webhook.objects.filter(pk__in=person.asked.stopped):
        if webhook.state != Webhook.State.STOPPED:
            yield f"{webhook} is {webhook.state}, and its receiver is gone"
        elif not _is_in(texts, reverse("webhook", args=[webhook.course_id, webhook.pk])):
            yield f"no mail says that {webhook} was stopped"
    waiting = Batch.objects.filter(pk__in=person.asked.waiting, state=Batch.State.DONE)
    for batch in waiting.select_related("assignment"):
        if not _is_in(texts, batch.assignment.get_absolute_url()):
            yield f"no mail says that the report for batch {batch.pk} is ready"


def _is_in(texts: list[str], path: str) -> bool:
    return any(f"{settings.PUBLIC_URL}{path}" in text for text in texts)


def _erased(person: BusyPerson) -> Iterator[str]:
    """Each erasure ended, and the student is nowhere, however it ended, unless the disk was full."""
    names, erasures = person.acknowledged.erased, Erasure.objects.all()
    if erasures.count() < len(names):
        yield f"{len(names)} erasures were accepted; there are {erasures.count()}"
    if waiting := erasures.filter(state=Erasure.State.QUEUED).count():
        yield f"{waiting} erasures have not ended"
    is_full = erasures.filter(message=NO_ROOM).exists()
    if not is_full and (places := places_of(names)):
        yield f"erased students ({', '.join(sorted(names))}) are in {sorted(places)}"


def _postings() -> Iterator[str]:
    """Each fingerprint of each document is in the runs once, as it is without merging."""
    stored = _stored_postings()
    for document in Document.objects.filter(state=Document.State.READY).exclude(fingerprints=b""):
        expected = np.unique(unpack_hashes(bytes(document.fingerprints)))
        postings = np.sort(np.concatenate(stored[document.pk] or [expected[:0]]))
        if not np.array_equal(expected, postings):
            yield f"document {document.pk} has {len(postings)} postings, and {len(expected)} hashes"
    sizes = sum(PostingRun.objects.values_list("size", flat=True))
    if sizes != (total := sum(len(part) for parts in stored.values() for part in parts)):
        yield f"the runs say that they have {sizes} postings, and have {total}"


def _stored_postings() -> dict[int, list[Hashes]]:
    """Return the hashes of each document by its key."""
    stored = defaultdict[int, "list[Hashes]"](list)
    for packed in PostingBlock.objects.values_list("packed", flat=True):
        block = np.frombuffer(bytes(packed), POSTING)
        for document in np.unique(block["document"]):
            hashes = block["hash"][block["document"] == document]
            stored[int(document)].append(hashes.view(np.uint64))
    return stored


def _unmeasured() -> list[str]:
    """Return the proposals to ignore lines of which nobody is told what that would change, or why not."""
    waiting = IgnoringProposal.objects.filter(effect__isnull=True, message="")
    return [f"nothing is said of the proposal to ignore {proposal}" for proposal in waiting]


def _failed_jobs() -> list[str]:
    """Return the jobs that failed otherwise than by a full disk, or as the student or the lines are gone."""
    failed = Job.objects.filter(state=Job.State.FAILED).exclude(reason__in=[NO_ROOM, GONE])
    return [f"{job} failed: {job.reason}" for job in failed.exclude(kind="erase_student")]


def _undone(kinds: list[str]) -> list[str]:
    """Return those of the kinds of which no work was done: the seed says nothing of them."""
    done = Duration.objects.filter(measure=Duration.Measure.STATE, detail="running")
    missing = sorted(set(kinds) - set(done.values_list("name", flat=True)))
    return [f"no work was done of {', '.join(missing)}"] * bool(missing)


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
