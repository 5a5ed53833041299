"""The table of jobs: enqueue, cancel, and every change of a job's state.

Jobs are started by turns among their users. A message of Celery says that work of a kind is in a queue, and
no more. Signals tell packages above this app what happened to uploads, reports and decisions. Each change
of a state is a line of the log, and the time in the old state is counted.
"""

from __future__ import annotations

import logging
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import timedelta
from functools import partial
from math import inf
from typing import Any, TypeVar

from celery import Task, current_app, shared_task
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Case, F, Model, OuterRef, QuerySet, Subquery, TextChoices, When
from django.db.models.functions import Least
from django.dispatch import Signal
from django.utils import timezone
from django.utils.module_loading import import_string
from kombu.exceptions import OperationalError

from submissions.core.database import NO_ROOM, WAITS_FOR_ROOM
from submissions.models import Batch, BoilerplateUpload, Duration, Job, LanguageChange, Report
from submissions.work.heartbeats import package_version
from submissions.work.kinds import ENDED_PROCESS, HEAVY, HEAVY_ROUTE, INTERACTIVE, MAX_ATTEMPTS, QUEUES, Kind
from submissions.work.locks import Work, transaction_lock

# A batch, uploaded boilerplate, a report or a change of the language has another state.
# `sender` is its model; `pk`, `assignment_id` and `state` belong to it.
state_changed = Signal()
# The state of a decision has changed. `sender` is its model; `decision` is the changed one.
decided = Signal()
# A student is being erased. `scope` says who, and in which courses; `counts` takes what receivers delete.
erasing = Signal()

logger = logging.getLogger(__name__)

LIMITS = (0.1, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 7200.0, inf)  # in seconds
# What people wait for, by the name that it has in the figures.
WORK: dict[str, type[Model]] = {
    "upload": Batch, "ranking": Report, "boilerplate": BoilerplateUpload, "language_change": LanguageChange,
}  # fmt: skip
KINDS = {model: kind for kind, model in WORK.items()}
# Work that has ended stays in its state; how long is no duration of the work.
ENDED = ("done", "failed", "cancelled")

State = Job.State
# Jobs of a queue and kind that are looked at when one of them is chosen.
LOOKED_AT = 1_000

Row = TypeVar("Row", bound=Model)

# Time between two attempts of work that a full disk stopped.
ROOM_INTERVAL = timedelta(seconds=20)
# Time after which work is tried again that another process or transaction stopped.
BUSY = timedelta(seconds=3)
# A job that is tried again after at most this time is announced at once.
SOON = timedelta(seconds=5)
OTHER_VERSION = "it was begun by a version of which no worker is left"
GAVE_UP = ENDED_PROCESS.format(n=MAX_ATTEMPTS)


@transaction.atomic
def change_rows(kind: str, rows: QuerySet[Any], reason: str, *, state: TextChoices, **fields: Any) -> bool:
    """Set `rows` to a state; return whether there were any."""
    changed = list(rows.select_for_update(of=("self",)).values_list("pk", "assignment_id", "state", "since"))
    now, moved = timezone.now(), [row for row in changed if row[2] != state]
    # What stays in its state is in it since the same time.
    since = Case(When(state=state, then=F("since")), default=now)
    keys = [pk for pk, *_ in changed]
    rows.model.objects.filter(pk__in=keys).update(touched=now, state=state, since=since, **fields)
    for pk, assignment, before, _ in changed:
        log_change(f"{kind} {pk} of assignment {assignment}", before, state.value, reason)
        state_changed.send(rows.model, pk=pk, assignment_id=assignment, state=state)
    left = [(before, (now - entered).total_seconds()) for *_, before, entered in moved if before not in ENDED]
    count_when_committed(KINDS[rows.model], left)
    return bool(changed)


def log_change(what: str, before: str, after: str, reason: str) -> None:
    """Write the line of the log that docs/do/stuck-batch.md explains."""
    logger.info("%s: %s -> %s%s", what, before, after, reason and f" ({reason})")


def count_when_committed(kind: str, left: Sequence[tuple[str, float]]) -> None:
    """Count how many seconds work was in the states that it left; outside of a transaction, as it must be."""
    transaction.on_commit(partial(_count_states, kind, left), robust=True)


def _count_states(kind: str, left: Sequence[tuple[str, float]]) -> None:
    for state, seconds in left:
        count_duration(Duration.Measure.STATE, kind, state, max(0.0, seconds))


def count_duration(measure: Duration.Measure, name: str, detail: str, seconds: float) -> None:
    """Add one duration to its class.

    Two processes that count in transactions of their own could wait for each other: call it outside of one.
    """
    # One statement, so that no count of another process is lost.
    query = """
        INSERT INTO submissions_duration (measure, name, detail, at_most, count, seconds)
        VALUES (%(measure)s, %(name)s, %(detail)s, %(at_most)s, 1, %(seconds)s)
        ON CONFLICT (measure, name, detail, at_most) DO UPDATE
        SET count = submissions_duration.count + 1, seconds = submissions_duration.seconds + excluded.seconds
    """
    at_most = LIMITS[bisect_left(LIMITS, seconds)]
    values = {"measure": measure.value, "name": name, "detail": detail}
    with connection.cursor() as cursor:
        cursor.execute(query, {**values, "at_most": at_most, "seconds": seconds})


