"""Jobs without a worker: carried out in the process of the test, or as a worker left them that was lost."""

from datetime import timedelta

from django.utils import timezone

from submissions.models import Job
from submissions.work.jobs import kind_of, startable
from submissions.work.kinds import INTERACTIVE, QUEUES
from submissions.work.running import run, run_here

LONG = timedelta(hours=13)


def carry_out(kind: str, subject: int) -> None:
    """Carry out a queued job, due or not; do nothing without one."""
    run_here(kind, subject)


def work_once(kind: str, queue: str = INTERACTIVE) -> None:
    """Carry out the job of a kind whose turn it is, as a worker does that gets a message."""
    run(kind_of(kind), queue)


def work_off(*kinds: str) -> None:
    """Carry out all jobs of these kinds that are due, as workers do."""
    while ready := [(k, q) for k in kinds for q in QUEUES if startable(kind_of(k), q)]:
        for kind, queue in ready:
            work_once(kind, queue)


def due_in(kind: str, subject: int) -> timedelta | None:
    """Return how long after its last change a queued job is due; None without one."""
    job = Job.objects.filter(kind=kind, subject=subject, state=Job.State.QUEUED).first()
    return job.due - job.touched if job else None


def let_time_pass(kind: str = "") -> None:
    """Make all jobs, or those of a kind, look as they will in half a day."""
    rows = Job.objects.filter(kind=kind) if kind else Job.objects.all()
    for job in rows:
        for name in ("touched", "since", "due", "sent"):
            setattr(job, name, getattr(job, name) - LONG)
    Job.objects.bulk_update(rows, ["touched", "since", "due", "sent"])
    assert all(job.touched < timezone.now() for job in rows)
