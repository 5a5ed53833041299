"""The threshold that somebody chose for an assignment holds on every page, in every export and in the API."""

import json
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from submissions.cases.case_list import cases
from submissions.courses.read import course_overview
from submissions.models import Assignment, AuditEntry, Membership, Report
from submissions.pairs.read import suggested_threshold
from submissions.reports.read import assignments_of_student
from submissions.reports.results import LEAST_MOVE
from submissions.uploads.change import rerank
from tests.support.api import api_client, send
from tests.support.cases import SIMILARITIES, address, decide
from tests.support.html import get_page, page_of
from tests.support.programs import program
from tests.support.reports import create_report
from tests.support.sample_class import zipped
from tests.support.tabs import tab
from tests.support.uploads import Committing, HandIn


@pytest.fixture
def report(assignment: Assignment) -> Report:
    """Return a report that suggests 50 %, at which Ann, Ben and Cal are a case, and Eve and Fay another."""
    return create_report(assignment, SIMILARITIES)


def choose(client: Client, report: Report, percent: int | str, where: str = "cases") -> Any:
    """Choose a threshold on a tab; "" goes back to the suggested one."""
    place = reverse("choose_threshold", args=[report.assignment_id])
    answer = client.post(place, {"percent": percent, "tab": where})
    report.assignment.refresh_from_db()
    return answer


def members(report: Report) -> list[list[str]]:
    return [case.names for case in cases(report)]


def test_at_a_chosen_threshold_the_report_has_other_cases(alice_client: Client, report: Report) -> None:
    assert members(report) == [["ann", "ben", "cal"], ["eve", "fay"]]
    choose(alice_client, report, 65)
    assert members(report) == [["ann", "ben"], ["eve", "fay"]]
    choose(alice_client, report, 80)
    assert members(report) == [["ann", "ben"]]
    choose(alice_client, report, "")
    assert members(report) == [["ann", "ben", "cal"], ["eve", "fay"]]
    assert (report.assignment.threshold_by, report.assignment.threshold_chosen) == (None, None)


@pytest.mark.long
@pytest.mark.parametrize(("where", "name"), [("cases", "assignment"), ("pairs", "pairs")])
def test_the_page_offers_the_threshold_that_is_tried_and_says_who_chose_it(
    alice_client: Client, report: Report, where: str, name: str
) -> None:
    place = tab(report.assignment, name)
    assert not get_page(alice_client, place).texts(".chosen-threshold")
    offered = get_page(alice_client, place, threshold="80")
    assert offered.texts(".chosen-threshold") == [
        "Other pages and documents use 50\u202f%. Use 80\u202f% for this assignment"
    ]
    assert offered.values(".chosen-threshold button", "value") == ["80"]
    answer = choose(alice_client, report, 80, where)
    assert answer.url == place
    (stated,) = get_page(alice_client, place).texts(".chosen-threshold")
    assert stated.startswith("alice chose 80\u202f% on ")
    assert stated.endswith("50\u202f% is suggested. Back to the suggested 50\u202f%")
    assert not get_page(alice_client, place, threshold="80").texts(".chosen-threshold")


def test_all_counts_follow_the_chosen_threshold(alice_client: Client, alice: User, report: Report) -> None:
    choose(alice_client, report, 80)
    page = get_page(alice_client, tab(report.assignment, "assignment"))
    assert page.text("#report-heading") == "1 pair to read"
    assert page.text("#cases-heading").startswith("1 case among")
    assert "1 pair reaches" in get_page(alice_client, tab(report.assignment, "pairs")).text("#headline")
    (row,) = course_overview(report.assignment.course, alice).assignments
    assert (row.cases, row.undecided) == (1, 1)
    table = alice_client.get(reverse("table", args=[report.assignment_id, "pairs", "json"]))
    exported = json.loads(b"".join(table.streaming_content))  # type: ignore[attr-defined]
    assert [row["case"] for row in exported["pairs"]] == [1, None, None, None]
    client = api_client(alice)
    answer = send(client, "GET", f"/assignments/{report.assignment_id}/report").json()
    stated = {"value": 0.8, "reason": "chosen", "suggested": 0.5, "suggested_before": None, "others": None}
    stated |= {"look": 0.8, "stands_out": 0.8}
    assert (answer["threshold"], answer["cases"], answer["above"]) == (stated, 1, 1)
    assert len(send(client, "GET", f"/assignments/{report.assignment_id}/cases").json()["items"]) == 1
    create_report(report.assignment.course.assignments.create(name="other"), {("eve", "fay"): 0.7})
    rows = assignments_of_student(report.assignment, submission_of(report, "eve"), alice)
    marked = {row.assignment.name: row.at_threshold for row in rows}
    assert marked == {report.assignment.name: False, "other": True}


