from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from django.db import connection
from django.urls import reverse

from submissions import queries
from submissions.actions.decisions import DecisionInput, decide
from submissions.models import Change, Decision, Pair, Report
from submissions.queries import PairNames
from tests.support.sample_class import CLASS, zipped
from tests.support.shares import best, pair_page

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.test import Client

    from submissions.models import Assignment
    from tests.support.uploads import HandIn


PAIR = PairNames("ada", "ben", 0, 0)


def address(pair: Pair) -> str:
    return reverse("decide", args=[pair.report.assignment_id, pair.left_id, pair.right_id])


def form(**changed: Any) -> dict[str, Any]:
    return {"state": "undecided", "assignee": "", "notes": "", "seen": 0} | changed


def changes(assignment: Assignment) -> list[tuple[str, str, str, str]]:
    made = Change.objects.filter(decision__assignment=assignment).order_by("pk")
    return list(made.values_list("who", "field", "before", "after"))


def test_a_pair_nobody_touched_is_undecided(assignment: Assignment) -> None:
    assert queries.decision(assignment, PAIR).state == "undecided"
    assert queries.decisions(assignment) == {}
    assert queries.history(queries.decision(assignment, PAIR)) == []


def test_every_change_is_kept_with_who_and_what(assignment: Assignment, alice: User, admin: User) -> None:
    decide(assignment, PAIR, alice, DecisionInput("suspicious", alice, "Hear both."))
    last = Change.objects.latest("pk").pk
    decide(assignment, PAIR, admin, DecisionInput("confirmed", alice, "", seen=last))
    assert changes(assignment) == [
        ("alice", "state", "Undecided", "Suspicious"),
        ("alice", "assignee", "", "alice"),
        ("alice", "notes", "", "Hear both."),
        ("admin", "state", "Suspicious", "Confirmed"),
        ("admin", "notes", "Hear both.", ""),
    ]
    assert queries.decisions(assignment)["ada", "ben"].state == "confirmed"


def test_what_is_saved_unchanged_makes_no_history(assignment: Assignment, alice: User) -> None:
    for _ in range(2):
        decide(assignment, PAIR, alice, DecisionInput("clear", None, "", seen=0))
    assert changes(assignment) == [("alice", "state", "Undecided", "Clear")]


def test_two_who_change_different_fields_both_have_their_way(
    assignment: Assignment, alice: User, admin: User
) -> None:
    decide(assignment, PAIR, alice, DecisionInput("confirmed", None, ""))
    outcome = decide(assignment, PAIR, admin, DecisionInput("undecided", admin, "", seen=0))
    assert (outcome.decision.state, outcome.decision.assignee) == ("confirmed", admin)
    assert [(change.who, change.field) for change in outcome.meanwhile] == [("alice", "state")]


def test_the_later_of_two_who_change_one_field_has_it(
    assignment: Assignment, alice: User, admin: User
) -> None:
    decide(assignment, PAIR, alice, DecisionInput("undecided", None, "It is one."))
    outcome = decide(assignment, PAIR, admin, DecisionInput("undecided", None, "It is none.", seen=0))
    assert outcome.decision.notes == "It is none."
    assert changes(assignment)[-1] == ("admin", "notes", "It is one.", "It is none.")
    assert outcome.meanwhile


def test_what_was_put_back_meanwhile_counts_as_seen_first(
    assignment: Assignment, alice: User, admin: User
) -> None:
    decide(assignment, PAIR, alice, DecisionInput("confirmed", None, ""))
    seen = Change.objects.latest("pk").pk
    decide(assignment, PAIR, alice, DecisionInput("clear", None, "", seen))
    decide(assignment, PAIR, alice, DecisionInput("suspicious", None, "", Change.objects.latest("pk").pk))
    outcome = decide(assignment, PAIR, admin, DecisionInput("confirmed", None, "x", seen))
    assert outcome.decision.state == "suspicious"


def test_notes_that_were_not_offered_are_left_alone(assignment: Assignment, alice: User) -> None:
    decide(assignment, PAIR, alice, DecisionInput("undecided", None, "kept"))
    decide(assignment, PAIR, alice, DecisionInput("clear", None, None))
    assert Decision.objects.get().notes == "kept"


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
    sent = form(state="confirmed", assignee=alice.pk, notes="Hear\r\nboth.")
    page = alice_client.post(address(pair), sent, follow=True).content.decode()
    assert "Saved." in page
    made = Decision.objects.get()
    assert (made.left, made.right) == (pair.left.name, pair.right.name)
    assert (made.state, made.assignee, made.notes) == ("confirmed", alice, "Hear\nboth.")
    assert 'value="confirmed" data-key="4" aria-keyshortcuts="4" checked' in page
    assert "alice set it from undecided to <strong>confirmed</strong>" in page


