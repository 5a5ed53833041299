"""Pages of webhooks, and their addresses."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.utils.translation import gettext as _

from moss.integrations.webhooks import sending as actions
from moss.integrations.webhooks.models import Delivery, Webhook
from moss.integrations.webhooks.sending import ChangeWebhookForm, WebhookForm
from submissions.pages.requests import AuthenticatedRequest, signed_in
from submissions.work import jobs

logger = logging.getLogger(__name__)

# Deliveries that the page of a webhook lists.
LISTED = 30

ONE = "courses/<int:pk>/webhooks/<int:webhook_id>/"


@signed_in("GET", "POST")
@transaction.atomic
def webhooks(request: AuthenticatedRequest, pk: int) -> HttpResponse:
    """List the webhooks of a course, and create one, whose secret the answer shows once."""
    course = actions.course_of(request.user, pk)
    form = WebhookForm(course, request.POST or None)
    created = None
    if form.is_valid():
        data = form.cleaned_data
        created = actions.create(course, request.user, data["url"], data["events"])
        logger.info("account %s created %s of course %s", request.user.pk, created, pk)
    context = {
        "course": course,
        "webhooks": course.webhooks.all(),
        "created": created,
        "form": WebhookForm(course) if created else form,
    }
    return render(request, "webhooks/webhooks.html", context, status=422 if form.errors else 200)


@signed_in("GET", "POST")
def webhook(request: AuthenticatedRequest, pk: int, webhook_id: int) -> HttpResponse:
    """Show what was sent to a webhook; choose its events, and pause it."""
    row = actions.webhook_of(request.user, pk, webhook_id)
    initial = {"events": row.events, "active": row.state == Webhook.State.ACTIVE}
    form = ChangeWebhookForm(request.POST or None, initial=initial)
    if form.is_valid():
        actions.change(row, request.user, form.cleaned_data["events"], active=form.cleaned_data["active"])
        logger.info("account %s changed %s: %s", request.user.pk, row, row.state)
        messages.success(request, _("Saved."))
        return redirect("webhook", pk, webhook_id)
    context = {
        "course": row.course,
        "webhook": row,
        "deliveries": jobs.with_due(row.deliveries.all(), "deliver")[:LISTED],
        "form": form,
    }
    return render(request, "webhooks/webhook.html", context, status=422 if form.errors else 200)


@signed_in("POST")
def test(request: AuthenticatedRequest, pk: int, webhook_id: int) -> HttpResponse:
    """Send an event that says nothing."""
    row = actions.webhook_of(request.user, pk, webhook_id)
    _send(request, lambda: actions.send_test(row))
    return redirect("webhook", pk, webhook_id)


@signed_in("POST")
def repeat(request: AuthenticatedRequest, pk: int, webhook_id: int, delivery_id: int) -> HttpResponse:
    """Send a delivery once more."""
    row = actions.webhook_of(request.user, pk, webhook_id)
    _send(request, lambda: actions.send_again(row, delivery_id))
    return redirect("webhook", pk, webhook_id)


def _send(request: AuthenticatedRequest, action: Callable[[], Delivery]) -> None:
    try:
        action()
    except actions.NotActive:
        messages.error(request, _("Nothing is sent while the webhook is paused or stopped."))
    else:
        messages.info(request, _("It is being sent. Load this page again to see whether it arrived."))


@signed_in("POST")
def remove(request: AuthenticatedRequest, pk: int, webhook_id: int) -> HttpResponse:
    """Delete a webhook with the list of what was sent to it."""
    row = actions.webhook_of(request.user, pk, webhook_id)
    logger.info("account %s deleted %s of course %s", request.user.pk, row, pk)
    row.delete()
    messages.info(request, _("The webhook was deleted."))
    return redirect("webhooks", pk)


urlpatterns = [
    path("courses/<int:pk>/webhooks/", webhooks, name="webhooks"),
    path(ONE, webhook, name="webhook"),
    path(f"{ONE}test/", test, name="test_webhook"),
    path(f"{ONE}remove/", remove, name="remove_webhook"),
    path(f"{ONE}deliveries/<int:delivery_id>/again/", repeat, name="repeat_delivery"),
]
