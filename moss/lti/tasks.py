"""Celery tasks of the Asset Processor, with keys only; running one twice is safe."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from celery import shared_task
from django.db.models import F, Q
from django.utils import timezone

from moss.lti.fetching import fetch
from moss.lti.gathering import gather
from moss.lti.models import PushedSubmission
from moss.lti.reporting import report
from submissions.queues import HEAVY, INTERACTIVE, send

if TYPE_CHECKING:
    from django.db.models import QuerySet

# A message that waits longer than this may be lost; a second one does nothing where the first one came.
MESSAGE_WAITS = timedelta(seconds=60)
# Submissions that one round of maintenance has begun, so that a long list does not hold it up.
A_ROUND = 100
# How long submissions are listed that never came into an upload.
KEPT = timedelta(days=30)
State = PushedSubmission.State


@shared_task
def fetch_submission(pk: int) -> None:
    """Fetch the files of a submission if it is due, and tell the platform."""
    if fetch(pk):
        report(pk)


@shared_task
def gather_submissions(assignment_id: int) -> None:
    """Make an upload of what was fetched for an assignment."""
    gather(assignment_id)


@shared_task
def report_submission(pk: int) -> None:
    """Tell the platform how far a submission is if that is due."""
    report(pk)


def enqueue_due() -> None:
    """Have done what is due and what was lost; forget old submissions that never came into an upload.

    Only first attempts are interactive work: a platform that does not answer holds up no short work twice.
    """
    now = timezone.now()
    rows = PushedSubmission.objects.filter(Q(enqueued__lt=now - MESSAGE_WAITS) | Q(enqueued__lt=F("due")))
    waiting = rows.filter(state=State.WAITING, due__lte=now)
    for pk, attempts in _noted(waiting, "attempts"):
        send(fetch_submission, HEAVY if attempts else INTERACTIVE, pk)
    fetched = rows.filter(state=State.FETCHED, due__lte=now)
    for assignment in dict.fromkeys(key for _, key in _noted(fetched, "assignment_id")):
        send(gather_submissions, INTERACTIVE, assignment)
    unsent = Q(enqueued__lt=now - MESSAGE_WAITS) | Q(enqueued__lt=F("report_due"))
    reported = PushedSubmission.objects.filter(unsent, report_due__lte=now)
    for pk, attempts in _noted(reported.exclude(state=State.WAITING), "report_attempts"):
        send(report_submission, HEAVY if attempts else INTERACTIVE, pk)
    PushedSubmission.objects.filter(state__in=(State.FAILED, State.REPLACED), created__lt=now - KEPT).delete()


def _noted(rows: QuerySet[PushedSubmission], column: str) -> list[tuple[int, int]]:
    """Return the keys of some rows and a column of them; note that a message for them is sent."""
    found = list(rows.order_by("due", "pk").values_list("pk", column)[:A_ROUND])
    PushedSubmission.objects.filter(pk__in=[pk for pk, _ in found]).update(enqueued=timezone.now())
    return found
