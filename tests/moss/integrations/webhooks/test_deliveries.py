"""Deliveries to a webhook: by a real worker to a real receiver, signed, and again until it arrives."""

import json
from concurrent.futures import ThreadPoolExecutor
from http.server import HTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from standardwebhooks import Webhook as Verifier, WebhookVerificationError

from moss.integrations.webhooks import sending as webhook_actions
from moss.integrations.webhooks.models import Delivery, Webhook, new_secret
from moss.integrations.webhooks.sending import of_report
from submissions.models import Assignment, Report
from submissions.uploads.change import create_batch
from submissions.work.running import sweep_jobs
from tests.conftest import wait_until
from tests.support.jobs import carry_out, due_in, let_time_pass
from tests.support.paths import ROOT
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
    wait_until(lambda: len(receiver.received) == 2, what="both events")
    ready, found = sorted(receiver.received, key=lambda one: event(one)["type"], reverse=True)
    received = ready
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
    sent = event(found)
    [pair] = report.pairs.filter(similarity__gte=report.parameters["threshold"]["value"])
    told = {"submission_ids": [pair.left_id, pair.right_id], "similarity": pair.similarity}
    assert (sent["type"], sent["data"]["new_pairs"], sent["data"]["pairs"]) == ("pair.found", 1, [told])
    assert not [name for name in names if name in found.body]
    wait_until(lambda: {one.state for one in webhook.deliveries.all()} == {Delivery.State.ARRIVED})
    ids = {one.message_id for one in webhook.deliveries.all()}
    assert {ready.headers["webhook-id"], found.headers["webhook-id"]} == ids


def test_the_receiver_of_the_documents_prints_new_pairs_and_refuses_other_signatures(
    webhook: Webhook, receiver: Receiver, assignment: Assignment, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "docs/do/webhooks.md").read_text()
    code = text.partition("```python\n")[2].partition("HTTPServer((")[0]
    printed: list[str] = []
    for secret in (webhook.secret, new_secret()):
        names: dict[str, Any] = {"secret": secret}
        exec(code, names)
        with HTTPServer(("127.0.0.1", 0), names["Receiver"]) as server:
            Webhook.objects.update(url=f"http://127.0.0.1:{server.server_port}/")
            content = {**of_report(assignment, 1), "new_pairs": 3}
            delivery = webhook_actions.enqueue(webhook, "pair.found", content)
            with ThreadPoolExecutor(1) as pool:
                served = pool.submit(server.handle_request)
                carry_out("deliver", delivery.pk)
                served.result()
        printed.append(f"{capsys.readouterr().out.strip()} {webhook.deliveries.get(pk=delivery.pk).state}")
    page = f"http://127.0.0.1:8000/assignments/{assignment.pk}/"
    assert printed == [f"3 {page} arrived", " waiting"]


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
