"""Webhooks: their events, attempts and pages, and when they send nothing any more."""

import json
import socket
from collections.abc import Callable
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings

from moss.integrations.webhooks import sending as actions, sending as webhook_actions
from moss.integrations.webhooks.models import Delivery, Event, Webhook
from moss.integrations.webhooks.sending import MOST_WEBHOOKS, WAITS
from submissions.cases.change import CaseNames, DecisionInput, decide, decide_case
from submissions.cases.read import linking_pairs, pair_names
from submissions.courses.retention import delete_course
from submissions.models import Assignment, AuditEntry, Batch, Course, Membership, Report
from submissions.pairs.read import threshold_of
from submissions.uploads import lifecycle
from submissions.work import jobs, running
from submissions.work.jobs import kind_of
from tests.support.every_page import World
from tests.support.html import get_page, page_of
from tests.support.jobs import carry_out, due_in
from tests.support.receiver import Receiver, webhook_to
from tests.support.sample_class import loose
from tests.support.uploads import HandIn

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


def test_the_waits_grow_to_three_days_and_then_the_webhook_is_stopped(webhook: Webhook, receiver: Receiver) -> None:
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


def test_a_host_that_is_not_there_and_one_that_refuses_are_told_apart(assignment: Assignment, free_port: int) -> None:
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


def sent() -> list[tuple[str, dict[str, Any]]]:
    """Return the events that are sent, with their data, in order."""
    bodies = [json.loads(one.body) for one in Delivery.objects.order_by("pk")]
    return [(body["type"], body["data"]) for body in bodies]


def submitted(state: str, user: User) -> DecisionInput:
    return DecisionInput(state=state, assignee=user, notes="Ada told me.")


def test_a_decision_on_a_pair_is_told_with_its_submissions_by_key(world: World, webhook: Webhook) -> None:
    ids = world.pair.left_id, world.pair.right_id
    names = pair_names(world.assignment, *ids)
    decide(world.assignment, names, world.owner, submitted("confirmed", world.owner))
    [(event, data)] = sent()
    assert event == Event.PAIR_DECIDED
    assert data["state"] == "confirmed"
    assert data["submission_ids"] == [names.left_id, names.right_id]
    path = f"/api/v1/assignments/{world.assignment.pk}/pairs/{names.left_id}/{names.right_id}/decision"
    assert data["api_url"] == f"http://127.0.0.1:8000{path}"
    body = Delivery.objects.get().body
    secrets = (names.left, names.right, "Ada", world.owner.username, world.assignment.name)
    assert not [text for text in secrets if text in body]


def test_notes_and_assignees_are_no_event(world: World, webhook: Webhook) -> None:
    names = pair_names(world.assignment, world.pair.left_id, world.pair.right_id)
    decide(world.assignment, names, world.owner, submitted("undecided", world.owner))
    assert sent() == []


def test_a_decision_on_a_case_is_told_with_its_members_by_key(world: World, webhook: Webhook) -> None:
    members = list(world.report.submissions.order_by("name")[:3])
    case = CaseNames([one.name for one in members], [], 0.5)
    decide_case(world.assignment, case, world.owner, submitted("clear", world.owner))
    [(event, data)] = sent()
    assert (event, data["state"]) == (Event.CASE_DECIDED, "clear")
    assert data["submission_ids"] == [one.pk for one in members]


def test_work_of_another_assignment_is_not_named_by_a_key(world: World, webhook: Webhook) -> None:
    names = pair_names(world.assignment, world.pair.left_id, world.pair.right_id)
    other = world.assignment.batches.create(name="Old", role=Batch.Role.OTHER, state=Batch.State.DONE)
    world.pair.left.batch = other
    world.pair.left.save()
    decide(world.assignment, names, world.owner, submitted("clear", world.owner))
    [(_event, data)] = sent()
    assert data["submission_ids"] == [world.pair.right_id]
    assert data["api_url"].endswith(f"/api/v1/assignments/{world.assignment.pk}/pairs")


def test_a_ranking_and_an_upload_that_failed_are_told(assignment: Assignment, webhook: Webhook) -> None:
    report = assignment.reports.create()
    batch = assignment.batches.create(name="ada-lovelace.zip")
    lifecycle.fail_report(report.pk, "It failed.")
    lifecycle.fail_batch(batch.pk, "ada-lovelace.zip is no archive.")
    assert [(event, data.get("report_id"), data.get("upload_id")) for event, data in sent()] == [
        (Event.REPORT_FAILED, report.pk, None),
        (Event.UPLOAD_FAILED, None, batch.pk),
    ]
    assert not Delivery.objects.filter(body__contains="lovelace").exists()


def test_only_pairs_that_reach_the_threshold_and_did_not_before_are_told(
    world: World, hand_in: HandIn, rerank: Callable[[], Report], webhook: Webhook
) -> None:
    before = {frozenset((one.left, one.right)) for one in linking_pairs(world.report, threshold_of(world.report))}
    rerank()
    assert [event for event, _ in sent()] == [Event.REPORT_READY], "nothing is new"
    Delivery.objects.all().delete()
    hand_in(loose("zoe.py", bytes(world.pair.left.files.get().source.data) + b"\n\nprint(40 + 2)\n"))
    report = world.assignment.reports.get()
    zoe = report.submissions.get(name__startswith="zoe").pk
    data = dict(sent())[Event.PAIR_FOUND]
    after = {frozenset((one.left, one.right)): one.similarity for one in linking_pairs(report, threshold_of(report))}
    told = {frozenset(one["submission_ids"]): one["similarity"] for one in data["pairs"]}
    assert frozenset((zoe, world.pair.left_id)) in told
    assert told == {pair: after[pair] for pair in after.keys() - before}
    assert data["new_pairs"] == len(told)
    assert [one["similarity"] for one in data["pairs"]] == sorted(told.values(), reverse=True)
    assert "zoe" not in Delivery.objects.get(event=Event.PAIR_FOUND).body


def test_a_ranking_that_was_cancelled_is_no_event(assignment: Assignment, webhook: Webhook) -> None:
    assignment.reports.create()
    lifecycle.cancel_reports(assignment)
    assert sent() == []


def test_only_chosen_events_of_the_course_are_sent(assignment: Assignment, bob: User) -> None:
    elsewhere = Course.objects.create(owner=bob, name="Programming 2")
    webhook_to("https://example.org/", elsewhere)
    webhook_to("https://example.org/", assignment.course, Event.REPORT_READY)
    chosen = webhook_to("https://example.org/", assignment.course, Event.REPORT_FAILED)
    lifecycle.fail_report(assignment.reports.create().pk, "It failed.")
    assert Delivery.objects.get().webhook == chosen


def test_a_deleted_course_takes_its_webhooks_with_it(assignment: Assignment, webhook: Webhook) -> None:
    lifecycle.fail_report(assignment.reports.create().pk, "It failed.")
    delete_course(assignment.course)
    assert (Webhook.objects.count(), Delivery.objects.count()) == (0, 0)


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


def test_what_was_sent_is_listed_and_sent_again(alice_client: Client, webhook: Webhook, receiver: Receiver) -> None:
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
    assert not [one for one in get_page(charlie_client, webhook.course.get_absolute_url()).links() if "webhooks" in one]
    assert charlie_client.get(page_address(webhook)).status_code == 403
