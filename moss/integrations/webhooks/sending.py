"""Queue deliveries and send them: a job makes an attempt, and waits longer after each one that failed."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import requests
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import transaction
from django.dispatch import receiver
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from standardwebhooks import Webhook as Signer

from moss.integrations.webhooks.models import Delivery, Event, Webhook
from moss.integrations.webhooks.payloads import absolute, body_of, of_decision, of_report, of_upload
from moss.outgoing import ForbiddenHost, UnknownHost, answer_of, is_public
from submissions.core.database import OtherKey
from submissions.core.mails import Mail
from submissions.models import Assignment, Batch, CaseDecision, Decision, Report
from submissions.work import jobs
from submissions.work.jobs import decided, state_changed

if TYPE_CHECKING:
    from collections.abc import Callable

    from moss.outgoing import Address
    from submissions.models import Job

    Data = Callable[[Assignment, int], dict[str, Any]]

logger = logging.getLogger(__name__)

# How long after each failed attempt the next one is due; more than three days in all.
WAITS = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    *(timedelta(hours=hours) for hours in (2, 5, 10, 14, 20, 24)),
)
# How long deliveries are listed.
KEPT = timedelta(days=30)
SUCCESS = range(200, 300)
GONE = 410
Problem = Delivery.Problem


class Outcome(NamedTuple):
    """The status of an answer, None without one, and why the attempt failed; empty for a success."""

    status: int | None
    problem: str


def enqueue(webhook: Webhook, event: str, data: dict[str, Any]) -> Delivery:
    """Store what is sent to a webhook when this transaction commits."""
    delivery = Delivery.objects.create(webhook=webhook, event=event, body=body_of(event, data))
    jobs.enqueue("deliver", delivery.pk)
    return delivery


def forget_old() -> None:
    """Delete the deliveries that ended long ago."""
    ended = Delivery.objects.exclude(state=Delivery.State.WAITING)
    ended.filter(created__lt=timezone.now() - KEPT).delete()


def stop_without_right() -> None:
    """Stop the webhooks of whoever may not share their course any more, and tell its owner."""
    for webhook in Webhook.objects.without_right():
        _stop(webhook)


def deliver(job: Job) -> None:
    """Send a delivery that waits.

    Raises
    ------
    Later
        When the attempt failed and another one follows.
    """
    waiting = Delivery.objects.filter(pk=job.subject, state=Delivery.State.WAITING)
    # What waits for a paused webhook is enqueued when that goes on.
    delivery = waiting.filter(webhook__in=Webhook.objects.working()).select_related("webhook").first()
    if delivery is None:
        return
    delivery.attempts, delivery.tried = job.attempts, timezone.now()
    delivery.save(update_fields=["attempts", "tried"])
    outcome = _post(delivery)
    logger.info(
        "%s, attempt %d: %s", delivery, delivery.attempts, outcome.problem or f"arrived, {outcome.status}"
    )
    _record(delivery, outcome)


def give_up(job: Job, _message: str) -> None:
    """End a delivery whose attempts each ended their worker."""
    waiting = Delivery.objects.filter(pk=job.subject, state=Delivery.State.WAITING)
    waiting.update(state=Delivery.State.GIVEN_UP)


def _post(delivery: Delivery) -> Outcome:
    webhook, now = delivery.webhook, timezone.now()
    if not webhook.secret:
        raise OtherKey(f"the secret of {webhook} was sealed with another SECRET_KEY")
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "moss-webhooks",
        "webhook-id": delivery.message_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": Signer(webhook.secret).sign(delivery.message_id, now, delivery.body),
    }
    may_ask = may_ask_encrypted if urlsplit(webhook.url).scheme == "https" else is_listed
    try:
        with answer_of(
            "POST", webhook.url, may_ask=may_ask, headers=headers, data=delivery.body.encode()
        ) as answer:
            # The body is not read: nothing of it is needed, and it could be endless.
            status = answer.status_code
    except Exception as error:
        problem = _problem_of(error)
        if not problem:
            raise
        logger.info("%s failed: %s", delivery, type(error).__name__)
        return Outcome(None, problem)
    return Outcome(status, "" if status in SUCCESS else Problem.STATUS)


def is_listed(ip: Address) -> bool:
    """Return whether an IP address is in a network that the settings name for webhooks."""
    return any(ip in network for network in settings.WEBHOOK_NETWORKS)


def may_ask_encrypted(ip: Address) -> bool:
    return is_public(ip) or is_listed(ip)


def _problem_of(error: Exception) -> str:
    """Return why an attempt failed; empty for an error that is no receiver's."""
    # A certificate error and a connection that is not made in time are connection errors, too.
    kinds: dict[type[Exception] | tuple[type[Exception], ...], Problem] = {
        UnknownHost: Problem.UNKNOWN_HOST,
        ForbiddenHost: Problem.FORBIDDEN_HOST,
        requests.exceptions.SSLError: Problem.CERTIFICATE,
        (SoftTimeLimitExceeded, requests.ReadTimeout): Problem.NO_ANSWER,
        requests.RequestException: Problem.NO_CONNECTION,
    }
    return next((problem for kind, problem in kinds.items() if isinstance(error, kind)), "")


