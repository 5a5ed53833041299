"""Jobs without a worker: carried out in the process of the test, or as a worker left them that was lost."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from submissions.models import Job
from submissions.work.running import run_here

LONG = timedelta(hours=13)


def carry_out(kind: str, subject: int) -> None:
    """Carry out a queued job, due or not; do nothing without one."""
    run_here(kind, subject)


def due_in(kind: str, subject: int) -> timedelta | None:
    """Return how long after its last change a queued job is due; None without one."""
    job = Job.objects.filter(kind=kind, subject=subject, state=Job.State.QUEUED).first()
    return job.due - job.touched if job else None


def let_time_pass(kind: str = "") -> None:
    """Make all jobs, or those of a kind, look as they will in half a day."""
    jobs = Job.objects.filter(kind=kind) if kind else Job.objects.all()
    for job in jobs:
        for name in ("touched", "since", "due", "sent"):
            setattr(job, name, getattr(job, name) - LONG)
    Job.objects.bulk_update(jobs, ["touched", "since", "due", "sent"])
    assert all(job.touched < timezone.now() for job in jobs)
