from random import Random
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from submissions.models import Assignment, Decision, Pair, Report
from submissions.pairs.read import WHOLE
from tests.support.html import get_page
from tests.support.programs import program, windows
from tests.support.sample_class import zipped
from tests.support.shares import decided_on, pair_page
from tests.support.uploads import HandIn

MESSAGES = ".notices .notice"


def next_address(client: Client, report: Report, after: Pair | None = None, **query: Any) -> str:
    """Return the address to which the link to the next undecided pair leads."""
    address = reverse("next_undecided", args=[report.assignment_id])
    if after:
        query["after"] = f"{after.left_id}-{after.right_id}"
    return client.get(address, query).headers["Location"]


def decide(pair: Pair, state: str = "clear") -> None:
    Decision.objects.create(assignment=pair.report.assignment, left=pair.left.name, right=pair.right.name, state=state)


@pytest.fixture
def ranked(report: Report) -> list[Pair]:
    """Return the three pairs of the report, with similarities of 90, 80 and 10 percent."""
    pairs = list(report.pairs.select_related("left", "right"))
    for pair, similarity in zip(pairs, (0.9, 0.8, 0.1), strict=True):
        pair.similarity = similarity
        pair.save()
    return pairs


def test_the_next_is_the_most_similar_one(alice_client: Client, report: Report, ranked: list[Pair]) -> None:
    first, second, third = ranked
    assert next_address(alice_client, report) == pair_page(first)
    decide(first)
    assert next_address(alice_client, report) == pair_page(second)
    decide(second, "confirmed")
    assert next_address(alice_client, report) == pair_page(third)


def test_steps_never_go_back_and_the_end_of_the_list_says_what_was_decided(
    alice_client: Client, report: Report, ranked: list[Pair]
) -> None:
    first, second, third = ranked
    listed = f"{reverse('pairs', args=[report.assignment_id])}?threshold=50"
    assert next_address(alice_client, report, first, threshold=50) == f"{pair_page(second)}?threshold=50"
    decide(second)
    assert next_address(alice_client, report, second, threshold=50) == listed
    said = ["That was the last of the list.", "2 pairs in the list: 1 clear, 1 undecided."]
    assert get_page(alice_client, listed).texts(MESSAGES) == said
    assert next_address(alice_client, report, threshold=50) == f"{pair_page(first)}?threshold=50"
    decide(first, "confirmed")
    assert next_address(alice_client, report, first, threshold=50) == f"{pair_page(third)}?threshold=50"
    step = "Every pair of 50\u202f% and more is decided. What follows is below that."
    page = get_page(alice_client, f"{pair_page(third)}?threshold=50")
    assert page.texts(MESSAGES) == ["2 pairs in the list: 1 confirmed, 1 clear.", step]
    assert not page.has(".of-list")
    decide(third)
    assert next_address(alice_client, report, third, threshold=50) == listed
    assert get_page(alice_client, listed).texts(MESSAGES)[0] == said[0]
    assert next_address(alice_client, report, threshold=50) == listed
    assert get_page(alice_client, listed).texts(MESSAGES) == ["2 pairs in the list: 1 confirmed, 1 clear."]


@pytest.mark.parametrize("after", ["x", "1-", "-", "9" * 40 + "-1", "0-0", "\uff11-\uff12"])
def test_an_invalid_previous_pair_leads_to_the_first_pair(
    after: str, alice_client: Client, report: Report, ranked: list[Pair]
) -> None:
    address = reverse("next_undecided", args=[report.assignment_id])
    assert alice_client.get(address, {"after": after}).headers["Location"] == pair_page(ranked[0])


def test_an_assignment_without_pairs_has_none_to_decide(alice_client: Client, assignment: Assignment) -> None:
    address = alice_client.get(reverse("next_undecided", args=[assignment.pk])).headers["Location"]
    assert get_page(alice_client, address).texts(MESSAGES) == ["There are no pairs to decide yet."]


def test_the_next_pair_is_that_of_the_list(alice_client: Client, report: Report, ranked: list[Pair]) -> None:
    query = {"q": "cleo", "sort": "similarity"}
    listed = get_page(alice_client, reverse("pairs", args=[report.assignment_id]), **query)
    first, second = listed.values("tr.pair .left a", "href")
    assert first == f"{pair_page(ranked[2])}?q=cleo&sort=similarity"
    [next_link] = get_page(alice_client, first).values("a.next[data-key=u]", "href")
    assert alice_client.get(next_link).headers["Location"] == second
    sent = query | {"state": "clear", "seen": 0, "decided_on": decided_on(ranked[2])}
    decide_address = reverse("decide", args=[report.assignment_id, ranked[2].left_id, ranked[2].right_id])
    alice_client.post(decide_address, sent)
    [next_link] = get_page(alice_client, second).values("a.next[data-key=u]", "href")
    assert get_page(alice_client, first).text(".of-list") == "1 of 2"
    page = get_page(alice_client, second)
    assert page.text(".of-list") == "2 of 2"
    end = alice_client.get(next_link).headers["Location"]
    assert end == f"{reverse('pairs', args=[report.assignment_id])}?q=cleo&sort=similarity"
    assert get_page(alice_client, end).texts(MESSAGES)[1] == "2 pairs in the list: 1 clear, 1 undecided."


def test_whole_pairs_below_the_threshold_say_nothing_where_programs_of_the_task_are_alike(
    alice_client: Client, hand_in: HandIn, assignment: Assignment
) -> None:
    programs = {f"s{number}/m.py": windows(Random(number)) for number in range(10)}
    for number in (0, 1):
        programs[f"u{number}/same.py"] = program(Random(5), 2)
        programs[f"u{number}/own.py"] = program(Random(number + 7), 12)
    hand_in(zipped(programs))
    report = Report.objects.get(assignment=assignment)
    suggested = report.parameters["threshold"]["value"]
    below = report.pairs.filter(WHOLE, similarity__lt=suggested)
    assert below.count() > 12
    said = get_page(alice_client, reverse("pairs", args=[assignment.pk])).text("p.lead")
    assert "1 pair below has an identical file" in said
    assert "nearly all" not in said
    for pair in report.pairs.filter(similarity__gte=suggested).select_related("left", "right"):
        decide(pair)
    with_file = report.pairs.select_related("left", "right").get(left__name="u0", right__name="u1")
    assert next_address(alice_client, report) == pair_page(with_file)
