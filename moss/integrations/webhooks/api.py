"""Webhooks of a course, and what was sent to them."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from django.db import transaction
from django.http import HttpRequest
from ninja import Field, Router, Schema, Status

from moss.integrations.webhooks import sending as actions
from moss.integrations.webhooks.models import LONGEST_ADDRESS, Delivery, Webhook
from moss.integrations.webhooks.sending import KEPT, MOST_WEBHOOKS, WebhookForm
from submissions.core.api import (
    A_PART,
    Body,
    Cursor,
    Id,
    Limit,
    Problem,
    answer_of,
    numbers_of,
    part_of,
    require_valid,
    user_of,
)
from submissions.models import Job

router = Router()
PATH = "/courses/{course_id}/webhooks"
ONE = f"{PATH}/{{webhook_id}}"
DELIVERIES = f"{ONE}/deliveries"
EventName = Literal["report.ready", "report.failed", "upload.failed", "pair.found", "pair.decided", "case.decided"]
Events = Annotated[list[EventName], Field(min_length=1, max_length=20)]


class WebhookOut(Schema):
    """An address that is told of events of a course; its `state` is active, paused or stopped."""

    id: int
    url: str
    events: list[str]
    state: str
    created_by: str
    created: datetime


class NewWebhookOut(WebhookOut):
    """A webhook with the secret of its signatures, which no later answer has."""

    secret: str


class Webhooks(Schema):
    items: list[WebhookOut]


class WebhookIn(Body):
    """A new webhook; without `active` it is paused."""

    url: Annotated[str, Field(min_length=1, max_length=LONGEST_ADDRESS)]
    events: Events
    active: bool = True


class WebhookChange(Body):
    """Fields to change; missing ones stay. A stopped webhook starts again with `active`."""

    events: Events | None = None
    active: bool | None = None


class DeliveryOut(Schema):
    """An event that was sent, or is: `state` is waiting, arrived or given up.

    `status` and `problem` are those of the last attempt.
    """

    id: int
    message_id: str
    event: str
    state: str
    attempts: int
    created: datetime
    tried: datetime | None
    status: int | None
    problem: str
    next_attempt: datetime | None


class Deliveries(Schema):
    items: list[DeliveryOut]
    next: str | None


@router.get(PATH, response=Webhooks, summary="List webhooks", url_name="api_webhooks")
def list_webhooks(request: HttpRequest, course_id: Id) -> Webhooks:
    rows = actions.course_of(user_of(request), course_id).webhooks.all()[:MOST_WEBHOOKS]
    return Webhooks(items=[answer_of(WebhookOut, one) for one in rows])


@router.post(PATH, response={201: NewWebhookOut}, summary="Create a webhook", url_name="api_webhooks")
def create_webhook(request: HttpRequest, course_id: Id, body: WebhookIn) -> Status[NewWebhookOut]:
    """Create a webhook; the answer has its secret, once."""
    user = user_of(request)
    course = actions.course_of(user, course_id)
    form = WebhookForm(course, body.dict())
    with transaction.atomic():
        require_valid(form)
        data = form.cleaned_data
        row = actions.create(course, user, data["url"], data["events"], active=body.active)
    return Status(201, answer_of(NewWebhookOut, row))


@router.get(ONE, response=WebhookOut, summary="Get a webhook", url_name="api_webhook")
def get_webhook(request: HttpRequest, course_id: Id, webhook_id: Id) -> WebhookOut:
    return answer_of(WebhookOut, actions.webhook_of(user_of(request), course_id, webhook_id))


@router.patch(ONE, response=WebhookOut, summary="Change or pause a webhook", url_name="api_webhook")
def change_webhook(request: HttpRequest, course_id: Id, webhook_id: Id, body: WebhookChange) -> WebhookOut:
    user = user_of(request)
    row = actions.webhook_of(user, course_id, webhook_id)
    active = row.state == Webhook.State.ACTIVE if body.active is None else body.active
    actions.change(row, user, list(dict.fromkeys(body.events or row.events)), active=active)
    return answer_of(WebhookOut, row)


@router.delete(ONE, response={204: None}, summary="Delete a webhook", url_name="api_webhook")
def delete_webhook(request: HttpRequest, course_id: Id, webhook_id: Id) -> Status[None]:
    actions.webhook_of(user_of(request), course_id, webhook_id).delete()
    return Status(204, None)


@router.post(f"{ONE}/test", response={202: DeliveryOut}, summary="Send a test", url_name="api_test_webhook")
def test_webhook(request: HttpRequest, course_id: Id, webhook_id: Id) -> Status[DeliveryOut]:
    """Send the event `webhook.test`; the list of deliveries says whether it arrived."""
    row = actions.webhook_of(user_of(request), course_id, webhook_id)
    try:
        return Status(202, *_deliveries_out([actions.send_test(row)]))
    except actions.NotActive as error:
        raise _not_active() from error


@router.get(
    DELIVERIES,
    response=Deliveries,
    summary="List what was sent",
    description=f"List what was sent to a webhook in the last {KEPT.days} days, the newest first.",
    url_name="api_deliveries",
)
def list_deliveries(
    request: HttpRequest, course_id: Id, webhook_id: Id, cursor: Cursor = "", limit: Limit = A_PART
) -> Deliveries:
    row = actions.webhook_of(user_of(request), course_id, webhook_id)
    [before] = numbers_of(cursor, 1)
    rows = row.deliveries.filter(pk__lt=before) if before else row.deliveries.all()
    part, following = part_of(rows, limit)
    return Deliveries(items=_deliveries_out(part), next=following)


@router.post(
    f"{DELIVERIES}/{{delivery_id}}/again",
    response={202: DeliveryOut},
    summary="Send something again",
    url_name="api_repeat_delivery",
)
def repeat_delivery(request: HttpRequest, course_id: Id, webhook_id: Id, delivery_id: Id) -> Status[DeliveryOut]:
    """Send a delivery once more; the receiver knows it by the same id."""
    row = actions.webhook_of(user_of(request), course_id, webhook_id)
    try:
        return Status(202, *_deliveries_out([actions.send_again(row, delivery_id)]))
    except actions.NotActive as error:
        raise _not_active() from error


def _not_active() -> Problem:
    return Problem(409, "Nothing is sent to a webhook that is paused or stopped. Send active: true first.")


def _deliveries_out(rows: list[Delivery]) -> list[DeliveryOut]:
    jobs = Job.objects.filter(kind="deliver", subject__in=[row.pk for row in rows])
    due = dict(jobs.values_list("subject", "due"))
    waiting = Delivery.State.WAITING
    return [answer_of(DeliveryOut, row, next_attempt=due.get(row.pk) if row.state == waiting else None) for row in rows]
