"""Invariants of the work that `tests.faults.work` causes: it is sent, erased and stored, and only once."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np
from django.conf import settings
from django.urls import reverse

from moss.integrations.webhooks.models import TEST, Delivery, Event, Webhook
from submissions.core.database import NO_ROOM
from submissions.models import (
    Batch,
    Document,
    Duration,
    Erasure,
    IgnoringProposal,
    Job,
    PostingBlock,
    PostingRun,
    Report,
)
from submissions.reports.jobs import GONE
from submissions.uploads.fingerprinting import POSTING
from submissions.uploads.stored_documents import unpack_hashes
from tests.support.every_column import places_of
from tests.support.inbox import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from tests.faults.work import BusyPerson

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
