"""Ignoring a passage, which makes it boilerplate, with the real ranking."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from submissions.models import Assignment, Boilerplate, IgnoringProposal, Pair, Report, Source
from submissions.pages.filters import percent
from submissions.pairs import source_view as screen
from submissions.reports.change import ignore_lines, propose_passage
from submissions.reports.read import report_state
from submissions.uploads.change import rerank
from tests.support.html import get_page, page_of
from tests.support.jobs import work_off
from tests.support.kept_classes import stored
from tests.support.sample_class import COPIED, HONEST, RENAMED, STARTER, loose, zipped
from tests.support.uploads import Committing, HandIn, register_boilerplate

# How a pair page says that it was ranked again without a passage.
RANKED_NOTICE = 'main > .notice[role="status"]'
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
    """Return the pair of two submissions that share two passages, one of them renamed."""
    files = {"ada/main.py": COPIED + "a = 1\n" + MORE, "ben/main.py": MORE + HONEST + RENAMED}
    stored("two shared passages", lambda: hand_in(zipped(files)))
    return Pair.objects.get(report__assignment=assignment)


def ignore_address(pair: Pair) -> str:
    return reverse("ignore_passage", args=[pair.report.assignment_id, pair.left_id, pair.right_id])


def ignore_passage(client: Client, pair: Pair, key: str) -> str:
    """Propose a passage, have it measured, and ignore what is chosen; return where that leads to."""
    client.post(ignore_address(pair), {"passage": key})
    proposal = IgnoringProposal.objects.get()
    work_off("measure_ignoring")
    return client.post(reverse("ignore_lines", args=[proposal.pk])).headers["Location"]


def newest(assignment: Assignment) -> Pair:
    return Pair.objects.get(report=Report.objects.filter(assignment=assignment, state=Report.State.DONE)[0])


def test_an_ignored_passage_no_longer_counts_and_is_grey(
    pair: Pair,
    assignment: Assignment,
    alice_client: Client,
    committing: Committing,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    row = max(pair.passages, key=lambda row: row.tokens)
    with committing(execute=True):
        address = ignore_passage(alice_client, pair, row.key)
    reranked = newest(assignment)
    assert reranked.report != pair.report
    assert reranked.tokens < pair.tokens
    assert len(reranked.passages) == len(pair.passages) - 1
    # The part of a file that is shown ends within the passage.
    monkeypatch.setattr(screen, "PART_CHARACTERS", 50)
    monkeypatch.setattr(screen, "MAX_LINE", 50)
    page = get_page(alice_client, address)
    assert "spread" in page.texts(".source .ignored")
    assert page.text(f"{RANKED_NOTICE} p") == (
        f"Ranked without the passage: the similarity was {percent(pair.similarity)}"
        f" and is {percent(reranked.similarity)} now."
    )
    undo = reverse("remove_boilerplate", args=[Boilerplate.objects.get().pk])
    assert page.has(f'{RANKED_NOTICE} form[method=post][action="{undo}"]')


@pytest.mark.long
def test_its_boilerplate_is_named_by_path_and_lines_is_made_once_and_can_count_again(
    pair: Pair, assignment: Assignment, alice_client: Client, committing: Committing
) -> None:
    row = max(pair.passages, key=lambda row: row.tokens)
    with committing(execute=True):
        for _ in range(2):
            ignore_passage(alice_client, pair, row.key)
    boilerplate = Boilerplate.objects.get()
    assert boilerplate.name == "passage of main.py, lines 27 to 41"
    assert boilerplate.first in {row.left_token, row.right_token}
    assert boilerplate.after == boilerplate.first + row.tokens
    with committing(execute=True):
        alice_client.post(reverse("remove_boilerplate", args=[boilerplate.pk]))
    assert newest(assignment).similarity == pytest.approx(pair.similarity)


def test_a_proposal_whose_source_was_deleted_meanwhile_can_be_read(pair: Pair, alice_client: Client) -> None:
    alice_client.post(ignore_address(pair), {"passage": pair.passages[0].key})
    work_off("measure_ignoring")
    Source.objects.update(data=b"", emptied=timezone.now())
    page = get_page(alice_client, reverse("ignoring", args=[IgnoringProposal.objects.get().pk]))
    assert page.has(f'form[action="{reverse("ignore_lines", args=[IgnoringProposal.objects.get().pk])}"]')


@pytest.mark.parametrize(
    "key",
    ["1:2:3:4:5", *(pytest.param(key, marks=pytest.mark.long) for key in ("", "x" * 5000, "0:0:0:0:0\0"))],
)
def test_an_unknown_passage_changes_nothing(pair: Pair, alice_client: Client, key: str) -> None:
    response = alice_client.post(ignore_address(pair), {"passage": key}, follow=True)
    assert "not in the newest report any more" in page_of(response).text(".notices .notice")
    assert not Boilerplate.objects.exists()


@pytest.mark.long
def test_a_whole_file_can_be_handed_out(pair: Pair, assignment: Assignment, alice_client: Client) -> None:
    for row in pair.passages:
        ignore_passage(alice_client, pair, row.key)
    whole = COPIED + "a = 1\n" + MORE
    register_boilerplate(assignment, loose("main.py", whole))
    assert Boilerplate.objects.filter(first=None).count() == 1
    assert Boilerplate.objects.count() == 3


def test_a_passage_ignored_while_one_waits_is_left_out_of_it(pair: Pair, assignment: Assignment) -> None:
    waiting = rerank(assignment)
    proposal = propose_passage(assignment, pair, pair.passages[0].key)
    assert proposal
    work_off("measure_ignoring")
    proposal.refresh_from_db()
    ignore_lines(proposal)
    assert assignment.reports.get(state=Report.State.QUEUED) == waiting
    work_off("rank")
    state = report_state(assignment)
    assert (state.report, state.pending) == (waiting, False)


def test_a_pair_that_is_no_longer_ranked_says_it(pair: Pair, alice_client: Client, hand_in: HandIn) -> None:
    address = ignore_address(pair)
    hand_in(zipped({"ada/main.py": STARTER}))
    response = alice_client.post(address, {"passage": pair.passages[0].key})
    assert response.status_code == 404
    assert page_of(response).text("h1") == "Not in the current report"


@pytest.mark.long
@pytest.mark.parametrize("before", ["x", "101", "-1", "٣", ""])
def test_a_made_up_similarity_before_is_not_shown(pair: Pair, alice_client: Client, before: str) -> None:
    address = reverse("pair", args=[pair.report.assignment_id, pair.left_id, pair.right_id])
    assert not get_page(alice_client, address, before=before).has(RANKED_NOTICE)
