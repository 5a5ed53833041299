"""The Celery task that erases a student; running it twice is safe."""

from __future__ import annotations

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from submissions.models import Erasure
from submissions.queues import INTERACTIVE, send
from submissions.recovery import empty_queues
from submissions.students.erasing import carry_out
from submissions.work_locks import Work, work_lock

# An erasure is one transaction over many tables; the limit only ends one that would never end.
LONGEST_SECONDS = 60 * 60
# A message that was not taken after this time was lost.
SENDING = timedelta(minutes=2)


@shared_task(soft_time_limit=LONGEST_SECONDS, time_limit=LONGEST_SECONDS + 60)
def erase_student(erasure_id: int) -> None:
    """Carry out one erasure, unless another process does."""
    with work_lock(Work.ERASURE, erasure_id) as mine:
        if mine:
            carry_out(erasure_id)


def enqueue_erasure(erasure: Erasure) -> None:
    """Have a worker carry out an erasure that was committed."""
    send(erase_student, INTERACTIVE, erasure.pk)


def restart_erasures() -> None:
    """Send the messages of erasures again that wait for long while no message does: one was lost."""
    waiting = list(Erasure.objects.filter(state=Erasure.State.QUEUED, created__lt=timezone.now() - SENDING))
    for erasure in waiting if waiting and INTERACTIVE in empty_queues() else ():
        enqueue_erasure(erasure)
