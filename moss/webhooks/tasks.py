"""Celery tasks of the webhooks, with keys only; running one twice is safe."""

from __future__ import annotations

import logging
from datetime import timedelta
from functools import partial
from smtplib import SMTPException
from typing import TYPE_CHECKING, Any

from celery import shared_task
from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import F, Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from moss.webhooks.models import Delivery, Webhook
from moss.webhooks.payloads import absolute, body_of
from moss.webhooks.sending import ATTEMPT_SECONDS, LOST_SECONDS, attempt
from submissions.queues import HEAVY, INTERACTIVE, send

if TYPE_CHECKING:
    from datetime import datetime

logger = logging.getLogger(__name__)

# A message that waits longer than this may be lost; a second one does nothing where the first one came.
MESSAGE_WAITS = timedelta(seconds=60)
# Deliveries that one round of maintenance has begun, so that a long list does not hold it up.
A_ROUND = 100
# How long deliveries are listed.
KEPT = timedelta(days=30)


@shared_task(soft_time_limit=ATTEMPT_SECONDS, time_limit=LOST_SECONDS)
def deliver(delivery_id: int) -> None:
    """Send a delivery if it is due."""
    if attempt(delivery_id):
        webhook = Webhook.objects.get(deliveries=delivery_id)
        send(tell_owner, INTERACTIVE, webhook.pk)


def enqueue(webhook: Webhook, event: str, data: dict[str, Any]) -> Delivery:
    """Store what is sent to a webhook when this transaction commits."""
    delivery = Delivery.objects.create(webhook=webhook, event=event, body=body_of(event, data))
    transaction.on_commit(partial(send, deliver, INTERACTIVE, delivery.pk))
    return delivery


def enqueue_due() -> None:
    """Have the deliveries sent that are due, and those whose message or worker was lost; forget old ones.

    Only the first attempt is interactive work: a receiver that does not answer holds up no short work twice.
    """
    now = timezone.now()
    for pk, attempts in _due(now):
        Delivery.objects.filter(pk=pk).update(enqueued=now)
        send(deliver, HEAVY if attempts else INTERACTIVE, pk)
    Delivery.objects.exclude(state=Delivery.State.WAITING).filter(created__lt=now - KEPT).delete()


def _due(now: datetime) -> list[tuple[int, int]]:
    """Return the keys and the attempts of deliveries that are due and that no message will begin."""
    waiting = Delivery.objects.filter(state=Delivery.State.WAITING, webhook__state=Webhook.State.ACTIVE)
    unsent = Q(enqueued__lt=F("due")) | Q(enqueued__lt=now - MESSAGE_WAITS)
    rows = waiting.filter(unsent, due__lte=now).order_by("due", "pk")
    return list(rows.values_list("pk", "attempts")[:A_ROUND])


@shared_task
def tell_owner(webhook_id: int) -> None:
    """Tell the owner of a course by mail that a webhook was stopped; the page of the course says it, too."""
    webhook = Webhook.objects.filter(pk=webhook_id).select_related("course__owner").first()
    if not webhook or not settings.MAIL or not webhook.course.owner.email:
        return
    address = absolute(reverse("webhook", args=[webhook.course_id, webhook.pk]))
    text = render_to_string("webhooks/stopped.txt", {"webhook": webhook, "address": address})
    subject = _("A webhook of {course} was stopped").format(course=webhook.course.name)
    try:
        send_mail(" ".join(subject.split()), text, None, [webhook.course.owner.email])
    except (OSError, SMTPException) as error:
        logger.warning("the notice on %s could not be sent: %s", webhook, error)
