"""Find stuck, lost and due jobs again; maintenance does so every ten seconds."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from submissions.models import Job
from submissions.work import jobs
from submissions.work.heartbeats import answering, package_version
from submissions.work.jobs import announce, kind_of, queue_lengths, startable
from submissions.work.kinds import OUT_OF_TIME
from submissions.work.locks import Work, end_session, sessions
from submissions.work.running import State

# A worker locks its work within this time after it changed the state.
STARTING = timedelta(seconds=10)
# A message is in the queue, or with a worker, within this time after the state was changed.
SENDING = timedelta(seconds=20)
# Failed jobs are kept for this time.
KEPT = timedelta(days=30)


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