def submission_of(report: Report, name: str) -> Any:
    return report.submissions.get(name=name)


def test_documents_print_the_threshold_that_they_were_asked_at(alice_client: Client, report: Report) -> None:
    choose(alice_client, report, 80)
    decide(alice_client, report, "ann", state="confirmed")
    document = {"format": "html", "names": "open", "decision": "on"}
    printed = page_of(alice_client.get(address(report, "ann", "export_case"), document))
    assert "The pairs below, of at least 80\u202f%, link the members." in printed.text("body")
    assert "alice chose 80\u202f% on" in printed.text("section.end")
    case = get_page(alice_client, address(report, "ann"), threshold="55")
    (link,) = [href for href in case.values("a", "href") if "/export/" in href]
    form = get_page(alice_client, link)
    names, values = (form.values("form input[type=hidden]", one) for one in ("name", "value"))
    sent = dict(zip(names, values, strict=True)) | {"format": "html", "names": "open"}
    printed = page_of(alice_client.get(link.partition("?")[0], sent))
    assert "of at least 55\u202f%" in printed.text("body")
    assert "cal" in printed.text("body")


def test_the_api_chooses_and_the_log_has_who_did(alice: User, alice_client: Client, report: Report) -> None:
    client, path = api_client(alice), f"/assignments/{report.assignment_id}"
    assert send(client, "PATCH", path, {"threshold": 80}).json()["threshold"] == 80
    assert send(client, "GET", path).json()["threshold"] == 80
    assert send(client, "PATCH", path, {"term": "2026"}).json()["threshold"] == 80
    assert send(client, "PATCH", path, {"threshold": 101}).status_code == 422
    assert send(client, "PATCH", path, {"threshold": None}).json()["threshold"] is None
    choose(alice_client, report, 80)
    entry = AuditEntry.objects.get(page="choose_threshold")
    assert (entry.who, entry.action) == ("alice", "course")
    assert "threshold: 0.8" in entry.subject


@pytest.mark.parametrize("percent", ["0", "101", "many", "-5", "1e2"])
def test_no_other_value_is_a_threshold(alice_client: Client, report: Report, percent: str) -> None:
    assert choose(alice_client, report, percent).status_code == 400
    assert report.assignment.threshold is None


def test_who_may_only_read_is_not_offered_to_choose(bob_client: Client, bob: User, report: Report) -> None:
    Membership.objects.create(course=report.assignment.course, user=bob, role="observer")
    page = get_page(bob_client, tab(report.assignment, "assignment"), threshold="80")
    assert not page.texts(".chosen-threshold")
    assert choose(bob_client, report, 80).status_code in {403, 404}


def test_at_another_threshold_than_the_suggested_one_stored_cases_of_all_pairs_are_not_used(
    alice_client: Client, report: Report
) -> None:
    assert report.findings is not None
    ids = [
        sorted(submission_of(report, name).pk for name in names) for names in (("ann", "ben", "cal"), ("eve", "fay"))
    ]
    report.findings = report.findings.model_copy(update={"cases": ids, "above": 3})
    report.save()
    choose(alice_client, report, 80)
    page = get_page(alice_client, reverse("submission", args=[report.assignment_id, submission_of(report, "cal").pk]))
    assert not page.has("a[href*='/cases/']")
    assert "The threshold is 80\u202f%." in page.text("main")
    assert "1 pair reaches" in get_page(alice_client, tab(report.assignment, "pairs")).text("#headline")


def test_a_suggestion_that_moves_says_what_was_changed_until_the_next_ranking(
    alice: User, alice_client: Client, assignment: Assignment, hand_in: HandIn, committing: Committing
) -> None:
    random = Random("moving")
    programs = {f"s{number:02}/main.py": program(random) for number in range(16)}
    place = tab(assignment, "assignment")
    hand_in(zipped(dict(list(programs.items())[:5])))
    before = suggested_threshold(assignment.reports.get())
    assert "The ranking before" not in get_page(alice_client, place).text()
    hand_in(zipped(programs | {"s00/main.py": programs["s15/main.py"]}))
    now = suggested_threshold(assignment.reports.get())
    assert abs(now - before) > LEAST_MOVE
    assert (
        f"The ranking before suggested {before:.0%}. Changed since: 11 submissions added, 5 handed in again."
        in get_page(alice_client, place).text().replace("\u202f", "")
    )
    answer = send(api_client(alice), "GET", f"/assignments/{assignment.pk}/report").json()
    assert answer["threshold"]["suggested_before"] == before
    with committing(execute=True):
        rerank(assignment)
    assert "The ranking before" not in get_page(alice_client, place).text()
