"""The score of pairs: its formula, its order, its bounds, and pairs without an equal passage."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from fingerprint.kernels.types import Terms
from fingerprint.languages.base import LexicalClass
from fingerprint.languages.lexical_terms import LexicalTerms
from fingerprint.languages.vocabulary import lexeme_id
from fingerprint.ranking import (
    candidates as candidates_module,
    rank as ranking_module,
    score_constants as constants,
)
from fingerprint.ranking.best_pairs import coverage_bounds
from fingerprint.ranking.candidates import LEAST_TERMS, CandidatePairs, rare_term_pairs
from fingerprint.ranking.cohort import Cohort
from fingerprint.ranking.parallel import never_end
from fingerprint.ranking.rank import CohortFile, RankingInput, candidate_pairs, renamed_groups
from fingerprint.ranking.score_constants import (
    LEAST_PASSAGE_PART,
    LEAST_RENAMED,
    LEAST_REWORDED,
    RARITY_EXPONENT,
    REWORDED_KGRAMS,
)
from fingerprint.ranking.scoring import Scores, score
from fingerprint.ranking.terms import LexicalTable
from fingerprint.ranking.threshold import DEFAULT_THRESHOLD
from fingerprint.winnowing import Params, fingerprint
from tests.fingerprint import naive
from tests.fingerprint.ranking import naive_score
from tests.fingerprint.ranking.naive_score import Submission
from tests.fingerprint.ranking.test_score_order import ranking, similarities_by_pair
from tests.support.programs import program

K = 3


Both = tuple[frozenset[str], ...]


words = st.frozensets(st.sampled_from(["0", "i", "total", "a long message", "another one"]), max_size=4)


uses = st.frozensets(st.sampled_from(["a = ? … ? + a", "( b ) … b ;", "c [ … ] c"]))


tables = st.lists(st.sampled_from([naive_score.LITERAL] * 4 + [naive_score.SEPARATOR]), max_size=30)


kinds_of_tokens = st.builds(
    lambda code, table, more: [*code, *table, *more],
    st.lists(st.integers(0, 3), max_size=60),
    tables | st.just([]),
    st.lists(st.sampled_from([0, 1, naive_score.LITERAL]), max_size=30),
)


submissions = st.builds(Submission, kinds_of_tokens, words, words, words, uses)


cohorts = st.lists(submissions, min_size=2, max_size=4)


def coded(terms: frozenset[str], lexical_class: LexicalClass) -> Terms:
    ids = [lexeme_id("test", lexical_class, term) >> 5 << 5 | min(31, len(term)) for term in terms]
    return np.unique(np.array(ids, dtype=np.uint64))


def scored(
    cohort: Sequence[Submission],
    boilerplate: Sequence[Submission] = (),
    limit: int | None = None,
    programs: Sequence[float] | None = None,
) -> Scores:
    """Return the scores of all pairs, in the order (0, 1), (0, 2), ..., (1, 2), ..."""
    laid_out = Cohort.from_submissions(
        [[np.array(submission.kinds, np.uint64)] for submission in cohort],
        K,
        [np.array(submission.kinds, np.uint64) for submission in boilerplate],
        limit,
    )
    cohort_terms, boilerplate_terms = (
        [
            LexicalTerms(
                coded(submission.literals, LexicalClass.STRING),
                coded(submission.names, LexicalClass.IDENTIFIER),
                coded(submission.imports, LexicalClass.IMPORT),
                coded(submission.uses, LexicalClass.IDENTIFIER),
            )
            for submission in group
        ]
        for group in (cohort, boilerplate)
    )
    files = [
        (number, (np.array(one.kinds, np.uint64), terms.literals, terms.imports))
        for number, (one, terms) in enumerate(zip(cohort, cohort_terms, strict=True))
    ]
    with_code = [number for number, one in enumerate(cohort) if len(one.kinds) >= K]
    laid_out = replace(laid_out, renamed=renamed_groups(files, laid_out, with_code))
    left, right = (side.astype(np.int32) for side in np.triu_indices(len(cohort), 1))
    parts = None if programs is None else np.array(programs)
    table = LexicalTable.from_submissions([[terms] for terms in cohort_terms], boilerplate_terms, programs=parts)
    pairs = CandidatePairs(left, right, np.zeros(len(left), np.int32))
    return score(laid_out, table.with_tables(laid_out.spare), pairs)


@given(st.data(), st.lists(submissions, min_size=2, max_size=6))
def test_similarity_is_the_formula(data: st.DataObject, cohort: list[Submission]) -> None:
    parts = st.lists(st.sampled_from([0.25, 0.5, 1.0]), min_size=len(cohort), max_size=len(cohort))
    programs = data.draw(parts)
    rows = [(i, j) for i in range(len(cohort)) for j in range(i + 1, len(cohort))]
    expected = [naive_score.similarity(cohort[i], cohort[j], cohort, K, programs) for i, j in rows]
    assert scored(cohort, programs=programs).similarity.tolist() == pytest.approx(expected, abs=1e-8)


def test_a_literal_or_name_of_half_of_the_programs_says_nothing_but_does_in_copies_of_one() -> None:
    said = frozenset(["Enter a number: "])
    cohort = [Submission([n * 50 + i for i in range(40)], said, said) for n in range(6)]
    cohort += [Submission([n * 50 + i for i in range(40)]) for n in range(6, 8)]
    everybody, copies = scored(cohort, programs=[1.0] * 8), scored(cohort, programs=[1 / 6] * 6 + [1.0] * 2)
    assert (everybody.literals[0], everybody.names[0]) == (0.0, 0.0)
    assert min(copies.literals[0], copies.names[0]) > 0


@given(cohorts, st.lists(submissions, max_size=1), st.one_of(st.none(), st.integers(1, 3)))
def test_the_parts_sum_to_the_similarity_and_lie_between_zero_and_one(
    cohort: list[Submission], boilerplate: list[Submission], limit: int | None
) -> None:
    scores = scored(cohort, boilerplate, limit)
    parts = scores.structure, scores.literals, scores.names, scores.imports
    assert sum(parts) == pytest.approx(scores.similarity, abs=1e-8)
    for column in (scores.similarity, *parts):
        assert np.all((column >= -1e-9) & (column <= 1 + 1e-9))


@given(cohorts, st.integers(1, 3))
def test_a_common_code_limit_may_lower_token_counts_but_changes_no_similarity(
    cohort: list[Submission], limit: int
) -> None:
    free, limited = scored(cohort), scored(cohort, limit=limit)
    assert limited.similarity.tolist() == free.similarity.tolist()
    assert np.all(limited.tokens <= free.tokens)


@given(st.lists(st.integers(0, 3), min_size=K, max_size=60), words, words, st.integers(2, 5))
def test_identical_submissions_score_one_in_any_cohort_of_them(
    kinds: list[int], literals: frozenset[str], names: frozenset[str], count: int
) -> None:
    scores = scored([Submission(kinds, literals, names)] * count)
    assert set(scores.similarity.tolist()) == {1.0}


@given(
    st.lists(st.integers(0, 30), min_size=3 * K, max_size=90),
    st.lists(st.integers(100, 130), max_size=K),
    *[st.tuples(words, words, words, words)] * 2,
    st.lists(submissions, max_size=3),
)
def test_code_and_terms_that_are_appended_to_a_copy_take_no_more_than_three_hundredths(
    kinds: list[int], appended: list[int], terms: Both, further: Both, others: list[Submission]
) -> None:
    both = (before | new for before, new in zip(terms, further, strict=True))
    cohort = [Submission(kinds, *terms), Submission(kinds + appended, *both), *others]
    assert scored(cohort).similarity[0] >= 1 - 0.03


def test_renaming_everything_costs_a_sixth_at_most() -> None:
    # One token more on one side: more than names was changed.
    kinds, longer = list(range(200)), list(range(201))
    names = frozenset(f"identifier{n}" for n in range(50))
    (without_names,) = scored([Submission(kinds, names=names), Submission(longer)]).similarity
    renamed = frozenset(f"other{n}" for n in range(50))
    (with_other_names,) = scored([Submission(kinds, names=names), Submission(longer, names=renamed)]).similarity
    assert with_other_names == pytest.approx(without_names / 1.2, rel=1e-6)


@given(st.integers(K, 300), words, words, words, words)
def test_where_only_names_were_changed_the_similarity_is_hardly_less(
    size: int,
    literals: frozenset[str],
    names: frozenset[str],
    other_names: frozenset[str],
    imports: frozenset[str],
) -> None:
    left, right = (Submission(list(range(size)), literals, one, imports) for one in (names, other_names))
    scores = scored([left, right])
    assert scores.similarity[0] >= LEAST_RENAMED
    parts = scores.structure + scores.literals + scores.names + scores.imports
    assert parts[0] == pytest.approx(scores.similarity[0])


def reworded(tokens: int, more: int = 0) -> list[Submission]:
    """Return two programs of so many equal tokens, all of whose literals and names differ."""
    return [
        Submission(list(range(tokens + of_one)), *(frozenset(f"{who} {what} {n}" for n in range(99)) for what in "ab"))
        for who, of_one in (("x", 0), ("y", more))
    ]


def test_changing_every_literal_and_name_leaves_the_part_of_the_passages() -> None:
    scores = scored(reworded(200, more=1))
    assert scores.similarity.tolist() == [LEAST_PASSAGE_PART]
    assert (scores.structure[0], scores.literals[0], scores.names[0]) == (LEAST_PASSAGE_PART, 0, 0)


def test_where_all_tokens_are_equal_the_similarity_is_high_whatever_names_and_literals_are() -> None:
    least = REWORDED_KGRAMS + K - 1
    long, short = (scored(reworded(tokens)) for tokens in (least, least - 1))
    assert long.similarity.tolist() == [LEAST_REWORDED]
    assert long.structure.tolist() == [LEAST_REWORDED]
    assert short.similarity.tolist() == [LEAST_PASSAGE_PART]


def test_a_literal_of_two_submissions_weighs_more_than_one_of_all() -> None:
    kinds = list(range(30))
    rare, usual = frozenset(["a rare message"]), frozenset(["the usual one"])
    unique = [frozenset([f"nobody else's {n}"]) for n in range(6)]
    cohort = [Submission(kinds, usual | unique[n] | (rare if n < 2 else frozenset())) for n in range(6)]
    similarities = scored(cohort).similarity
    assert similarities[0] > similarities[1:].max()


def padded(kinds: list[int], every: int, dead: int) -> list[int]:
    """Return the tokens with `dead` unique tokens after every `every` of them."""
    fresh = iter(range(10_000, 20_000))
    parts = [kinds[at : at + every] for at in range(0, len(kinds), every)]
    return [token for part in parts for token in (*part, *(next(fresh) for _ in range(dead)))]


def test_one_long_passage_scores_higher_than_as_many_tokens_in_scattered_ones() -> None:
    copied = list(range(60))
    scattered = padded(copied, 10, 20)
    source = Submission([*copied, *range(300, 420)])
    whole = Submission([*copied, *range(500, 620)])
    similarities = scored([source, whole, Submission(scattered)]).similarity
    assert similarities[0] > similarities[1] > 0


def test_dead_code_put_into_a_copy_costs_little() -> None:
    copied = list(range(120))
    (similarity,) = scored([Submission(copied), Submission(padded(copied, 20, 9))]).similarity
    assert similarity > 0.65


def test_terms_of_boilerplate_are_no_evidence() -> None:
    kinds = list(range(40))
    literals = frozenset(["please enter a number"])
    messages = frozenset(["a message of mine"]), frozenset(["another one, by her"])
    cohort = [Submission([*kinds, *range(100 + n, 130)], literals | messages[n]) for n in range(2)]
    plain, with_boilerplate = scored(cohort), scored(cohort, [Submission([], literals)])
    assert plain.literals[0] > 0
    assert with_boilerplate.literals[0] == 0


def inputs(documents: Sequence[Sequence[int]]) -> RankingInput:
    none = np.empty(0, np.uint64)
    files = [
        CohortFile(
            owner,
            np.array(kinds, np.uint64),
            np.arange(len(kinds), dtype=np.int32),
            LexicalTerms(none, none, none),
            fingerprint(np.array(kinds, np.uint64), Params(K, 2)).hashes,
        )
        for owner, kinds in enumerate(documents)
    ]
    return RankingInput.from_files(files, len(documents), K)


@given(st.lists(st.lists(st.integers(0, 3), max_size=40), min_size=2, max_size=5), st.floats(0, 1))
def test_candidates_share_the_floor_of_the_lighter_sides_fingerprints(documents: list[list[int]], floor: float) -> None:
    ranking_input = inputs(documents)
    hash_sets = [set(ranking_input.hashes[ranking_input.owners == owner].tolist()) for owner in range(len(documents))]

    def mass(values: set[int]) -> float:
        return sum(naive_score.rarity(sum(value in other for other in hash_sets), RARITY_EXPONENT) for value in values)

    expected = {
        (i, j): mass(hash_sets[i] & hash_sets[j]) / min(mass(hash_sets[i]), mass(hash_sets[j]))
        for j in range(len(hash_sets))
        for i in range(j)
        if hash_sets[i] & hash_sets[j]
    }
    candidates = candidate_pairs(ranking_input, floor)
    pairs = set(zip(candidates.left.tolist(), candidates.right.tolist(), strict=True))
    assert {pair for pair, share in expected.items() if share > floor + 1e-9} <= pairs
    assert pairs <= {pair for pair, share in expected.items() if share > floor - 1e-9}


term_sets = st.lists(st.frozensets(st.integers(0, 9)), min_size=2, max_size=6)


@given(term_sets, term_sets, st.integers(2, 4))
def test_pairs_that_share_enough_rare_terms_are_candidates(
    literals: list[frozenset[int]], names: list[frozenset[int]], most: int
) -> None:
    columns = list(zip(literals, names, strict=False))
    table = LexicalTable.from_submissions(
        [[LexicalTerms(numbered(one), numbered(other), numbered(frozenset()))] for one, other in columns]
    )

    def weight(left: frozenset[int], right: frozenset[int], sets: list[frozenset[int]]) -> float:
        counts = [sum(term in other for other in sets) for term in left & right]
        return sum(naive_score.rarity(count, 1.0) * 4 / 8 for count in counts if count <= most)

    one, other = (list(column) for column in zip(*columns, strict=True))
    expected = {
        (i, j)
        for j in range(len(columns))
        for i in range(j)
        if weight(one[i], one[j], one) + weight(other[i], other[j], other) >= LEAST_TERMS - 1e-9
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(candidates_module, "MOST_SUBMISSIONS", most)
        patch.setattr(candidates_module, "ROOM", 1)  # so that several pairs have no room at once
        pairs = rare_term_pairs(*table.columns())
    assert set(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True)) == expected
    assert not pairs.shared.any()


def numbered(terms: frozenset[int]) -> Terms:
    """Return terms of four characters."""
    return np.array(sorted(term << 5 | 4 for term in terms), dtype=np.uint64)


# Ten lines each, by different people: the exercise sheet dictates the question and the answer.
GRADES = (
    """name = input("Your name: ")
