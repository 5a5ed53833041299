import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse

from bench.load_readers import DECIDE, DECISION_FIELD
from submissions.cases.change import DecisionInput, decide
from submissions.cases.read import PairNames, decision_history, find_decision, stored_decisions
from submissions.models import Assignment, Change, Decision, Membership, Pair, Report
from tests.support.html import get_page, page_of
from tests.support.sample_class import CLASS, zipped
from tests.support.shares import best, decided_on, pair_page
from tests.support.uploads import HandIn

PAIR = PairNames("ada", "ben", 0, 0)
HTMX = {"HX-Request": "true"}
CONFIRMED = 'input[name=state][value=confirmed][data-key="4"][aria-keyshortcuts="4"]'


def address(pair: Pair) -> str:
    return reverse("decide", args=[pair.report.assignment_id, pair.left_id, pair.right_id])


def fields(pair: Pair, **changed: Any) -> dict[str, Any]:
    unchanged = {"state": "undecided", "assignee": "", "notes": "", "seen": 0}
    return unchanged | {"decided_on": decided_on(pair)} | changed


def changes(assignment: Assignment) -> list[tuple[str, str, str, str]]:
    rows = Change.objects.filter(decision__assignment=assignment).order_by("pk")
    return list(rows.values_list("who", "field", "before", "after"))


def test_a_visitor_without_scripts_sends_what_the_page_shows(hand_in: HandIn, alice_client: Client) -> None:
    """`bench.load` decides so, and counts what is refused."""
    pair = best(hand_in(zipped(CLASS)).assignment.reports.get())
    page = alice_client.get(pair_page(pair)).content.decode()
    [form], hidden = DECIDE.findall(page), dict(DECISION_FIELD.findall(page))
    assert hidden.keys() == {"decided_on", "seen"}
    assert alice_client.post(form, {**hidden, "state": "clear", "notes": ""}).status_code == 302
    assert Decision.objects.get().state == "clear"


def test_every_change_is_kept_with_who_and_what(assignment: Assignment, alice: User, admin: User) -> None:
    assert find_decision(assignment, PAIR).state == "undecided"
    assert stored_decisions(assignment) == {}
    assert decision_history(find_decision(assignment, PAIR)) == []
    decide(assignment, PAIR, alice, DecisionInput("suspicious", alice, "Hear both."))
    last = Change.objects.latest("pk").pk
    for _ in range(2):  # Saving without changes adds nothing.
        decide(assignment, PAIR, admin, DecisionInput("confirmed", alice, "", seen=last))
    assert changes(assignment) == [
        ("alice", "state", "Undecided", "Suspicious"),
        ("alice", "assignee", "", "alice"),
        ("alice", "notes", "", "Hear both."),
        ("admin", "state", "Suspicious", "Confirmed"),
        ("admin", "notes", "Hear both.", ""),
    ]
    assert stored_decisions(assignment)["ada", "ben"].state == "confirmed"


def test_changes_of_different_fields_are_both_saved_and_of_one_field_the_later_one(
    assignment: Assignment, alice: User, admin: User
) -> None:
    decide(assignment, PAIR, alice, DecisionInput("confirmed", None, "It is one."))
    outcome = decide(assignment, PAIR, admin, DecisionInput("undecided", admin, "It is none.", seen=0))
    assert (outcome.decision.state, outcome.decision.assignee) == ("confirmed", admin)
    assert outcome.decision.notes == "It is none."
    assert [change for change in changes(assignment) if change[1] != "assignee"] == [
        ("alice", "state", "Undecided", "Confirmed"),
        ("alice", "notes", "", "It is one."),
        ("admin", "notes", "It is one.", "It is none."),
    ]
    assert [(change.who, change.field) for change in outcome.meanwhile] == [
        ("alice", "state"),
        ("alice", "notes"),
    ]
    decide(assignment, PAIR, alice, DecisionInput("clear", None, None))
    assert Decision.objects.get().notes == "It is none."