def _task(kind: Kind) -> Task[[str], None]:
    @shared_task(name=kind.task, soft_time_limit=kind.seconds, time_limit=kind.seconds + kind.grace)
    def carry_out_next(queue: str) -> None:
        import_string("submissions.work.running.run")(kind, queue)

    return carry_out_next


TASKS = {name: _task(kind) for name, kind in settings.WORK_KINDS.items()}


def kind_of(name: str) -> Kind:
    kinds: dict[str, Kind] = settings.WORK_KINDS
    return kinds[name]


def announce(kind: Kind, queue: str, in_seconds: float = 0) -> None:
    """Say in a queue that a job of a kind waits; while the broker is away, leave that to maintenance."""
    options: dict[str, Any] = {"countdown": in_seconds} if in_seconds else {}
    try:
        TASKS[kind.name].apply_async((queue,), **options, **(HEAVY_ROUTE if queue == HEAVY else {}))
    except OperationalError as error:
        logger.warning("%s is announced later: the broker does not answer: %s", kind.task, error)


def queue_lengths() -> dict[str, int]:
    """Return the number of messages that wait in each queue; empty where the broker does not answer."""
    try:
        with current_app.connection_for_read() as broker:
            channel: Any = broker.default_channel
            return {queue: channel.queue_declare(queue).message_count for queue in QUEUES}
    except OperationalError as error:
        logger.warning("the broker does not answer: %s", error)
        return {}


def turns(kind: Kind, queue: str) -> list[tuple[int, Job]]:
    """Return the jobs that wait, in the order in which they are started, by turns among their users.

    Each has the number of jobs of its user that come before it or were started. No job is started while a job
    of the same subject is carried out.
    """
    jobs = Job.objects.filter(kind=kind.name)
    waiting = jobs.filter(queue=queue, state=State.QUEUED, due__lte=timezone.now()).order_by("due", "pk")
    if kind.is_same_version:
        waiting = waiting.filter(version=package_version())
    looked_at = list(waiting[:LOOKED_AT])
    if not looked_at:  # As nearly always when work was done, and nobody waits for its end.
        return []
    busy = set(jobs.filter(state__in=(State.RUNNING, State.PARTS)).values_list("subject", "part"))
    following = Job.objects.filter(kind=kind.followed_by).exclude(state=State.FAILED)
    started = {*_of_users(jobs.filter(state=State.RUNNING), queue), *_of_users(following, queue)}
    counts = Counter(user for _, user in started)
    numbered = []
    for job in looked_at:
        if (job.subject, job.part) not in busy:
            numbered.append((counts[job.user_id], job))
            counts[job.user_id] += 1
    return sorted(numbered, key=lambda one: one[0])


def _of_users(jobs: QuerySet[Job], queue: str) -> QuerySet[Job, tuple[int, int | None]]:
    return jobs.filter(queue=queue).order_by().values_list("subject", "user")


def startable(kind: Kind, queue: str) -> list[Job]:
    """Return the jobs to start next, without the jobs of users who have enough started jobs."""
    return [job for number, job in turns(kind, queue) if not kind.at_once or number < kind.at_once]


def places(kind: str, subjects: Iterable[int]) -> dict[int, int]:
    """Return how many jobs of a kind are started before the waiting job of each of these subjects."""
    queued = list(Job.objects.filter(kind=kind, subject__in=list(subjects), state=State.QUEUED))
    waiting: dict[int, int] = {}
    for queue in {job.queue for job in queued}:
        waiting |= {job.subject: place for place, (_, job) in enumerate(turns(kind_of(kind), queue))}
    return {job.subject: waiting.get(job.subject, 0) for job in queued}


def announce_blocked(kind: Kind) -> None:
    """Announce work that waited for a job of a kind to end: its messages came in vain."""
    for other in settings.WORK_KINDS.values():
        if kind in {other, settings.WORK_KINDS.get(other.followed_by)}:
            for queue in QUEUES:
                if startable(other, queue):
                    announce(other, queue)


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
    kind: str, subjects: Iterable[int], part: int = 0, *, user: int | None = None, queue: str = INTERACTIVE
) -> None:
    """Queue work when this transaction commits; what is queued already and due later is due now.

    A queued job is locked until then, so that no worker starts it before the changes that it is about.
    """
    now, wanted = timezone.now(), sorted(set(subjects))
    same = Job.objects.filter(kind=kind, subject__in=wanted, part=part, state=State.QUEUED)
    waiting = dict(same.select_for_update().order_by("pk").values_list("subject", "queue"))
    same.update(due=Least("due", now), sent=now, attempts=0, touched=now)
    fields = {"kind": kind, "part": part, "user_id": user, "queue": queue, "version": package_version()}
    times = {"due": now, "sent": now, "touched": now, "since": now}
    rows = [Job(subject=subject, **fields, **times) for subject in wanted if subject not in waiting]
    Job.objects.filter(kind=kind, subject__in=wanted, part=part, state=State.FAILED).delete()
    # Another transaction may have queued the same work meanwhile.
    Job.objects.bulk_create(rows, ignore_conflicts=True)
    for subject in wanted:
        transaction.on_commit(partial(announce, kind_of(kind), waiting.get(subject, queue)))


def is_awaited(job: Job) -> bool:
    """Return whether a worker would do other work before the next part of a job."""
    waiting = Job.objects.filter(state=State.QUEUED, due__lte=timezone.now(), queue__in={INTERACTIVE, job.queue})
    return waiting.exclude(kind=job.kind, subject=job.subject).exists()


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

    A job that was started too often fails instead.
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
