"""What the pictures of a report show, from the pairs that are stored."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from submissions.charts import _connected, clusters
from submissions.models import Assignment, Pair, Report, Submission
from submissions.naming import Names
from submissions.queries import Link

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.handing_in import CountQueries

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def pair(report: Report, left: Submission, right: Submission, similarity: float) -> Pair:
    shares = {"left_share": similarity, "right_share": similarity}
    sizes = {"tokens": 100, "lines": 20, "longest": 50}
    parts = {"structure": similarity, "literals": 0.0, "names": 0.0}
    figures = {"similarity": similarity, **shares, **sizes, **parts}
    return Pair.objects.create(report=report, left=left, right=right, **figures)


def ranked(of: Assignment, pairs: Mapping[tuple[str, str], float]) -> Report:
    """Give a finished report of made-up pairs."""
    batch = of.batches.create(name="class.zip", state="done")
    names = sorted({name for both in pairs for name in both})
    made = {name: batch.submissions.create(name=name) for name in names}
    report = of.reports.create(state="done", parameters={"threshold": {"value": 0.5, "reason": "a gap"}})
    report.submissions.set(made.values())
    for (left, right), similarity in pairs.items():
        pair(report, made[left], made[right], similarity)
    return report


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
    return ranked(assignment, figures)


def members(report: Report, line: float) -> list[list[str]]:
    return [[one.submission.name for one in found.members] for found in clusters(report, line)]


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
    assert [names.of(one.submission.name) for one in found] == ["Submission 1", "Submission 2"]


def test_clusters_take_two_queries_however_many_there_are(
    chain: Report, django_assert_num_queries: CountQueries
) -> None:
    with django_assert_num_queries(2):
        clusters(chain, 0.5)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)).filter(lambda ends: ends[0] != ends[1])))
def test_components_are_what_a_walk_along_the_links_reaches(ends: list[tuple[int, int]]) -> None:
    found = _connected([Link(left, right, 1.0) for left, right in ends])
    for ids, own in found:
        reached = {ids[0]}
        for _ in ends:
            reached |= {pk for both in ends if reached & {*both} for pk in both}
        assert set(ids) == reached
        assert {pk for link in own for pk in link[:2]} == reached
    assert sum(len(own) for _, own in found) == len(ends)
