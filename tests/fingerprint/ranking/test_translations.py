"""Pairs in different languages: the formula of docs/know/score.md, and what they must not change."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bench.labelled import read_set
from bench.metrics import measure
from fingerprint import engine
from fingerprint.engine import CoarseFile, CohortFile, Exclusions, Groups, Params, Ranking, RankingInput, read
from fingerprint.languages.coarse import pack_terms
from fingerprint.ranking import score_constants as constants, translations
from fingerprint.ranking.groups import NO_GROUPS
from fingerprint.ranking.translations import Translations, rank_translations, translation_input
from tests.fingerprint.ranking import naive_score

SETS = Path(__file__).parents[3] / "bench" / "translations"
PARAMS = Params()
WORDS = ["deposit", "refused", "unlimited", "balance", "ledger", "overdraft"]

Unit = tuple[str, list[int], frozenset[str]]
units = st.tuples(
    st.sampled_from(["java", "python", "c"]),
    st.lists(st.integers(1, 3), max_size=40),
    st.frozensets(st.sampled_from(WORDS)),
)


def coarse_file(family: str, kinds: Sequence[int], terms: Sequence[str] | frozenset[str] = ()) -> CoarseFile:
    lines = np.arange(1, len(kinds) + 1, dtype=np.int32)
    return CoarseFile(family, np.array(kinds, dtype=np.uint64), lines, pack_terms(terms))


def translated(files: Sequence[tuple[int, CoarseFile | None]], groups: Groups = NO_GROUPS) -> Translations | None:
    inputs = translation_input(files, (), groups)
    return inputs and rank_translations(inputs)


def naive_similarity(left: Unit, right: Unit, cohort: Sequence[Unit], tokens: int) -> float:
    """Return the similarity of docs/know/score.md, "Across languages"; `tokens` are those in passages."""
    submissions = [naive_score.Submission(kinds) for _, kinds, _ in cohort]
    ends = naive_score.Submission(left[1]), naive_score.Submission(right[1])
    structure, mass = naive_score.passages(*ends, submissions, translations.COARSE_PARAMS.k)
    words = [words for _, _, words in cohort]
    share, amount, _ = naive_score.lexical((left[2], right[2]), words, constants.COARSE_LITERALS, structure)
    weight = min(amount, constants.COARSE_LITERALS.cap * mass)
    evidence = (structure * mass + share * weight) / (mass + weight) if mass + weight else 0.0
    evidence *= tokens / (tokens + constants.HALF_SYMBOLS)
    return evidence**2 / (evidence**2 + constants.HALF_EVIDENCE**2)


@given(st.lists(units, min_size=2, max_size=4))
def test_the_similarity_is_that_of_the_formula(cohort: list[Unit]) -> None:
    ranked = translated([(number, coarse_file(*unit)) for number, unit in enumerate(cohort)])
    if ranked is None:
        assert len({family for family, _, _ in cohort}) == 1
        return
    for left, right, similarity, tokens in zip(
        ranked.pairs.left, ranked.pairs.right, ranked.scores.similarity, ranked.scores.tokens, strict=True
    ):
        assert cohort[left][0] != cohort[right][0]
        assert left < right
        expected = naive_similarity(cohort[left], cohort[right], cohort, int(tokens))
        assert similarity == pytest.approx(expected, abs=1e-6)


@given(st.lists(units, min_size=2, max_size=4))
def test_the_parts_of_a_similarity_add_up_to_it(cohort: list[Unit]) -> None:
    ranked = translated([(number, coarse_file(*unit)) for number, unit in enumerate(cohort)])
    if ranked:
        scores = ranked.scores
        assert np.allclose(scores.structure + scores.literals + scores.names, scores.similarity)
        assert ((scores.similarity > 0) & (scores.similarity < 1)).all()


JAVA = """
class Ledger {
    int balance;
    boolean withdraw(int amount) {
        if (amount > balance + 100) { System.out.println("refused"); return false; }
        balance -= amount;
        for (int day = 0; day < 7; day++) { balance = interest(balance, day, 25); }
        return true;
    }
}
"""
OTHER_JAVA = JAVA.replace("amount > balance + 100", "balance >= 3").replace("return true", "return check(1, 2)")
PYTHON = """
class Ledger:
    def withdraw(self, amount):
        if amount > self.balance + 100:
            print("refused")
            return False
        self.balance -= amount
        for day in range(7):
            self.balance = interest(self.balance, day, 25)
        return True