def test_what_was_put_back_counts_as_seen_first(assignment: Assignment, alice: User, admin: User) -> None:
    decide(assignment, PAIR, alice, DecisionInput("confirmed", None, ""))
    seen = Change.objects.latest("pk").pk
    decide(assignment, PAIR, alice, DecisionInput("clear", None, "", seen))
    decide(assignment, PAIR, alice, DecisionInput("suspicious", None, "", Change.objects.latest("pk").pk))
    outcome = decide(assignment, PAIR, admin, DecisionInput("confirmed", None, "x", seen))
    assert outcome.decision.state == "suspicious"


def test_many_at_once_lose_nothing(transactional_db: None, alice: User) -> None:
    assignment = alice.courses.create(name="Programming 1").assignments.create(name="Statistics")

    def write(number: int) -> None:
        try:
            decide(assignment, PAIR, alice, DecisionInput("clear", None, f"note {number}"))
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as writers:
        list(writers.map(write, range(8)))
    notes = [(before, after) for _, name, before, after in changes(assignment) if name == "notes"]
    assert len(notes) == 8
    assert [after for _, after in notes][:-1] == [before for before, _ in notes][1:]
    assert Decision.objects.get().notes == notes[-1][1]


def test_alice_decides_a_pair_on_its_page(alice_client: Client, report: Report, alice: User) -> None:
    pair = best(report)
    sent = fields(pair, state="confirmed", assignee=alice.pk, notes="Hear\r\nboth.")
    page = page_of(alice_client.post(address(pair), sent, follow=True))
    assert page.text(".notices") == "Saved."
    decision = Decision.objects.get()
    assert (decision.left, decision.right) == (pair.left.name, pair.right.name)
    assert (decision.state, decision.assignee, decision.notes) == ("confirmed", alice, "Hear\nboth.")
    assert page.has(f"{CONFIRMED}[checked]")
    assert len(page.all("input[name=state][checked]")) == 1
    history = page.texts("#decision-history li")
    assert any("alice set it from undecided to confirmed." in change for change in history)
    assert "confirmed" in page.texts("#decision-history li > strong")


def test_htmx_gets_the_answer_and_the_history_alone(alice_client: Client, report: Report) -> None:
    response = alice_client.post(address(best(report)), fields(best(report), state="clear"), headers=HTMX)
    page = page_of(response)
    assert page.text("[role=status]") == "Saved"
    assert not page.has("form, h1")
    assert page.values("#decision-answer input[name=seen]", "value") == [str(Change.objects.get().pk)]
    assert page.has("#decision-history[hx-swap-oob=innerHTML] .history")


def test_the_answer_says_what_others_changed(alice_client: Client, report: Report, admin: User) -> None:
    pair, changed = best(report), DecisionInput("suspicious", admin, "Look again")
    decide(report.assignment, PairNames.from_pair(pair), admin, changed)
    page = page_of(alice_client.post(address(pair), fields(pair, assignee=""), follow=True))
    assert "Meanwhile admin changed the state" in page.text(".notices")
    response = alice_client.post(address(pair), fields(pair, state="clear"), headers=HTMX)
    assert response["HX-Retarget"] == "#decision-panel"
    page = page_of(response)
    assert any("Meanwhile admin wrote notes." in text for text in page.texts(".meanwhile[role=alert]"))
    assert page.text("#decision-panel form textarea[name=notes]") == "Look again"
    assert Decision.objects.get().state == "clear"


@pytest.mark.long
@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        ({"state": "guilty"}, "guilty is not one of the available choices"),
        ({"assignee": 10**9}, "valid choice"),
        ({"notes": "x" * 10_001}, "at most 10000 characters"),
        ({"notes": "\0"}, "Null characters are not allowed"),
        ({"seen": "now"}, "whole number"),
        ({"seen": 2**80}, "less than or equal"),
    ],
)
def test_what_cannot_be_saved_is_refused_with_the_reason(
    sent: dict[str, Any], reason: str, alice_client: Client, report: Report
) -> None:
    for headers, error in (({}, ".notices .notice"), (HTMX, "#decision-answer .error[role=alert]")):
        response = alice_client.post(address(best(report)), fields(best(report), **sent), headers=headers, follow=True)
        assert reason in page_of(response).text(error)
    assert not Decision.objects.exists()


