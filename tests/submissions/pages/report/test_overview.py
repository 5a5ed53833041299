from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from django.utils import timezone

from submissions import queries
from submissions.models import Assignment, Decision, Pair, Report, Submission
from submissions.pages.report.overview import findings_context, report_context
from submissions.pseudonyms.names import Names, anonymous_names
from submissions.queries import PairFilter
from tests.support.sample_class import CLASS, zipped
from tests.support.uploads import MANY

if TYPE_CHECKING:
    from django.test import Client

    from tests.support.uploads import CountQueries, HandIn


HTMX = {"HX-Request": "true", "HX-Target": "findings"}
PAIR = re.compile(
    r'<th scope="row" class="left"><a[^>]*>(.*?)</a></th>\s*<td class="right"><a[^>]*>(.*?)</a>'
)


def decide(assignment: Assignment, left: str, right: str, state: str) -> None:
    Decision.objects.create(assignment=assignment, left=left, right=right, state=state)


def listed(assignment: Assignment, names: Names | None = None, **query: str) -> list[tuple[str, str]]:
    rows = findings_context(query, assignment, names or Names())["rows"]
    return [(row.pair.left.name, row.pair.right.name) for row in rows]


def flags(assignment: Assignment) -> dict[tuple[str, str], list[tuple[str, bool, bool]]]:
    rows = findings_context({}, assignment, Names())["rows"]
    return {(row.pair.left.name, row.pair.right.name): [tuple(flag) for flag in row.flags] for row in rows}


def headline(client: Client, assignment: Assignment, **query: str) -> str:
    page = client.get(assignment.get_absolute_url(), query).content.decode()
    start = page.index('<div id="headline"')
    text = re.sub(r"<[^>]*>", "", page[start : page.index("</div>", start)])
    return " ".join(text.split())


def spread(report: Report, *similarities: float) -> None:
    """Give the pairs of a report other similarities, first to last, and a threshold of 50 %."""
    for pair, similarity in zip(report.pairs.all(), similarities, strict=True):
        Pair.objects.filter(pk=pair.pk).update(similarity=similarity)
    report.parameters["threshold"]["value"] = 0.5
    report.save()


