"""The suggested threshold, against a naive count, and the ranking of a report."""

import re
from collections import Counter
from itertools import combinations, pairwise
from math import exp, floor, lgamma, log, sqrt
from random import Random

import pytest
from hypothesis import given, strategies as st

from fingerprint import engine
from fingerprint.engine import Ranking, RankingInput, score
from fingerprint.ranking.score_constants import LEAST_RENAMED
from fingerprint.ranking.threshold import (
    ALWAYS_STANDS_OUT,
    DEFAULT_THRESHOLD,
    HIGHEST_THRESHOLD,
    LOOKED_AT,
    LOWEST_LOOK,
    LOWEST_THRESHOLD,
    MIN_PAIRS,
    SAMPLE_SIZE,
    SuggestedThreshold,
    UnrelatedPairs,
    estimate_unrelated,
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
    unrelated = estimate_unrelated(similarities, len(similarities), submissions)
    return suggest_threshold(unrelated, similarities, len(similarities), submissions)


@pytest.mark.parametrize("pairs", [0, 1, 3, MIN_PAIRS - 1])
def test_a_tiny_class_gets_the_default_threshold_and_the_reason(pairs: int) -> None:
    number = "one pair is" if pairs == 1 else f"{pairs} pairs are"
    reason = f"{number} too few for an estimate; 50% suits most tasks"
    assert suggested([0.9] * pairs) == (DEFAULT_THRESHOLD, reason, DEFAULT_THRESHOLD, HIGHEST_THRESHOLD)
    assert estimate_unrelated([0.9] * pairs, pairs, 40) is None


@pytest.mark.parametrize(
    ("similarity", "value", "end"),
    [
        (1.0, HIGHEST_THRESHOLD, "; programs of this task are too alike for a line"),
        (0.99, HIGHEST_THRESHOLD, "; programs of this task are too alike for a line"),
        (0.01, LOWEST_THRESHOLD, "; 20% is the lowest suggestion"),
    ],
)
def test_a_suggestion_stays_within_its_bounds_and_says_so(similarity: float, value: float, end: str) -> None:
    suggestion = suggested([similarity] * 190, 20)
    assert suggestion.value == value
    assert suggestion.reason.endswith(end)


def naive_density(middle: float, mean: float, variance: float) -> float:
    mean = min(max(mean, 0.003), 0.99)
    variance = min(max(variance, 0.0002), 0.9 * mean * (1 - mean))
    both = mean * (1 - mean) / variance - 1
    low, high = mean * both, (1 - mean) * both
    logarithm = (low - 1) * log(middle) + (high - 1) * log(1 - middle)
    return exp(logarithm + lgamma(both) - lgamma(low) - lgamma(high))


def naive_mean_and_variance(weights: list[float], middles: list[float]) -> tuple[float, float]:
    mean = sum(w * x for w, x in zip(weights, middles, strict=True)) / sum(weights)
    squares = (w * (x - mean) ** 2 for w, x in zip(weights, middles, strict=True))
    return mean, sum(squares) / sum(weights)


def naive_fit(similarities: list[float], compared: int, pairs: int) -> tuple[float, float, float]:
    """Return the estimate from the highest quantile, or the likeliest where that one rises towards 1."""
    fits = [naive_fit_from(quantile, similarities, compared, pairs) for quantile in (0.9, 0.75, 0.5, 0.25)]
    _, mean, variance = fits[0][0]
    rises = (1 - mean) * (mean * (1 - mean) / max(variance, 2e-4) - 1) < 1
    return max(fits, key=lambda one: one[1])[0] if rises else fits[0][0]


def naive_fit_from(
    first_quantile: float, similarities: list[float], compared: int, pairs: int
) -> tuple[tuple[float, float, float], float]:
    """Return the part of copies, and the mean and the variance of the other pairs, pair by pair; and how likely."""
    middles = [min(max((at + 0.5) / 200, 0.005), 0.995) for at in range(200)]
    counts = [0.0] * 200
    for one in similarities:
        counts[min(int(one * 200), 199)] += compared / len(similarities)
    counts[0] += max(pairs - compared, 0)
    total = sum(counts)
    quantile = next(at for at in range(200) if sum(counts[: at + 1]) >= first_quantile * total)
    first = [n if x <= max(middles[quantile], 0.05) else 0 for n, x in zip(counts, middles, strict=True)]
    mean, variance = naive_mean_and_variance(first, middles)
    copied, variance = min(2 / total, 0.3), 1.5 * variance
    for _ in range(30):
        likely = []
        for x in middles:
            copy = copied * naive_density(x, 0.5, 0.25 / 3.4)
            unrelated = (1 - copied) * naive_density(x, mean, variance)
            likely.append(0 if x < mean else copy / (copy + unrelated + 1e-300))
        part = sum(w * n for w, n in zip(likely, counts, strict=True))
        copied = min((part + 2) / (total + 24), 0.7)
        rest = [(1 - w) * n for w, n in zip(likely, counts, strict=True)]
        mean, variance = naive_mean_and_variance(rest, middles)
    likelihood = 0.0
    for n, x in zip(counts, middles, strict=True):
        copy = copied * naive_density(x, 0.5, 0.25 / 3.4) * (x >= mean)
        likelihood += n * log((1 - copied) * naive_density(x, mean, variance) + copy + 1e-300)
    return (copied, mean, variance), likelihood


@pytest.mark.slow
@given(SIMILARITIES, SIZES)
def test_unrelated_pairs_are_those_of_the_naive_mixture(similarities: list[float], submissions: int) -> None:
    compared = 3 * len(similarities)
    unrelated = estimate_unrelated(similarities, compared, submissions)
    pairs = len([*combinations(range(submissions), 2)])
    assert unrelated == pytest.approx((pairs, *naive_fit(similarities, compared, pairs)), rel=1e-6, abs=1e-9)


@given(SIMILARITIES, SIZES, st.randoms())
def test_the_line_depends_on_no_order(similarities: list[float], submissions: int, random: Random) -> None:
    shuffled = random.sample(similarities, len(similarities))
    assert suggested(similarities, submissions) == suggested(shuffled, submissions)


@given(SIMILARITIES, SIZES)
def test_the_bands_follow_each_other(similarities: list[float], submissions: int) -> None:
    bands = suggested(similarities, submissions)
    assert LOWEST_THRESHOLD <= bands.value <= HIGHEST_THRESHOLD
    assert LOWEST_LOOK <= bands.look <= bands.value <= bands.stands_out <= max(bands.value, ALWAYS_STANDS_OUT)
    # Equal programs and those in which only names were changed are above every line.
    assert bands.value < bands.stands_out or bands.value < LEAST_RENAMED
    assert bands.stands_out <= LEAST_RENAMED


@given(SIMILARITIES, SIZES)
def test_pairs_are_looked_at_from_where_they_are_copies_with_a_probability(
    similarities: list[float], submissions: int
) -> None:
    bands = suggested(similarities, submissions)
    copied, *unrelated = naive_fit(similarities, len(similarities), submissions * (submissions - 1) // 2)
    likely = []
    for middle in (min(max((at + 0.5) / 200, 0.005), 0.995) for at in range(200)):
        copy = copied * naive_density(middle, 0.5, 0.25 / 3.4)
        odds = copy * (1 - LOOKED_AT) - (1 - copied) * naive_density(middle, *unrelated) * LOOKED_AT
        likely.append(middle > unrelated[0] and odds >= -1e-9)
    first = likely.index(True) / 200 if any(likely) else 1.0
    alike = "too alike" in bands.reason
    expected = bands.value if alike else min(max(floor(first * 100 + 1e-6) / 100, LOWEST_LOOK), bands.value)
    assert bands.look == pytest.approx(expected, abs=0.0051)


@pytest.mark.parametrize("copied", [0.3, 0.4, 0.5, 0.6])
@pytest.mark.parametrize("submissions", [14, 20, 30, 60])
def test_the_copies_of_half_a_class_are_not_taken_for_unrelated_pairs(submissions: int, copied: float) -> None:
    random = Random(submissions)
    members = round(copied * submissions)
    copies = [random.uniform(0.4, 1.0) for _ in combinations(range(members), 2)]
    honest = [max(random.gauss(0.03, 0.02), 0.0) for _ in range(submissions * (submissions - 1) // 2 - len(copies))]
    bands = suggested([*copies, *honest], submissions)
    assert max(honest) < bands.look <= bands.value < 0.45
    assert "too alike" not in bands.reason


@pytest.mark.parametrize("copies", [0, 1, 5])
@pytest.mark.parametrize("submissions", [20, 60, 120])
def test_copies_far_above_a_class_are_above_its_line_and_nobody_else(copies: int, submissions: int) -> None:
    random = Random(submissions)
    pairs = submissions * (submissions - 1) // 2
    honest = [random.betavariate(4, 22) for _ in range(pairs - copies)]
    bands = suggested([*honest, *(0.75 + at / 50 for at in range(copies))], submissions)
    assert max(honest) < bands.stands_out <= 0.75
    assert sum(one >= bands.value for one in honest) <= 2


@given(st.integers(2, 12), st.integers(20, 60), st.integers(20, 200))
def test_in_a_class_without_copies_about_as_many_pairs_are_as_similar_as_expected(
    low: int, high: int, submissions: int
) -> None:
    random = Random(submissions)
    pairs = submissions * (submissions - 1) // 2
    similarities = [random.betavariate(low, high) for _ in range(pairs)]
    unrelated = estimate_unrelated(similarities, pairs, submissions)
    assert unrelated is not None
    for number in (pairs / 10, pairs / 30):
        # The margin for heavier tails makes the estimate cautious.
        reached = sum(one >= unrelated.reached_by(number) for one in similarities)
        assert reached <= number + 3 * sqrt(number)
        assert unrelated.expected(unrelated.reached_by(number)) == pytest.approx(number)


@given(SIMILARITIES, SIZES)
def test_the_suggestion_lies_in_the_widest_gap_of_its_range(similarities: list[float], submissions: int) -> None:
    unrelated = estimate_unrelated(similarities, len(similarities), submissions)
    assert unrelated is not None
    low, high = threshold_range(unrelated, submissions)
    value, reason, *_ = suggested(similarities, submissions)
    assert LOWEST_THRESHOLD <= low <= value + 0.01
    assert value <= high <= HIGHEST_THRESHOLD
    above = sorted({one for one in similarities if one >= low})
    if not above or low == high:
        assert value == floor(high * 100 + 1e-6) / 100
        return
    clipped = [low, *(min(one, high) for one in above)]
    widest = max(second - first for first, second in pairwise(clipped))
    middles = [(a + b) / 2 for a, b in pairwise(clipped) if b - a > widest - 1e-9]
    assert any(value <= middle + 1e-6 < value + 0.01 + 2e-6 for middle in middles)
    if stated := re.search(r"no pair is between (\d+)% and (\d+)%", reason):
        assert not [one for one in similarities if int(stated[1]) / 100 + 0.01 <= one < int(stated[2]) / 100]


def test_a_sample_of_very_many_pairs_does_not_name_the_nearest_ones() -> None:
    similarities = [min(-0.05 * log((at + 0.5) / 10_000), 1.0) for at in range(10_000)]
    unrelated = estimate_unrelated(similarities, 20_000, 300)
    reason = suggest_threshold(unrelated, similarities, 20_000, 300).reason
    assert reason.endswith("; there a copy is as likely as an unrelated pair")


@given(SIMILARITIES, SIZES)
def test_the_reason_states_how_many_unrelated_pairs_are_expected(similarities: list[float], submissions: int) -> None:
    unrelated = estimate_unrelated(similarities, len(similarities), submissions)
    assert unrelated is not None
    value, reason, *_ = suggested(similarities, submissions)
    stated = re.match(r"(about [\d.]+|fewer than 0\.1) unrelated pairs are expected from (\d+)% on; ", reason)
    assert stated
    expected = unrelated.expected(value)
    assert stated[1] == (f"about {expected:.1f}" if expected >= 0.05 else "fewer than 0.1")
    assert stated[2] == f"{value * 100:.0f}"


@given(st.floats(0, 1), st.floats(0, 1), SIMILARITIES, SIZES)
def test_a_higher_similarity_is_never_stated_as_more_frequent(
    first: float, second: float, similarities: list[float], submissions: int
) -> None:
    unrelated = estimate_unrelated(similarities, len(similarities), submissions)
    assert unrelated is not None
    lower, higher = (unrelated.rarity(one) for one in sorted((first, second)))
    assert lower.one_in <= higher.one_in * 1.1  # numbers have two digits
    for one in (lower, higher):
        assert 1 <= one.most <= one.one_in <= one.fewest
        assert one.one_in <= max(unrelated.pairs * 1.06, 5)


def test_what_the_class_is_too_small_for_is_stated_as_a_bound() -> None:
    unrelated = UnrelatedPairs(pairs=1000, copied=0.01, mean=0.15, variance=0.004)
    assert unrelated.rarity(0.9) == (300, 300, 300, "below")
    assert unrelated._replace(pairs=200).rarity(0.9) == (200, 200, 200, "below")
    assert unrelated.rarity(0.1) == (5, 5, 5, "above")
    one_in_100 = unrelated.rarity(unrelated.reached_by(0.99 * 1000 / 100))
    assert one_in_100 == (100, 500, 20, "")


@pytest.mark.slow
def test_the_threshold_does_not_depend_on_what_is_shown() -> None:
    programs = many_candidates()
    files = [file(at, source) for at, source in enumerate(programs)]
    inputs = RankingInput.from_files(files, len(programs), PARAMS.k)
    rankings = [engine.rank(inputs, show) for show in (None, 1, 250, 10**6)]
    assert len(rankings[3].pairs.left) > SAMPLE_SIZE
    assert len({(one.threshold, one.unrelated) for one in rankings}) == 1


@pytest.mark.slow
def test_the_estimate_is_of_the_same_pairs_in_any_order_of_the_class() -> None:
    programs = many_candidates()
    estimates = []
    for order in (programs, programs[::-1]):
        files = [file(at, source) for at, source in enumerate(order)]
        inputs = RankingInput.from_files(files, len(order), PARAMS.k)
        estimates.append(engine.rank(inputs, 250).unrelated)
    # Which of several equal passages is taken depends on which side is the first one.
    assert estimates[0] == pytest.approx(estimates[1], rel=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("least", [None, 0.15])
def test_a_report_is_the_same_whether_all_pairs_are_scored_or_those_that_it_needs(
    least: float | None,
) -> None:
    files = [file(at, source) for at, source in enumerate(many_candidates())]
    inputs = RankingInput.from_files(files, len(files), PARAMS.k)
    some = engine.rank_for_report(inputs, 100, least)
    every = engine.rank_for_report(inputs, 100, least, score_pairs=score)
    assert len(some.units) < 0.95 * some.candidates
    assert (some.candidates, some.threshold) == (len(every.units), every.threshold)
    assert leading(some, 100) == leading(every, 100)
    lowest = some.threshold.value if least is None else least
    assert above(some, lowest) == above(every, lowest)
    assert best_matches(some) == best_matches(every)


def leading(ranking: Ranking, count: int) -> list[tuple[float, ...]]:
    rows = zip(*ranking.pairs, *ranking.scores, strict=True)
    return [tuple(map(float, row)) for row in rows][:count]


def above(ranking: Ranking, lowest: float) -> list[tuple[float, ...]]:
    return leading(ranking, int((ranking.scores.similarity >= lowest).sum()))


def best_matches(ranking: Ranking) -> dict[float, tuple[float, ...]]:
    """Return the best pair of each submission."""
    best: dict[float, tuple[float, ...]] = {}
    for row in leading(ranking, len(ranking.units)):
        best.setdefault(row[0], row)
        best.setdefault(row[1], row)
    return best
