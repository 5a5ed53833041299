"""The table of jobs: enqueue, cancel, and every change of a job's state.

A job goes queued -> running, and is deleted when it is done or cancelled; it can fail.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from django.conf import settings
from django.db import transaction
from django.db.models import F, Model, OuterRef, QuerySet, Subquery
from django.db.models.functions import Least
from django.utils import timezone
from django.utils.module_loading import import_string

from submissions.database_errors import NO_ROOM, WAITS_FOR_ROOM
from submissions.models import Job
from submissions.work.heartbeats import package_version
from submissions.work.kinds import HEAVY, INTERACTIVE, MAX_ATTEMPTS
from submissions.work.locks import Work, transaction_lock
from submissions.work.messages import announce, kind_of
from submissions.work.reasons import ENDED_PROCESS
from submissions.work.states import count_when_committed, log_change
from submissions.work.turns import announce_blocked, startable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from submissions.work.kinds import Kind

Row = TypeVar("Row", bound=Model)
State = Job.State
# Time between two attempts of work that a full disk stopped.
ROOM_INTERVAL = timedelta(seconds=20)
# Time after which work is tried again that another process or transaction stopped.
BUSY = timedelta(seconds=3)
# A job that is tried again after at most this time is announced at once.
SOON = timedelta(seconds=5)
OTHER_VERSION = "it was begun by a version of which no worker is left"
GAVE_UP = ENDED_PROCESS.format(n=MAX_ATTEMPTS)


class Later(Exception):
    """A job cannot be done now; it is tried again after `delay`. Where it `counts`, that was an attempt."""

    def __init__(self, delay: timedelta, reason: str = "", *, counts: bool = False) -> None:
        super().__init__(reason)
        self.delay, self.reason, self.counts = delay, reason, counts


class Again(Exception):
    """A part of a job is done; the rest follows after the work of others."""


class Parts(Exception):
    """A job goes on when its parts are done, which are enqueued already."""


class Refused(Exception):
    """A job cannot be done; the message is for people, the `reason`, which names nobody, for the log."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


def enqueue(kind: str, subject: int = 0, part: int = 0, **fields: Any) -> None:
    """Queue one piece of work; see `enqueue_all`."""
    enqueue_all(kind, [subject], part, **fields)


@transaction.atomic
def enqueue_all(
    kind: str,
    subjects: Iterable[int],
    part: int = 0,
    *,
    user: int | None = None,
    queue: str = INTERACTIVE,
    due: datetime | None = None,
) -> None:
    """Queue work when this transaction commits; what is queued already is due at the earlier time.

    A queued job is locked until then, so that no worker starts it before the changes that it is about.
    """
    now, wanted = timezone.now(), sorted(set(subjects))
    same = Job.objects.filter(kind=kind, subject__in=wanted, part=part, state=State.QUEUED)
    waiting = dict(same.select_for_update().order_by("pk").values_list("subject", "queue"))
    same.update(due=Least("due", due or now), sent=now, attempts=0, touched=now)
    fields = {"kind": kind, "part": part, "user_id": user, "queue": queue, "version": package_version()}
    times = {"due": due or now, "sent": now, "touched": now, "since": now}
    rows = [Job(subject=subject, **fields, **times) for subject in wanted if subject not in waiting]
    Job.objects.filter(kind=kind, subject__in=wanted, part=part, state=State.FAILED).delete()
    # Another transaction may have queued the same work meanwhile.
    Job.objects.bulk_create(rows, ignore_conflicts=True)
    if due is None or due <= now:
        for subject in wanted:
            transaction.on_commit(partial(announce, kind_of(kind), waiting.get(subject, queue)))


def with_due(rows: QuerySet[Row], kind: str) -> QuerySet[Row]:
    """Let each row have `due`: when its job of a kind is due; None without one."""
    waiting = Job.objects.filter(kind=kind, subject=OuterRef("pk")).exclude(state=State.FAILED)
    annotated: QuerySet[Row] = rows.annotate(due=Subquery(waiting.order_by("pk").values("due")[:1]))
    return annotated


@transaction.atomic
def cancel(kind: str, subjects: Iterable[int]) -> None:
    """Delete unfinished jobs of these subjects; what carries one out stops, as its subject says."""
    unfinished = Job.objects.filter(kind=kind, subject__in=list(subjects)).exclude(state=State.FAILED)
    for job in unfinished:
        log_change(str(job), job.state, "cancelled", "")
        parts_of(kind, job.subject).delete()
    unfinished.delete()
    transaction.on_commit(partial(announce_blocked, kind_of(kind)))


def parts_of(kind: str, subject: int) -> QuerySet[Job]:
    """Return the jobs that are parts of one."""
    kinds = [one.name for one in settings.WORK_KINDS.values() if one.part_of == kind]
    return Job.objects.filter(kind__in=kinds, part=subject).exclude(state=State.FAILED)


