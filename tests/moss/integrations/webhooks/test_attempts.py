"""Attempts to send a delivery: when the next one is due, when they end, and where they may go."""

import socket
from datetime import timedelta
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
from pytest_django.fixtures import Settings

from moss.integrations.webhooks import sending as webhook_actions
from moss.integrations.webhooks.models import Delivery, Webhook
from moss.integrations.webhooks.sending import WAITS
from moss.outgoing import is_public
from submissions.models import Assignment
from submissions.uploads import lifecycle
from submissions.work import jobs, running
from submissions.work.jobs import kind_of
from tests.support.jobs import carry_out, due_in
from tests.support.receiver import Receiver, webhook_to

# Nothing is committed, so no message for a worker is sent.
pytestmark = pytest.mark.django_db
Problem = Delivery.Problem


def outcome(webhook: Webhook) -> tuple[int | None, str]:
    """Make the first attempt to send a test; return the status and the problem."""
    delivery = webhook_actions.send_test(webhook)
    carry_out("deliver", delivery.pk)
    delivery.refresh_from_db()
    return delivery.status, delivery.problem


def try_until_given_up(delivery: Delivery) -> list[timedelta | None]:
    """Make all attempts; return how long after each one the next is due."""
    waits = []
    while delivery.state == Delivery.State.WAITING:
        carry_out("deliver", delivery.pk)
        delivery.refresh_from_db()
        waits.append(due_in("deliver", delivery.pk))
    return waits[:-1]


def test_a_redirect_is_no_success_and_not_followed(webhook: Webhook, receiver: Receiver) -> None:
    receiver.statuses = [302]
    delivery = webhook_actions.send_test(webhook)
    carry_out("deliver", delivery.pk)
    delivery.refresh_from_db()
    assert (delivery.status, delivery.problem) == (302, Delivery.Problem.STATUS)
    assert [one.path for one in receiver.received] == ["/hook"]


def test_the_waits_grow_to_three_days_and_then_the_webhook_is_stopped(
    webhook: Webhook, receiver: Receiver
) -> None:
    receiver.statuses = [503]
    first, second = (webhook_actions.send_test(webhook) for _ in range(2))
    waits = try_until_given_up(first)
    assert waits == [*WAITS]
    assert timedelta(days=3) < sum(WAITS, timedelta()) < timedelta(days=4)
    assert len(receiver.received) == len(WAITS) + 1
    webhook.refresh_from_db()
    second.refresh_from_db()
    assert (webhook.state, second.state) == (Webhook.State.STOPPED, Delivery.State.GIVEN_UP)
    with pytest.raises(webhook_actions.NotActive):
        webhook_actions.send_test(webhook)


def test_one_event_that_is_never_taken_stops_no_webhook_where_others_arrive(
    webhook: Webhook, receiver: Receiver
) -> None:
    lost, taken = (webhook_actions.send_test(webhook) for _ in range(2))
    carry_out("deliver", taken.pk)
    receiver.statuses = [400]
    try_until_given_up(lost)
    webhook.refresh_from_db()
    assert webhook.state == Webhook.State.ACTIVE


def test_a_receiver_that_is_gone_is_believed_at_once(webhook: Webhook, receiver: Receiver) -> None:
    receiver.statuses = [410]
    delivery = webhook_actions.send_test(webhook)
    carry_out("deliver", delivery.pk)
    webhook.refresh_from_db()
    assert webhook.state == Webhook.State.STOPPED


def test_two_messages_for_one_attempt_send_it_once(webhook: Webhook, receiver: Receiver) -> None:
    receiver.statuses = [500]
    webhook_actions.send_test(webhook)
    kind = kind_of("deliver")
    started = [job for job in (jobs.claim(kind, "interactive"), jobs.claim(kind, "interactive")) if job]
    for job in started:
        running.carry_out(kind, job)
    assert len(receiver.received) == 1


def test_a_paused_webhook_gets_nothing_and_misses_what_happens_meanwhile(
    webhook: Webhook, receiver: Receiver, assignment: Assignment
) -> None:
    waiting = webhook_actions.send_test(webhook)
    webhook_actions.change(webhook, webhook.course.owner, webhook.events, active=False)
    carry_out("deliver", waiting.pk)
    assignment.reports.create()
    lifecycle.fail_report(assignment.reports.get().pk, "It failed.")
    assert receiver.received == []
    assert webhook.deliveries.count() == 1
    webhook_actions.change(webhook, webhook.course.owner, webhook.events, active=True)
    carry_out("deliver", waiting.pk)
    assert len(receiver.received) == 1


