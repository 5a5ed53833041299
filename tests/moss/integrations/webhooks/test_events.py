"""The events that are sent, their courses, and that they have keys and no names."""

import json
from typing import Any

import pytest
from django.contrib.auth.models import User

from moss.integrations.webhooks.models import Delivery, Event, Webhook
from submissions.cases.change import CaseNames, DecisionInput, decide, decide_case
from submissions.cases.read import pair_names
from submissions.courses.retention import delete_course
from submissions.models import Assignment, Batch, Course
from submissions.uploads import lifecycle
from tests.support.every_page import World
from tests.support.receiver import webhook_to

pytestmark = pytest.mark.django_db


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
