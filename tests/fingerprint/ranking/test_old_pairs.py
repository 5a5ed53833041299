"""Old submissions change nothing in a class: no score of its pairs, no threshold, no common code."""

from collections.abc import Sequence
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fingerprint import engine
from fingerprint.engine import CohortFile, Ranking, RankingInput
from fingerprint.ranking.rank import Exclusions, OldPairs
from tests.fingerprint.ranking.test_score_order import PARAMS, file
from tests.fingerprint.ranking.test_threshold import best_matches, leading
from tests.support.programs import many_candidates, program, renamed

pytestmark = pytest.mark.slow

# Of scores: a report stores six.
DIGITS = 9
TEMPLATE = program(Random(1), 3)


def inputs_of(
    new_sources: Sequence[str],
    old: Sequence[str],
    *,
    limit: int | str | None = "default",
    starters: Sequence[str] = (),
) -> RankingInput:
    """Return a class with old submissions before, between and after its own, each compared with all of it.

    Its own courses handed `given` out.
    """
    order = [*range(len(new_sources)), *range(len(new_sources), len(new_sources) + len(old))]
    Random(len(order)).shuffle(order)
    sources = [*new_sources, *old]
    files = [file(at, sources[number]) for at, number in enumerate(order)]
    places = {number: at for at, number in enumerate(order)}
    _sort_new(places, files, sources, len(new_sources))
    pairs = [(places[new], places[len(new_sources) + k]) for new in range(len(new_sources)) for k in range(len(old))]
    old_places = [places[len(new_sources) + number] for number in range(len(old))]
    old_pairs = OldPairs.from_lists(len(files), old_places, pairs) if old else None
    handed_out = [file(0, source) for source in starters]
    excluded = Exclusions(
        limit=limit,  # type: ignore[arg-type] # a literal
        starter=[one.kinds for one in handed_out],
        starter_lexical=[one.lexical for one in handed_out],
    )
    return RankingInput.from_files(files, len(files), PARAMS.k, excluded, old_pairs=old_pairs)


def _sort_new(places: dict[int, int], files: list[CohortFile], sources: list[str], new: int) -> None:
    """Put the submissions of the class, among the old ones, in their own order."""
    taken = sorted(places[number] for number in range(new))
    for number, at in enumerate(taken):
        places[number] = at
        files[at] = file(at, sources[number])


def class_rows(inputs: RankingInput, ranking: Ranking) -> list[tuple[float, ...]]:
    """Return the pairs of the class with all their scores, its submissions numbered from 0.

    Scores have as many digits as sums of the same weights after other tokens are equal to.
    """
    old = np.zeros(len(inputs.cohort), dtype=np.bool_) if inputs.old_pairs is None else inputs.old_pairs.old
    numbers = np.cumsum(~old) - 1
    rows = leading(ranking, len(ranking.units))
    return [
        (
            float(numbers[int(row[0])]),
            float(numbers[int(row[1])]),
            *(round(value, DIGITS) for value in row[2:]),
        )
        for row in rows
        if not old[int(row[0])] and not old[int(row[1])]
    ]


@given(st.integers(0, 10**6), st.sampled_from(["default", 3, None]))
@settings(max_examples=6, deadline=None)
def test_no_figure_of_a_class_depends_on_old_submissions(seed: int, limit: int | str | None) -> None:
    random = Random(seed)
    new = [TEMPLATE + program(random) for _ in range(6)]
    new.append(renamed(new[1]))
    old = [random.choice([*new, TEMPLATE, renamed(new[2])]) + program(random) for _ in range(12)]
    alone = inputs_of(new, [], limit=limit)
    compared = inputs_of(new, old, limit=limit, starters=[new[1]])
    rankings = [engine.rank_for_report(one, 50) for one in (alone, compared)]
    assert len(rankings[1].units) > len(rankings[0].units)
    rows = [class_rows(*both) for both in zip((alone, compared), rankings, strict=True)]
    assert rows[0] == rows[1]
    assert rankings[0].threshold == rankings[1].threshold
    assert rankings[0].candidates == rankings[1].candidates
    assert alone.cohort.limit == compared.cohort.limit
    assert compared.old_pairs
    class_tokens = np.repeat(~compared.old_pairs.old, np.diff(compared.cohort.submission_starts))
    for name in ("frequency", "common"):
        assert np.array_equal(getattr(alone.cohort, name), getattr(compared.cohort, name)[class_tokens]), name
    assert np.array_equal(alone.cohort.tokens.ignored, compared.cohort.tokens.ignored[class_tokens])


def test_old_submissions_take_no_place_of_a_pair_of_a_large_class() -> None:
    new = many_candidates()
    old = [new[0], new[1], renamed(new[2])] * 5
    alone, compared = inputs_of(new, []), inputs_of(new, old)
    first, second = (engine.rank_for_report(one, 100, 0.15) for one in (alone, compared))
    assert len(first.units) < 0.95 * first.candidates
    assert first.candidates == second.candidates
    rows = class_rows(compared, second)
    assert rows[:100] == class_rows(alone, first)[:100]
    assert {row[:2] for row in best_matches(first).values()} <= {row[:2] for row in rows}


def test_what_the_old_course_handed_out_makes_no_pair_with_its_submissions() -> None:
    random = Random(5)
    new = [program(random) for _ in range(3)]
    old = [new[0] + program(random)]
    with_it, without = inputs_of(new, old), inputs_of(new, old, starters=[new[0]])
    best, other = (engine.rank(one, 10).scores.similarity.max(initial=0.0) for one in (with_it, without))
    assert best > 0.4
    assert other < 0.2
