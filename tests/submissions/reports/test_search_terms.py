"""Terms in the search of pairs, which all must hold, and what exports say of pairs that follow a case."""

import csv
from collections.abc import Iterable
from typing import cast

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from submissions.cases.change import CaseNames, DecisionInput, decide, decide_case
from submissions.cases.read import PairNames
from submissions.models import Assignment, Change, Report
from tests.support.html import get_page
from tests.support.reports import create_report
from tests.support.shares import shared_pairs, shared_report

PAIRS = {("ada", "ben"): 0.9, ("ben", "cleo"): 0.7, ("dora", "emil"): 0.65, ("ada", "emil"): 0.2}


@pytest.fixture
def report(assignment: Assignment, alice: User) -> Report:
    """Return a report of two cases; the first is confirmed and Alice's, with notes, and one pair is clear."""
    report = create_report(assignment, PAIRS)
    names = CaseNames(["ada", "ben", "cleo"], ["dora", "emil"], 0.5)
    decide_case(assignment, names, alice, DecisionInput("confirmed", alice, "Talk to all three."))
    decide(assignment, names_of(report, "dora", "emil"), alice, DecisionInput("clear", None, ""))
    return report


def names_of(report: Report, left: str, right: str) -> PairNames:
    pk = dict(report.submissions.values_list("name", "pk"))
    return PairNames(left, right, pk[left], pk[right])


def pairs_of(client: Client, report: Report, text: str = "", **query: str) -> set[str]:
    """Return the pairs that a search finds in the list and, the same ones, in the exported table."""
    page = get_page(client, reverse("pairs", args=[report.assignment_id]), q=text, **query)
    sides = page.texts("tr.pair .left"), page.texts("tr.pair .right")
    listed = {" ".join(both) for both in zip(*sides, strict=True)}
    response = client.get(reverse("table", args=[report.assignment_id, "pairs", "csv"]), {"q": text, **query})
    rows = csv.DictReader(b"".join(cast("Iterable[bytes]", response)).decode().splitlines())
    assert listed == {f"{row['left']} {row['right']}" for row in rows}
    return listed


def test_each_term_of_a_search_must_hold(alice_client: Client, report: Report) -> None:
    expected: dict[str, set[str]] = {
        "similarity>69": {"ada ben", "ben cleo"},
        "similarity<70": {"dora emil", "ada emil"},
        "similarity>=70 similarity<=70%": {"ben cleo"},
        "case:1": {"ada ben", "ben cleo"},
        "case:2": {"dora emil"},
        "case:1 cleo": {"ben cleo"},
        "decided:no": {"ada emil"},
        "decided:yes": {"ada ben", "ben cleo", "dora emil"},
        "decided:clear": {"dora emil"},
        "assignee:ALICE": {"ada ben", "ben cleo"},
        "assignee:bob": set(),
        "case:1 decided:no": set(),
        "case:9": set(),
        "case:x": set(),
        "similarity>lots": set(),
        "decided:perhaps": set(),
        "similarity>" + "9" * 30: set(),
    }
    assert {text: pairs_of(alice_client, report, text) for text in expected} == expected


def test_a_filter_says_which_words_it_does_not_know(alice_client: Client, report: Report) -> None:
    """On each tab with a search: words of no name, and terms with an impossible value."""
    expected = {
        "cleo zeta": "zeta",
        "similarty>60 ada": "similarty>60",
        "similarity>lots decided:perhaps case:x": "similarity>lots, decided:perhaps, case:x",
        "<b>zeta": "<b>zeta",
        "decided:suspicious case:9": "",
    }
    for name in ("pairs", "assignment"):
        address = reverse(name, args=[report.assignment_id])
        for text, unknown in expected.items():
            said = [line for line in get_page(alice_client, address, q=text).texts(".empty p") if "known" in line]
            assert said == ([f"Not known: {unknown}"] if unknown else []), (name, text)
    students = reverse("students", args=[report.assignment_id])
    assert "Not known: zeta" in get_page(alice_client, students, q="zeta").texts(".empty p")


def test_the_filter_lists_assignees(alice_client: Client, report: Report, alice: User, bob: User) -> None:
    address = reverse("pairs", args=[report.assignment_id])
    assert get_page(alice_client, address).texts("#id_assignee option") == ["Any", "alice"]
    assert pairs_of(alice_client, report, assignee="alice") == {"ada ben", "ben cleo"}
    assert pairs_of(alice_client, report, "cleo", assignee="alice") == {"ben cleo"}
    pair = names_of(report, "ada", "emil")
    decide(report.assignment, pair, alice, DecisionInput("undecided", bob, ""))
    assert pairs_of(alice_client, report, assignee="bob") == {"ada emil"}
    page = get_page(alice_client, address, assignee="bob")
    assert page.texts("#id_assignee option") == ["Any", "alice", "bob"]
    assert page.text("#id_assignee option[selected]") == "bob"
    seen = Change.objects.latest("pk").pk
    decide(report.assignment, pair, alice, DecisionInput("undecided", None, "", seen))
    assert pairs_of(alice_client, report, assignee="bob") == set()
    assert get_page(alice_client, address).texts("#id_assignee option") == ["Any", "alice"]


def test_a_share_link_names_nobody_who_is_assigned(client: Client, report: Report, alice: User) -> None:
    address = shared_pairs(shared_report(report, alice))
    assert get_page(client, address).has("#filter")
    assert not get_page(client, address).has("#id_assignee")
    assert client.get(address, {"assignee": "alice"}).status_code == 404


def test_a_decision_changes_at_once_what_is_found(alice_client: Client, report: Report, alice: User) -> None:
    assert pairs_of(alice_client, report, "decided:no") == {"ada emil"}
    pair = names_of(report, "ada", "emil")
    decide(report.assignment, pair, alice, DecisionInput("suspicious", alice, ""))
    assert pairs_of(alice_client, report, "decided:no") == set()
    assert pairs_of(alice_client, report, "assignee:alice similarity<30") == {"ada emil"}


def test_the_list_of_cases_has_the_case_of_the_number(alice_client: Client, report: Report) -> None:
    page = get_page(alice_client, reverse("assignment", args=[report.assignment_id]), q="case:2")
    assert [text for text in page.texts("table.cases .members") if "dora" in text and "emil" in text]
    assert not any("ada" in text for text in page.texts("table.cases .members"))


def test_a_pair_is_exported_with_the_assignee_of_its_case(alice_client: Client, report: Report) -> None:
    response = alice_client.get(reverse("table", args=[report.assignment_id, "pairs", "csv"]))
    rows = {
        (row["left"], row["right"]): (row["decision"], row["assignee"], row["notes"])
        for row in csv.DictReader(b"".join(cast("Iterable[bytes]", response)).decode().splitlines())
    }
    assert rows["ada", "ben"] == rows["ben", "cleo"] == ("confirmed", "alice", "Talk to all three.")
    assert rows["dora", "emil"] == ("clear", "", "")
    assert rows["ada", "emil"] == ("undecided", "", "")