grade = int(input("Your grade: "))
if grade < 50:
    print("Failed", name)
else:
    print("Passed", name)
""",
    """def passed(points):
    return "Passed" if points >= 50 else "Failed"

who = input("Your name: ")
print(passed(int(input("Your grade: "))), who)
""",
    """student = input("Your name: ")
result = ["Failed", "Passed"][int(input("Your grade: ")) >= 50]
print(result, student)
""",
    """import sys
n, g = input("Your name: "), float(input("Your grade: "))
while g < 0:
    g = float(input("Your grade: "))
sys.stdout.write(("Passed " if g >= 50 else "Failed ") + n)
""",
    """class Student:
    limit = 50
    def __init__(self):
        self.name = input("Your name: ")
        self.grade = int(input("Your grade: "))
    def __str__(self):
        return "Passed " + self.name if self.grade >= self.limit else "Failed " + self.name
print(Student())
""",
)


ORIGINAL = """def find_overdue_boats(harbour, register):
    overdue = {}
    for boat in harbour:
        if register.get(boat, 0) > 14:
            overdue[boat] = "boat has overstayed its berth"
    return overdue
"""


REWRITTEN = """find_overdue_boats = lambda harbour, register: dict(
    map(lambda boat: (boat, "boat has overstayed its berth"), filter(lambda b: register[b] > 14, harbour)))