def test_the_headline_counts_what_stands_out_in_words(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    spread(report, 0.9, 0.6, 0.2)
    assert headline(alice_client, assignment).startswith(
        "2 pairs stand out; 1 group among 3 submissions "
        "They are 50 % similar or more, where a closer look is suggested. None is decided yet."
    )
    decide(assignment, "ada", "ben", "confirmed")
    assert "1 is undecided." in headline(alice_client, assignment)
    assert headline(alice_client, assignment, threshold="90").startswith(
        "1 pair stands out; 1 group among 3 submissions It is 90 % similar or more. All are decided."
    )
    assert headline(alice_client, assignment, threshold="95").startswith(
        "No pair stands out among 3 submissions"
    )


def test_the_headline_stays_what_it_is_while_names_are_searched(alice_client: Client, report: Report) -> None:
    spread(report, 0.9, 0.6, 0.2)
    assert headline(alice_client, report.assignment, q="cleo").startswith("2 pairs stand out; 1 group")


def test_a_line_in_the_table_marks_where_pairs_stop_standing_out(
    alice_client: Client, report: Report
) -> None:
    assignment = report.assignment
    spread(report, 0.9, 0.6, 0.2)

    def divided(**query: str) -> list[bool]:
        return [row.first_below for row in findings_context(query, assignment, Names())["rows"]]

    assert divided() == [False, False, True]
    assert divided(threshold="10") == divided(sort="left") == [False] * 3
    decide(assignment, "ada", "ben", "clear")
    assert divided(decision="undecided") == [False, True]
    page = alice_client.get(assignment.get_absolute_url()).content.decode()
    assert page.index("Below the suggested line of 50\u202f%") > page.rindex(">60\u202f%")


def test_the_line_in_the_table_is_found_between_two_pages(hand_in: HandIn) -> None:
    report = Report.objects.get(assignment=hand_in(zipped(MANY)).assignment)
    above = report.pairs.values_list("pk", flat=True)[:50]
    Pair.objects.filter(report=report).update(similarity=0.2)
    Pair.objects.filter(pk__in=list(above)).update(similarity=0.8)
    report.parameters["threshold"]["value"] = 0.5
    report.save()
    first, second = (
        findings_context({"page": page}, report.assignment, Names())["rows"] for page in ("1", "2")
    )
    assert not any(row.first_below for row in first)
    assert [row.first_below for row in second][:2] == [True, False]


def test_pairs_are_counted_and_filtered_by_what_was_decided(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    decide(assignment, "ada", "ben", "confirmed")
    assert listed(assignment, decision="confirmed") == [("ada", "ben")]
    assert ("ada", "ben") not in listed(assignment, decision="undecided")
    assert len(listed(assignment, decision="undecided")) == 2
    assert listed(assignment, decision="clear") == []
    context = findings_context({"q": "cleo"}, assignment, Names())
    counts = {state: count for state, _, count in context["tally"]}
    assert counts == {"": 2, "undecided": 2, "clear": 0, "suspicious": 0, "confirmed": 0}
    page = alice_client.get(assignment.get_absolute_url(), {"decision": "confirmed"}).content.decode()
    assert 'href="?decision=confirmed" aria-current="true"' in page
    assert '<span class="decided confirmed">confirmed</span>' in page


def test_late_submissions_are_flagged_by_their_own_time_or_by_their_uploads(report: Report) -> None:
    assignment = report.assignment
    ada, ben, _ = Submission.objects.order_by("name")
    assignment.due = ada.batch.created - timedelta(hours=1)
    assignment.save()
    Submission.objects.filter(pk=ada.pk).update(handed_in=assignment.due - timedelta(minutes=1))
    Submission.objects.filter(pk=ben.pk).update(handed_in=assignment.due + timedelta(minutes=1))
    late = {pair: [flag for flag in found if flag[0] == "late"] for pair, found in flags(assignment).items()}
    assert late == {
        ("ada", "ben"): [("late", False, True)],
        ("ada", "cleo"): [("late", False, True)],
        ("ben", "cleo"): [("late", True, True)],
    }
    Submission.objects.filter(name="cleo").update(handed_in=assignment.due)
    assert sorted(listed(assignment, flag="late")) == [("ada", "ben"), ("ben", "cleo")]


def test_pairs_of_a_team_are_flagged_and_may_be_left_out(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    assignment.teams = "Ben, ADA"
    assignment.save()
    assert flags(assignment)["ada", "ben"][-1] == ("team", False, False)
    assert flags(assignment)["ada", "cleo"] == []
    assert listed(assignment, flag="team") == [("ada", "ben")]
    assert sorted(listed(assignment, flag="apart")) == [("ada", "cleo"), ("ben", "cleo")]
    page = alice_client.get(assignment.get_absolute_url()).content.decode()
    assert '<span class="flag team">same team</span>' in page
    assert '<option value="apart">Not the same team</option>' in page


def test_identical_submissions_are_flagged_and_others_that_differ_by_names_as_such(hand_in: HandIn) -> None:
    copied = CLASS["ada/main.py"]
    files = {"ada/m.py": copied, "ben/other.py": copied, "cleo/m.py": CLASS["ben/main.py"]}
    assignment = hand_in(zipped(files)).assignment
    assert flags(assignment) == {
        ("ada", "ben"): [("identical", False, False)],
        ("ada", "cleo"): [("renamed", False, False)],
        ("ben", "cleo"): [("renamed", False, False)],
    }
    assert listed(assignment, flag="identical") == [("ada", "ben")]
    assert len(listed(assignment, flag="renamed")) == 2


def test_only_flags_that_a_pair_could_have_are_offered(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    assert (
        findings_context({}, assignment, Names())["filter_form"].fields["flag"].choices
        == [
            ("", "Any"),
            ("renamed", "Same but for names"),
        ]
        or 'id="id_flag"' not in alice_client.get(assignment.get_absolute_url()).content.decode()
    )
    assignment.due = timezone.now()
    assignment.save()
    assert 'value="late"' in alice_client.get(assignment.get_absolute_url()).content.decode()


def test_an_anonymous_reader_searches_made_up_names_and_not_the_real_ones(report: Report) -> None:
    assignment = report.assignment
    names = anonymous_names(assignment)
    assert listed(assignment, names, q="ada") == []
    assert sorted(listed(assignment, names, q=names.display_name("cleo"))) == [
        ("ada", "cleo"),
        ("ben", "cleo"),
    ]
    assert sorted(listed(assignment, q="cleo")) == [("ada", "cleo"), ("ben", "cleo")]


def test_htmx_gets_what_a_filter_changes_under_the_shortest_address(
    alice_client: Client, report: Report
) -> None:
    assignment = report.assignment
    query = {"q": "ada ben", "threshold": "10", "flag": "", "sort": "-similarity", "decision": ""}
    query["page"] = "1"
    answer = alice_client.get(assignment.get_absolute_url(), query, headers=HTMX)
    part = answer.content.decode()
    assert part.lstrip().startswith('<div id="findings"')
    assert "<html" not in part
    assert PAIR.findall(part) == [("ada", "ben")]
    assert '<div hx-swap-oob="innerHTML:#headline">' in part
    assert 'name="sort" value="-similarity" form="filter"' in part
    assert answer.headers["HX-Push-Url"] == f"{assignment.get_absolute_url()}?q=ada+ben&threshold=10"
    assert "HX-Request" in answer.headers["Vary"]
    bare = alice_client.get(assignment.get_absolute_url(), headers=HTMX)
    assert bare.headers["HX-Push-Url"] == assignment.get_absolute_url()


def test_going_back_gets_the_whole_page_and_so_does_a_boosted_link_elsewhere(
    alice_client: Client, report: Report
) -> None:
    address = report.assignment.get_absolute_url()
    for headers in (
        {"HX-Request": "true", "HX-History-Restore-Request": "true"},
        {"HX-Request": "true", "HX-Boosted": "true", "HX-Target": "content"},
    ):
        assert "<html" in alice_client.get(address, headers=headers).content.decode()
    assert "HX-Request" in alice_client.get(address).headers["Vary"]


def test_htmx_gets_a_page_where_there_is_no_report_yet(alice_client: Client, assignment: Assignment) -> None:
    assert "<html" in alice_client.get(assignment.get_absolute_url(), headers=HTMX).content.decode()


def test_charlie_gets_neither_the_page_nor_a_part_of_it(charlie_client: Client, report: Report) -> None:
    address = report.assignment.get_absolute_url()
    for headers in ({}, HTMX):
        assert charlie_client.get(address, headers=headers).status_code == 404


def test_a_filter_takes_as_many_queries_for_many_pairs_as_for_few(
    alice_client: Client, hand_in: HandIn, django_assert_num_queries: CountQueries
) -> None:
    assignment = hand_in(zipped(CLASS)).assignment
    assignment.teams = "ada, ben\nstudent-01, student-02"
    assignment.save()
    # session, user, assignment, 2 of the report, boilerplate awaited, links, linked, flags, names, counts,
    # counts for the headline, pages, pairs
    query = {"q": "e", "threshold": "5", "flag": "apart", "decision": "undecided"}
    with django_assert_num_queries(14):
        alice_client.get(assignment.get_absolute_url(), query, headers=HTMX)
    hand_in(zipped(MANY))
    with django_assert_num_queries(14):
        alice_client.get(assignment.get_absolute_url(), query, headers=HTMX)


def test_names_that_would_mislead_are_written_so_that_they_cannot(
    alice_client: Client, hand_in: HandIn
) -> None:
    evil, turned = "<img src=x onerror=alert(1)>", "ada\u202eyp"
    files = {f"{evil}/m.py": CLASS["ada/main.py"], f"{turned}/m.py": CLASS["ben/main.py"]}
    assignment = hand_in(zipped(files)).assignment
    for page in (
        alice_client.get(assignment.get_absolute_url()).content.decode(),
        alice_client.get(assignment.get_absolute_url(), headers=HTMX).content.decode(),
    ):
        assert "<img src=x" not in page
        assert "\u202e" not in page
        assert "&lt;img src=x onerror=alert(1)&gt;" in page


def test_a_report_of_an_earlier_version_is_shown_and_says_what_it_lacks(
    alice_client: Client, report: Report
) -> None:
    Report.objects.filter(pk=report.pk).update(findings=None)
    page = alice_client.get(report.assignment.get_absolute_url()).content.decode()
    assert "This report was made before the effect was told. Rank again to see it." in page
    assert PAIR.findall(page)


def test_a_shared_page_gets_all_that_its_template_needs_without_a_request(report: Report) -> None:
    context = report_context({"threshold": "10"}, report.assignment, Names())
    keys = {"report", "rows", "histogram", "registered_boilerplate", "skipped", "effect", "threshold"}
    assert keys <= context.keys()
    assert queries.effective_threshold(report, PairFilter(threshold=0.1)) == context["threshold"] == 0.1
