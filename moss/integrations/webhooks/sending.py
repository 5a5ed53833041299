"""Make webhooks and send them: their payloads, signatures, and attempts."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Collection, Sequence
from datetime import timedelta
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import requests
from celery.exceptions import SoftTimeLimitExceeded
from django import forms
from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.dispatch import receiver
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy, gettext_lazy as _
from standardwebhooks import Webhook as Signer

from moss.integrations.webhooks.models import LONGEST_ADDRESS, TEST, Delivery, Event, Webhook
from moss.outgoing import ForbiddenHost, UnknownHost, answer_of, is_loopback, may_reach, web_origin
from submissions.cases.read import linking_pairs
from submissions.core.access import find_course
from submissions.core.database import OtherKey
from submissions.core.mails import Mail
from submissions.core.rights import Right
from submissions.models import Assignment, Batch, CaseDecision, Course, Decision, Job, Report, Submission
from submissions.pairs.read import threshold_of
from submissions.work import jobs
from submissions.work.jobs import decided, state_changed

if TYPE_CHECKING:
    from submissions.uploads.read import Link

    Data = Callable[[Assignment, int], dict[str, Any]]


A_PAIR = 2

logger = logging.getLogger(__name__)

# How long after each failed attempt the next one is due; more than three days in all.
WAITS = (
    timedelta(seconds=5), timedelta(minutes=5), timedelta(minutes=30),
    *(timedelta(hours=hours) for hours in (2, 5, 10, 14, 20, 24)),
)  # fmt: skip
# How long deliveries are listed.
KEPT = timedelta(days=30)
SUCCESS = range(200, 300)
GONE = 410
Problem = Delivery.Problem

DECISIONS: dict[type, Event] = {Decision: Event.PAIR_DECIDED, CaseDecision: Event.CASE_DECIDED}

# Pairs that an event lists.
MOST_PAIRS = 100
# Each event is sent to each of them.
MOST_WEBHOOKS = 10


def absolute(path: str) -> str:
    """Return the address of a path of this service, as `reverse` returns it."""
    return f"{settings.PUBLIC_ORIGIN}{path}"


def _of_api(path: str) -> str:
    return f"{settings.PUBLIC_URL}/api/v1{path}"


def body_of(event: str, data: dict[str, Any]) -> str:
    """Return the text that is signed and sent."""
    return json.dumps({"type": event, "timestamp": timezone.now().isoformat(), "data": data})


def of_assignment(assignment: Assignment) -> dict[str, Any]:
    return {"course_id": assignment.course_id, "assignment_id": assignment.pk}


def of_report(assignment: Assignment, pk: int) -> dict[str, Any]:
    return {
        **of_assignment(assignment),
        "report_id": pk,
        "api_url": _of_api(f"/assignments/{assignment.pk}/report"),
        "page_url": absolute(assignment.get_absolute_url()),
    }


def of_new_pairs(assignment: Assignment, pk: int) -> dict[str, Any]:
    """Return the pairs of a report at or above its threshold that were not so in the one before; empty for none."""
    done = assignment.reports.filter(state=Report.State.DONE)
    report, before = done.get(pk=pk), done.filter(pk__lt=pk).order_by("-pk").first()
    known = set(_named_links(before).values()) if before else set()
    new = [link for link, names in _named_links(report).items() if names not in known]
    if not new:
        return {}
    own = Submission.objects.filter(reports=report).exclude(batch__role=Batch.Role.OTHER)
    ids = set(own.values_list("pk", flat=True))
    pairs = [
        {"submission_ids": [one for one in (link.left, link.right) if one in ids], "similarity": link.similarity}
        for link in new[:MOST_PAIRS]
    ]
    return {**of_report(assignment, pk), "new_pairs": len(new), "pairs": pairs}


def _named_links(report: Report) -> dict[Link, frozenset[str]]:
    """Return the pairs that connect the cases of a report, the most similar first, with both names."""
    names = dict(Submission.objects.filter(reports=report).values_list("pk", "name"))
    found = linking_pairs(report, threshold_of(report))
    return {link: frozenset((names[link.left], names[link.right])) for link in found}


def of_upload(assignment: Assignment, pk: int) -> dict[str, Any]:
    return {
        **of_assignment(assignment),
        "upload_id": pk,
        "api_url": _of_api(f"/uploads/{pk}"),
        "page_url": absolute(reverse("batch", args=[pk])),
    }


def of_decision(decision: Decision | CaseDecision) -> dict[str, Any]:
    """Return the keys of what was decided. Work of other assignments is left out: it may be of others."""
    assignment = decision.assignment
    ids, path = _decided_ids(decision), f"/assignments/{assignment.pk}"
    if isinstance(decision, Decision):
        path += f"/pairs/{ids[0]}/{ids[1]}/decision" if len(ids) == A_PAIR else "/pairs"
    else:
        path += "/cases"
    return {
        **of_assignment(assignment),
        "submission_ids": ids,
        "state": decision.state,
        "api_url": _of_api(path),
        "page_url": absolute(assignment.get_absolute_url()),
    }


def _decided_ids(decision: Decision | CaseDecision) -> list[int]:
    """Return the submissions of the newest report that a decision is about, of this assignment's uploads."""
    report = decision.assignment.reports.filter(state=Report.State.DONE).first()
    if not report:
        return []
    if isinstance(decision, Decision):
        decided = Q(name__in=(decision.left, decision.right))
    else:
        decided = Q(name__in=decision.members.values("name"))
    rows = Submission.objects.filter(decided, reports=report).exclude(batch__role=Batch.Role.OTHER)
    return list(rows.order_by("name", "pk").values_list("pk", flat=True))


