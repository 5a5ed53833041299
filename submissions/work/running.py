"""Carry out jobs in a worker: each under a lock, and with the limits of its kind.

Maintenance finds stuck, lost and due jobs every ten seconds: jobs that were lost with a worker or the broker,
or that are held by a process that does not go on.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.module_loading import import_string

from submissions.core.database import is_database_away, is_no_room
from submissions.intake.sandbox.process import NotStarted
from submissions.models import Job
from submissions.work import jobs
from submissions.work.heartbeats import answering, package_version
from submissions.work.jobs import announce, announce_blocked, kind_of, queue_lengths, startable
from submissions.work.kinds import BROKEN, HEAVY, OUT_OF_TIME, Kind, TakesLong
from submissions.work.locks import Work, end_session, sessions, work_lock

logger = logging.getLogger(__name__)

# What a job raises where a row that it read or refers to went meanwhile; a mistake raises it each time.
GONE = (IntegrityError, ObjectDoesNotExist)
State = Job.State
# A worker locks its work within this time after it changed the state.
STARTING = timedelta(seconds=10)
# A message is in the queue, or with a worker, within this time after the state was changed.
SENDING = timedelta(seconds=20)
# Failed jobs are kept for this time.
KEPT = timedelta(days=30)


def run(kind: Kind, queue: str) -> None:
    """Carry out the job of a kind whose turn it is; do nothing where none waits."""
    job = jobs.claim(kind, queue)
    if job is not None:
        _run_locked(kind, job)


def _run_locked(kind: Kind, job: Job) -> None:
    with work_lock(Work.JOB, job.pk) as mine:
        if mine:
            carry_out(kind, job)
    same = Job.objects.filter(kind=kind.name, subject=job.subject, state=Job.State.QUEUED)
    if kind.at_once or not kind.gives_up or same.exists():
        announce_blocked(kind)
    if kind.part_of:
        _go_on(kind.part_of, job.part)  # This process has loaded what it needs.


def _go_on(name: str, subject: int) -> None:
    """Go on with a job whose parts are done."""
    job = jobs.resume(name, subject)
    if job is not None:
        _run_locked(kind_of(name), job)


def run_here(name: str, subject: int) -> None:
    """Carry out a queued job in this process, whoever's turn it is; an error is raised."""
    with transaction.atomic():
        waiting = Job.objects.filter(kind=name, subject=subject, state=Job.State.QUEUED).first()
        job = waiting if waiting and jobs.start(waiting) else None
    if job is not None:
        _run_locked(kind_of(name), job)


def carry_out(kind: Kind, job: Job) -> None:
    """Call the function of a started job, and store what came of it."""
    try:
        import_string(f"{kind.module}.{kind.name}")(job)
        jobs.finish(job)
    except jobs.Later as later:
        jobs.wait(job, later.delay, later.reason, counts=later.counts)
    except jobs.Parts:
        jobs.wait_for_parts(job)
        _go_on(job.kind, job.subject)  # They may be done already.
    except (jobs.Again, TakesLong) as left:
        jobs.go_on_later(job, HEAVY if isinstance(left, TakesLong) else job.queue)
    except jobs.Refused as refused:
        jobs.fail(job, str(refused), refused.reason)
    except SoftTimeLimitExceeded:
        _end(kind, job, OUT_OF_TIME, "out of time")
    except Exception as error:
        if not _wait_or_fail(kind, job, error):
            raise


def _wait_or_fail(kind: Kind, job: Job, error: Exception) -> bool:
    """Queue a job again, or fail it, by its error; return whether it waits as a row went meanwhile."""
    if isinstance(error, GONE) and not (kind.gives_up and job.attempts >= kind.attempts):
        logger.warning("%s %s is tried again, after %s", kind.name, job.subject, error, exc_info=error)
        jobs.wait(job, jobs.BUSY, "something that it refers to was deleted meanwhile", counts=True)
        return True
    if is_no_room(error):
        jobs.wait_for_room(job)
    elif not was_interrupted(error):
        _end(kind, job, BROKEN, type(error).__name__)
    return False


def _end(kind: Kind, job: Job, message: str, reason: str) -> None:
    """Fail a job, or have it tried again where each of its parts counts its own attempts."""
    if kind.gives_up:
        jobs.fail(job, message, reason)
    else:
        jobs.wait(job, jobs.BUSY, "", counts=True)


def was_interrupted(error: Exception) -> bool:
    """Return whether the database or a child that reads files was lost: maintenance finds such work again."""
    return is_database_away(error) or isinstance(error, NotStarted)


def sweep_jobs() -> None:
    """End stuck jobs, restart lost jobs, announce due jobs, and forget jobs that failed long ago."""
    end_stuck()
    for kind in settings.WORK_KINDS:
        restart_lost(kind)
    Job.objects.filter(state=State.FAILED, touched__lt=timezone.now() - KEPT).delete()


def end_stuck() -> None:
    """Fail the jobs that take longer than their kind may, and end the sessions that hold them."""
    now = timezone.now()
    for kind in settings.WORK_KINDS.values():
        idle = timedelta(seconds=kind.quiet)
        long_ago = now - (idle or timedelta(seconds=kind.seconds + kind.grace)) - SENDING
        for job in Job.objects.filter(kind=kind.name, state=State.RUNNING, touched__lt=long_ago):
            if end_session(Work.JOB, job.pk, idle) and kind.gives_up and not kind.part_of:
                jobs.fail(job, OUT_OF_TIME, "it does not go on")


def restart_lost(kind: str) -> None:
    """Queue the jobs of a kind again that no process carries out, and announce what no message will start."""
    started = Job.objects.filter(kind=kind, state__in=(State.RUNNING, State.PARTS))
    quiet = list(started.filter(touched__lt=timezone.now() - STARTING))
    locked = sessions(Work.JOB) if quiet else {}
    for job in quiet:
        waits = job.state == State.PARTS and jobs.parts_of(kind, job.subject).exists()
        if not waits and job.pk not in locked and jobs.requeue_lost(job):
            announce(kind_of(kind), job.queue)
    _announce_due(kind)
    if kind_of(kind).is_same_version:
        _fail_outdated(kind)


def _fail_outdated(kind: str) -> None:
    """Fail the jobs for workers of a version of which none is left, while there are others."""
    waiting = Job.objects.filter(kind=kind, state=State.QUEUED, touched__lt=timezone.now() - SENDING)
    for job in waiting.exclude(version=package_version()):
        versions = {worker.version for worker in answering(job.queue)}
        if versions and job.version not in versions:
            jobs.fail(job, jobs.OTHER_VERSION)


def _announce_due(name: str) -> None:
    """Announce the jobs that have become due, and jobs that wait for long while their queue is empty."""
    now, kind = timezone.now(), kind_of(name)
    waiting = Job.objects.filter(kind=name, state=State.QUEUED, due__lte=now).order_by()
    unsent, lost = waiting.filter(sent__lt=F("due")), waiting.filter(sent__lt=now - SENDING)
    empty = [queue for queue, length in queue_lengths().items() if not length] if lost.exists() else []
    due = unsent | lost.filter(queue__in=empty)
    for queue in set(due.values_list("queue", flat=True)):
        keys = {*due.filter(queue=queue).values_list("pk", flat=True)}
        chosen = [job.pk for job in startable(kind, queue) if job.pk in keys]
        Job.objects.filter(pk__in=chosen).update(sent=now)
        for _ in chosen:
            announce(kind, queue)
