"""The pages of webhooks: the secret once, what was sent, and who may see them."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from moss.integrations.webhooks import sending as actions
from moss.integrations.webhooks.models import Delivery, Event, Webhook
from moss.integrations.webhooks.sending import MOST_WEBHOOKS
from submissions.models import Assignment, AuditEntry, Membership
from tests.support.html import get_page, page_of
from tests.support.jobs import carry_out
from tests.support.receiver import Receiver, webhook_to

pytestmark = pytest.mark.django_db
URL = "https://hooks.example.org/moss?key=1"


def listed(assignment: Assignment) -> str:
    return reverse("webhooks", args=[assignment.course_id])


def page_address(webhook: Webhook) -> str:
    return reverse("webhook", args=[webhook.course_id, webhook.pk])


def test_the_secret_is_shown_once(alice_client: Client, assignment: Assignment) -> None:
    created = alice_client.post(listed(assignment), {"url": URL, "events": ["report.ready"]})
    webhook = Webhook.objects.get()
    assert (webhook.url, webhook.events, webhook.created_by) == (URL, ["report.ready"], "alice")
    assert page_of(created).one("#secret").attributes["value"] == webhook.secret
    assert webhook.secret.startswith("whsec_")
    for address in (listed(assignment), page_address(webhook)):
        assert webhook.secret not in alice_client.get(address).content.decode()
    entry = AuditEntry.objects.get()
    assert (entry.who, entry.action, entry.course) == ("alice", "webhooks", assignment.course.name)


@pytest.mark.parametrize(
    ("url", "refusal"),
    [
        ("http://hooks.example.org/", "must begin with https://"),
        ("ftp://hooks.example.org/", "Enter an address that begins with https://"),
        ("https://alice@hooks.example.org/", "Enter an address that begins with https://"),
        ("https://hooks.example.org/a b", "Enter an address that begins with https://"),
        ("https://", "Enter an address that begins with https://"),
        ("https://10.0.0.1/", "may not send to the network of this host"),
        ("https://[::1]/", "may not send to the network of this host"),
        ("https://localhost/", "may not send to the network of this host"),
    ],
)
def test_an_address_that_nothing_could_be_sent_to_is_refused(
    url: str, refusal: str, alice_client: Client, assignment: Assignment, settings: Settings
) -> None:
    settings.WEBHOOK_NETWORKS = []
    response = alice_client.post(listed(assignment), {"url": url, "events": ["report.ready"]})
    assert response.status_code == 422
    assert refusal in page_of(response).text(".error")
    assert not Webhook.objects.exists()


def test_http_is_taken_to_networks_that_the_settings_name(
    alice_client: Client, assignment: Assignment, receiver: Receiver
) -> None:
    alice_client.post(listed(assignment), {"url": receiver.url(), "events": ["report.ready"]})
    assert Webhook.objects.get().url == receiver.url()
    refused = alice_client.post(listed(assignment), {"url": "http://127.0.0.2/", "events": ["report.ready"]})
    assert refused.status_code == 422


def test_a_course_has_so_many_webhooks_at_most(alice_client: Client, assignment: Assignment) -> None:
    for _ in range(MOST_WEBHOOKS):
        webhook_to(URL, assignment.course)
    response = alice_client.post(listed(assignment), {"url": URL, "events": ["report.ready"]})
    assert f"at most {MOST_WEBHOOKS} webhooks" in page_of(response).text(".error")


def test_what_was_sent_is_listed_and_sent_again(
    alice_client: Client, webhook: Webhook, receiver: Receiver
) -> None:
    receiver.statuses = [500, 200]
    page = get_page(alice_client, page_address(webhook))
    test, *_ = [form for form in page.values("form", "action") if form.endswith("/test/")]
    alice_client.post(test)
    delivery = webhook.deliveries.get()
    carry_out("deliver", delivery.pk)
    row = get_page(alice_client, page_address(webhook)).text("tbody tr")
    assert "webhook.test" in row
    assert "waiting, 500 The receiver answered with an error." in row
    again, *_ = get_page(alice_client, page_address(webhook)).values("tbody form", "action")
    alice_client.post(again)
    carry_out("deliver", delivery.pk)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts, delivery.status) == (Delivery.State.ARRIVED, 1, 200)
    assert "arrived, 200" in get_page(alice_client, page_address(webhook)).text("tbody tr")


def test_a_webhook_is_paused_and_goes_on(alice_client: Client, webhook: Webhook) -> None:
    address = page_address(webhook)
    alice_client.post(address, {"events": ["pair.decided"]})
    webhook.refresh_from_db()
    assert (webhook.state, webhook.events) == (Webhook.State.PAUSED, [Event.PAIR_DECIDED])
    test = reverse("test_webhook", args=[webhook.course_id, webhook.pk])
    refused = page_of(alice_client.post(test, follow=True))
    assert "Nothing is sent while the webhook is paused" in refused.text(".notices")
    alice_client.post(address, {"events": ["pair.decided"], "active": "on"})
    webhook.refresh_from_db()
    assert webhook.state == Webhook.State.ACTIVE


def test_a_stopped_webhook_is_said_on_the_page_of_the_course_until_it_is_started_again(
    alice_client: Client, webhook: Webhook
) -> None:
    Webhook.objects.update(state=Webhook.State.STOPPED)
    course = webhook.course.get_absolute_url()
    assert page_address(webhook) in get_page(alice_client, course).links()
    alice_client.post(page_address(webhook), {"events": webhook.events, "active": "on"})
    assert page_address(webhook) not in get_page(alice_client, course).links()


def test_a_webhook_is_deleted_with_its_list(alice_client: Client, webhook: Webhook) -> None:
    actions.send_test(webhook)
    alice_client.post(reverse("remove_webhook", args=[webhook.course_id, webhook.pk]))
    assert (Webhook.objects.count(), Delivery.objects.count()) == (0, 0)


def test_a_webhook_is_not_found_below_another_course(bob_client: Client, bob: User, webhook: Webhook) -> None:
    course = bob.courses.create(name="Bob’s")
    assert bob_client.get(reverse("webhook", args=[course.pk, webhook.pk])).status_code == 404
    assert bob_client.get(page_address(webhook)).status_code == 404


def test_who_may_not_share_finds_no_link_and_is_refused(
    charlie_client: Client, charlie: User, webhook: Webhook
) -> None:
    Membership.objects.create(course=webhook.course, user=charlie, role=Membership.Role.ASSISTANT)
    assert not [
        one
        for one in get_page(charlie_client, webhook.course.get_absolute_url()).links()
        if "webhooks" in one
    ]
    assert charlie_client.get(page_address(webhook)).status_code == 403
