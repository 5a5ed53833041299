"""What the pictures of a report show, from the pairs that are stored."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from humanize import ordinal
from hypothesis import given, strategies as st

from submissions.models import Submission
from submissions.pages.report.charts import (
    MAX_LINKS,
    MAX_NODES,
    Histogram,
    _connected_components,
    clusters,
    graph,
    histogram,
)
from submissions.pages.templatetags.charting import duration
from submissions.pseudonyms.names import ANONYMOUS, Names
from submissions.queries import Link
from tests.support.reports import made_class, made_report

if TYPE_CHECKING:
    from django.test import Client

    from submissions.models import Assignment, Report
    from tests.support.uploads import CountQueries

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


@pytest.fixture
def chain(assignment: Assignment) -> Report:
    """Ann, Ben, Cal and Dan in a row; Eve and Fay beside them; Gil below every line."""
    figures = {
        ("ann", "ben"): 0.9,
        ("ben", "cal"): 0.6,
        ("cal", "dan"): 0.8,
        ("eve", "fay"): 0.7,
        ("ann", "gil"): 0.1,
    }
    return made_report(assignment, figures)


def members(report: Report, threshold: float) -> list[list[str]]:
    return [[one.submission.name for one in found.members] for found in clusters(report, threshold)]


def test_pairs_at_the_line_connect_their_submissions(chain: Report) -> None:
    assert members(chain, 0.6) == [["ann", "ben", "cal", "dan"], ["eve", "fay"]]
    assert members(chain, 0.61) == [["ann", "ben"], ["cal", "dan"], ["eve", "fay"]]
    assert members(chain, 0.95) == []


def test_a_cluster_knows_its_strongest_pair_and_the_mean_of_its_links(chain: Report) -> None:
    found = clusters(chain, 0.5)[0]
    assert [one.name for one in found.strongest] == ["ann", "ben"]
    assert found.similarity == 0.9
    assert found.mean == pytest.approx((0.9 + 0.6 + 0.8) / 3)


def test_members_stand_in_the_order_of_handing_in_and_those_without_a_time_last(chain: Report) -> None:
    for name, hours in (("dan", 0), ("ann", 3), ("cal", 5)):
        Submission.objects.filter(name=name).update(handed_in=NOON + timedelta(hours=hours))
    first = clusters(chain, 0.5)[0].members
    assert [(one.submission.name, one.later) for one in first] == [
        ("dan", timedelta(0)),
        ("ann", timedelta(hours=3)),
        ("cal", timedelta(hours=5)),
        ("ben", None),
    ]


def test_made_up_names_are_sorted_by_what_is_read(chain: Report) -> None:
    names = Names({"eve": "Submission 2", "fay": "Submission 1"})
    found = clusters(chain, 0.7, names)[-1].members
    assert [names.display_name(one.submission.name) for one in found] == ["Submission 1", "Submission 2"]


def test_clusters_take_two_queries_however_many_there_are(
    chain: Report, django_assert_num_queries: CountQueries
) -> None:
    with django_assert_num_queries(2):
        clusters(chain, 0.5)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)).filter(lambda ends: ends[0] != ends[1])))
def test_components_are_what_a_walk_along_the_links_reaches(ends: list[tuple[int, int]]) -> None:
    found = _connected_components([Link(left, right, 1.0) for left, right in ends])
    for ids, own in found:
        reached = {ids[0]}
        for _ in ends:
            reached |= {pk for both in ends if reached & {*both} for pk in both}
        assert set(ids) == reached
        assert {pk for link in own for pk in link[:2]} == reached
    assert sum(len(own) for _, own in found) == len(ends)


def test_a_graph_of_few_links_draws_them_all(chain: Report) -> None:
    drawn = graph(clusters(chain, 0.5))
    assert {(one.name, number) for one, number in drawn.nodes} == {
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
    figures = made_class(600) | {(f"x{n:03}", f"x{n + 1:03}"): 0.999 for n in range(20)}
    found = clusters(made_report(assignment, figures), 0.1)
    drawn = graph(found)
    assert len(drawn.nodes) <= MAX_NODES
    assert len(drawn.nodes) + drawn.hidden_nodes == sum(len(one.members) for one in found)
    assert len(drawn.links) + drawn.hidden_links == sum(len(one.links) for one in found)
    names = {one.name for one, _ in drawn.nodes}
    assert {f"x{n:03}" for n in range(21)} <= names


def test_a_dense_graph_is_thinned_without_falling_apart(assignment: Assignment) -> None:
    names = [f"copy-{n:02}" for n in range(40)]
    figures = {(a, b): 0.9 for at, a in enumerate(names) for b in names[at + 1 :]}
    drawn = graph(clusters(made_report(assignment, figures), 0.5))
    assert len(drawn.links) == MAX_LINKS
    assert len(_connected_components(drawn.links)) == 1
    assert len(_connected_components(drawn.links)[0][0]) == 40


def test_the_histogram_counts_everybody_once_by_the_best_match(chain: Report) -> None:
    shown = histogram(chain)
    assert shown is not None
    assert shown.values == [0.1, 0.7, 0.7, 0.8, 0.8, 0.9, 0.9]
    assert {one.low: one.submissions for one in shown.bins if one.submissions} == {10: 1, 70: 2, 80: 2, 90: 2}
    thresholds = (0.0, 0.1, 0.11, 0.7, 0.9, 0.91)
    assert [shown.count_from(threshold) for threshold in thresholds] == [7, 7, 6, 6, 2, 0]


@given(st.lists(st.floats(0, 1), max_size=250))
def test_bins_and_counts_at_every_percent_agree_with_counting_by_hand(values: list[float]) -> None:
    shown = Histogram(sorted(values), 0.5, "")
    counts = [sum(value >= percent / 100 for value in values) for percent in range(101)]
    assert shown.counts_from_percent == counts
    assert sum(one.submissions for one in shown.bins) == len(values)
    for one in shown.bins[:-1]:
        assert one.submissions == sum(one.low / 100 <= value < one.high / 100 for value in values)


def test_without_a_script_the_line_is_the_filter_s_field(alice_client: Client, chain: Report) -> None:
    address = chain.assignment.get_absolute_url()
    page = alice_client.get(address).content.decode()
    assert "<strong data-at>50\u202f%</strong>: <span data-above>6</span> of 7" in page
    assert "Suggested: 50\u202f%" in page
    assert '<th scope="row">70 to under 75 %</th><td class="number">2</td>' in page
    page = alice_client.get(address, {"threshold": "85"}).content.decode()
    assert "<strong data-at>85\u202f%</strong>: <span data-above>2</span> of 7" in page
    assert 'name="threshold" value="85"' in page


def test_the_graph_s_figures_have_the_names_that_a_reader_may_see(
    alice_client: Client, chain: Report
) -> None:
    session = alice_client.session
    session[ANONYMOUS] = True
    session.save()
    page = alice_client.get(chain.assignment.get_absolute_url()).content.decode()
    found = re.search(r'<script id="graph-data" type="application/json">(.*?)</script>', page)
    assert found
    figures = json.loads(found[1])
    assert len(figures["nodes"]) == 6
    made_up = {node["name"] for node in figures["nodes"]}
    assert not made_up & {"ann", "ben", "cal", "dan", "eve", "fay"}
    assert all(name in page.replace(found[0], "") for name in made_up)


def test_a_report_of_before_has_no_histogram(chain: Report) -> None:
    chain.findings = None
    assert histogram(chain) is None


def test_lapses_are_written_in_their_two_largest_units() -> None:
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
