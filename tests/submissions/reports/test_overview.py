"""The list of pairs: searched, filtered, sorted, and walked through, in few queries."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.http import QueryDict
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from submissions.core.names import Names, anonymous_names
from submissions.core.rights import Right, courses_with
from submissions.courses.read import listed_assignments
from submissions.intake.sentences import KEPT_FILE
from submissions.models import (
    Assignment,
    Batch,
    Course,
    Decision,
    Document,
    Pair,
    Report,
    Submission,
    Visit,
)
from submissions.pairs.read import find_pair, ignored_tokens, pair_files
from submissions.reports.address import Address, ReportPage
from submissions.reports.page import ReportRow, findings_context, report_rows, steady_context, tab_context
from submissions.reports.read import SORT_FIELDS, PairFilter, effective_threshold, ranked_pairs, report_state
from submissions.uploads.read import batch_submissions, uncompared_files
from tests.support.html import Page, get_page, page_of
from tests.support.reports import findings_of
from tests.support.sample_class import CLASS, COPIED, RENAMED, zipped
from tests.support.shares import link_to, shared_report
from tests.support.tabs import HTMX, WHOLE_PAGE, tab
from tests.support.uploads import MANY, CountQueries, HandIn


def decide(assignment: Assignment, left: str, right: str, state: str) -> None:
    Decision.objects.create(assignment=assignment, left=left, right=right, state=state)


def pairs_context(query: dict[str, str], assignment: Assignment, names: Names | None = None) -> dict[str, Any]:
    return findings_context(report_page(query, assignment, names), "pairs")


def report_page(query: dict[str, str], assignment: Assignment, names: Names | None = None) -> ReportPage:
    address, state = Address("", QueryDict(urlencode(query))), report_state(assignment)
    return ReportPage.at(address, assignment, names or Names(), state)


def listed_rows(assignment: Assignment, names: Names | None = None, **query: str) -> list[ReportRow]:
    pairs = pairs_context(query, assignment, names)["page"].object_list
    return report_rows(report_page(query, assignment, names), pairs)


def listed(assignment: Assignment, names: Names | None = None, **query: str) -> list[tuple[str, str]]:
    return [(row.pair.left.name, row.pair.right.name) for row in listed_rows(assignment, names, **query)]


def flags(assignment: Assignment) -> dict[tuple[str, str], list[tuple[str, bool, bool]]]:
    rows = listed_rows(assignment)
    return {(row.pair.left.name, row.pair.right.name): [flag[:3] for flag in row.flags] for row in rows}


def headline(client: Client, assignment: Assignment, **query: str) -> str:
    return get_page(client, tab(assignment, "pairs"), **query).text("#headline")


def displayed_pairs(page: Page) -> list[tuple[str, str]]:
    return list(zip(page.texts("tr.pair th.left a"), page.texts("tr.pair td.right a"), strict=True))


def set_similarities(report: Report, *similarities: float) -> None:
    """Set the similarities of a report's pairs, first to last, and a threshold of 50 %."""
    for pair, similarity in zip(report.pairs.all(), similarities, strict=True):
        Pair.objects.filter(pk=pair.pk).update(similarity=similarity)
    report.parameters["threshold"]["value"] = 0.5
    report.findings = findings_of(report).model_copy(update={"above": None, "cases": None})
    report.save()


@pytest.mark.parametrize("hidden", [False, True])
def test_the_first_pairs_to_read_show_where_their_passages_lie(
    alice_client: Client, report: Report, *, hidden: bool
) -> None:
    set_similarities(report, 0.9, 0.6, 0.1)
    alice_client.post(reverse("switch_names"), {"names": "made-up" if hidden else "open"})
    page = get_page(alice_client, tab(report.assignment, "assignment"))
    assert page.text("#report-heading") == "2 pairs to read"
    kinds = "1 identical except names, 1 similar in parts. 0 of 3 submissions are in none of them."
    assert page.text(".kinds") == kinds
    assert page.texts(".to-read a strong") == ["90\u202f%", "60\u202f%"]
    sides = [re.findall(r"\d+", link) for link in page.values(".to-read a", "href")]
    for element, pair, link in zip(page.all(".to-read li"), report.pairs.all()[:2], sides, strict=True):
        shown = [Submission.objects.get(pk=int(pk)) for pk in link[-2:]]
        assert {one.pk for one in shown} == {pair.left_id, pair.right_id}
        for submission, drawing in zip(shown, element.css("svg"), strict=True):
            side = "left" if submission.pk == pair.left_id else "right"
            tokens = sum(file.document.token_count for file in submission.files.all())
            first = min(getattr(one, f"{side}_token") for one in pair.passages if not one.common)
            [x, *_] = [str(drawn.attributes["x"]).rstrip("%") for drawn in drawing.css("rect.full")]
            assert float(x) == pytest.approx(100 * first / tokens, abs=0.06)


