"""Common code: a template is, whoever began with it; what a ring of copiers shares is not."""

from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from fingerprint import engine
from fingerprint.engine import Ranking
from fingerprint.ranking import common_code
from fingerprint.ranking.candidates import InvertedIndex
from fingerprint.ranking.cohort import count_alike, default_limit
from fingerprint.ranking.rank import Exclusions, RankingInput
from fingerprint.ranking.score_constants import ALIKE_PART, LEAST_COMMON, RELATED_PART
from fingerprint.ranking.threshold import LOWEST_THRESHOLD
from fingerprint.winnowing import Params, fingerprint
from tests.fingerprint.ranking.naive_score import rarity
from tests.fingerprint.ranking.test_score_order import PARAMS, file
from tests.support.long_rows import rest_is_long
from tests.support.programs import program, renamed

pytestmark = pytest.mark.slow

values = st.lists(st.integers(0, 9), max_size=12)
SHORT = Params(k=3, window=2)


@example([[0, 1, 5], [2], [2, 5], [0, 1, 2, 3, 4, 5]])  # Exactly half of it, but for the last bit.
@given(st.lists(values, min_size=1, max_size=6))
def test_submissions_are_alike_that_share_half_of_the_heavier_ones_fingerprints_and_related_with_a_fifth(
    documents: list[list[int]],
) -> None:
    sets = [set(document) for document in documents]

    def weight(shared: set[int]) -> float:
        return sum(rarity(sum(value in other for other in sets), 0.5) for value in shared)

    def share(part: float, one: set[int], other: set[int]) -> bool:
        return bool(one & other) and weight(one & other) >= part * max(weight(one), weight(other)) - 1e-9

    owners = np.repeat(np.arange(len(sets)), [len(hashes_of_one) for hashes_of_one in sets])
    hashes = np.array([value for hashes_of_one in sets for value in hashes_of_one], dtype=np.uint64)
    expected = [
        [
            1 + sum(share(part, hashes_of_one, other) for j, other in enumerate(sets) if j != i)
            for i, hashes_of_one in enumerate(sets)
        ]
        for part in (ALIKE_PART, RELATED_PART)
    ]
    assert count_alike(InvertedIndex.build(hashes, owners), len(sets)).tolist() == expected


@pytest.mark.parametrize(("programs", "limit"), [(2, LEAST_COMMON), (20, LEAST_COMMON), (72, 36), (400, 200)])
def test_common_code_is_in_half_of_all_programs_and_in_more_than_ten(programs: int, limit: int) -> None:
    assert default_limit(programs) == limit


def ranked(programs: Sequence[str], boilerplate: Sequence[str] = ()) -> tuple[Ranking, RankingInput]:
    files = [file(number, source) for number, source in enumerate(programs)]
    handed_out = [file(0, source) for source in boilerplate]
    excluded = Exclusions(
        [template_file.kinds for template_file in handed_out],
        [template_file.lexical for template_file in handed_out],
        "default",
    )
    inputs = RankingInput.from_files(files, len(programs), PARAMS.k, excluded)
    return engine.rank(inputs), inputs


@pytest.mark.parametrize("template", ["none", "unregistered", "registered"])
@pytest.mark.parametrize(("ring", "honest"), rest_is_long([(2, 18), (12, 60), (40, 20), (40, 60)], first=2))
def test_pairs_of_a_ring_lead_and_show_all_that_they_share(ring: int, honest: int, template: str) -> None:
    random = Random(ring)
    skeleton = "" if template == "none" else program(Random(99)) + "\n"
    honest_work = [skeleton + program(random) for _ in range(honest)]
    copied = skeleton + program(random)
    copies = [renamed(copied) if number % 2 else copied for number in range(ring)]
    ranking, _ = ranked([*honest_work, *copies], [skeleton] if template == "registered" else [])
    count = ring * (ring - 1) // 2
    leaders = list(zip(ranking.pairs.left[:count].tolist(), ranking.pairs.right[:count].tolist(), strict=True))
    assert all(min(pair) >= honest for pair in leaders)
    shares = np.minimum(ranking.scores.left_share, ranking.scores.right_share)
    assert (shares[:count] > 0.95).all()
    assert (ranking.scores.tokens[:count] > 0).all()