def test_htmx_gets_the_answer_and_the_history_alone(alice_client: Client, report: Report) -> None:
    answer = alice_client.post(address(best(report)), form(state="clear"), headers={"HX-Request": "true"})
    page = answer.content.decode()
    assert "Saved" in page
    assert "<form" not in page
    assert f'name="seen" value="{Change.objects.get().pk}"' in page
    assert 'hx-swap-oob="innerHTML"' in page


def test_htmx_gets_the_whole_form_where_somebody_else_changed_it(
    alice_client: Client, report: Report, admin: User
) -> None:
    pair = best(report)
    decide(
        report.assignment, PairNames.from_pair(pair), admin, DecisionInput("suspicious", admin, "Look again")
    )
    answer = alice_client.post(address(pair), form(state="clear"), headers={"HX-Request": "true"})
    assert answer["HX-Retarget"] == "#decision-panel"
    page = answer.content.decode()
    assert "Meanwhile admin wrote notes." in page
    assert "Look again</textarea>" in page
    assert Decision.objects.get().state == "clear"


def test_without_htmx_the_next_page_says_what_others_changed(
    alice_client: Client, report: Report, admin: User
) -> None:
    pair = best(report)
    decide(report.assignment, PairNames.from_pair(pair), admin, DecisionInput("suspicious", None, ""))
    page = alice_client.post(address(pair), form(notes="x"), follow=True).content.decode()
    assert "Meanwhile admin changed the state; see the history." in page


@pytest.mark.parametrize(
    ("sent", "says"),
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
    sent: dict[str, Any], says: str, alice_client: Client, report: Report
) -> None:
    for headers in ({}, {"HX-Request": "true"}):
        answer = alice_client.post(address(best(report)), form(**sent), headers=headers, follow=True)
        assert says in answer.content.decode()
    assert not Decision.objects.exists()


def test_a_pair_goes_to_the_owner_or_to_staff_alone(
    alice_client: Client, report: Report, alice: User, bob: User, admin: User
) -> None:
    pair = best(report)
    page = alice_client.get(pair_page(pair)).content.decode()
    assert f'<option value="{alice.pk}">' in page
    assert f'<option value="{admin.pk}">' in page
    assert f'<option value="{bob.pk}">' not in page
    alice_client.post(address(pair), form(assignee=bob.pk))
    assert not Decision.objects.exists()


def test_who_has_a_pair_keeps_it_when_the_account_is_closed(
    alice_client: Client, report: Report, admin: User
) -> None:
    pair = best(report)
    decide(report.assignment, PairNames.from_pair(pair), admin, DecisionInput("undecided", admin, ""))
    admin.is_active = False
    admin.save()
    seen = Change.objects.latest("pk").pk
    alice_client.post(address(pair), form(state="clear", assignee=admin.pk, seen=seen))
    assert Decision.objects.get().assignee == admin
    assert Decision.objects.get().state == "clear"


def test_charlie_decides_nothing_of_alices(charlie_client: Client, report: Report) -> None:
    assert charlie_client.post(address(best(report)), form(state="clear")).status_code == 404
    assert not Decision.objects.exists()


def test_pairs_of_two_assignments_or_of_one_submission_are_none(
    alice_client: Client, report: Report, assignment: Assignment
) -> None:
    pair = best(report)
    for sides in ((pair.left_id, pair.left_id), (pair.left_id, 10**9)):
        place = reverse("decide", args=[assignment.pk, *sides])
        assert alice_client.post(place, form(state="clear")).status_code == 404


def test_the_sides_in_the_other_order_are_the_same_pair(alice_client: Client, report: Report) -> None:
    pair = best(report)
    turned = reverse("decide", args=[report.assignment_id, pair.right_id, pair.left_id])
    alice_client.post(turned, form(state="clear"))
    made = Decision.objects.get()
    assert (made.left, made.right) == (pair.left.name, pair.right.name)


def test_decisions_outlive_rankings_and_later_uploads(
    alice_client: Client, report: Report, hand_in: HandIn
) -> None:
    before = best(report)
    alice_client.post(address(before), form(state="confirmed"))
    hand_in(zipped({"ada/main.py": CLASS["ada/main.py"] + "\nprint(1)\n"}, "again.zip"))
    newest = Report.objects.filter(state=Report.State.DONE)[0]
    assert newest.pk != report.pk
    again = best(newest)
    assert again.left_id != before.left_id
    page = alice_client.get(pair_page(again)).content.decode()
    assert 'value="confirmed" data-key="4" aria-keyshortcuts="4" checked' in page


def test_notes_that_name_somebody_are_covered_and_kept_under_made_up_names(
    alice_client: Client, report: Report
) -> None:
    pair = best(report)
    alice_client.post(address(pair), form(notes="Ada wrote it, says Ben."))
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    page = alice_client.get(pair_page(pair)).content.decode()
    assert "wrote it, says" in page
    assert "Ada" not in page
    assert "<textarea" not in page
    sent = form(state="clear", seen=Change.objects.latest("pk").pk)
    del sent["notes"]
    alice_client.post(address(pair), sent)
    assert Decision.objects.get().notes == "Ada wrote it, says Ben."