def test_a_decided_pair_is_read_and_followers_of_a_link_do_not_learn_it(
    alice_client: Client, client: Client, report: Report, alice: User
) -> None:
    set_similarities(report, 0.9, 0.6, 0.1)
    pair = report.pairs.all()[0]
    decide(report.assignment, pair.left.name, pair.right.name, "clear")
    page = get_page(alice_client, tab(report.assignment, "assignment"))
    assert page.texts(".to-read a strong") == ["60\u202f%"]
    assert page.text("#report-heading") == "1 pair to read"
    assert page.text(".kinds") == "1 of 3 submissions is in none of them."
    behind_link = get_page(client, link_to(shared_report(report, alice)))
    assert behind_link.texts(".to-read a strong") == ["90\u202f%", "60\u202f%"]


def test_work_that_came_since_the_reader_was_here_last_is_marked_until_the_next_visit(
    alice_client: Client, client: Client, alice: User, hand_in: HandIn
) -> None:
    assignment = hand_in(zipped(CLASS)).assignment
    address, pairs = tab(assignment, "assignment"), tab(assignment, "pairs")

    def later() -> None:
        Visit.objects.update(opened=timezone.now() - timedelta(hours=2))

    def new(address: str, selector: str) -> list[bool]:
        return [row.css_first(".flag.new") is not None for row in get_page(alice_client, address).all(selector)]

    assert not any(new(address, ".cases tbody tr"))
    later()
    assert not any(new(address, ".to-read li"))
    later()
    hand_in(zipped({**CLASS, "dora/main.py": CLASS["ada/main.py"]}))  # The platform exports the whole class again.
    for _reload in range(2):
        page = get_page(alice_client, address)
        dora = ["dora" in text for text in page.texts(".to-read li > a")]
        assert any(dora)
        assert new(address, ".to-read li") == dora
        assert f"{sum(dora)} {'is' if sum(dora) == 1 else 'are'} new since you were" in page.text(".kinds")
        assert new(pairs, "tr.pair") == ["dora" in {*both} for both in displayed_pairs(get_page(alice_client, pairs))]
    assert not get_page(client, link_to(shared_report(assignment.reports.all()[0], alice))).has(".flag.new")
    later()
    assert not any(new(address, ".to-read li"))