def _record(delivery: Delivery, outcome: Outcome) -> None:
    """Store the outcome of an attempt; raise Later where another one follows."""
    rows = Delivery.objects.filter(pk=delivery.pk, state=Delivery.State.WAITING)
    rows.update(status=outcome.status, problem=outcome.problem)
    if not outcome.problem:
        rows.update(state=Delivery.State.ARRIVED)
        return
    if outcome.status != GONE and delivery.attempts <= len(WAITS):
        raise jobs.Later(WAITS[delivery.attempts - 1], outcome.problem, counts=True)
    rows.update(state=Delivery.State.GIVEN_UP)
    if outcome.status == GONE or not _arrived_since(delivery):
        _stop(delivery.webhook)


def _arrived_since(delivery: Delivery) -> bool:
    arrived = Delivery.objects.filter(webhook=delivery.webhook, state=Delivery.State.ARRIVED)
    return arrived.filter(tried__gte=delivery.created).exists()


@transaction.atomic
def _stop(webhook: Webhook) -> None:
    """Send nothing to a webhook any more, and tell the owner of its course."""
    others = Webhook.objects.filter(pk=webhook.pk).exclude(state=Webhook.State.STOPPED)
    if others.update(state=Webhook.State.STOPPED):
        webhook.deliveries.filter(state=Delivery.State.WAITING).update(state=Delivery.State.GIVEN_UP)
        logger.warning("%s of course %d was stopped", webhook, webhook.course_id)
        jobs.enqueue("tell_owner", webhook.pk)


def tell_owner(job: Job) -> None:
    """Tell the owner of a course by mail that a webhook was stopped; the page of the course says it, too."""
    webhook = Webhook.objects.filter(pk=job.subject).select_related("course__owner").first()
    if not webhook or not settings.MAIL:
        return
    address = absolute(reverse("webhook", args=[webhook.course_id, webhook.pk]))
    context, names = {"webhook": webhook, "address": address}, {"course": webhook.course.name}
    mail = Mail(_("A webhook of {course} was stopped"), "webhooks/stopped.txt", context, names)
    mail.send_to(webhook.course.owner)


# By model and state: the event, and what to say of it.
CHANGES: dict[tuple[type, str], tuple[Event, Data]] = {
    (Report, Report.State.DONE): (Event.REPORT_READY, of_report),
    (Report, Report.State.FAILED): (Event.REPORT_FAILED, of_report),
    (Batch, Batch.State.FAILED): (Event.UPLOAD_FAILED, of_upload),
}
DECISIONS: dict[type, Event] = {Decision: Event.PAIR_DECIDED, CaseDecision: Event.CASE_DECIDED}


def _listening(assignment_id: int, event: Event) -> list[Webhook]:
    """Return the webhooks of the course of an assignment that are told of an event."""
    working = Webhook.objects.working().filter(events__contains=[event])
    return list(working.filter(course__assignments=assignment_id))


@receiver(state_changed, dispatch_uid="webhooks")
def tell_of_change(sender: type, *, pk: int, assignment_id: int, state: str, **_: Any) -> None:
    if (sender, state) not in CHANGES:
        return
    event, data = CHANGES[sender, state]
    if webhooks := _listening(assignment_id, event):
        content = data(Assignment.objects.get(pk=assignment_id), pk)
        for webhook in webhooks:
            enqueue(webhook, event, content)


@receiver(decided, dispatch_uid="webhooks")
def tell_of_decision(sender: type, *, decision: Decision | CaseDecision, **_: Any) -> None:
    event = DECISIONS[sender]
    if webhooks := _listening(decision.assignment_id, event):
        content = of_decision(decision)
        for webhook in webhooks:
            enqueue(webhook, event, content)
