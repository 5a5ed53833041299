"""A passage taken for boilerplate, with the real ranking."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from submissions import actions, queries, tasks
from submissions.actions import ignore_passage
from submissions.models import Boilerplate, Pair, Report
from tests.support.sample_class import COPIED, HONEST, RENAMED, STARTER, loose, zipped

if TYPE_CHECKING:
    from django.test import Client

    from submissions.models import Assignment
    from tests.support.uploads import Committing, HandIn

MORE = """
def harvest(rows, wanted):
    found = {}
    for row in rows:
        key, _, rest = row.partition(":")
        if key in wanted and rest:
            found.setdefault(key, []).append(rest.strip())
    return sorted(found.items())
"""


@pytest.fixture
def pair(hand_in: HandIn, assignment: Assignment) -> Pair:
    """Two submissions that share two passages, one of them renamed."""
    hand_in(zipped({"ada/main.py": COPIED + "a = 1\n" + MORE, "ben/main.py": MORE + HONEST + RENAMED}))
    return Pair.objects.get(report__assignment=assignment)


def ignore_address(pair: Pair) -> str:
    return reverse("ignore_passage", args=[pair.report.assignment_id, pair.left_id, pair.right_id])


def newest(assignment: Assignment) -> Pair:
    return Pair.objects.get(report=Report.objects.filter(assignment=assignment, state=Report.State.DONE)[0])


def test_an_ignored_passage_counts_no_more_and_is_grey(
    pair: Pair,
    assignment: Assignment,
    alice_client: Client,
    django_capture_on_commit_callbacks: Committing,
) -> None:
    row = max(pair.passages, key=lambda row: row.tokens)
    with django_capture_on_commit_callbacks(execute=True):
        answer = alice_client.post(ignore_address(pair), {"passage": row.key})
    now = newest(assignment)
    assert now.report != pair.report
    assert now.similarity < pair.similarity
    assert len(now.passages) == len(pair.passages) - 1
    page = alice_client.get(answer.headers["Location"]).content.decode()
    assert re.search(r'class="(nf )?ignored">spread', page)
    assert f"the similarity was {round(pair.similarity * 100)}\u202f% and is" in page


def test_its_boilerplate_is_named_by_path_and_lines_and_can_count_again(
    pair: Pair,
    assignment: Assignment,
    alice_client: Client,
    django_capture_on_commit_callbacks: Committing,
) -> None:
    row = max(pair.passages, key=lambda row: row.tokens)
    with django_capture_on_commit_callbacks(execute=True):
        alice_client.post(ignore_address(pair), {"passage": row.key})
    kept = Boilerplate.objects.get()
    assert kept.name == "passage of main.py, lines 2 to 16"
    assert (kept.first, kept.after) == (row.left_token, row.left_token + row.tokens)
    with django_capture_on_commit_callbacks(execute=True):
        alice_client.post(reverse("remove_boilerplate", args=[kept.pk]))
    assert newest(assignment).similarity == pytest.approx(pair.similarity)


def test_ignoring_it_twice_keeps_one_boilerplate(pair: Pair, alice_client: Client) -> None:
    for _ in range(2):
        alice_client.post(ignore_address(pair), {"passage": pair.passages[0].key})
    assert Boilerplate.objects.count() == 1


@pytest.mark.parametrize("key", ["", "1:2:3:4:5", "x" * 5000, "0:0:0:0:0\0"])
def test_a_passage_that_the_report_does_not_have_changes_nothing(
    pair: Pair, alice_client: Client, key: str
) -> None:
    answer = alice_client.post(ignore_address(pair), {"passage": key}, follow=True)
    assert b"not in the newest report any more" in answer.content
    assert not Boilerplate.objects.exists()


def test_a_file_with_an_ignored_passage_can_be_handed_out_as_a_whole(
    pair: Pair, assignment: Assignment, alice_client: Client
) -> None:
    for row in pair.passages:
        alice_client.post(ignore_address(pair), {"passage": row.key})
    whole = COPIED + "a = 1\n" + MORE
    assert actions.add_boilerplate(assignment, [loose("main.py", whole)]) == []
    assert Boilerplate.objects.filter(first=None).count() == 1
    assert Boilerplate.objects.count() == 3


def test_what_is_ignored_while_a_ranking_waits_is_ranked_by_it(pair: Pair, assignment: Assignment) -> None:
    waiting = actions.rerank(assignment)
    assert ignore_passage(assignment, pair, pair.passages[0].key)
    assert [one.pk for one in assignment.reports.filter(state=Report.State.QUEUED)] == [waiting.pk]
    tasks.rank(waiting.pk)
    state = queries.report_state(assignment)
    assert (state.report, state.pending) == (waiting, False)


def test_a_pair_that_is_gone_says_so(pair: Pair, alice_client: Client, hand_in: HandIn) -> None:
    address = ignore_address(pair)
    hand_in(zipped({"ada/main.py": STARTER}))
    answer = alice_client.post(address, {"passage": pair.passages[0].key})
    assert answer.status_code == 404
    assert b"Not in the current report" in answer.content


def test_nobody_else_can_ignore_a_passage(pair: Pair, bob_client: Client, client: Client) -> None:
    sent = {"passage": pair.passages[0].key}
    assert bob_client.post(ignore_address(pair), sent).status_code == 404
    assert client.post(ignore_address(pair), sent).status_code == 302
    assert not Boilerplate.objects.exists()


def test_a_link_ignores_nothing(pair: Pair, alice_client: Client) -> None:
    assert alice_client.get(ignore_address(pair)).status_code == 405


@pytest.mark.parametrize("before", ["x", "101", "-1", "٣", ""])
def test_a_made_up_similarity_before_is_not_shown(pair: Pair, alice_client: Client, before: str) -> None:
    address = reverse("pair", args=[pair.report.assignment_id, pair.left_id, pair.right_id])
    assert b"Ranked without the passage" not in alice_client.get(address, {"before": before}).content
