from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from django.urls import reverse

from submissions.models import Decision, Pair, Report
from tests.support.shares import pair_page

if TYPE_CHECKING:
    from django.test import Client

    from submissions.models import Assignment


def open_next(client: Client, report: Report, after: Pair | None = None, **query: Any) -> str:
    place = reverse("next_undecided", args=[report.assignment_id])
    if after:
        query["after"] = f"{after.left_id}-{after.right_id}"
    return client.get(place, query).headers["Location"]


def settle(pair: Pair, state: str = "clear") -> None:
    Decision.objects.create(
        assignment=pair.report.assignment, left=pair.left.name, right=pair.right.name, state=state
    )


@pytest.fixture
def ranked(report: Report) -> list[Pair]:
    """Give the three pairs of the report, at 90, 80 and 10 percent."""
    pairs = list(report.pairs.select_related("left", "right"))
    for pair, similarity in zip(pairs, (0.9, 0.8, 0.1), strict=True):
        pair.similarity = similarity
        pair.save()
    return pairs


def test_the_next_pair_is_the_most_similar_undecided_one(
    alice_client: Client, report: Report, ranked: list[Pair]
) -> None:
    first, second, third = ranked
    assert open_next(alice_client, report) == pair_page(first)
    settle(first)
    assert open_next(alice_client, report) == pair_page(second)
    settle(second, "confirmed")
    assert open_next(alice_client, report) == pair_page(third)


def test_what_was_passed_over_comes_again_before_what_is_below_the_line(
    alice_client: Client, report: Report, ranked: list[Pair]
) -> None:
    first, second, third = ranked
    assert open_next(alice_client, report, first, threshold=50) == f"{pair_page(second)}?threshold=50"
    assert open_next(alice_client, report, second, threshold=50) == f"{pair_page(first)}?threshold=50"
    settle(first)
    assert open_next(alice_client, report, second, threshold=50) == f"{pair_page(third)}?threshold=50"
    assert open_next(alice_client, report, third, threshold=50) == f"{pair_page(second)}?threshold=50"


def test_the_way_below_the_line_is_told_once(
    alice_client: Client, report: Report, ranked: list[Pair]
) -> None:
    settle(ranked[0])
    settle(ranked[1])
    page = alice_client.get(open_next(alice_client, report, ranked[1], threshold=50)).content.decode()
    assert "Every pair of 50\u202f% and more is decided." in page


def test_it_is_said_when_none_is_left(alice_client: Client, report: Report, ranked: list[Pair]) -> None:
    for pair in ranked:
        settle(pair)
    to = open_next(alice_client, report, ranked[0])
    assert to == report.assignment.get_absolute_url()
    assert "No undecided pair is left." in alice_client.get(to).content.decode()


def test_the_last_undecided_pair_says_so(alice_client: Client, report: Report, ranked: list[Pair]) -> None:
    settle(ranked[0])
    settle(ranked[1])
    to = open_next(alice_client, report, ranked[2])
    assert to == pair_page(ranked[2])
    assert "this is the last one" in alice_client.get(to).content.decode()


@pytest.mark.parametrize("after", ["x", "1-", "-", "9" * 40 + "-1", "0-0", "\uff11-\uff12"])
def test_a_place_that_makes_no_sense_starts_at_the_top(
    after: str, alice_client: Client, report: Report, ranked: list[Pair]
) -> None:
    place = reverse("next_undecided", args=[report.assignment_id])
    assert alice_client.get(place, {"after": after}).headers["Location"] == pair_page(ranked[0])


def test_an_assignment_without_pairs_has_none_to_decide(alice_client: Client, assignment: Assignment) -> None:
    to = alice_client.get(reverse("next_undecided", args=[assignment.pk])).headers["Location"]
    assert "There are no pairs to decide yet." in alice_client.get(to).content.decode()
