"""The suggested threshold, and what is stated of unrelated pairs, against a naive count."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations, pairwise
from math import ceil, exp, floor, log
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

from fingerprint import engine
from fingerprint.engine import RankingInput
from fingerprint.ranking.threshold import (
    DEFAULT_THRESHOLD,
    HIGHEST_THRESHOLD,
    LOWEST_THRESHOLD,
    MIN_PAIRS,
    SAMPLE_SIZE,
    SuggestedThreshold,
    UnrelatedTail,
    _quantile,
    estimate_tail,
    suggest_threshold,
    threshold_range,
)
from tests.fingerprint.ranking.test_score_order import PARAMS, file, ranking
from tests.support.programs import many_candidates, program, renamed

SIZES = st.integers(12, 120)
SIMILARITIES = st.lists(st.integers(0, 1000).map(lambda n: n / 1000), min_size=20, max_size=66)


@pytest.mark.parametrize("copies", [0, 3, 10])
def test_a_threshold_lies_between_honest_pairs_and_copies(copies: int) -> None:
    random = Random(5)
    programs = [program(random) for _ in range(40)]
    result = ranking([*programs, *(renamed(source) for source in programs[:copies])])
    copied = {(n, 40 + n) for n in range(copies)}
    above = Counter(
        (left, right) in copied
        for left, right, similarity in zip(*result.pairs[:2], result.scores.similarity, strict=True)
        if similarity >= result.threshold.value
    )
    assert above[True] == copies
    assert above[False] <= 1


def test_a_ring_in_a_class_of_look_alikes_stands_above_the_threshold() -> None:
    random = Random(8)
    template = program(random, functions=6)
    programs = [f"{template}\n{program(random, functions=2)}" for _ in range(30)]
    result = ranking([*programs, renamed(programs[0]), renamed(programs[0])])
    listed = result.scores.similarity >= result.threshold.value
    pairs = set(zip(result.pairs.left[listed].tolist(), result.pairs.right[listed].tolist(), strict=True))
    assert pairs == {(0, 30), (0, 31), (30, 31)}


def suggested(similarities: list[float], submissions: int = 40) -> SuggestedThreshold:
    """Return the suggestion to a class in which the pairs of these similarities were compared."""
    tail = estimate_tail(similarities, len(similarities), submissions)
    return suggest_threshold(tail, similarities, len(similarities), submissions)


@pytest.mark.parametrize("pairs", [0, 1, 3, MIN_PAIRS - 1])
def test_a_tiny_class_gets_the_default_threshold_and_the_reason(pairs: int) -> None:
    number = "one pair is" if pairs == 1 else f"{pairs} pairs are"
    reason = f"{number} too few for an estimate; 50% suits most tasks"
    assert suggested([0.9] * pairs) == (DEFAULT_THRESHOLD, reason)
    assert estimate_tail([0.9] * pairs, pairs, 40) is None


@pytest.mark.parametrize(
    ("similarity", "value", "end"),
    [
        (1.0, HIGHEST_THRESHOLD, "; 90% is the highest suggestion"),
        (0.99, HIGHEST_THRESHOLD, "; 90% is the highest suggestion"),
        (0.01, LOWEST_THRESHOLD, "; no pair reaches 20%"),
    ],
)
def test_a_suggestion_stays_within_its_bounds_and_says_so(similarity: float, value: float, end: str) -> None:
    suggestion = suggested([similarity] * 190, 20)
    assert suggestion.value == value
    assert suggestion.reason.endswith(end)


@given(SIMILARITIES, SIZES)
def test_the_tail_is_what_sorting_and_counting_says(similarities: list[float], submissions: int) -> None:
    tail = estimate_tail(similarities, 3 * len(similarities), submissions)
    assert tail is not None
    median, upper = naive_quantile(similarities, 0.5), naive_quantile(similarities, 0.8)
    rise = 1.1 * max(upper - median, 0.01) / log(2.5)
    assert tail == pytest.approx(
        (len([*combinations(range(submissions), 2)]), 3 * len(similarities) / 5, upper, rise)
    )


def naive_quantile(similarities: list[float], part: float) -> float:
    """Return the similarity below which a part of the others lie, between two by its distance to them."""
    ascending, place = sorted(similarities), part * (len(similarities) - 1)
    before, after = ascending[floor(place)], ascending[ceil(place)]
    return before + (after - before) * (place - floor(place))


@given(SIMILARITIES, st.sampled_from((0.1, 0.25, 0.5, 0.8, 0.95)))
def test_quantiles_are_those_of_numpy_to_the_digit(similarities: list[float], part: float) -> None:
    assert _quantile(np.sort(np.array(similarities)), part) == np.quantile(similarities, part)


@pytest.mark.slow
@given(st.floats(0.01, 0.08), st.integers(12, 200))
def test_in_a_class_without_copies_about_as_many_pairs_are_as_similar_as_expected(
    fall: float, submissions: int
) -> None:
    pairs = submissions * (submissions - 1) // 2
    similarities = [min(-fall * log((at + 0.5) / pairs), 1.0) for at in range(pairs)]
    assume(similarities[0] < 1)
    tail = estimate_tail(similarities, pairs, submissions)
    assert tail is not None
    for number in (1, 3, 10):
        # The margin for heavier tails makes the estimate cautious, never too low.
        reached = sum(one >= tail.reached_by(number) for one in similarities)
        assert reached <= number
        assert tail.expected(tail.reached_by(number)) == pytest.approx(min(number, tail.reached))


@given(SIMILARITIES, SIZES)
def test_the_suggestion_lies_in_the_widest_gap_of_its_range(
    similarities: list[float], submissions: int
) -> None:
    tail = estimate_tail(similarities, len(similarities), submissions)
    low, high = threshold_range(tail, submissions)
    value, reason = suggested(similarities, submissions)
    assert LOWEST_THRESHOLD <= low <= value + 0.005
    assert value - 0.005 <= high <= HIGHEST_THRESHOLD
    above = sorted({one for one in similarities if one >= low})
    if not above or low == high:
        return
    clipped = [low, *(min(one, high) for one in above)]
    widest = max(second - first for first, second in pairwise(clipped))
    first = max((one for one in [low, *above] if one < value - 0.005), default=low)
    second = min((one for one in above if one > value + 0.005), default=high)
    assert min(second, high) - first >= widest - 1e-9 or widest <= 0.01
    stated = re.search(r"gap there is from (\d+)% to (\d+)%", reason)
    assert stated
    assert not [one for one in similarities if int(stated[1]) / 100 + 0.01 <= one < int(stated[2]) / 100]


def test_of_very_many_pairs_the_middle_of_the_range_is_suggested() -> None:
    similarities = [min(-0.05 * log((at + 0.5) / 11_026), 1.0) for at in range(11_026)]
    low, high = threshold_range(estimate_tail(similarities, len(similarities), 149), 149)
    value, reason = suggested(similarities, 149)
    assert low < value == round((low + high) / 2, 2) < high
    assert reason.endswith("; the middle of these two is suggested")


@given(SIMILARITIES, SIZES)
def test_the_reason_states_what_the_tail_expects(similarities: list[float], submissions: int) -> None:
    tail = estimate_tail(similarities, len(similarities), submissions)
    assert tail is not None
    reason = suggested(similarities, submissions).reason
    number = r"(about [\d.]+|fewer than 0\.1)"
    stated = re.match(
        rf"{number} unrelated pairs are expected from (\d+)% on(?:, {number} from (\d+)% on)?;", reason
    )
    assert stated
    for said, percent in ((stated[1], stated[2]), (stated[3], stated[4])):
        if said:
            above = max(int(percent) / 100 - tail.similarity, 0)
            expected = tail.reached * exp(-above / tail.rise)
            assert said == (f"about {expected:.1f}" if expected >= 0.05 else "fewer than 0.1")


@given(st.floats(0, 1), st.floats(0, 1), SIMILARITIES, SIZES)
def test_a_higher_similarity_is_never_stated_as_more_frequent(
    first: float, second: float, similarities: list[float], submissions: int
) -> None:
    tail = estimate_tail(similarities, len(similarities), submissions)
    assert tail is not None
    lower, higher = (tail.rarity(one) for one in sorted((first, second)))
    assert lower.one_in <= higher.one_in * 1.1  # numbers have two digits
    for one in (lower, higher):
        assert 1 <= one.most <= one.one_in <= one.fewest
        assert one.one_in <= tail.pairs * 1.06


def test_what_the_class_is_too_small_for_is_stated_as_a_bound() -> None:
    tail = UnrelatedTail(pairs=1000, reached=40, similarity=0.2, rise=0.05)
    assert tail.rarity(0.9) == (300, 300, 300, "below")
    assert tail._replace(pairs=200).rarity(0.9) == (200, 200, 200, "below")
    assert tail.rarity(0.1) == (25, 25, 25, "above")
    assert tail.rarity(0.2 + 0.05 * log(4)) == (100, 500, 20, "")


@pytest.mark.slow
def test_the_threshold_does_not_depend_on_what_is_shown() -> None:
    programs = many_candidates()
    files = [file(at, source) for at, source in enumerate(programs)]
    inputs = RankingInput.from_files(files, len(programs), PARAMS.k)
    rankings = [engine.rank(inputs, show) for show in (None, 1, 250, 10**6)]
    assert len(rankings[3].pairs.left) > SAMPLE_SIZE
    assert len({(one.threshold, one.tail) for one in rankings}) == 1


@pytest.mark.slow
def test_the_tail_is_of_the_same_pairs_in_any_order_of_the_class() -> None:
    programs = many_candidates()
    tails = []
    for order in (programs, programs[::-1]):
        files = [file(at, source) for at, source in enumerate(order)]
        tails.append(engine.rank(RankingInput.from_files(files, len(order), PARAMS.k), 250).tail)
    # Which of several equal passages is taken depends on which side is the first one.
    assert tails[0] == pytest.approx(tails[1], rel=0.02)
