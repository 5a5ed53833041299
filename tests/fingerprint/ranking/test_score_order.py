"""What the score must not do, each with the order that it must give instead."""

from __future__ import annotations

from collections import Counter
from random import Random
from statistics import median
from typing import TYPE_CHECKING

import pytest

from fingerprint import engine
from fingerprint.engine import CohortFile, Exclusions, RankingInput, front_end, token_lines
from fingerprint.languages.lexical_terms import lexical_terms
from fingerprint.params import Params
from fingerprint.ranking.threshold import (
    DEFAULT_THRESHOLD,
    HIGHEST_THRESHOLD,
    LOWEST_THRESHOLD,
    MIN_PAIRS,
    suggest_threshold,
)
from tests.support.programs import program, renamed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fingerprint.engine import Ranking

Pair = tuple[int, int]
PARAMS = Params()


def ranking(programs: Sequence[str], boilerplate: Sequence[str] = ()) -> Ranking:
    """Rank Python programs, a submission each, with default settings."""
    files = [file(at, source) for at, source in enumerate(programs)]
    given = [file(0, source) for source in boilerplate]
    excluded = Exclusions(
        [one.kinds for one in given], [one.lexical for one in given], engine.common_limit(len(programs))
    )
    return engine.rank(RankingInput.from_files(files, len(programs), PARAMS.k, excluded))


def file(submission: int, source: str) -> CohortFile:
    scan = front_end("python").scan(source)
    kinds = scan.tokens.kinds
    hashes = engine.fingerprint(kinds, PARAMS).hashes
    return CohortFile(submission, kinds, token_lines(source, scan.tokens), lexical_terms(scan), hashes)


def ranked(programs: Sequence[str], boilerplate: Sequence[str] = ()) -> dict[Pair, float]:
    """Similarity by pair, best first."""
    pairs, scores, _ = ranking(programs, boilerplate)
    columns = pairs.left.tolist(), pairs.right.tolist(), scores.similarity.tolist()
    return {(left, right): similarity for left, right, similarity in zip(*columns, strict=True)}


@pytest.mark.parametrize("registered", [True, False])
@pytest.mark.parametrize("honest", [5, 40])
def test_a_copy_leads_a_class_in_which_all_began_with_one_template(
    honest: int,
    registered: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    random = Random(honest)
    template = program(random, 3)
    own = [program(random) for _ in range(honest)]
    found = ranked([template + part for part in (*own, renamed(own[1]))], [template] * registered)
    copy, *others = found
    assert copy == (1, honest)
    assert found[copy] > 0.8
    assert median(found[pair] for pair in others) < (0.5 if honest == 5 and not registered else 0.35)


def test_a_bigger_class_believes_in_an_unregistered_template_less() -> None:
    random = Random(1)
    template = program(random, 3)
    own = [program(random) for _ in range(60)]
    medians = [median(ranked([template + part for part in own[:n]]).values()) for n in (4, 15, 60)]
    assert medians[0] > medians[1] > medians[2]


def test_thirty_tiny_programs_rank_by_how_little_was_changed() -> None:
    loop = "def total(a, b):\n    s = 0\n    for i in range(a, b):\n        s += i * {}\n    return s\n"
    variants = [loop.format(factor) for factor in (["2", "i", "3", "a", "(i + 7)", "b // 2", "s"] * 4)]
    rewritten = (
        "def total(a, b):\n    s, i = 0, a\n    while i < b:\n        s, i = s + i, i + 1\n    return s\n"
    )
    found = ranked([*variants, loop.format("2"), rewritten])
    assert found[0, 28] == found[0, 7] == max(found.values()) == 1
    assert found[0, 2] > found[0, 4]
    assert all(found.get((n, 29), 0) < found[0, 4] for n in range(28))


def test_a_cohort_of_one_or_of_empty_programs_has_no_pair() -> None:
    assert ranked([program(Random(1))]) == ranked(["", "", "# nothing"]) == ranked([]) == {}


@pytest.mark.parametrize("count", [2, 12, 40])
def test_identical_programs_all_score_one_however_many(count: int) -> None:
    found = ranked([program(Random(1))] * count)
    assert len(found) == count * (count - 1) // 2
    assert set(found.values()) == {1.0}


def test_a_ring_of_more_than_the_common_limit_still_leads_its_class() -> None:
    random = Random(2)
    copied = program(random)
    found = ranked([*(program(random) for _ in range(30)), *(renamed(copied) for _ in range(12))])
    ring = [pair for pair in list(found)[:66] if min(pair) >= 30]
    assert len(ring) == 66


def test_one_submission_a_hundred_times_as_long_matches_those_it_took_from_and_no_others() -> None:
    random = Random(3)
    own = [program(random) for _ in range(20)]
    giant = "\n".join(program(random) for _ in range(100))
    found = ranked([*own, "\n".join((giant, own[5], own[9])), renamed(own[7])])
    assert list(found)[:3] == [(7, 21), *sorted([(5, 20), (9, 20)], key=lambda pair: -found[pair])]
    assert min(found[5, 20], found[9, 20]) > max(
        similarity for pair, similarity in found.items() if 20 in pair and pair not in {(5, 20), (9, 20)}
    )


def test_no_honest_pair_outranks_a_copy_in_a_class() -> None:
    random = Random(4)
    own = [program(random) for _ in range(40)]
    found = ranked([*own, renamed(own[0]), own[1] + program(random)])
    assert set(list(found)[:2]) == {(0, 40), (1, 41)}


@pytest.mark.parametrize("copies", [0, 3, 10])
def test_a_threshold_lies_between_honest_pairs_and_copies(copies: int) -> None:
    random = Random(5)
    own = [program(random) for _ in range(40)]
    found = ranking([*own, *(renamed(source) for source in own[:copies])])
    value, reason = found.threshold
    copied = {(n, 40 + n) for n in range(copies)}
    above = Counter(
        (left, right) in copied
        for left, right, similarity in zip(*found.pairs[:2], found.scores.similarity, strict=True)
        if similarity >= value
    )
    assert above[True] == copies
    assert above[False] <= 2
    assert f"half of the {len(found.pairs.left)} pairs" in reason


def test_a_tiny_cohort_is_told_that_it_is_one() -> None:
    value, reason = suggest_threshold([0.9, 0.1, 0.2])
    assert value == DEFAULT_THRESHOLD
    assert "3 pairs are too few" in reason
    assert suggest_threshold([]).value == DEFAULT_THRESHOLD
    assert (
        suggest_threshold([0.9]).reason
        == "one pair is too few to tell where honest ones end; 50% suits most tasks"
    )


def test_no_class_is_told_that_honest_pairs_end_beyond_all_similarity() -> None:
    found = suggest_threshold([0.2] * MIN_PAIRS + [0.9] * MIN_PAIRS)
    assert found.value == HIGHEST_THRESHOLD
    assert "honest ones end nowhere below 100%" in found.reason


@pytest.mark.parametrize(
    ("best", "value"), [([1.0] * MIN_PAIRS, HIGHEST_THRESHOLD), ([0.0] * MIN_PAIRS, LOWEST_THRESHOLD)]
)
def test_a_threshold_stays_within_bounds_and_says_so(best: list[float], value: float) -> None:
    found = suggest_threshold(best)
    assert found.value == value
    assert "as a suggestion goes" in found.reason