def resume(kind: str, subject: int) -> Job | None:
    """Start the job again that waits for its parts, when they are done; return None without one."""
    if parts_of(kind, subject).exists():
        return None
    waiting = Job.objects.filter(kind=kind, subject=subject, state=State.PARTS)
    return next((job for job in waiting if _start(job)), None)


def claim(kind: Kind, queue: str) -> Job | None:
    """Start the job whose turn it is; return None where none waits."""
    with transaction.atomic():
        transaction_lock(Work.CHOICE, wait=True)  # No two workers choose the same.
        return next((job for job in startable(kind, queue) if start(job)), None)


def start(job: Job) -> bool:
    """Start a queued job, and count the attempt, in the caller's transaction; return whether it was started.

    What was started too often fails instead.
    """
    # A job that a transaction just enqueued again is announced when that commits.
    if not _mine(job).select_for_update(skip_locked=True).exists():
        return False
    kind = kind_of(job.kind)
    if kind.gives_up and job.attempts >= kind.attempts:
        fail(job, NO_ROOM if job.reason == WAITS_FOR_ROOM else GAVE_UP)
        return False
    return _start(job)


def _start(job: Job) -> bool:
    is_started = _change(job, State.RUNNING, attempts=F("attempts") + 1)
    job.attempts += is_started
    return is_started


def finish(job: Job) -> None:
    """Delete a job that is done."""
    if _mine(job).delete()[0]:
        _note(job, "done", "")


def wait(job: Job, delay: timedelta, reason: str, *, counts: bool) -> None:
    """Queue a started job again, to be tried after `delay`; if it does not `count`, that was no attempt."""
    kind = kind_of(job.kind)
    queue = HEAVY if counts and kind.is_slow_again else job.queue
    now, attempts = timezone.now(), F("attempts") - int(not counts)
    is_queued = _requeue(job, reason, due=now + delay, touched=now, queue=queue, attempts=attempts)
    if is_queued and delay <= SOON:
        announce(kind, queue, delay.total_seconds())


def go_on_later(job: Job, queue: str) -> None:
    """Queue a job again of which a part is done, or that belongs into another queue, behind other work."""
    if _requeue(job, "", queue=queue, attempts=0):
        announce(kind_of(job.kind), queue)


def wait_for_room(job: Job) -> None:
    """Queue a job again that a full disk stopped; it fails once it was tried too often."""
    if job.attempts >= 2 * MAX_ATTEMPTS:
        fail(job, NO_ROOM)
    else:
        wait(job, ROOM_INTERVAL, WAITS_FOR_ROOM, counts=True)


def wait_for_parts(job: Job) -> None:
    """Let a started job wait for its parts; it goes on in the heavy queue."""
    _change(job, State.PARTS, attempts=0, queue=HEAVY)


def requeue_lost(job: Job) -> bool:
    """Queue a job again whose worker was lost."""
    reason = job.reason if job.reason == WAITS_FOR_ROOM else ""
    return _requeue(job, reason, "its worker was lost")


@transaction.atomic
def fail(job: Job, message: str, reason: str = "") -> bool:
    """Fail an unfinished job with a `message` for people; the log gets `reason`, or else the message."""
    kind = kind_of(job.kind)
    job.reason = reason or message
    if not _change(job, State.FAILED, job.reason, reason=job.reason):
        return False
    parts_of(job.kind, job.subject).delete()
    if kind.failed:
        import_string(f"{kind.module}.{kind.failed}")(job, message)
    return True


def _requeue(job: Job, stored: str, why: str = "", **fields: Any) -> bool:
    same = Job.objects.filter(kind=job.kind, subject=job.subject, part=job.part, state=State.QUEUED)
    if same.exists():  # It was enqueued again meanwhile: that job does the work.
        finish(job)
        return False
    now = timezone.now()
    return _change(job, State.QUEUED, why or stored, **{"reason": stored, "due": now, "sent": now, **fields})


def _mine(job: Job) -> Any:
    """Return the row of a job in the state and attempt in which it was loaded."""
    return Job.objects.filter(pk=job.pk, state=job.state, attempts=job.attempts)


@transaction.atomic
def _change(job: Job, state: Job.State, why: str = "", **fields: Any) -> bool:
    now = timezone.now()
    if not _mine(job).update(**{"state": state, "touched": now, "since": now, **fields}):
        return False
    _note(job, state.value, why)
    job.state, job.since = state, now
    kind = kind_of(job.kind)
    if kind.on_change and state not in {State.FAILED, State.PARTS}:
        import_string(f"{kind.module}.{kind.on_change}")(job, state, fields.get("reason", ""))
    return True


def _note(job: Job, after: str, reason: str) -> None:
    log_change(str(job), job.state, after, reason)
    count_when_committed(job.kind, [(job.state, (timezone.now() - job.since).total_seconds())])