"""


def cohort_file(submission: int, name: str, source: str, *, coarse: bool = True) -> CohortFile:
    reading = read(source.encode(), name, coarse=True)
    hashes = engine.fingerprint(reading.tokens.kinds, PARAMS).hashes
    stream = reading.coarse
    coarse_file = stream and CoarseFile(stream.family, stream.tokens.kinds, reading.coarse_lines, stream.terms)
    return CohortFile(
        submission,
        reading.tokens.kinds,
        reading.lines,
        reading.lexical,
        hashes,
        coarse_file if coarse else None,
    )


def inputs_of(*files: tuple[int, str, str], coarse: bool = True, groups: Groups = NO_GROUPS) -> RankingInput:
    read_files = [cohort_file(*file, coarse=coarse) for file in files]
    return RankingInput.from_files(read_files, 1 + max(file[0] for file in files), PARAMS.k, groups=groups)


def rows(ranking: Ranking) -> dict[tuple[int, int], tuple[float, ...]]:
    ends = zip(ranking.pairs.left.tolist(), ranking.pairs.right.tolist(), strict=True)
    return dict(zip(ends, zip(*(column.tolist() for column in ranking.scores), strict=True), strict=True))


def test_pairs_in_one_language_are_the_same_with_and_without_translations() -> None:
    files = [(0, "a.java", JAVA), (1, "b.java", OTHER_JAVA), (2, "c.py", PYTHON), (3, "d.py", PYTHON)]
    plain, mixed = (engine.rank(inputs_of(*files, coarse=coarse)) for coarse in (False, True))
    before, after = rows(plain), rows(mixed)
    assert before == {pair: after[pair] for pair in before}
    assert {pair for pair in after if pair not in before} == {(0, 2), (0, 3), (1, 2), (1, 3)}
    assert plain.threshold == mixed.threshold
    marked = {pair for pair, mark in zip(after, mixed.translated.tolist(), strict=True) if mark}
    assert marked == set(after) - set(before)


def test_a_class_of_one_family_has_no_units() -> None:
    assert inputs_of((0, "a.java", JAVA), (1, "b.java", OTHER_JAVA)).translations is None
    assert inputs_of((0, "a.c", "int f() {}"), (1, "b.cpp", "int f() {}")).translations is None


def test_a_translation_of_ten_symbols_is_listed() -> None:
    java = "int evens(int[] v) { int n = 0; for (int one : v) { if (one % 2 == 0) { n++; } } return n; }"
    python = "def evens(v):\n    n = 0\n    for one in v:\n        if one % 2 == 0:\n            n += 1\n    return n\n"
    ranked = rows(engine.rank(inputs_of((0, "a.java", f"class A {{ {java} }}"), (1, "b.py", python))))
    assert ranked[0, 1][0] > translations.LEAST_LISTED


def test_passages_of_a_translation_are_in_its_files() -> None:
    inputs = inputs_of((0, "notes.txt", "some words"), (0, "a.java", JAVA), (1, "b.py", PYTHON))
    ranking = engine.rank(inputs)
    (passage, *_) = engine.as_passages(engine.pair_passages(inputs, ranking.pairs, ranking.units).of(0))
    assert (passage.left_file, passage.right_file) == (1, 2)
    assert passage.tokens >= translations.COARSE_PARAMS.k


def test_parts_of_one_submission_and_submissions_of_one_group_are_not_compared() -> None:
    assert not rows(engine.rank(inputs_of((0, "a.java", JAVA), (0, "a.py", PYTHON), (1, "b.c", "int x;"))))
    groups = Groups.from_lists([[5], [5]])
    assert not rows(engine.rank(inputs_of((0, "a.java", JAVA), (1, "b.py", PYTHON), groups=groups)))


def test_of_submissions_in_several_languages_the_most_similar_parts_count() -> None:

    files = [
        (file, cohort_file(file, *rest))
        for file, *rest in (
            (0, "x.py", "print(1)\n"),
            (0, "a.java", JAVA),
            (1, "c.java", "class C {}"),
            (1, "b.py", PYTHON),
        )
    ]
    ranked = translated([(owner, file.coarse) for owner, file in files])
    assert ranked is not None
    assert (ranked.pairs.left.tolist(), ranked.pairs.right.tolist()) == ([0], [1])
    assert ranked.scores.similarity[0] > translations.LEAST_LISTED


def test_boilerplate_counts_in_no_translation() -> None:
    files = [cohort_file(0, "a.java", JAVA), cohort_file(1, "b.py", PYTHON)]
    handed_out = files[1].coarse
    assert handed_out is not None
    excluded = Exclusions(coarse=[handed_out])
    assert not rows(engine.rank(RankingInput.from_files(files, 2, PARAMS.k, excluded)))


@pytest.mark.parametrize("name", ["tuned", "held_out"])
def test_translations_stand_above_honest_solutions(name: str) -> None:
    labelled = read_set(SETS / name)
    names = sorted({side for pair in labelled.pairs for side in (pair.a, pair.b)})
    files = [(number, _coarse(labelled.folder / "files" / side)) for number, side in enumerate(names)]
    ranked = translated(files)
    assert ranked is not None
    ends = zip(ranked.pairs.left.tolist(), ranked.pairs.right.tolist(), strict=True)
    scores = {
        frozenset((names[left], names[right])): similarity
        for (left, right), similarity in zip(ends, ranked.scores.similarity.tolist(), strict=True)
    }
    similarities = np.array([scores.get(frozenset((pair.a, pair.b)), 0.0) for pair in labelled.pairs])
    labels = np.array([pair.label == 1 for pair in labelled.pairs])
    assert measure(similarities, labels).ap >= 0.9


def _coarse(path: Path) -> CoarseFile | None:
    return cohort_file(0, path.name, path.read_text()).coarse