@pytest.mark.parametrize(
    "host",
    ["127.0.0.2", "2130706434", "10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:127.0.0.2]", "0.0.0.0"],
)
def test_nothing_is_sent_to_a_private_network_also_when_a_name_leads_there(
    host: str, assignment: Assignment, receiver: Receiver
) -> None:
    # The second one is no number for a check of the text, and 127.0.0.2 for a resolver.
    for scheme in ("http", "https"):
        webhook = webhook_to(f"{scheme}://{host}:{receiver.server_port}/", assignment.course)
        assert outcome(webhook) == (None, Problem.FORBIDDEN_HOST)
    assert receiver.received == []


@pytest.mark.parametrize(
    ("number", "public"),
    [
        ("93.184.216.34", True),
        ("2606:4700::1111", True),
        *((number, False) for number in (
            "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
            "224.0.0.1", "255.255.255.255", "0.0.0.0", "::1", "::", "fe80::1", "fc00::1", "ff02::1",
            "fd00:ec2::254",
            "::ffff:10.0.0.1", "2002:7f00:1::", "64:ff9b::7f00:1", "::7f00:1",
        )),
    ],
)  # fmt: skip
def test_only_numbers_of_the_internet_are_public(number: str, *, public: bool) -> None:
    assert is_public(ip_address(number)) is public


def test_a_name_is_resolved_once_so_that_a_second_answer_leads_nowhere_else(
    webhook: Webhook, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    resolve, asked = socket.getaddrinfo, []

    def changing(host: str, *arguments: Any, **options: Any) -> Any:
        """Answer as a resolver whose second answer is another machine."""
        if host != "rebound.example.org":
            return resolve(host, *arguments, **options)
        asked.append(host)
        return resolve("127.0.0.1" if len(asked) == 1 else "127.0.0.2", *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", changing)
    webhook.url = receiver.url(host="rebound.example.org")
    webhook.save()
    assert outcome(webhook) == (200, "")
    assert asked == ["rebound.example.org"]
    assert receiver.received[0].headers["host"] == f"rebound.example.org:{receiver.server_port}"


def test_a_certificate_has_to_be_valid_for_the_name(
    assignment: Assignment,
    encrypted_receiver: Receiver,
    tmp_path: Path,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.0/8"), ip_network("::1")]
    named = webhook_to(encrypted_receiver.url(host="localhost"), assignment.course)
    by_number = webhook_to(encrypted_receiver.url(), assignment.course)
    assert outcome(named) == (None, Problem.CERTIFICATE), "nobody trusts its authority yet"
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "authority.pem"))
    assert outcome(named) == (200, "")
    assert outcome(by_number) == (None, Problem.CERTIFICATE)
    assert len(encrypted_receiver.received) == 1


def test_a_proxy_of_the_environment_is_not_asked_to_go_elsewhere(
    webhook: Webhook, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    assert outcome(webhook) == (200, "")


def test_a_host_that_is_not_there_and_one_that_refuses_are_told_apart(
    assignment: Assignment, free_port: int
) -> None:
    unknown = webhook_to("https://no-such-host.invalid/", assignment.course)
    closed = webhook_to(f"http://127.0.0.1:{free_port}/", assignment.course)
    assert outcome(unknown) == (None, Problem.UNKNOWN_HOST)
    assert outcome(closed) == (None, Problem.NO_CONNECTION)


def test_the_owner_is_told_by_mail_when_a_webhook_is_stopped(
    webhook: Webhook, settings: Settings, mailoutbox: list[Any]
) -> None:
    jobs.enqueue("tell_owner", webhook.pk)
    carry_out("tell_owner", webhook.pk)
    assert mailoutbox == []
    settings.MAIL = True
    jobs.enqueue("tell_owner", webhook.pk)
    carry_out("tell_owner", webhook.pk)
    [mail] = mailoutbox
    assert mail.to == [webhook.course.owner.email]
    assert f"/courses/{webhook.course_id}/webhooks/{webhook.pk}/" in mail.body
    assert webhook.url not in mail.body