class Outcome(NamedTuple):
    """The status of the answer, None without an answer, and why the attempt failed; empty for a success."""

    status: int | None
    problem: str


def enqueue(webhook: Webhook, event: str, data: dict[str, Any]) -> Delivery:
    """Store a delivery, which is sent to a webhook when this transaction commits."""
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
    """Send a delivery that waits; raise Later when the attempt failed and another one follows."""
    waiting = Delivery.objects.filter(pk=job.subject, state=Delivery.State.WAITING)
    # What waits for a paused webhook is enqueued when that goes on.
    delivery = waiting.filter(webhook__in=Webhook.objects.working()).select_related("webhook").first()
    if delivery is None:
        return
    delivery.attempts, delivery.tried = job.attempts, timezone.now()
    delivery.save(update_fields=["attempts", "tried"])
    outcome = _post(delivery)
    logger.info("%s, attempt %d: %s", delivery, delivery.attempts, outcome.problem or f"arrived, {outcome.status}")
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
    try:
        with answer_of(
            "POST", webhook.url, networks=settings.WEBHOOK_NETWORKS, headers=headers, data=delivery.body.encode()
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
    arrived = Delivery.objects.filter(webhook=delivery.webhook, state=Delivery.State.ARRIVED)
    if outcome.status == GONE or not arrived.filter(tried__gte=delivery.created).exists():
        _stop(delivery.webhook)


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


# By model and state: the events, and what to say of each; nothing is sent where that is empty.
CHANGES: dict[tuple[type, str], dict[Event, Data]] = {
    (Report, Report.State.DONE): {Event.REPORT_READY: of_report, Event.PAIR_FOUND: of_new_pairs},
    (Report, Report.State.FAILED): {Event.REPORT_FAILED: of_report},
    (Batch, Batch.State.FAILED): {Event.UPLOAD_FAILED: of_upload},
}


def _listening(assignment_id: int, events: Collection[Event]) -> list[Webhook]:
    working = Webhook.objects.working().filter(events__overlap=[*events])
    return list(working.filter(course__assignments=assignment_id))


@receiver(state_changed, dispatch_uid="webhooks")
def tell_of_change(sender: type, *, pk: int, assignment_id: int, state: str, **_: Any) -> None:
    events = CHANGES.get((sender, state), {})
    webhooks = _listening(assignment_id, events) if events else []
    for event, data in events.items():
        told = [webhook for webhook in webhooks if event in webhook.events]
        content = data(Assignment.objects.get(pk=assignment_id), pk) if told else {}
        for webhook in told if content else ():
            enqueue(webhook, event, content)


@receiver(decided, dispatch_uid="webhooks")
def tell_of_decision(sender: type, *, decision: Decision | CaseDecision, **_: Any) -> None:
    event = DECISIONS[sender]
    if webhooks := _listening(decision.assignment_id, [event]):
        content = of_decision(decision)
        for webhook in webhooks:
            enqueue(webhook, event, content)


class EventsForm(forms.Form):
    events = forms.MultipleChoiceField(
        label=gettext_lazy("Events"),
        choices=Event.choices,
        initial=Event.values,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose at least one event.")},
    )


class WebhookForm(EventsForm):
    url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=LONGEST_ADDRESS,
        widget=forms.URLInput(attrs={"placeholder": "https://", "autocomplete": "off"}),
    )
    field_order = ("url", "events")

    def __init__(self, course: Course, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.course = course

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        check_url(url)
        return url

    def clean(self) -> dict[str, Any]:
        """Refuse one too many; until the transaction ends, no other one is added."""
        type(self.course).objects.select_for_update(no_key=True).get(pk=self.course.pk)
        if self.course.webhooks.count() >= MOST_WEBHOOKS:
            text = gettext("A course has at most {n} webhooks. Delete one first.")
            raise ValidationError(text.format(n=MOST_WEBHOOKS))
        return self.cleaned_data


class ChangeWebhookForm(EventsForm):
    """Choose other events, or pause."""

    active = forms.BooleanField(label=gettext_lazy("Send events to this address"), required=False)


def check_url(url: str) -> None:
    """Raise ValidationError for an address that nothing could be sent to.

    A name is resolved when something is sent, so only a host that is given as an IP address is refused here.
    """
    if not url.isascii() or not url.isprintable() or " " in url or not web_origin(url):
        raise ValidationError(gettext("Enter an address that begins with https:// and names a host."))
    parts = urlsplit(url)
    if parts.scheme == "http" and not settings.WEBHOOK_NETWORKS:
        raise ValidationError(gettext("The address must begin with https://."))
    try:
        ip = ip_address(parts.hostname or "")
    except ValueError:
        allowed = not is_loopback(parts.hostname or "") or bool(settings.WEBHOOK_NETWORKS)
    else:
        allowed = may_reach(ip, parts.scheme, settings.WEBHOOK_NETWORKS)
    if not allowed:
        raise ValidationError(
            gettext(
                "This service may not send to the network of this host. Ask the administrator of this "
                "service to allow it."
            )
        )


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
    return Webhook.objects.create(course=course, url=url, events=list(events), state=state, maker=user, created_by=name)


@transaction.atomic
def change(webhook: Webhook, user: User, events: Sequence[str], *, active: bool) -> None:
    """Choose the events of a webhook, and pause it or have it go on; a stopped webhook starts again.

    With `active`, `user` replaces a maker who may not share the course any more.
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

    Raises NotActive when the webhook is paused or stopped; `send_again` raises the same.
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
