"""Create, change and delete webhooks, and have something sent to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.shortcuts import get_object_or_404

from moss.integrations.webhooks.models import TEST, Delivery, Webhook
from moss.integrations.webhooks.sending import enqueue
from submissions.core.access import find_course
from submissions.core.rights import Right
from submissions.work import jobs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.contrib.auth.models import User

    from submissions.models import Course


class NotActive(Exception):
    """Nothing is sent to a webhook that is paused or stopped."""


def course_of(user: User, course_id: int) -> Course:
    """Return a course whose webhooks a user may see and change; raises as `find_course` does."""
    return find_course(user, course_id, Right.SHARE)


def webhook_of(user: User, course_id: int, webhook_id: int) -> Webhook:
    """Return a webhook of such a course."""
    rows = Webhook.objects.filter(course=course_of(user, course_id)).select_related("course")
    return get_object_or_404(rows, pk=webhook_id)


def create(course: Course, user: User, url: str, events: Sequence[str], *, active: bool = True) -> Webhook:
    state = Webhook.State.ACTIVE if active else Webhook.State.PAUSED
    name = user.get_username()
    return Webhook.objects.create(
        course=course, url=url, events=list(events), state=state, maker=user, created_by=name
    )


@transaction.atomic
def change(webhook: Webhook, user: User, events: Sequence[str], *, active: bool) -> None:
    """Choose the events of a webhook, and pause it or have it go on; a stopped one starts again.

    One whose maker may not share the course any more is then that of this user.
    """
    if active and not webhook.maker_may_share:
        webhook.maker, webhook.created_by = user, user.get_username()
    goes_on = active and webhook.state != Webhook.State.ACTIVE
    if active:
        webhook.state = Webhook.State.ACTIVE
    elif webhook.state == Webhook.State.ACTIVE:
        webhook.state = Webhook.State.PAUSED
    webhook.events = list(events)
    webhook.save(update_fields=["events", "state", "maker", "created_by"])
    waiting = webhook.deliveries.filter(state=Delivery.State.WAITING)
    for pk in waiting.values_list("pk", flat=True) if goes_on else ():
        jobs.enqueue("deliver", pk)


def send_test(webhook: Webhook) -> Delivery:
    """Have an event sent that has nothing but the key of the webhook.

    Raises
    ------
    NotActive
        When the webhook is paused or stopped; `send_again` raises the same.
    """
    _require_active(webhook)
    return enqueue(webhook, TEST, {"course_id": webhook.course_id, "webhook_id": webhook.pk})


@transaction.atomic
def send_again(webhook: Webhook, delivery_id: int) -> Delivery:
    """Have a delivery sent once more, with all its attempts; the receiver knows it by the same id."""
    _require_active(webhook)
    rows = webhook.deliveries.select_for_update()
    delivery = get_object_or_404(rows, pk=delivery_id)
    delivery.state, delivery.attempts = Delivery.State.WAITING, 0
    delivery.save(update_fields=["state", "attempts"])
    jobs.enqueue("deliver", delivery.pk)
    return delivery


def _require_active(webhook: Webhook) -> None:
    if not Webhook.objects.working().filter(pk=webhook.pk).exists():
        raise NotActive