def test_a_pair_can_be_assigned_to_those_who_may_decide_alone(
    alice_client: Client, report: Report, bob: User, charlie: User, admin: User
) -> None:
    pair = best(report)
    course = report.assignment.course
    Membership.objects.create(course=course, user=charlie, role=Membership.Role.ASSISTANT)
    Membership.objects.create(course=course, user=bob, role=Membership.Role.OBSERVER)
    choices = get_page(alice_client, pair_page(pair)).values("select[name=assignee] option", "value")
    assert {str(course.owner_id), str(charlie.pk)} <= {*choices}
    assert not {str(bob.pk), str(admin.pk)} & {*choices}
    alice_client.post(address(pair), fields(pair, assignee=bob.pk))
    assert not Decision.objects.exists()


def test_an_assignee_stays_when_the_account_closes(alice_client: Client, report: Report, admin: User) -> None:
    pair = best(report)
    decide(report.assignment, PairNames.from_pair(pair), admin, DecisionInput("undecided", admin, ""))
    admin.is_active = False
    admin.save()
    seen = Change.objects.latest("pk").pk
    alice_client.post(address(pair), fields(pair, state="clear", assignee=admin.pk, seen=seen))
    assert Decision.objects.get().assignee == admin
    assert Decision.objects.get().state == "clear"


def test_sides_in_the_other_order_are_the_pair_and_others_404(alice_client: Client, report: Report) -> None:
    pair = best(report)
    for sides, status in (
        ((pair.left_id, pair.left_id), 404),
        ((pair.left_id, 10**9), 404),
        ((pair.right_id, pair.left_id), 302),
    ):
        place = reverse("decide", args=[report.assignment_id, *sides])
        assert alice_client.post(place, fields(pair, state="clear")).status_code == status
    decision = Decision.objects.get()
    assert (decision.left, decision.right) == (pair.left.name, pair.right.name)


def test_notes_that_name_somebody_are_covered_and_kept(alice_client: Client, report: Report) -> None:
    pair = best(report)
    alice_client.post(address(pair), fields(pair, notes="Ada wrote it, says Ben."))
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    page = page_of(alice_client.get(pair_page(pair), follow=True))
    assert "wrote it, says" in page.texts("details.notes .note p")[0]
    # A token may have the letters of a name in it, but no name as a word.
    assert not re.search(r"\bAda\b", page.html)
    assert not page.has("textarea")
    sent = fields(pair, state="clear", seen=Change.objects.latest("pk").pk)
    del sent["notes"]
    alice_client.post(address(pair), sent)
    assert Decision.objects.get().notes == "Ada wrote it, says Ben."


def test_a_decision_that_was_made_on_another_pair_is_refused(alice_client: Client, report: Report) -> None:
    first, second = report.pairs.all()[:2]
    for sent in (fields(second, state="confirmed"), fields(first, state="confirmed", decided_on="")):
        for headers in ({}, HTMX):
            response = alice_client.post(address(first), sent, headers=headers)
            assert response.status_code == 409
            assert "nothing was saved. Reload the page" in response.content.decode()
    assert not Decision.objects.exists()
    page = page_of(alice_client.post(address(first), fields(second, state="confirmed")))
    assert page.values("main a", "href") == [pair_page(first)]


@pytest.mark.long
def test_decisions_outlive_new_rankings(alice_client: Client, report: Report, hand_in: HandIn) -> None:
    before = best(report)
    alice_client.post(address(before), fields(before, state="confirmed"))
    hand_in(zipped({"ada/main.py": CLASS["ada/main.py"] + "\nprint(1)\n"}, "again.zip"))
    newest = Report.objects.filter(state=Report.State.DONE)[0]
    assert newest.pk != report.pk
    again = best(newest)
    assert again.left_id != before.left_id
    assert get_page(alice_client, pair_page(again)).has(f"{CONFIRMED}[checked]")
