"""The ranking of a report scores few of the pairs of a large class, and has the same pairs as scoring all."""

import pytest

from fingerprint import engine
from fingerprint.engine import Ranking, RankingInput, score
from tests.fingerprint.ranking.test_score_order import PARAMS, file
from tests.support.programs import many_candidates


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
