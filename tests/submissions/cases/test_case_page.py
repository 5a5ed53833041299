"""The page of a case: what it shows, who sees it, and its document."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from hypothesis import given, strategies as st

from submissions.cases.case_list import TimedMember, cases
from submissions.cases.views import LABEL_PERCENT, TimelineMark, labelled
from submissions.models import Assignment, Decision, Report, Submission
from submissions.pages.rendered import RENDERED
from submissions.reports.exports import unlisted_confirmed_count
from submissions.reports.read import PairFilter, ranked_pairs
from submissions.shares.links import share_token
from tests.support.cases import SIMILARITIES, address, case_of, decide
from tests.support.html import get_page, page_of
from tests.support.reports import create_report
from tests.support.sample_class import CLASS, zipped
from tests.support.shares import shared_pair, shared_report
from tests.support.uploads import CountQueries, HandIn

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@pytest.fixture
def report(assignment: Assignment) -> Report:
    """Return a report with a case of Ann, Ben and Cal, and one of Eve and Fay."""
    return create_report(assignment, SIMILARITIES)


def test_the_page_has_the_members_and_the_similarities_with_links(
    alice_client: Client, report: Report
) -> None:
    page = get_page(alice_client, address(report, "ann"))
    assert page.text("h1") == "1 Case 1: 3 submissions"
    assert page.texts(".members tbody th") == ["ann", "ben", "cal"]
    assert page.rows(".matrix tbody tr") == [
        ["1 ann", "·", "90\u202f%", "20\u202f%"],
        ["2 ben", "90\u202f%", "·", "60\u202f%"],
        ["3 cal", "20\u202f%", "60\u202f%", "·"],
    ]
    ann, ben = (report.submissions.get(name=name).pk for name in ("ann", "ben"))
    assert reverse("pair", args=[report.assignment_id, ann, ben]) in page.values(".matrix a", "href")


def test_pairs_that_were_confirmed_with_their_case_do_not_lower_the_number_of_unlisted_ones(
    alice_client: Client, report: Report
) -> None:
    decide(alice_client, report, "ann", state="confirmed")
    assert unlisted_confirmed_count(report) == 0
    for left, right in (("ann", "ben"), ("ann", "old"), ("new", "old")):
        Decision.objects.create(assignment=report.assignment, left=left, right=right, state="confirmed")
    assert unlisted_confirmed_count(report) == 2
    assert "2 confirmed pairs are not in the current report" in get_page(
        alice_client, reverse("exports", args=[report.assignment_id])
    ).text("main")


def test_members_are_in_the_order_of_handing_in_with_the_first_named(
    alice_client: Client, report: Report
) -> None:
    for name, hours in (("cal", 0), ("ann", 3)):
        Submission.objects.filter(name=name).update(handed_in=NOON + timedelta(hours=hours))
    page = get_page(alice_client, address(report, "ann"))
    assert page.texts(".members tbody th") == ["cal", "ann", "ben"]
    first, second, third = page.texts(".members tbody td:last-child")
    assert first.endswith("first to hand in")
    assert second.endswith("3 h later")
    assert third == "time unknown"
    assert page.texts(".timeline title") == ["cal", "ann"]
    assert page.values(".timeline circle", "cx") == ["3.0%", "97.0%"]
    labels = ["1", "2", "2 Mar 2026, 12:00 UTC", "2 Mar 2026, 15:00 UTC"]
    assert page.texts(".timeline text") == labels


@given(st.lists(st.floats(0, 100), min_size=2, max_size=30).map(sorted))
def test_the_labels_of_the_timeline_number_every_member_once_and_none_covers_another(
    places: list[float],
) -> None:
    marks = labelled([TimelineMark(TimedMember(Submission(), None), place) for place in places])
    labels = [(mark.place, mark.label) for mark in marks if mark.label]
    assert all(other[0] - one[0] >= LABEL_PERCENT for one, other in pairwise(labels))
    spans = [tuple(map(int, label.split("-"))) for _place, label in labels]
    numbers = [number for span in spans for number in range(span[0], span[-1] + 1)]
    assert numbers == [*range(1, len(places) + 1)]


def test_the_page_says_for_which_pairs_the_decision_holds_and_these_alone_show_it(
    alice_client: Client, report: Report
) -> None:
    said = "It applies to every pair here from {} on that is not decided separately"
    assert said.format("50\u202f%") in get_page(alice_client, address(report, "ann")).text("main")
    tried = get_page(alice_client, address(report, "ann"), threshold="15")
    assert said.format("15\u202f%") in tried.text("main")
    decide(alice_client, report, "ann", state="confirmed")
    decided = get_page(alice_client, address(report, "ann"), threshold="15")
    assert said.format("50\u202f%") in decided.text("main")
    ann_and_cal = {"confirmed": [0.9, 0.6], "undecided": [0.7, 0.2]}
    similarities = {
        state: [pair.similarity for pair in ranked_pairs(report, PairFilter(decision=state))]
        for state in ann_and_cal
    }
    assert similarities == ann_and_cal


def test_any_member_leads_to_the_case_and_one_in_no_case_to_the_reason(
    alice_client: Client, assignment: Assignment
) -> None:
    report = create_report(assignment, SIMILARITIES | {("gil", "hal"): 0.1})
    for submission in report.submissions.filter(name__in=["ben", "cal"]):
        other = reverse("case", args=[assignment.pk, submission.pk])
        assert alice_client.get(other).headers["Location"] == address(report, "ann")
    alone = reverse("case", args=[assignment.pk, report.submissions.get(name="gil").pk])
    response = alice_client.get(alone)
    assert response.status_code == 404
    assert page_of(response).text("h1") == "In no case of the current report"
    assert alice_client.get(reverse("case", args=[assignment.pk, 10**6])).status_code == 404


def test_a_submission_that_was_uploaded_again_leads_to_the_case_of_the_newer_one(
    alice_client: Client, report: Report
) -> None:
    old = address(report, "eve")
    newer = create_report(report.assignment, {("eve", "fay"): 0.8})
    assert alice_client.get(old).headers["Location"] == address(newer, "eve")


def test_the_next_undecided_case_is_one_key_away(alice_client: Client, report: Report) -> None:
    first, second = address(report, "ann"), address(report, "eve")
    after = reverse("next_case", args=[report.assignment_id])
    assert alice_client.get(after).headers["Location"] == first
    page = get_page(alice_client, first)
    [next_address] = page.values("a.next[data-key=u]", "href")
    assert alice_client.get(next_address).headers["Location"] == second
    decide(alice_client, report, "ann", state="clear")
    decide(alice_client, report, "eve", state="clear")
    page = page_of(alice_client.get(after, follow=True))
    assert page.text(".notices") == "No undecided case is left."


def test_the_report_leads_to_its_first_case_and_then_to_the_next_undecided_one(
    alice_client: Client, report: Report
) -> None:
    listed = report.assignment.get_absolute_url()
    assert get_page(alice_client, listed).text("a[data-key=u]") == "Start with the first"
    decide(alice_client, report, "ann", state="clear")
    assert get_page(alice_client, listed).text("a[data-key=u]") == "Go on with the next"


def test_another_threshold_makes_other_cases(alice_client: Client, report: Report) -> None:
    page = get_page(alice_client, address(report, "ann"), threshold="80")
    assert page.texts(".members tbody th") == ["ann", "ben"]
    [action] = page.values("#decision-panel form", "action")
    assert action.endswith("decide/?threshold=80")


def test_a_case_of_another_threshold_is_exported_as_it_is_shown(alice_client: Client, report: Report) -> None:
    page = get_page(alice_client, address(report, "ann", "export_case"), threshold="80")
    [kept] = page.values("form.card input[name=threshold]", "value")
    options = {"names": "open", "decision": "on", "format": "html", "threshold": kept}
    document = page_of(alice_client.get(address(report, "ann", "export_case"), options))
    assert document.texts(".contents:first-of-type tbody tr td:first-child") == ["ann", "ben"]
    stated = "The pairs below, of 80\N{NARROW NO-BREAK SPACE}% and more, connect the members."
    assert stated in document.text("main")


def test_nobody_else_sees_or_decides_a_case(bob_client: Client, client: Client, report: Report) -> None:
    for page in ("case", "export_case"):
        assert bob_client.get(address(report, "ann", page)).status_code == 404
        assert client.get(address(report, "ann", page)).status_code == 302
    assert bob_client.post(address(report, "ann", "decide_case"), {"state": "clear"}).status_code == 404


def test_a_shared_case_has_made_up_names_no_times_and_no_decision(
    client: Client, alice_client: Client, alice: User, report: Report
) -> None:
    for name, hours in (("cal", 0), ("ann", 3)):
        Submission.objects.filter(name=name).update(handed_in=NOON + timedelta(hours=hours))
    decide(alice_client, report, "ann", state="confirmed", notes="Hear ann.")
    share = shared_report(report, alice, anonymous=True)
    shared = reverse("shared_case", args=[share_token(share), case_of(report, "ann").key])
    page = get_page(client, shared)
    assert not {"ann", "ben", "cal"} & {*page.texts(".members tbody th")}
    assert page.texts(".members tbody th") == sorted(page.texts(".members tbody th"))
    assert "Hear" not in page.html
    assert not page.has("form:not(.languages), .timeline, a[href^='/assignments/']")
    assert "no-store" in client.get(shared).headers["Cache-Control"]
    of_a_pair = shared_pair(report.pairs.all()[0], alice)
    assert (
        client.get(
            reverse("shared_case", args=[share_token(of_a_pair), case_of(report, "ann").key])
        ).status_code
        == 404
    )


def test_identical_copiers_are_one_case_and_its_document_prints_them_once(
    alice_client: Client, hand_in: HandIn
) -> None:
    same = {f"copier-{number:02}/main.py": CLASS["ada/main.py"] for number in range(12)}
    report = hand_in(zipped(same | {"cleo/main.py": CLASS["cleo/main.py"]})).assignment.reports.get()
    [case] = [case for case in cases(report) if "copier-00" in case.names]
    assert len(case.members) >= 12
    page = get_page(alice_client, reverse("case", args=[report.assignment_id, case.key]))
    assert "12 of them handed in the same files." in page.text(".lead")
    assert len(page.all(".opened pre")) == 2
    export = reverse("export_case", args=[report.assignment_id, case.key])
    assert get_page(alice_client, export).text("h1") == f"Export: case {case.number}"
    options = {"names": "open", "decision": "on", "format": "html"}
    document = page_of(alice_client.get(export, options))
    assert document.text("h1") == f"Case {case.number}"
    assert len(document.all("section.chapter")) == 1 + (len(case.members) > 12)
    assert len(document.all(".contents")[0].css("tbody tr")) == len(case.members)
    assert "12 of them handed in the same files, byte by byte." in document.text("main")
    pdf = alice_client.get(export, options | {"format": "pdf"})
    assert pdf.content.startswith(b"%PDF")
    student = report.submissions.get(name="copier-05")
    copy = page_of(alice_client.get(export, options | {"names": str(student.pk)}))
    assert "copier-05" in copy.text("main")
    assert not any(f"copier-{number:02}" in copy.html for number in range(12) if number != 5)


def test_a_page_of_a_case_takes_as_many_queries_for_many_members_as_for_few(
    alice_client: Client, report: Report, django_assert_num_queries: CountQueries
) -> None:
    RENDERED.clear()
    with django_assert_num_queries(29):
        get_page(alice_client, address_of(report))
    names = [f"copy-{n:02}" for n in range(40)]
    many = create_report(
        report.assignment, {(a, b): 0.9 for index, a in enumerate(names) for b in names[index + 1 :]}
    )
    with django_assert_num_queries(29):
        page = get_page(alice_client, address_of(many))
    assert len(page.all(".matrix tbody tr")) == 20
    assert "20 more are in the list above" in page.text("main")


def address_of(report: Report) -> str:
    lowest = min(report.pairs.values_list("left", flat=True))
    return reverse("case", args=[report.assignment_id, lowest])
