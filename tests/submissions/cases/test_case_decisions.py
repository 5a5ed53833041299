"""Deciding a case, and what becomes of the decision when the case gets other members."""

import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from submissions.models import Assignment, CaseDecision, CaseMember, Decision, Report
from tests.support.cases import SIMILARITIES, address, case_of, decide, states
from tests.support.html import get_page, page_of
from tests.support.reports import create_report

pytestmark = pytest.mark.services

HTMX = {"HX-Request": "true"}


@pytest.fixture
def report(assignment: Assignment) -> Report:
    """Return a report with a case of Ann, Ben and Cal, and one of Eve and Fay."""
    return create_report(assignment, SIMILARITIES)


def test_the_pairs_of_a_decided_case_follow_it_unless_decided_themselves(
    alice_client: Client, report: Report
) -> None:
    Decision.objects.create(assignment=report.assignment, left="ben", right="cal", state="clear")
    page = decide(alice_client, report, "ann", state="confirmed", notes="Hear all three.")
    assert page.text(".notices") == "Saved."
    assert page.has("input[name=state][value=confirmed][checked]")
    assert "alice set it from undecided to confirmed." in " ".join(page.texts("#decision-history li"))
    assert "ben and cal, clear" in page.text("main")
    assert states(report) == {
        ("ann", "ben"): "confirmed",
        ("ben", "cal"): "clear",
        ("eve", "fay"): "undecided",
        ("ann", "cal"): "undecided",
    }
    table = alice_client.get(reverse("table", args=[report.assignment_id, "pairs", "json"]))
    rows = {(row["left"], row["right"]): row for row in _rows(table)}
    assert rows["ann", "ben"]["decision"] == "confirmed"
    assert [rows["ann", "ben"]["case"], rows["eve", "fay"]["case"], rows["ann", "cal"]["case"]] == [
        1,
        2,
        None,
    ]


def _rows(response: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(response.getvalue())["pairs"]
    return rows


def test_a_decided_case_stays_decided_after_a_new_ranking_and_without_a_member(
    alice_client: Client, report: Report
) -> None:
    decide(alice_client, report, "ann", state="confirmed")
    again = create_report(report.assignment, {("ann", "ben"): 0.8, ("ann", "cal"): 0.1})
    assert case_of(again, "ann").decision.state == "confirmed"
    assert states(again) == {("ann", "ben"): "confirmed", ("ann", "cal"): "undecided"}


def test_a_new_member_makes_the_case_undecided_and_the_earlier_pairs_keep_their_decision(
    alice_client: Client, report: Report
) -> None:
    decide(alice_client, report, "ann", state="confirmed", notes="Hear them.")
    again = create_report(report.assignment, {("ann", "ben"): 0.9, ("ben", "cal"): 0.6, ("cal", "dan"): 0.8})
    page = get_page(alice_client, address(again, "ann"))
    assert page.has("input[name=state][value=undecided][checked]")
    assert "dan joined it. Before: confirmed." in page.text(".notice")
    assert page.text("#decision-notes") == "Hear them."
    assert states(again) == {
        ("ann", "ben"): "confirmed",
        ("cal", "dan"): "undecided",
        ("ben", "cal"): "confirmed",
    }
    decide(alice_client, again, "ann", state="suspicious", notes="Hear them.", seen=10**9)
    assert set(states(again).values()) == {"suspicious"}
    assert CaseDecision.objects.count() == 1
    assert CaseMember.objects.count() == 4


def test_a_case_that_fell_apart_is_decided_in_its_parts(alice_client: Client, report: Report) -> None:
    joined = create_report(report.assignment, {("ann", "ben"): 0.9, ("ben", "eve"): 0.8, ("eve", "fay"): 0.7})
    decide(alice_client, joined, "ann", state="confirmed")
    parts = create_report(report.assignment, {("ann", "ben"): 0.9, ("eve", "fay"): 0.7})
    assert set(states(parts).values()) == {"confirmed"}
    decide(alice_client, parts, "eve", state="clear")
    assert states(parts) == {("ann", "ben"): "confirmed", ("eve", "fay"): "clear"}
    decide(alice_client, joined := create_report(report.assignment, SIMILARITIES), "ann", state="suspicious")
    assert states(joined)["ann", "ben"] == "suspicious"
    assert states(joined)["eve", "fay"] == "clear"


def test_two_cases_that_grew_together_are_undecided_until_they_are_decided_again(
    alice_client: Client, report: Report
) -> None:
    decide(alice_client, report, "ann", state="confirmed", notes="First.")
    decide(alice_client, report, "eve", state="clear", notes="Second.")
    joined = create_report(report.assignment, SIMILARITIES | {("cal", "eve"): 0.8})
    case = case_of(joined, "ann")
    assert case.decision.state == "undecided"
    assert case.decision.notes == "First.\n\nSecond."
    assert states(joined)["ann", "ben"] == "confirmed"
    assert states(joined)["eve", "fay"] == "clear"
    decide(alice_client, joined, "ann", state="clear", notes=case.decision.notes, seen=10**9)
    assert states(joined)["ann", "ben"] == "clear"
    decision = CaseDecision.objects.get()
    assert decision.notes == "First.\n\nSecond."
    assert [change.after for change in decision.changes.filter(field="state")][::-1] == [
        "Confirmed",
        "Clear",
        "Clear",
    ]


def test_a_decision_on_a_case_that_has_other_members_now_is_refused(
    alice_client: Client, report: Report
) -> None:
    sent = {"state": "confirmed", "seen": 0, "decided_on": case_of(report, "ann").members_key}
    create_report(report.assignment, {("ann", "ben"): 0.9})
    for headers in ({}, HTMX):
        response = alice_client.post(address(report, "ann", "decide_case"), sent, headers=headers)
        assert response.status_code == 409
        assert "has other members now" in response.content.decode()
    assert not CaseDecision.objects.exists()


def test_htmx_gets_the_answer_and_the_history_of_a_case(alice_client: Client, report: Report) -> None:
    sent = {"state": "clear", "seen": 0, "decided_on": case_of(report, "ann").members_key}
    page = page_of(alice_client.post(address(report, "ann", "decide_case"), sent, headers=HTMX))
    assert page.text("[role=status]") == "Saved"
    assert page.has("#decision-history[hx-swap-oob=innerHTML] .history")
