"""Tables of literals weigh little in similarity and in shares, in every language."""

from itertools import chain
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from fingerprint.languages import front_end
from fingerprint.ranking.candidates import CandidatePairs
from fingerprint.ranking.cohort import Cohort
from fingerprint.ranking.rank import RankingInput
from fingerprint.ranking.scoring import Scores, score
from fingerprint.ranking.weights import LEAST_BESIDE, table_tokens
from fingerprint.tokens import kind_id
from tests.fingerprint.languages.test_every_language import CODE, WITHOUT_STRINGS, program
from tests.fingerprint.ranking.naive_score import CODE as KEYWORD, LITERAL, SEPARATOR, naive_tables
from tests.fingerprint.ranking.test_score_order import file

K = 9
OTHER, END = kind_id("c", "<name>"), 2**64 - 1
# Numbers of style sheets are kinds, as they are what people chose.
LANGUAGES = sorted({*CODE, "lua", "julia", "dart", "groovy", "elixir", "nim"} - {"css"})
# How a row of a table begins where it is no list of numbers with commas, and what separates them.
ROWS = {"gas": (".word ", ", "), "x86": ("dw ", ", "), "scheme": ("", " "), "common-lisp": ("", " ")}
BEFORE = {"php": "<?php\n"}


PARTS = [[LITERAL], [LITERAL] * 5, [SEPARATOR], [SEPARATOR, LITERAL], [SEPARATOR] * 9]
OTHERS = [[OTHER], [OTHER] * 20, [KEYWORD], [KEYWORD] * 20]
EQUAL_ROWS = [
    *([OTHER, LITERAL] * 13, [OTHER, KEYWORD, LITERAL] * 13, [OTHER, SEPARATOR, LITERAL, LITERAL] * 12),
    *([OTHER, OTHER, LITERAL] * 11, [*[OTHER] * 15, LITERAL] * 12, [*[OTHER] * 16, LITERAL] * 12),
]
files = st.lists(st.sampled_from(PARTS + OTHERS + EQUAL_ROWS)).map(lambda parts: [*chain.from_iterable(parts)])


@given(st.lists(files, min_size=1, max_size=3), st.sampled_from([1, 2, 3, 4, 8, 16]))
@example([[LITERAL] * 30, [LITERAL] * 30], 4)
@example([[LITERAL] * 4 + [OTHER] + [LITERAL] * 4], 4)
def test_of_a_table_as_many_tokens_count_as_a_kgram_has(parts: list[list[int]], k: int) -> None:
    ended = ([*part, END - at] for at, part in enumerate(parts))
    kinds = np.array([*chain.from_iterable(ended)], dtype=np.uint64)
    starts = np.cumsum([0, *(len(part) + 1 for part in parts)])
    spare = table_tokens(kinds, starts, k)[0].tolist()
    assert spare == [*chain.from_iterable([*naive_tables(part, k), False] for part in parts)]


def table(name: str, seed: int) -> str:
    """Return a table of 408 numbers in a language."""
    random, (begin, comma) = Random(seed), ROWS.get(name, ("", ", "))
    rows = [comma.join(str(random.randrange(1000)) for _ in range(12)) for _ in range(34)]
    last = "" if begin else comma
    return "".join(f"  {begin}{row}{last}\n" for row in rows)


@pytest.mark.parametrize("name", LANGUAGES)
def test_a_table_counts_as_one_kgram(name: str) -> None:
    kinds = front_end(name).tokens(BEFORE.get(name, "") + table(name, 1)).kinds
    cohort = Cohort.from_submissions([[kinds]], K)
    (counted,) = cohort.sums.counted[[-1]]
    assert K <= counted <= K + 2
    spans = cohort.ignored_spans()[0]
    assert sum(after - first for first, after, in_table in spans if in_table) == len(kinds) - counted
    assert len(kinds) > 400


def scored(name: str, texts: list[str]) -> Scores:
    """Return the scores of all pairs of texts, in the order (0, 1), (0, 2), (1, 2)."""
    inputs = RankingInput.from_files([file(*one, name) for one in enumerate(texts)], len(texts), K)
    left, right = (side.astype(np.int32) for side in np.triu_indices(len(texts), 1))
    pairs = CandidatePairs(left, right, np.zeros(len(left), np.int32))
    return score(inputs.cohort, inputs.lexical, pairs)


@pytest.mark.parametrize("name", sorted({*CODE} - {"css"}))
def test_two_tables_make_no_two_programs_similar_and_the_same_table_is_seen(name: str) -> None:
    lines = program(name).replace("?>", "").splitlines(keepends=True)
    left = "".join(lines[: len(lines) // 2])
    right = BEFORE.get(name, "") + "".join(lines[len(lines) // 2 :])
    (alone,) = scored(name, [left, right]).similarity
    one, other = table(name, 1), table(name, 2)
    with_tables = scored(name, [left + one, right + other, right + one])
    honest, same, copied_code = with_tables.similarity.tolist()
    assert honest < alone + 0.1
    assert honest + 0.2 < same < copied_code
    assert max(with_tables.left_share[0], with_tables.right_share[0]) < 0.25


# Such statements are no names and literals there.
WITHOUT_ROWS = {"gas", "mips", "netlogo", "pascal", "x86", *WITHOUT_STRINGS}


def rows(seed: int) -> str:
    """Return 40 statements that are equal but for their words and numbers."""
    random = Random(seed)
    words = ("".join(random.choices("abcdefgh", k=6)) for _ in range(40))
    return "".join(f'show("{word}", {random.randrange(1000)});\n' for word in words)


@pytest.mark.parametrize("name", sorted({*CODE} - {"css", *WITHOUT_ROWS}))
def test_statements_that_differ_only_in_literals_make_no_two_programs_similar(name: str) -> None:
    lines = program(name).replace("?>", "").splitlines(keepends=True)
    left = "".join(lines[: len(lines) // 2])
    right = BEFORE.get(name, "") + "".join(lines[len(lines) // 2 :])
    alone = scored(name, [left, right])
    one, other = rows(1), rows(2)
    honest, same, copied = scored(name, [left + one, right + other, right + one]).similarity.tolist()
    # With fewer tokens beside them the rows are the program.
    few = min(len(front_end(name).tokens(text).kinds) for text in (left, right)) < LEAST_BESIDE
    assert honest < alone.similarity[0] + (0.3 if few else 0.1)
    assert honest + 0.05 < same < copied
    shares = scored(name, [left + one, right + other])
    if not few:
        assert max(shares.left_share[0], shares.right_share[0]) < max(alone.left_share[0], alone.right_share[0]) + 0.25


def test_equal_rows_are_the_program_where_hardly_anything_else_is() -> None:
    one, other = (rows(seed).replace("show", "draw") for seed in (1, 2))
    alone = "start();\n"
    scores = scored("c", [alone + one, alone + other, alone + one.replace("draw", "paint")])
    assert scores.left_share.tolist() == [1.0, 1.0, 1.0]
    assert scores.similarity[1] > 0.95


def test_rows_with_code_of_their_own_are_no_table() -> None:
    rows_of_code = "".join(f'if (n == {at}) {{ puts("{at}x"); }}\n' for at in range(20))
    kinds = front_end("c").tokens(f"int main(void) {{\n{rows_of_code}}}\n" + "a += b * c;\n" * 9).kinds
    (counted,) = Cohort.from_submissions([[kinds]], K).sums.counted[[-1]]
    assert counted == len(kinds)
