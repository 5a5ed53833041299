"""Turn what happens in a course into deliveries; they are stored with the change, and sent after it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.dispatch import receiver

from moss.integrations.webhooks.models import Event, Webhook
from moss.integrations.webhooks.payloads import of_decision, of_report, of_upload
from moss.integrations.webhooks.sending import enqueue
from submissions.events import decided, state_changed
from submissions.models import Assignment, Batch, CaseDecision, Decision, Report

if TYPE_CHECKING:
    from collections.abc import Callable

    Data = Callable[[Assignment, int], dict[str, Any]]

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
        told = data(Assignment.objects.get(pk=assignment_id), pk)
        for webhook in webhooks:
            enqueue(webhook, event, told)


@receiver(decided, dispatch_uid="webhooks")
def tell_of_decision(sender: type, *, decision: Decision | CaseDecision, **_: Any) -> None:
    event = DECISIONS[sender]
    if webhooks := _listening(decision.assignment_id, event):
        told = of_decision(decision)
        for webhook in webhooks:
            enqueue(webhook, event, told)
