from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from django.test import Client

from fingerprint.engine import CandidatePairs, Ranking, Scores
from fingerprint.ranking.threshold import SuggestedThreshold
from submissions.core.models import CommonPassage, ExclusionEffect
from submissions.intake.packed_readings import unpack_tokens
from submissions.models import Assignment, Document, Report
from submissions.reports import results as ranking
from submissions.uploads.change import add_boilerplate, rerank
from tests.support.html import get_page
from tests.support.programs import program
from tests.support.reports import findings_of
from tests.support.sample_class import CLASS, STARTER, loose, zipped
from tests.support.tabs import tab
from tests.support.uploads import Committing, HandIn

pytestmark = pytest.mark.services


TEMPLATE = """
def read_table(path, width):
    with open(path) as lines:
        table = [line.rstrip().split(",") for line in lines if not line.startswith("#")]
    return [row[:width] + [None] * (width - len(row)) for row in table]
"""


def newest(assignment: Assignment) -> Report:
    return Report.objects.filter(assignment=assignment, state=Report.State.DONE)[0]


def class_sharing(code: str, count: int) -> dict[str, str]:
    """Return the files of `count` submissions that have nothing but `code` in common."""
    return {f"student-{n:02}/main.py": code + program(Random(n)) for n in range(count)}


def effect_of(report: Report) -> ExclusionEffect:
    effect = findings_of(report).effect
    assert effect is not None
    return effect


def figures(report: Report) -> dict[tuple[int, int], tuple[float, float]]:
    """Return the similarity and the larger share of every pair."""
    return {
        (pair.left_id, pair.right_id): (pair.similarity, max(pair.left_share, pair.right_share))
        for pair in report.pairs.all()
    }


def code_of(passage: CommonPassage) -> str:
    document = Document.objects.select_related("source").get(pk=passage.document)
    tokens = unpack_tokens(bytes(document.tokens))
    return bytes(document.source.data).decode()[tokens.starts[passage.first] : tokens.ends[passage.after - 1]]


@pytest.mark.long
def test_best_matches_come_from_pairs_that_are_not_listed_too(
    hand_in: HandIn, monkeypatch: pytest.MonkeyPatch, alice_client: Client
) -> None:
    monkeypatch.setattr(ranking, "MAX_PAIRS", 1)
    report = newest(hand_in(zipped(CLASS)).assignment)
    assert report.pairs.count() == 1
    assert findings_of(report).scored == 3
    assert all(match.match for match in findings_of(report).best)
    facts = get_page(alice_client, tab(report.assignment, "pairs")).terms("section.made > .facts")
    assert facts["Compared"] == (
        "3 submissions; 3 pairs share enough to be scored, the 1 most similar are listed"
    )


def test_a_whole_copy_is_stored_below_all_pairs_that_a_report_has_room_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ranking, "MAX_PAIRS", 2)
    similarity = np.array([0.8, 0.7, 0.6, 0.3, 0.2])
    shares = {"left_share": np.array([0.5, 0.4, 0.3, 0.2, 0.95]), "right_share": np.full(5, 0.1)}
    empty = dict.fromkeys(Scores._fields, np.zeros(5))
    pairs = CandidatePairs(np.zeros(5, np.int32), np.arange(1, 6, dtype=np.int32), np.ones(5, np.int32))
    threshold = SuggestedThreshold(0.9, "", 0.95)
    scores = Scores(**{**empty, **shares, "similarity": similarity})
    ranked = Ranking(pairs, scores, threshold, None, np.full((5, 2), -1), 5)
    assert ranking._best_rows(ranked, np.arange(5)).tolist() == [0, 1, 4]


def test_a_submission_that_is_like_nobodys_has_no_best_match(hand_in: HandIn) -> None:
    lonely = {"ada/main.py": CLASS["cleo/main.py"].removeprefix(STARTER), "ben/main.py": "print('hello')\n"}
    report = newest(hand_in(zipped(lonely)).assignment)
    assert [(match.match, match.similarity) for match in findings_of(report).best] == [(None, 0.0)] * 2


