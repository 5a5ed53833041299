"""The charts of a report: what they show of the stored pairs."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import reverse
from humanize import ordinal
from hypothesis import given, strategies as st

from submissions.cases.case_list import MAX_LINKS, MAX_NODES, case_graph, cases, graph
from submissions.core.names import ANONYMOUS, Names
from submissions.matches.bands import Bands
from submissions.matches.groups import connected_components
from submissions.matches.ranked_pairs import percent_text
from submissions.models import Assignment, Report, Submission
from submissions.reports.charts import PAIR_BIN, Histogram, duration, histogram, pair_bins
from tests.support.html import get_page
from tests.support.reports import create_report, random_similarities
from tests.support.tabs import tab
from tests.support.uploads import CountQueries

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@pytest.fixture
def chain(assignment: Assignment) -> Report:
    """Return a report with a chain from Ann to Dan, a pair of Eve and Fay, and Gil below every threshold."""
    similarities = {
        ("ann", "ben"): 0.9,
        ("ben", "cal"): 0.6,
        ("cal", "dan"): 0.8,
        ("eve", "fay"): 0.7,
        ("ann", "gil"): 0.1,
    }
    return create_report(assignment, similarities)


def members(report: Report, threshold: float) -> list[list[str]]:
    return [[member.submission.name for member in case.members] for case in cases(report, threshold)]


def test_pairs_at_the_threshold_connect_their_submissions(chain: Report) -> None:
    assert members(chain, 0.6) == [["ann", "ben", "cal", "dan"], ["eve", "fay"]]
    assert members(chain, 0.61) == [["ann", "ben"], ["cal", "dan"], ["eve", "fay"]]
    assert members(chain, 0.95) == []


def test_a_case_knows_its_strongest_pair_and_the_mean_of_its_links(chain: Report) -> None:
    case = cases(chain, 0.5)[0]
    assert [submission.name for submission in case.strongest] == ["ann", "ben"]
    assert case.similarity == 0.9
    assert case.mean == pytest.approx((0.9 + 0.6 + 0.8) / 3)


def test_members_stand_in_the_order_of_handing_in_and_those_without_a_time_last(chain: Report) -> None:
    for name, hours in (("dan", 0), ("ann", 3), ("cal", 5)):
        Submission.objects.filter(name=name).update(handed_in=NOON + timedelta(hours=hours))
    first_members = cases(chain, 0.5)[0].members
    assert [(member.submission.name, member.later) for member in first_members] == [
        ("dan", timedelta(0)),
        ("ann", timedelta(hours=3)),
        ("cal", timedelta(hours=5)),
        ("ben", None),
    ]


def test_members_of_an_anonymous_case_are_sorted_by_their_aliases(chain: Report) -> None:
    names = Names({"eve": "Submission 2", "fay": "Submission 1"})
    last_members = cases(chain, 0.7, names)[-1].members
    displayed = [names.display_name(member.submission.name) for member in last_members]
    assert displayed == ["Submission 1", "Submission 2"]


def test_cases_take_three_queries_however_many_there_are(
    chain: Report, django_assert_num_queries: CountQueries
) -> None:
    with django_assert_num_queries(3):
        cases(chain, 0.5)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)).filter(lambda ends: ends[0] != ends[1])))
def test_components_are_what_a_walk_along_the_links_reaches(ends: list[tuple[int, int]]) -> None:
    components = connected_components(ends)
    for ids in components:
        reached = {ids[0]}
        for _ in ends:
            reached |= {pk for both in ends if reached & {*both} for pk in both}
        assert set(ids) == reached
    assert sorted(pk for ids in components for pk in ids) == sorted({pk for both in ends for pk in both})
    assert [len(ids) for ids in components] == sorted((len(ids) for ids in components), reverse=True)


def test_a_graph_of_few_links_draws_them_all(chain: Report) -> None:
    drawn = graph(cases(chain, 0.5))
    assert {(submission.name, number) for submission, number in drawn.nodes} == {
        ("ann", 1),
        ("ben", 1),
        ("cal", 1),
        ("dan", 1),
        ("eve", 2),
        ("fay", 2),
    }
    assert [link.similarity for link in drawn.links] == [0.9, 0.8, 0.7, 0.6]
    assert (drawn.hidden_nodes, drawn.hidden_links) == (0, 0)


def test_a_graph_of_many_keeps_the_strongest_links_and_says_what_is_left_out(assignment: Assignment) -> None:
    similarities = random_similarities(600) | {(f"x{n:03}", f"x{n + 1:03}"): 0.999 for n in range(20)}
    all_cases = cases(create_report(assignment, similarities), 0.1)
    drawn = graph(all_cases)
    assert len(drawn.nodes) <= MAX_NODES
    assert len(drawn.nodes) + drawn.hidden_nodes == sum(len(case.members) for case in all_cases)
    assert len(drawn.links) + drawn.hidden_links == sum(len(case.links) for case in all_cases)
    names = {submission.name for submission, _ in drawn.nodes}
    assert {f"x{n:03}" for n in range(21)} <= names


def test_a_dense_graph_is_thinned_without_falling_apart(assignment: Assignment) -> None:
    names = [f"copy-{n:02}" for n in range(40)]
    similarities = {(a, b): 0.9 for index, a in enumerate(names) for b in names[index + 1 :]}
    drawn = graph(cases(create_report(assignment, similarities), 0.5))
    assert len(drawn.links) == MAX_LINKS
    assert [len(ids) for ids in connected_components(link[:2] for link in drawn.links)] == [40]


def test_the_histogram_counts_everybody_once_by_the_best_match(chain: Report) -> None:
    chart = histogram(chain)
    assert chart is not None
    assert chart.values == [0.1, 0.7, 0.7, 0.8, 0.8, 0.9, 0.9]
    counts = {column.low: column.submissions for column in chart.bins if column.submissions}
    assert counts == {10: 1, 70: 2, 80: 2, 90: 2}
    thresholds = (0.0, 0.1, 0.11, 0.7, 0.9, 0.91)
    assert [chart.count_from(threshold) for threshold in thresholds] == [7, 7, 6, 6, 2, 0]


@given(st.lists(st.floats(0, 1), max_size=250))
def test_bins_and_counts_at_every_percent_agree_with_counting_by_hand(values: list[float]) -> None:
    chart = Histogram(sorted(values), 0.5, 0.5, "", 0.5)
    counts = [sum(value >= percent / 100 for value in values) for percent in range(101)]
    assert chart.counts_from_percent == counts
    assert sum(column.submissions for column in chart.bins) == len(values)
    for column in chart.bins[:-1]:
        inside = [value for value in values if column.low / 100 <= value < column.high / 100]
        assert column.submissions == len(inside)


def test_without_a_script_the_threshold_is_the_filter_s_field(alice_client: Client, chain: Report) -> None:
    address = chain.assignment.get_absolute_url()
    page = get_page(alice_client, address)
    assert page.text("#line-says").startswith(
        "At a threshold of 50\u202f%, 6 of 7 submissions have a best match at or above it."
    )
    assert page.texts("[data-at], [data-above]") == ["50\u202f%", "6"]
    assert page.text(".histogram > .hint").startswith("Suggested: 50\u202f%. ")
    assert ["70 to under 75 %", "2"] in page.rows("table.bins tr")
    page = get_page(alice_client, address, threshold="85")
    assert page.text("#line-says").startswith("At a threshold of 85\u202f%, 2 of 7 submissions")
    assert page.texts("[data-at], [data-above]") == ["85\u202f%", "2"]
    assert page.values('#filter [name="threshold"]', "value") == ["85"]


def test_the_graph_s_figures_have_the_names_that_a_reader_may_see(
    alice_client: Client, chain: Report
) -> None:
    session = alice_client.session
    session[ANONYMOUS] = True
    session.save()
    page = get_page(alice_client, chain.assignment.get_absolute_url())
    figures = json.loads(page.text('script#graph-data[type="application/json"]'))
    assert len(figures["nodes"]) == 6
    aliases = {node["name"] for node in figures["nodes"]}
    assert not aliases & {"ann", "ben", "cal", "dan", "eve", "fay"}
    assert aliases == set(page.texts("table.cases .members li"))


def test_durations_are_written_in_their_two_largest_units() -> None:
    assert duration(timedelta(seconds=59)) == "less than a minute"
    assert duration(timedelta(minutes=1, seconds=30)) == "1 min"
    assert duration(timedelta(hours=3, minutes=12)) == "3 h 12 min"
    assert duration(timedelta(days=1, minutes=5)) == "1 day"
    assert duration(timedelta(days=2, hours=4, minutes=5)) == "2 days 4 h"


@pytest.mark.parametrize(
    ("number", "written"),
    [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (112, "112th"), (121, "121st")],
)
def test_ranks_are_written_as_they_are_said(number: int, written: str) -> None:
    assert ordinal(number) == written


def test_the_histogram_of_pairs_counts_each_pair_once_and_shows_a_single_one_beside_thousands() -> None:
    bins = pair_bins([0.0, 0.049, 0.05, *[0.22] * 4_000, 0.95, 1.0], Bands(0.5, 0.7))
    counts = {(one.low, one.high): one.pairs for one in bins if one.pairs}
    assert counts == {(0, 2): 1, (4, 6): 2, (22, 24): 4_000, (94, 96): 1, (98, 100): 1}
    assert [one.low for one in bins if one.band == "look"] == list(range(50, 70, 2))
    assert [one.low for one in bins if one.band == "stands out"] == list(range(70, 100, 2))
    assert {one.bar for one in bins if not one.pairs} == {0}
    assert min(one.bar for one in bins if one.pairs) >= 3
    assert max(one.bar for one in bins) == 100
    assert pair_bins([], Bands(0.5, 0.5))[0].bar == 0


def test_the_tab_of_pairs_has_a_histogram_with_a_table(chain: Report, alice_client: Client) -> None:
    page = get_page(alice_client, tab(chain.assignment, "pairs"))
    picture = page.one(".pair-histogram svg")
    assert (picture.attributes["role"], bool(picture.attributes["aria-label"])) == ("img", True)
    assert page.rows(".pair-histogram tbody tr") == [
        ["10 to under 12 %", "1"],
        ["60 to under 62 %", "1"],
        ["70 to under 72 %", "1"],
        ["80 to under 82 %", "1"],
        ["90 to under 92 %", "1"],
    ]
    assert len(page.all(".pair-histogram rect.above")) == 4


def test_the_page_of_a_case_draws_that_case_alone_beside_a_list(chain: Report, alice_client: Client) -> None:
    page = get_page(alice_client, reverse("case", args=[chain.assignment_id, cases(chain)[0].key]))
    data = json.loads(page.text("#graph-data"))
    assert sorted(node["name"] for node in data["nodes"]) == ["ann", "ben", "cal", "dan"]
    assert len(data["links"]) == 3
    assert page.texts(".drawn li") == [node["name"] for node in data["nodes"]]
    pair = get_page(alice_client, reverse("case", args=[chain.assignment_id, cases(chain)[1].key]))
    assert not pair.has("[data-graph]")


def test_five_hundred_submissions_of_one_case_are_drawn(assignment: Assignment) -> None:
    ring = {(f"s{n:03}", f"s{(n + 1) % 500:03}"): 0.5 + n / 1_000 for n in range(500)}
    (case,) = cases(create_report(assignment, ring))
    drawn = case_graph(case)
    assert (len(drawn.nodes), len(drawn.links), drawn.hidden_nodes, drawn.hidden_links) == (500, 500, 0, 0)


@pytest.mark.parametrize("percentage", range(0, 101, PAIR_BIN))
def test_a_pair_is_in_the_bin_of_the_percentage_that_its_row_states(percentage: int) -> None:
    [bin_of_pair] = [one for one in pair_bins([percentage / 100], Bands(0.5, 0.5)) if one.pairs]
    assert bin_of_pair.low == min(int(percent_text(percentage / 100)[:-1]), 100 - PAIR_BIN)
