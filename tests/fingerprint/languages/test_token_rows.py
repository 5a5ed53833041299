"""The kernels of normalisation do what a plain loop over the tokens does."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

import numpy as np
from hypothesis import example, given, strategies as st

from fingerprint.languages.normalisation import MAX_STATEMENT, normalise, with_joined_literals
from fingerprint.languages.token_rows import (
    OPERATOR,
    REMOVED,
    Lexemes,
    Mark,
    StreamColumns,
    collect_lexemes,
    collect_tokens,
    keep_others,
    locate,
    token_rows,
)
from tests.fingerprint.languages import naive_normalisation as naive
from tests.fingerprint.languages.naive_normalisation import Token, Tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fingerprint.languages.token_rows import TokenRows

MARKS = [
    0,
    Mark.STATEMENT,
    Mark.DECORATOR,
    Mark.DECORATOR | Mark.OPEN,
    Mark.OPEN,
    Mark.OPEN | Mark.PARENTHESIS,
    Mark.CLOSE,
    Mark.STATEMENT_END,
    Mark.STATEMENT_END | Mark.DROPPED,
    Mark.OPERATOR,
    Mark.OPERATOR | Mark.DOT,
    Mark.PART | Mark.STRING,
    Mark.PART,
    Mark.WORD | Mark.IDENTIFIER,
    Mark.WORD | Mark.DROPPED,
    Mark.NUMBER,
    Mark.DOT,
]


@st.composite
def token_lists(draw: st.DrawFn) -> Tokens:
    """Return tokens of few sorts, of which many touch each other and many begin a line."""
    tokens, at, line = [], 0, 0
    parts = st.tuples(st.sampled_from(MARKS), st.integers(0, 1), st.integers(1, 2), st.booleans())
    for code, (marks, gap, length, breaks) in enumerate(draw(st.lists(parts, max_size=14))):
        at, line = at + gap, line + breaks
        tokens.append(Token(code, marks, at, at + length, line))
        at += length
    return tokens


def rows_of(tokens: Tokens) -> TokenRows:
    return np.array(tokens, dtype=np.int32).reshape(-1, 5)


def tokens_of(rows: TokenRows) -> Tokens:
    return [Token(*row) for row in rows.tolist()]


def all_marks(marks: Iterable[int]) -> int:
    return reduce(or_, marks, 0)


def never(_left: int, _right: int) -> tuple[int, int]:
    return -1, 0


def long_statement(length: int) -> Tokens:
    marks = [Mark.STATEMENT, *[0] * (length - 2), Mark.STATEMENT_END]
    return [Token(at, one, 2 * at, 2 * at + 1, 0) for at, one in enumerate(marks)]


@given(tokens=token_lists(), by_line=st.booleans())
@example(tokens=long_statement(MAX_STATEMENT), by_line=False)
@example(tokens=long_statement(MAX_STATEMENT + 1), by_line=False)
@example(tokens=long_statement(MAX_STATEMENT - 1)[:-1], by_line=True)
@example(tokens=long_statement(MAX_STATEMENT + 2)[:-1], by_line=True)
def test_tokens_are_dropped_and_joined_as_one_after_the_other(tokens: Tokens, by_line: bool) -> None:  # noqa: FBT001 - drawn
    seen = all_marks(token.marks for token in tokens)
    normalised = normalise(rows_of(tokens), seen, never, by_line=by_line)
    ranges = naive.dropped_ranges(tokens, by_line=by_line)
    assert [tuple(row) for row in normalised.dropped.tolist()] == ranges
    assert normalised.characters == naive.characters(tokens, ranges)
    assert tokens_of(normalised.complete) == naive.joined_literals(naive.outside(tokens, ranges))


@given(tokens=token_lists())
def test_operators_that_touch_are_joined_from_left_to_right(tokens: Tokens) -> None:
    def join(left: int, right: int) -> tuple[int, int]:
        return (left, OPERATOR) if right % 3 else (-1, 0)

    operators = [token._replace(marks=Mark.OPERATOR) for token in tokens]
    expected: Tokens = []
    for token in operators:
        if expected and expected[-1].end == token.start and token.code % 3:
            expected[-1] = expected[-1]._replace(end=token.end)
        else:
            expected.append(token)
    assert tokens_of(normalise(rows_of(operators), OPERATOR, join, by_line=False).complete) == expected


@given(tokens=token_lists(), removed=st.sets(st.integers(0, 13)))
def test_removed_tokens_join_nothing(tokens: Tokens, removed: set[int]) -> None:
    rows = rows_of(tokens)
    rows[[at for at in removed if at < len(tokens)], 0] = REMOVED
    remaining = [token for at, token in enumerate(tokens) if at not in removed]
    assert tokens_of(with_joined_literals(rows)) == naive.joined_literals(remaining)


@given(tokens=token_lists())
def test_operators_before_another_one_that_they_touch_are_listed(tokens: Tokens) -> None:
    kept, touching = token_rows(len(tokens)), np.empty(len(tokens), dtype=np.int32)
    count, touch_count, _ = keep_others(rows_of(tokens), np.empty((0, 2), dtype=np.int32), kept, touching)
    assert tokens_of(kept[:count]) == tokens
    assert touching[:touch_count].tolist() == [
        at
        for at in range(len(tokens) - 1)
        if tokens[at].marks & tokens[at + 1].marks & OPERATOR and tokens[at].end == tokens[at + 1].start
    ]


@given(codes=st.lists(st.integers(0, 4)))
def test_white_space_is_left_out_and_ends_lines(codes: list[int]) -> None:
    columns = [(0, 0, 3), (Mark.SPACE, 0, 0), (Mark.SPACE | Mark.NEWLINE, 0, 0), (Mark.NEWLINE, 1, 2)]
    columns.append((Mark.WORD, 2, 1))
    marks, leading, lengths = (list(column) for column in zip(*columns, strict=True))
    lexemes = Lexemes(np.array(marks, np.uint32), np.array(leading, np.int32), np.array(lengths, np.int32))
    rows = token_rows(len(codes))
    starts = 5 * np.arange(len(codes), dtype=np.int32)
    count, seen = locate(np.array(codes, dtype=np.int32), starts, lexemes, rows)
    line, expected = 0, []
    for start, code in zip(starts.tolist(), codes, strict=True):
        at = start + leading[code]
        if not marks[code] & Mark.SPACE:
            expected.append(Token(code, marks[code], at, at + lengths[code], line))
        line += bool(marks[code] & Mark.NEWLINE)
    assert tokens_of(rows[:count]) == expected
    assert seen == all_marks(marks[code] for code in codes)


@given(tokens=token_lists(), backwards=st.booleans())
def test_tokens_and_lexemes_are_collected_by_their_marks(tokens: Tokens, backwards: bool) -> None:  # noqa: FBT001 - drawn
    tokens = tokens[::-1] if backwards else tokens
    rows, values = rows_of(tokens), np.arange(len(tokens), dtype=np.uint64) + np.uint64(2**63)
    columns, classes = StreamColumns.of(len(tokens)), np.empty(len(tokens), dtype=np.uint8)
    count = collect_tokens(rows, values, columns)
    compared = [token for token in tokens if not token.has(Mark.DROPPED)]
    assert columns.first(count).ids.tolist() == [2**63 + token.code for token in compared]
    assert columns.first(count).ends.tolist() == [token.end for token in compared]
    count, disorder = collect_lexemes(rows, values, classes, columns)
    lexemes = [token for token in tokens if token.has(Mark.IDENTIFIER | Mark.STRING | Mark.NUMBER)]
    sorts = [1 if one.has(Mark.IDENTIFIER) else 2 if one.has(Mark.STRING) else 3 for one in lexemes]
    assert classes[:count].tolist() == sorts
    ids = [2**63 + one.code if sort == 1 else 0 for one, sort in zip(lexemes, sorts, strict=True)]
    assert columns.first(count).ids.tolist() == ids
    assert columns.first(count).starts.tolist() == [one.start for one in lexemes]
    assert disorder == (max(0, len(lexemes) - 1) if backwards else 0)
