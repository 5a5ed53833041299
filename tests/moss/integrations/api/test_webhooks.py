"""Webhooks by the API."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from moss.integrations.webhooks import sending as actions
from moss.integrations.webhooks.models import Webhook
from moss.integrations.webhooks.sending import KEPT
from submissions.models import Assignment, AuditEntry
from tests.support.api import API, api_client, problem_of, send
from tests.support.paths import ROOT

pytestmark = pytest.mark.django_db
URL = "https://hooks.example.org/moss"


def test_a_webhook_is_created_listed_changed_and_deleted(alice: User, assignment: Assignment) -> None:
    client, path = api_client(alice), f"/courses/{assignment.course_id}/webhooks"
    created = send(client, "post", path, {"url": URL, "events": ["report.ready"]})
    assert created.status_code == 201
    secret = created.json()["secret"]
    assert secret == Webhook.objects.get().secret
    one = f"{path}/{created.json()['id']}"
    [item] = send(client, "get", path).json()["items"]
    assert item == {key: value for key, value in created.json().items() if key != "secret"}
    changed = send(client, "patch", one, {"events": ["pair.decided"], "active": False})
    assert (changed.json()["events"], changed.json()["state"]) == (["pair.decided"], "paused")
    assert send(client, "patch", one, {"active": True}).json()["events"] == ["pair.decided"]
    answers = [send(client, "get", address) for address in (path, one)]
    assert not [answer for answer in answers if secret in answer.content.decode()]
    assert send(client, "delete", one).status_code == 204
    assert send(client, "get", one).status_code == 404
    assert [entry.page for entry in AuditEntry.objects.order_by("pk")] == [
        "api_webhooks", "api_webhook", "api_webhook", "api_webhook",
    ]  # fmt: skip


def test_an_address_in_a_private_network_is_a_problem(alice: User, assignment: Assignment) -> None:
    body = {"url": "https://10.0.0.1/", "events": ["report.ready"]}
    answer = send(api_client(alice), "post", f"/courses/{assignment.course_id}/webhooks", body)
    assert answer.status_code == 422
    assert problem_of(answer)["errors"][0]["field"] == "url"


def test_deliveries_are_listed_in_parts_and_sent_again(
    alice: User, assignment: Assignment, webhook: Webhook
) -> None:
    client = api_client(alice)
    one = f"/courses/{assignment.course_id}/webhooks/{webhook.pk}"
    sent = [send(client, "post", f"{one}/test").json()["id"] for _ in range(3)]
    first = send(client, "get", f"{one}/deliveries?limit=2").json()
    rest = send(client, "get", f"{one}/deliveries?limit=2&cursor={first['next']}").json()
    assert [item["id"] for item in first["items"] + rest["items"]] == sent[::-1]
    assert rest["next"] is None
    again = send(client, "post", f"{one}/deliveries/{sent[0]}/again")
    assert (again.status_code, again.json()["state"]) == (202, "waiting")
    assert send(client, "post", f"{one}/deliveries/{sent[0] + 100}/again").status_code == 404


def test_nothing_is_sent_to_a_paused_webhook(alice: User, assignment: Assignment, webhook: Webhook) -> None:
    actions.change(webhook, webhook.course.owner, webhook.events, active=False)
    one = f"/courses/{assignment.course_id}/webhooks/{webhook.pk}"
    assert send(api_client(alice), "post", f"{one}/test").status_code == 409


def test_the_description_and_the_document_say_how_long_deliveries_are_listed(client: Client) -> None:
    listed = f"in the last {KEPT.days} days"
    paths = client.get(f"{API}/openapi.json").json()["paths"]
    operation = paths[f"{API}/courses/{{course_id}}/webhooks/{{webhook_id}}/deliveries"]["get"]
    assert listed in operation["description"]
    assert listed in (ROOT / "docs" / "do" / "webhooks.md").read_text()