def test_the_headline_counts_what_stands_out_always(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    set_similarities(report, 0.9, 0.6, 0.2)
    assert headline(alice_client, assignment).startswith(
        "2 pairs reach the threshold among 3 submissions Ordinary up to 20\u202f%. "
        "Nobody between 20\u202f% and 60\u202f%. 1 pair of 60\u202f%: look at it. "
        "1 pair of 90\u202f% stands out. None is decided yet."
    )
    assert headline(alice_client, assignment, q="cleo").startswith("2 pairs reach the threshold")
    decide(assignment, "ada", "ben", "confirmed")
    assert "1 is undecided." in headline(alice_client, assignment)
    at_90 = "1 pair reaches the threshold among 3 submissions It is 90\u202f% similar or more. All are decided"
    assert headline(alice_client, assignment, threshold="90").startswith(f"{at_90}.")
    at_95 = "No pair of two students reaches the threshold among 3 submissions"
    assert headline(alice_client, assignment, threshold="95").startswith(at_95)
    of_cases = get_page(alice_client, assignment.get_absolute_url()).text("#headline")
    assert "1 pair of 90\u202f% stands out. No case is decided yet." in of_cases
    asked = get_page(alice_client, assignment.get_absolute_url(), threshold="15").text("#headline")
    assert "3 pairs are 15\u202f% similar or more. No case is decided yet." in asked


def test_a_divider_marks_where_pairs_stop_standing_out(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    set_similarities(report, 0.9, 0.6, 0.2)

    def dividers(**query: str) -> list[bool]:
        return [row.first_below for row in pairs_context(query, assignment)["rows"]]

    assert dividers() == [False, False, True]
    assert dividers(threshold="10") == dividers(sort="left") == [False] * 3
    decide(assignment, "ada", "ben", "clear")
    assert dividers(decision="undecided") == [False, True]
    page = get_page(alice_client, tab(assignment, "pairs"))
    rows = ["90\u202f% stands out", "60\u202f% look", "Below the threshold of 50\u202f%", "20\u202f%"]
    assert page.texts("td.similarity, tr.divider") == rows


@pytest.mark.long
def test_the_divider_in_the_table_may_stand_between_two_pages(hand_in: HandIn) -> None:
    report = Report.objects.get(assignment=hand_in(zipped(MANY)).assignment)
    above = report.pairs.values_list("pk", flat=True)[:30]
    Pair.objects.filter(report=report).update(similarity=0.2)
    Pair.objects.filter(pk__in=list(above)).update(similarity=0.8)
    report.parameters["threshold"]["value"] = 0.5
    report.save()
    first, second = (pairs_context({"page": page}, report.assignment)["rows"] for page in ("1", "2"))
    assert not any(row.first_below for row in first)
    assert [row.first_below for row in second][:2] == [True, False]


def test_pairs_are_counted_and_filtered_by_what_was_decided(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    decide(assignment, "ada", "ben", "confirmed")
    assert listed(assignment, decision="confirmed") == [("ada", "ben")]
    assert ("ada", "ben") not in listed(assignment, decision="undecided")
    assert len(listed(assignment, decision="undecided")) == 2
    assert listed(assignment, decision="clear") == []
    context = pairs_context({"q": "cleo"}, assignment)
    counts = {state: count for state, _, count in context["tally"]}
    assert counts == {"": 2, "undecided": 2, "clear": 0, "suspicious": 0, "confirmed": 0}
    page = get_page(alice_client, tab(assignment, "pairs"), decision="confirmed")
    assert page.values('nav.tally a[aria-current="true"]', "href") == ["?decision=confirmed"]
    assert page.texts("td.decision .decided.confirmed") == ["confirmed"]


def test_late_submissions_are_flagged_by_their_own_time_or_by_their_uploads(report: Report) -> None:
    assignment = report.assignment
    ada, ben, _ = Submission.objects.order_by("name")
    assignment.due = ada.batch.created - timedelta(hours=1)
    assignment.save()
    Submission.objects.filter(pk=ada.pk).update(handed_in=assignment.due - timedelta(minutes=1))
    Submission.objects.filter(pk=ben.pk).update(handed_in=assignment.due + timedelta(minutes=1))
    late = {pair: [flag for flag in of_pair if flag[0] == "late"] for pair, of_pair in flags(assignment).items()}
    right, both = [("late", False, True)], [("late", True, True)]
    assert late == {("ada", "ben"): right, ("ada", "cleo"): right, ("ben", "cleo"): both}
    Submission.objects.filter(name="cleo").update(handed_in=assignment.due)
    assert sorted(listed(assignment, flag="late")) == [("ada", "ben"), ("ben", "cleo")]


def test_without_a_due_date_those_are_late_that_the_platform_marked(hand_in: HandIn) -> None:
    files = {"byronada_2001_50001_main.py": COPIED, "novakben_LATE_2002_50003_main.py": RENAMED}
    assignment = hand_in(zipped(files)).assignment
    assert ("late", False, True) in flags(assignment)["byronada", "novakben"]
    assert listed(assignment, flag="late") == [("byronada", "novakben")]
    assignment.due = timezone.now() + timedelta(days=30)
    assignment.save()
    assert not listed(assignment, flag="late")


def test_pairs_of_a_team_are_flagged_with_possible_flags_only(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    always = ["Any", "Identical except names", "Identical files", "Nearly all of one side"]
    assert get_page(alice_client, tab(assignment, "pairs")).texts("#id_flag option") == always
    assignment.due = timezone.now()
    assignment.save()
    page = get_page(alice_client, tab(assignment, "pairs"))
    assert page.texts("#id_flag option") == [*always, "Handed in late"]
    assignment.teams = "Ben, ADA"
    assignment.save()
    assert flags(assignment)["ada", "ben"][-1] == ("team", False, False)
    assert "team" not in {flag[0] for flag in flags(assignment)["ada", "cleo"]}
    assert listed(assignment, flag="team") == [("ada", "ben")]
    assert sorted(listed(assignment, flag="apart")) == [("ada", "cleo"), ("ben", "cleo")]
    page = get_page(alice_client, tab(assignment, "pairs"))
    assert page.texts(".flag.team") == ["same team"]
    assert page.text('#id_flag option[value="apart"]') == "Not the same team"


def test_an_anonymous_reader_searches_made_up_names_and_not_the_real_ones(report: Report) -> None:
    assignment = report.assignment
    names = anonymous_names(assignment)
    assert listed(assignment, names, q="ada") == []
    pairs = listed(assignment, names, q=names.display_name("cleo"))
    assert sorted(sorted(pair) for pair in pairs) == [["ada", "cleo"], ["ben", "cleo"]]
    assert sorted(listed(assignment, q="cleo")) == [("ada", "cleo"), ("ben", "cleo")]


def test_htmx_gets_a_change_under_the_shortest_address(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    query = {"q": "ada ben", "threshold": "10", "flag": "", "sort": "-similarity", "decision": ""}
    query["page"] = "1"
    response = alice_client.get(tab(assignment, "pairs"), query, headers=HTMX)
    part = page_of(response)
    assert part.values("body > *", "id") == ["findings", ""]
    assert part.values("body > *", "hx-swap-oob") == ["", "innerHTML:#headline"]
    assert not part.has(WHOLE_PAGE)
    assert displayed_pairs(part) == [("ada", "ben")]
    assert part.values('#findings [name="sort"][form="filter"]', "value") == ["-similarity"]
    assert response.headers["HX-Push-Url"] == f"{tab(assignment, 'pairs')}?q=ada+ben&threshold=10"
    assert "HX-Request" in response.headers["Vary"]
    bare = alice_client.get(tab(assignment, "pairs"), headers=HTMX)
    assert bare.headers["HX-Push-Url"] == tab(assignment, "pairs")


def test_a_filter_takes_as_many_queries_for_many_pairs_as_for_few(
    alice_client: Client, hand_in: HandIn, django_assert_num_queries: CountQueries
) -> None:
    assignment = hand_in(zipped(CLASS)).assignment
    assignment.teams = "ada, ben\nstudent-01, student-02"
    assignment.save()
    # session, user, assignment, report, last visit, two versions; of the selected pairs: findings and
    # duplicates, flags, teams, pairs of one student, names, pairs, counts above the threshold twice; bands
    # and whole copies; decisions; of the shown
    # pairs: flags and their links, pairs; of both: model solutions
    query = {"q": "e", "threshold": "5", "flag": "apart", "decision": "undecided"}
    with django_assert_num_queries(29):
        alice_client.get(tab(assignment, "pairs"), query, headers=HTMX)
    hand_in(zipped(MANY))
    Visit.objects.all().delete()
    with django_assert_num_queries(29):
        alice_client.get(tab(assignment, "pairs"), query, headers=HTMX)


def test_a_shared_page_gets_all_that_its_template_needs_without_a_request(report: Report) -> None:
    page = report_page({"threshold": "10"}, report.assignment)
    for context, keys in (
        (findings_context(page, "cases"), {"report", "rows", "page", "graph", "threshold"}),
        (steady_context(page, "cases"), {"report", "histogram", "filter_form", "duplicates"}),
        (findings_context(page, "pairs"), {"report", "rows", "threshold", "tally"}),
        (steady_context(page, "pairs"), {"report", "not_compared", "filter_form", "pair_bins"}),
        (tab_context(page, "ignored"), {"report", "skipped", "effect"}),
    ):
        assert keys <= context.keys()
        assert context["threshold"] == 0.1
    assert effective_threshold(report, PairFilter(threshold=0.1)) == 0.1


def names(pairs: object) -> list[tuple[str, str]]:
    assert hasattr(pairs, "__iter__")
    return [(pair.left.name, pair.right.name) for pair in pairs]


def test_staff_manage_every_course_and_read_none(admin: User, alice: User, bob: User) -> None:
    for teacher in (alice, bob):
        Course.objects.create(owner=teacher, name="Programming")
    assert courses_with(admin, Right.MANAGE).count() == 2
    assert not courses_with(admin, Right.READ).exists()
    assert courses_with(alice, Right.READ).get().owner == alice


def test_an_assignment_is_listed_with_its_cohort(assignment: Assignment, hand_in: HandIn) -> None:
    listed = listed_assignments(assignment.course).get()
    assert listed.submission_count == 0
    batch, later = hand_in(zipped(CLASS)), hand_in(zipped({"ada/main.py": CLASS["cleo/main.py"]}))
    listed = listed_assignments(assignment.course).get()
    assert listed.submission_count == 3
    superseded = {submission.name: submission.superseded for submission in batch_submissions(batch, Names())}
    assert superseded == {"ada": True, "ben": False, "cleo": False}
    assert not any(submission.superseded for submission in batch_submissions(later, Names()))
    Batch.objects.filter(pk=later.pk).update(state=Batch.State.CANCELLED)
    assert not any(submission.superseded for submission in batch_submissions(batch, Names()))


def test_pairs_are_filtered_and_every_column_sorts_both_ways(report: Report) -> None:
    best = ranked_pairs(report, PairFilter())[0]
    assert (best.left.name, best.right.name) == ("ada", "ben")
    for key, field in SORT_FIELDS.items():
        values = list(ranked_pairs(report, PairFilter(sort=key)).values_list(field, flat=True))
        assert values == sorted(values)
        descending = ranked_pairs(report, PairFilter(sort=f"-{key}")).values_list(field, flat=True)
        assert list(descending) == values[::-1]
    for asked in (PairFilter(text="BEN ada"), PairFilter(threshold=best.similarity)):
        assert list(ranked_pairs(report, asked)) == [best]
    assert not ranked_pairs(report, PairFilter(text="ada nobody")).exists()


def test_the_newest_finished_report_is_shown_while_another_is_made(report: Report) -> None:
    newer = Report.objects.create(assignment=report.assignment)
    state = report_state(report.assignment)
    assert (state.report, state.pending, state.failed) == (report, True, None)
    Report.objects.filter(pk=newer.pk).update(state=Report.State.FAILED)
    state = report_state(report.assignment)
    assert (state.report, state.pending, state.failed) == (report, False, newer)


def test_boilerplate_that_awaits_its_ranking_makes_a_report_pending_unless_there_are_no_submissions(
    report: Report, starter: Callable[[], None]
) -> None:
    starter()
    state = report_state(report.assignment)
    assert state.report
    assert not state.pending
    pair = find_pair(state.report, *state.report.pairs.values_list("left", "right")[0])
    assert pair is not None
    files = pair_files(pair)
    assert len(files) == 2
    assert set(ignored_tokens(state.report, files)) == {file.document_id for file in files}
    report.assignment.boilerplate.update(created=timezone.now())
    assert report_state(report.assignment).pending
    report.assignment.batches.update(state=Batch.State.FAILED)
    assert not report_state(report.assignment).pending


def test_files_that_are_not_compared_are_listed_with_their_reason(batch: Batch) -> None:
    file = batch.submissions.get(name="cleo").files.get()
    for state, reason, stated in (("failed", "its lexer broke", "its lexer broke"), ("kept", "", KEPT_FILE)):
        Document.objects.filter(pk=file.document_id).update(state=state, reason=reason)
        listed = uncompared_files(batch, Names())
        assert [(one.path, one.document.why_not_compared) for one in listed] == [(file.path, stated)]


def test_going_back_and_a_page_without_a_report_get_whole_pages(alice_client: Client, report: Report) -> None:
    address = tab(report.assignment, "pairs")
    for headers in (
        {"HX-Request": "true", "HX-History-Restore-Request": "true"},
        {"HX-Request": "true", "HX-Boosted": "true", "HX-Target": "content"},
    ):
        assert len(page_of(alice_client.get(address, headers=headers)).all(WHOLE_PAGE)) == 2
    assert "HX-Request" in alice_client.get(address).headers["Vary"]
    report.delete()
    page = page_of(alice_client.get(report.assignment.get_absolute_url(), headers=HTMX))
    assert len(page.all(WHOLE_PAGE)) == 2
