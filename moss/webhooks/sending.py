"""Attempts to send a delivery; each is counted before it is made, so that one that ends its worker counts.

A delivery is a row with the time at which its next attempt is due. Workers make attempts, and maintenance has
them begun (`moss.webhooks.tasks`).
"""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import requests
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from standardwebhooks import Webhook as Signer

from moss.outgoing import ForbiddenHost, UnknownHost, answer_of, is_public
from moss.webhooks.models import Delivery, Webhook
from submissions.sealing import OtherKey

if TYPE_CHECKING:
    from moss.outgoing import Number

logger = logging.getLogger(__name__)

# How long after each failed attempt the next one is due; more than three days in all.
WAITS = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    *(timedelta(hours=hours) for hours in (2, 5, 10, 14, 20, 24)),
)
# Seconds for an attempt as a whole, and after which its worker is lost.
ATTEMPT_SECONDS, LOST_SECONDS = 10, 30
# An attempt without a result counts as lost after this time.
LEASE = timedelta(seconds=2 * LOST_SECONDS)
SUCCESS = range(200, 300)
GONE = 410
Problem = Delivery.Problem


class Outcome(NamedTuple):
    """The status of an answer, None without one, and why the attempt failed; empty for a success."""

    status: int | None
    problem: str


def attempt(delivery_id: int) -> bool:
    """Send a delivery if it is due; return whether its webhook was stopped because of the answer."""
    delivery = _claim(delivery_id)
    if delivery is None:
        return False
    outcome = _post(delivery)
    logger.info(
        "%s, attempt %d: %s", delivery, delivery.attempts, outcome.problem or f"arrived, {outcome.status}"
    )
    return _record(delivery, outcome)


@transaction.atomic
def _claim(delivery_id: int) -> Delivery | None:
    """Return a delivery that is due and that no other process sends, and count the attempt."""
    now = timezone.now()
    due = Delivery.objects.filter(pk=delivery_id, state=Delivery.State.WAITING, due__lte=now)
    locked = due.filter(webhook__state=Webhook.State.ACTIVE).select_for_update(of=("self",), skip_locked=True)
    delivery = locked.select_related("webhook").first()
    if delivery is None:
        return None
    delivery.attempts, delivery.tried, delivery.due = delivery.attempts + 1, now, now + LEASE
    if delivery.attempts > len(WAITS) + 1:  # Each of the last ones ended its worker.
        delivery.state = Delivery.State.GIVEN_UP
    delivery.save(update_fields=["attempts", "tried", "due", "state"])
    return delivery if delivery.state == Delivery.State.WAITING else None


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


def is_listed(number: Number) -> bool:
    """Return whether a number is in a network that the settings name for webhooks."""
    return any(number in network for network in settings.WEBHOOK_NETWORKS)


def may_ask_encrypted(number: Number) -> bool:
    return is_public(number) or is_listed(number)


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


def _record(delivery: Delivery, outcome: Outcome) -> bool:
    """Store the outcome of an attempt; return whether the webhook was stopped because of it."""
    fields = {"status": outcome.status, "problem": outcome.problem}
    rows = Delivery.objects.filter(pk=delivery.pk, state=Delivery.State.WAITING)
    if not outcome.problem:
        rows.update(state=Delivery.State.ARRIVED, **fields)
        return False
    if outcome.status != GONE and delivery.attempts <= len(WAITS):
        rows.update(due=timezone.now() + WAITS[delivery.attempts - 1], **fields)
        return False
    rows.update(state=Delivery.State.GIVEN_UP, **fields)
    return (outcome.status == GONE or not _arrived_since(delivery)) and _stop(delivery.webhook)


def _arrived_since(delivery: Delivery) -> bool:
    arrived = Delivery.objects.filter(webhook=delivery.webhook, state=Delivery.State.ARRIVED)
    return arrived.filter(tried__gte=delivery.created).exists()


def _stop(webhook: Webhook) -> bool:
    """Send nothing to a webhook any more; return whether something was sent to it until now."""
    stopped = Webhook.objects.filter(pk=webhook.pk, state=Webhook.State.ACTIVE).update(
        state=Webhook.State.STOPPED
    )
    if stopped:
        webhook.deliveries.filter(state=Delivery.State.WAITING).update(state=Delivery.State.GIVEN_UP)
        logger.warning("%s of course %d was stopped", webhook, webhook.course_id)
    return bool(stopped)