def test_submissions_of_the_same_bytes_are_identical_whatever_their_files_are_called(hand_in: HandIn) -> None:
    files = {"ada/main.py": STARTER, "ben/copy.py": STARTER, "cleo/main.py": STARTER + "\n# by Cleo\n"}
    report = newest(hand_in(zipped(files)).assignment)
    names = dict(report.submissions.values_list("pk", "name"))
    groups = [(group.sameness, {names[pk] for pk in group.submissions}) for group in report.duplicates]
    assert groups == [("identical", {"ada", "ben"}), ("layout", {"ada", "ben", "cleo"})]


def test_without_exclusions_there_is_no_effect(report: Report) -> None:
    tokens = sum(Document.objects.values_list("token_count", flat=True))
    assert findings_of(report).effect == ExclusionEffect(tokens=tokens, boilerplate=0, common=0)
    assert findings_of(report).common == []


def test_the_effect_of_boilerplate_is_the_difference_to_the_ranking_without_it(
    report: Report, starter: Callable[[], None]
) -> None:
    before = figures(report)
    starter()
    now = newest(report.assignment)
    after, effect = figures(now), effect_of(now)
    starter_tokens = Document.objects.get(boilerplate__assignment=report.assignment).token_count
    assert effect.boilerplate == 3 * starter_tokens > 0
    assert effect.common == 0
    assert [effect.above, effect.above_before] == [
        sum(similarity >= now.parameters["threshold"]["value"] for similarity, _ in ranked.values())
        for ranked in (after, before)
    ]
    assert effect.moved
    for pair in effect.moved:
        both = pair.left, pair.right
        assert (pair.similarity_before, pair.share_before) == pytest.approx(before[both])
        assert (pair.similarity, pair.share) == pytest.approx(after.get(both, (0, 0)))
    changes = [abs(pair.similarity - pair.similarity_before) for pair in effect.moved]
    assert changes == sorted(changes, reverse=True)
    assert changes[0] > 0.05


@pytest.mark.long
def test_common_code_is_listed_with_its_place_and_its_number_of_submissions(hand_in: HandIn) -> None:
    report = newest(hand_in(zipped(class_sharing(TEMPLATE, 32))).assignment)
    passage = findings_of(report).common[0]
    code = code_of(passage)
    assert code.startswith("def read_table")
    assert "[None] * (width - len(row))" in code
    assert passage.submissions == 32
    effect = effect_of(report)
    assert effect.boilerplate == 0
    assert effect.common >= 32 * (passage.after - passage.first)


@pytest.mark.long
def test_common_code_moves_shares_and_no_similarity(hand_in: HandIn) -> None:
    report = newest(hand_in(zipped(class_sharing(TEMPLATE, 32))).assignment)
    moved = effect_of(report).moved
    assert moved
    for pair in moved:
        assert pair.similarity == pair.similarity_before
        assert pair.share < pair.share_before
        stored = report.pairs.get(left=pair.left, right=pair.right)
        assert pair.share_before == max(stored.left_with_common, stored.right_with_common)
    above = report.pairs.filter(similarity__gte=report.parameters["threshold"]["value"]).count()
    assert effect_of(report).above == effect_of(report).above_before == above


@pytest.mark.long
def test_a_small_class_has_no_common_code_unless_a_limit_is_set(
    hand_in: HandIn, assignment: Assignment, django_capture_on_commit_callbacks: Committing
) -> None:
    hand_in(zipped(class_sharing(TEMPLATE, 5)))
    assert findings_of(newest(assignment)).common == []
    assignment.common_limit = 3
    assignment.save()
    with django_capture_on_commit_callbacks(execute=True):
        rerank(assignment)
    assert findings_of(newest(assignment)).common[0].submissions == 5


@pytest.mark.long
def test_common_code_that_was_handed_out_is_listed_as_boilerplate_only(
    hand_in: HandIn, assignment: Assignment, django_capture_on_commit_callbacks: Committing
) -> None:
    hand_in(zipped(class_sharing(TEMPLATE, 32)))
    with django_capture_on_commit_callbacks(execute=True):
        add_boilerplate(assignment, [loose("template.py", TEMPLATE)])
    report = newest(assignment)
    assert not any("open(path)" in code_of(passage) for passage in findings_of(report).common)
    handed_out = Document.objects.get(boilerplate__assignment=assignment).token_count
    assert effect_of(report).boilerplate >= 32 * handed_out