"""


def test_a_rewritten_program_with_the_names_and_messages_of_its_source_is_found() -> None:
    random = Random(1)
    result = ranking([ORIGINAL, REWRITTEN, *(program(random) for _ in range(20))])
    (row,) = np.flatnonzero((result.pairs.left == 0) & (result.pairs.right == 1))
    scores = result.scores.take(np.array([row]))
    assert (scores.tokens[0], scores.structure[0]) == (0, 0)
    assert scores.literals[0] > 0
    assert scores.names[0] > 0
    assert 0.1 < scores.similarity[0] < DEFAULT_THRESHOLD


def test_ten_line_solutions_with_the_messages_of_the_sheet_do_not_stand_out() -> None:
    result = ranking(GRADES)
    without_passage = result.scores.similarity[result.scores.structure == 0]
    assert without_passage.size
    assert without_passage.max() < result.threshold.value / 2


def test_in_a_bigger_class_the_messages_of_the_sheet_make_no_pair() -> None:
    sheet = 'print("Enter the number of boats: ", "The harbour is full")\n'
    random = Random(3)
    programs = [sheet + program(random, 1) for _ in range(40)]
    result = ranking([*programs, *GRADES])
    in_both = (result.pairs.left < 40) & (result.pairs.right >= 40)
    assert not in_both[result.scores.structure == 0].any()


@pytest.mark.parametrize("count", [2, 12, 40])
def test_equal_one_line_answers_do_not_stand_out(count: int) -> None:
    similarities = similarities_by_pair(['print("Hello, World!")\n'] * count)
    assert max(similarities.values(), default=0) < DEFAULT_THRESHOLD
    assert bool(similarities) == (count == 2)


@pytest.mark.parametrize("source", ["x = 42\n", "print(6 * 7)\n", "a = b\n"])
def test_programs_of_five_tokens_are_no_pair(source: str) -> None:
    assert similarities_by_pair([source] * 30) == {}


def test_an_odd_answer_that_two_of_a_class_wrote_leads_the_other_answers() -> None:
    answers = ['print("Hello, World!")\n'] * 28 + ['print("Hello, dear Wrold")\n'] * 2
    assert list(similarities_by_pair(answers)) == [(28, 29)]


def test_pairs_that_share_only_terms_do_not_move_the_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(2)
    programs = [f"message_{n // 2} = 'a message of team {n // 2}'\n" + program(random) for n in range(60)]
    threshold = ranking(programs).threshold
    monkeypatch.setattr(ranking_module, "merged_pairs", lambda by_fingerprints, _: by_fingerprints)
    assert threshold == ranking(programs).threshold


documents = st.lists(st.integers(0, 2), max_size=25)


Gram = tuple[int, ...]


def naive_bound(cohort: Cohort, documents: list[list[int]], pair: list[int], ignored: set[Gram]) -> float:
    grams = [naive.kgrams(document, K) for document in documents]
    shared = (set(grams[pair[0]]) & set(grams[pair[1]])) - ignored
    bound = 0.0
    for kept in pair:
        start, end = cohort.submission_starts[kept : kept + 2]
        places = [start + at for at, gram in enumerate(grams[kept]) if gram in shared]
        weight, tokens = (
            min(sum(column[at + K] - column[at] for at in places), column[end] - column[start])
            for column in (cohort.sums.weight, cohort.sums.kept)
        )
        bound += weight * tokens / (tokens + constants.LENGTHS.half_length) / 2
    return bound


@given(st.lists(documents, min_size=2, max_size=5), documents, st.data())
@example([[1] * 25, [1] * 20, []], [], None)
def test_shared_kgrams_bound_what_passages_cover(
    submissions: list[list[int]], boilerplate: list[int], data: st.DataObject | None
) -> None:
    kinds = [[np.array(tokens, dtype=np.uint64)] for tokens in submissions]
    cohort = Cohort.from_submissions(kinds, K, [np.array(boilerplate, dtype=np.uint64)])
    pairs = np.stack(np.triu_indices(len(submissions), 1), axis=1).astype(np.int64)
    if data:
        pairs = pairs[data.draw(st.permutations(range(len(pairs))))]
    ignored = set(naive.kgrams(boilerplate, K))
    expected = [naive_bound(cohort, submissions, pair, ignored) for pair in pairs.tolist()]
    assert coverage_bounds(cohort, pairs, never_end).tolist() == pytest.approx(expected)
