"""Orders of pairs that the score must produce, one test for each mistake that a score could make."""

from collections.abc import Sequence
from random import Random
from statistics import median

import pytest

from fingerprint import engine
from fingerprint.engine import CohortFile, Exclusions, Ranking, RankingInput, front_end, token_lines
from fingerprint.languages.lexical_terms import lexical_terms
from fingerprint.winnowing import Params
from tests.support.programs import program, renamed

Pair = tuple[int, int]
PARAMS = Params()


def ranking(programs: Sequence[str], boilerplate: Sequence[str] = ()) -> Ranking:
    """Rank Python programs, a submission each, with default settings."""
    files = [file(at, source) for at, source in enumerate(programs)]
    boilerplate_files = [file(0, source) for source in boilerplate]
    excluded = Exclusions(
        [boilerplate_file.kinds for boilerplate_file in boilerplate_files],
        [boilerplate_file.lexical for boilerplate_file in boilerplate_files],
        "default",
    )
    return engine.rank(RankingInput.from_files(files, len(programs), PARAMS.k, excluded))


def file(submission: int, source: str, language: str = "python") -> CohortFile:
    scan = front_end(language).scan(source)
    kinds = scan.tokens.kinds
    hashes = engine.fingerprint(kinds, PARAMS).hashes
    return CohortFile(submission, kinds, token_lines(source, scan.tokens), lexical_terms([scan])[0], hashes)


def similarities_by_pair(programs: Sequence[str], boilerplate: Sequence[str] = ()) -> dict[Pair, float]:
    """Return the similarity by pair, highest first."""
    pairs, scores, *_ = ranking(programs, boilerplate)
    columns = pairs.left.tolist(), pairs.right.tolist(), scores.similarity.tolist()
    return {(left, right): similarity for left, right, similarity in zip(*columns, strict=True)}


@pytest.mark.parametrize("registered", [True, False])
@pytest.mark.parametrize("honest", [5, 40])
def test_a_copy_ranks_first_in_a_class_that_began_with_one_template(
    honest: int,
    registered: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    random = Random(honest)
    template = program(random, 3)
    honest_work = [program(random) for _ in range(honest)]
    similarities = similarities_by_pair(
        [template + part for part in (*honest_work, renamed(honest_work[1]))], [template] * registered
    )
    copy, *others = similarities
    assert copy == (1, honest)
    assert similarities[copy] > 0.8
    assert median(similarities[pair] for pair in others) < (0.5 if honest == 5 and not registered else 0.35)


def test_an_unregistered_template_counts_less_in_a_bigger_class() -> None:
    random = Random(1)
    template = program(random, 3)
    honest_work = [program(random) for _ in range(60)]
    medians = [
        median(similarities_by_pair([template + part for part in honest_work[:n]]).values()) for n in (4, 15, 60)
    ]
    assert medians[0] > medians[1] > medians[2]


def test_thirty_tiny_programs_rank_by_how_little_was_changed() -> None:
    loop = "def total(a, b):\n    s = 0\n    for i in range(a, b):\n        s += i * {}\n    return s\n"
    variants = [loop.format(factor) for factor in (["2", "i", "3", "a", "(i + 7)", "b // 2", "s"] * 4)]
    rewritten = "def total(a, b):\n    s, i = 0, a\n    while i < b:\n        s, i = s + i, i + 1\n    return s\n"
    similarities = similarities_by_pair([*variants, loop.format("2"), rewritten])
    assert similarities[0, 28] == similarities[0, 7] == max(similarities.values()) == 1
    assert similarities[0, 2] > similarities[0, 4]
    assert all(similarities.get((n, 29), 0) < similarities[0, 4] for n in range(28))


def test_a_cohort_of_one_or_of_empty_programs_has_no_pair() -> None:
    assert (
        similarities_by_pair([program(Random(1))])
        == similarities_by_pair(["", "", "# nothing"])
        == similarities_by_pair([])
        == {}
    )


@pytest.mark.parametrize("count", [2, 12, 40])
def test_identical_programs_all_score_one_however_many(count: int) -> None:
    similarities = similarities_by_pair([program(Random(1))] * count)
    assert len(similarities) == count * (count - 1) // 2
    assert set(similarities.values()) == {1.0}


def test_copies_in_more_submissions_than_the_common_limit_still_rank_first() -> None:
    random = Random(2)
    copied = program(random)
    similarities = similarities_by_pair([*(program(random) for _ in range(30)), *(renamed(copied) for _ in range(12))])
    ring = [pair for pair in list(similarities)[:66] if min(pair) >= 30]
    assert len(ring) == 66


def test_a_submission_a_hundred_times_as_long_matches_only_those_it_copied_from() -> None:
    random = Random(3)
    honest_work = [program(random) for _ in range(20)]
    giant = "\n".join(program(random) for _ in range(100))
    similarities = similarities_by_pair(
        [*honest_work, "\n".join((giant, honest_work[5], honest_work[9])), renamed(honest_work[7])]
    )
    assert list(similarities)[:3] == [
        (7, 21),
        *sorted([(5, 20), (9, 20)], key=lambda pair: -similarities[pair]),
    ]
    assert min(similarities[5, 20], similarities[9, 20]) > max(
        similarity for pair, similarity in similarities.items() if 20 in pair and pair not in {(5, 20), (9, 20)}
    )


def test_no_honest_pair_outranks_a_copy_in_a_class() -> None:
    random = Random(4)
    honest_work = [program(random) for _ in range(40)]
    similarities = similarities_by_pair([*honest_work, renamed(honest_work[0]), honest_work[1] + program(random)])
    assert set(list(similarities)[:2]) == {(0, 40), (1, 41)}
