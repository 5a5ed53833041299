"""Carry out jobs in a worker: each under a lock, and with the limits of its kind.

Jobs that nobody does are found: lost with a worker or the broker, or held by a process that does not go on.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from celery.exceptions import SoftTimeLimitExceeded
from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError, transaction
from django.utils.module_loading import import_string

from submissions.core.database import is_database_away, is_no_room
from submissions.intake.sandbox.process import NotStarted
from submissions.models import Job
from submissions.work import jobs
from submissions.work.jobs import announce_blocked, kind_of
from submissions.work.kinds import BROKEN, HEAVY, OUT_OF_TIME, TakesLong
from submissions.work.locks import Work, work_lock

if TYPE_CHECKING:
    from submissions.work.kinds import Kind

logger = logging.getLogger(__name__)

# What a job raises where a row that it read or refers to went meanwhile; a mistake raises it each time.
GONE = (IntegrityError, ObjectDoesNotExist)
State = Job.State


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