def test_a_template_of_the_whole_class_counts_in_no_share() -> None:
    random, skeleton = Random(1), program(Random(99))
    _, inputs = ranked([skeleton + "\n" + program(random) for _ in range(40)])
    tokens = fingerprint(file(0, skeleton).kinds, PARAMS)
    assert tokens.hashes.size
    spans = inputs.cohort.ignored_spans()[0]
    assert spans
    assert spans[0][0] == 0
    assert spans[0][1] >= len(file(0, skeleton).kinds) - PARAMS.k


def ranked_files(sources: list[list[int]], limit: int | None) -> Ranking:
    files = []
    for number, source in enumerate(sources):
        kinds = np.array(source, dtype=np.uint64)
        terms = engine.LexicalTerms(kinds[:3], kinds[3:5], kinds[:0])
        lines = np.arange(len(kinds), dtype=np.int32) // 3
        files.append(engine.CohortFile(number, kinds, lines, terms, fingerprint(kinds, SHORT).hashes))
    return engine.rank(RankingInput.from_files(files, len(files), SHORT.k, Exclusions(limit=limit)))


@given(st.lists(st.lists(st.integers(0, 3), max_size=25), min_size=2, max_size=6), st.integers(1, 3))
def test_common_code_changes_no_similarity_and_the_shares_with_it_have_no_more_than_those_of_all_code(
    sources: list[list[int]], limit: int
) -> None:
    with_limit, without = ranked_files(sources, limit), ranked_files(sources, None)

    def similarities(ranking: Ranking) -> dict[tuple[int, int], float]:
        ends = zip(ranking.pairs.left.tolist(), ranking.pairs.right.tolist(), strict=True)
        return dict(zip(ends, ranking.scores.similarity.tolist(), strict=True))

    assert similarities(with_limit) == similarities(without)
    assert with_limit.threshold == without.threshold
    assert without.scores.left_with_common.tolist() == without.scores.left_share.tolist()
    assert without.scores.right_with_common.tolist() == without.scores.right_share.tolist()
    assert (with_limit.scores.left_with_common.sum() <= without.scores.left_share.sum() + 1e-9).all()


def test_with_a_chosen_limit_every_submission_counts() -> None:
    copies = [program(Random(1))] * 12
    files = [file(number, source) for number, source in enumerate(copies)]
    inputs = RankingInput.from_files(files, 12, PARAMS.k, Exclusions(limit=10))
    assert engine.rank(inputs).scores.tokens.max() == 0


def test_a_registered_skeleton_does_not_make_submissions_alike() -> None:
    random, skeleton = Random(1), program(Random(99), 8) + "\n"
    _, inputs = ranked([skeleton + program(random, 2) for _ in range(40)], [skeleton])
    assert inputs.cohort.limit == default_limit(40)


