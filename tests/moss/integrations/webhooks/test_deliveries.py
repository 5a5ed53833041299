"""Deliveries to a webhook: by a real worker to a real receiver, signed, and again until it arrives."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from standardwebhooks import Webhook as Verifier, WebhookVerificationError

from moss.integrations.webhooks import sending as webhook_actions
from moss.integrations.webhooks.models import Delivery, Webhook
from submissions.models import Assignment, Report
from submissions.uploads.change import create_batch
from submissions.work.running import sweep_jobs
from tests.conftest import wait_until
from tests.support.jobs import due_in, let_time_pass
from tests.support.receiver import Received, Receiver
from tests.support.sample_class import CLASS, loose, zipped

pytestmark = pytest.mark.django_db(transaction=True)


def event(received: Received) -> dict[str, Any]:
    sent: dict[str, Any] = json.loads(received.body)
    return sent


def test_a_report_is_told_of_when_it_is_ready_with_a_signature_and_without_a_name(
    celery_worker_process: Path, alice: User, assignment: Assignment, webhook: Webhook, receiver: Receiver
) -> None:
    create_batch(assignment, alice, [loose("class.zip", zipped(CLASS).read())])
    wait_until(lambda: bool(receiver.received), 100, what="the webhook")
    [received] = receiver.received
    assert Verifier(webhook.secret).verify(received.body, received.headers)
    with pytest.raises(WebhookVerificationError):
        Verifier(webhook.secret).verify(received.body.replace("ready", "reads"), received.headers)
    report = assignment.reports.get(state=Report.State.DONE)
    sent = event(received)
    assert sent["type"] == "report.ready"
    assert sent["data"] == {
        "course_id": assignment.course_id,
        "assignment_id": assignment.pk,
        "report_id": report.pk,
        "api_url": f"http://127.0.0.1:8000/api/v1/assignments/{assignment.pk}/report",
        "page_url": f"http://127.0.0.1:8000/assignments/{assignment.pk}/",
    }
    names = [*report.submissions.values_list("name", flat=True), assignment.name, assignment.course.name]
    assert len(names) == len(CLASS) + 2
    assert not [name for name in names if name in received.body]
    delivery = webhook.deliveries.get()
    wait_until(lambda: webhook.deliveries.get().state == Delivery.State.ARRIVED)
    assert received.headers["webhook-id"] == delivery.message_id


def test_an_event_is_sent_again_after_errors_with_the_same_id_and_a_new_time(
    celery_worker_process: Path, webhook: Webhook, receiver: Receiver
) -> None:
    receiver.statuses = [500, 500, 204]
    delivery = webhook_actions.send_test(webhook)
    for number in (1, 2):
        wait_until(lambda: webhook.deliveries.get().attempts == number, what=f"attempt {number}")  # noqa: B023
        wait_until(lambda: due_in("deliver", delivery.pk) is not None, what="the next attempt")
        let_time_pass("deliver")
        sweep_jobs()
    wait_until(lambda: webhook.deliveries.get().state == Delivery.State.ARRIVED)
    assert [one.headers["webhook-id"] for one in receiver.received] == [delivery.message_id] * 3
    assert webhook.deliveries.get().status == 204
    for received in receiver.received:
        Verifier(webhook.secret).verify(received.body, received.headers)


@pytest.mark.long
@pytest.mark.parametrize("status", [0, -1], ids=["no answer", "an answer in drops"])
def test_a_receiver_that_does_not_answer_is_not_waited_for(
    status: int, celery_worker_process: Path, webhook: Webhook, receiver: Receiver
) -> None:
    receiver.statuses = [status]
    webhook_actions.send_test(webhook)
    wait_until(lambda: webhook.deliveries.get().problem != "", what="the limit")
    delivery = webhook.deliveries.get()
    assert (delivery.problem, delivery.status) == (Delivery.Problem.NO_ANSWER, None)
    assert delivery.state == Delivery.State.WAITING