@pytest.mark.parametrize("template", ["none", "unregistered", "registered"])
@pytest.mark.parametrize(
    ("ring", "honest", "functions"),
    rest_is_long([(2, 18, 4), (12, 60, 2), (40, 60, 2), (5, 20, 1), (40, 360, 1)], first=2),
)
def test_every_similarity_has_code_that_can_be_shown(ring: int, honest: int, functions: int, template: str) -> None:
    random = Random(ring)
    skeleton = "" if template == "none" else program(Random(99), 2) + "\n"
    honest_work = [skeleton + program(random, functions) for _ in range(honest)]
    copied = skeleton + program(random, functions)
    copies = [renamed(copied) if number % 2 else copied for number in range(ring)]
    ranking, inputs = ranked([*honest_work, *copies], [skeleton] if template == "registered" else [])
    by_structure = ranking.scores.structure > 1e-6
    above = by_structure & (ranking.scores.similarity >= LOWEST_THRESHOLD)
    assert (ranking.scores.left_with_common[above] > 0).all()
    assert (ranking.scores.right_with_common[above] > 0).all()
    rows, passages = np.flatnonzero(by_structure), engine.pair_passages(inputs, ranking.pairs, ranking.units)
    for row in rows[:: max(1, len(rows) // 60)].tolist():
        assert len(passages.of(row))


def test_ten_lines_that_everybody_has_are_shown_as_common_code() -> None:
    task = "\n".join(program(Random(1), 1).splitlines()[:10]) + "\n"
    ranking, inputs = ranked([task.replace("alpha", f"name{n}") for n in range(40)])
    (passage, *_) = engine.as_passages(engine.pair_passages(inputs, ranking.pairs, ranking.units).of(0))
    assert ranking.scores.left_with_common[0] > 0.9
    assert passage.tokens > 20


def class_with_file(size: int, holders: int, leaked: int) -> RankingInput:
    """Return a class of whom `holders` have one file unchanged, the first `leaked` one program too."""
    random = Random(size)
    shared, solution = (program(random) for _ in range(2))
    files = []
    for number in range(size):
        files.append(file(number, solution if number < leaked else program(random)))
        files += [file(number, shared)] * (number < holders)
    return RankingInput.from_files(files, size, PARAMS.k, Exclusions(limit="default"))


def similarity(ranking: Ranking, left: int, right: int) -> float:
    pairs = zip(
        ranking.pairs.left.tolist(),
        ranking.pairs.right.tolist(),
        ranking.scores.similarity.tolist(),
        strict=True,
    )
    return next((score for one, other, score in pairs if (one, other) == (left, right)), 0.0)


@pytest.mark.parametrize(("size", "holders", "leaked"), [(6, 5, 2), (8, 7, 3), (20, 16, 2), (24, 24, 4)])
def test_a_file_that_most_have_beside_their_own_code_makes_no_pair_and_is_said(
    size: int, holders: int, leaked: int
) -> None:
    inputs = class_with_file(size, holders, leaked)
    ranking, alone = engine.rank(inputs), engine.rank(class_with_file(size, 0, leaked))
    assert similarity(ranking, 0, 1) > 0.99
    assert similarity(ranking, leaked, leaked + 1) < 0.2 + similarity(alone, leaked, leaked + 1)
    found = engine.common_code(inputs.cohort, np.ones(len(inputs.cohort.tokens.kinds), dtype=np.bool_), size)
    assert found.shared is not None
    assert found.shared.submissions == holders


@pytest.mark.parametrize(("size", "leaked"), [(8, 5), (8, 8), (20, 14)])
@pytest.mark.parametrize("with_file", [False, True])
def test_a_program_that_most_have_as_their_own_stays_a_match(size: int, leaked: int, *, with_file: bool) -> None:
    ranking = engine.rank(class_with_file(size, size if with_file else 0, leaked))
    assert similarity(ranking, 0, leaked - 1) == 1


@pytest.mark.parametrize(("size", "holders"), [(8, 5), (9, 6), (8, 8), (20, 20)])
@pytest.mark.parametrize("words", [30, 60, 120])
def test_a_small_file_beside_a_copied_program_hides_no_copy(size: int, holders: int, words: int) -> None:
    random = Random(words)
    solution = program(random, 8)
    files = [file(number, solution if number < holders else program(random, 8)) for number in range(size)]
    beside = (" ".join(f"x{random.randrange(9)} =" for _ in range(words // 2)) + " 1\n" for _ in range(size))
    files += [file(number, text) for number, text in enumerate(beside)]
    inputs = RankingInput.from_files(files, size, PARAMS.k, Exclusions(limit="default"))
    assert similarity(engine.rank(inputs), 0, holders - 1) > 0.7


def test_the_time_of_common_code_grows_with_the_size_of_code_that_repeats_itself() -> None:
    inputs = {}
    for lines in (200, 800):
        shared = "a = 1\nb = a + c\n" * lines
        files = [file(n, text) for n in range(6) for text in (shared, program(Random(n), 2 + lines // 20))]
        inputs[lines] = RankingInput.from_files(files, 6, PARAMS.k, Exclusions(limit="default"))
    counts = {lines: count_followed(one) for lines, one in inputs.items()}
    assert 0 < counts[800] < 6 * counts[200]


def count_followed(inputs: RankingInput) -> int:
    """Return how many places of k-grams are looked at for the common code of a class."""
    followed = 0
    original = common_code._ClassKgrams.following

    def following(kgrams: Any, starts: Any, first: int, step: int) -> Any:
        nonlocal followed
        followed += len(starts)
        return original(kgrams, starts, first, step)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(common_code._ClassKgrams, "following", following)
        everything = np.ones(len(inputs.cohort.tokens.kinds), dtype=np.bool_)
        engine.common_code(inputs.cohort, everything, 6)
    return followed
