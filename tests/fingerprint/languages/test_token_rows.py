"""The kernels of normalisation do what a plain loop over the tokens does."""

from typing import NamedTuple

import numpy as np
from hypothesis import example, given, strategies as st

from fingerprint.languages.normalisation import (
    CHARACTERS,
    COMPLETE,
    DISORDER,
    LEXEMES,
    MAX_STATEMENT,
    STATEMENTS,
    TOKENS,
    Normalised,
    RawColumns,
    WorkArrays,
    fill_normalised,
)
from fingerprint.languages.token_rows import Lexemes, Mark
from tests.fingerprint.languages import naive_normalisation as naive
from tests.fingerprint.languages.naive_normalisation import Token, Tokens

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


class Columns(NamedTuple):
    """Columns of lexemes: marks, white space before the lexeme, its length, its piece of an operator."""

    marks: list[int]
    leading: list[int]
    lengths: list[int]
    pieces: list[int]


NO_JOINS = np.full((1, 1), -1, np.int32)
# Added to the code of a lexeme for the id of its kind, and of its name.
KIND, NAME = 1 << 32, 1 << 33


def normalised(texts: list[Tokens], *, by_line: bool = False) -> Normalised:
    """Normalise texts of tokens; each token has a lexeme of its own, and line ends are tokens, too."""
    columns, codes, starts, ends = Columns([Mark.SPACE | Mark.NEWLINE], [0], [0], [-1]), [], [], []
    for tokens in texts:
        line = 0
        for token in tokens:
            codes += [0] * (token.line - line)
            starts += [token.start] * (token.line - line)
            codes.append(len(columns.marks))
            starts.append(token.start)
            for column, value in zip(columns, (token.marks, 0, token.end - token.start, -1), strict=True):
                column.append(value)
            line = token.line
        ends.append(len(codes))
    return filled(codes, starts, ends, columns, by_line=by_line)


def filled(
    codes: list[int],
    starts: list[int],
    ends: list[int],
    columns: Columns,
    *,
    by_line: bool = False,
    joins: np.ndarray[tuple[int, int], np.dtype[np.int32]] = NO_JOINS,
) -> Normalised:
    marks = np.array(columns.marks, np.uint32)
    leading, lengths, pieces = (np.array(column, np.int32) for column in columns[1:])
    kinds = np.arange(len(marks), dtype=np.uint64) + np.uint64(KIND)
    names = np.arange(len(marks), dtype=np.uint64) + np.uint64(NAME)
    lexemes = Lexemes(marks, leading, lengths, pieces, kinds, names, joins)
    raw = RawColumns(np.array(codes, np.int32), np.array(starts, np.int32), np.array(ends, np.int64))
    result = Normalised.room(len(ends), len(codes))
    fill_normalised(raw, lexemes, int(by_line), WorkArrays.of(len(codes)), result)
    return result


def plain(tokens: Tokens) -> list[tuple[int, ...]]:
    """Return all of tokens but their codes."""
    return [token[1:] for token in tokens]


def long_statement(length: int) -> Tokens:
    marks = [Mark.STATEMENT, *[0] * (length - 2), Mark.STATEMENT_END]
    return [Token(at, one, 2 * at, 2 * at + 1, 0) for at, one in enumerate(marks)]


@given(texts=st.lists(token_lists(), min_size=1, max_size=3), by_line=st.booleans())
@example(texts=[long_statement(MAX_STATEMENT)], by_line=False)
@example(texts=[long_statement(MAX_STATEMENT + 1)], by_line=False)
@example(texts=[long_statement(MAX_STATEMENT - 1)[:-1]], by_line=True)
@example(texts=[long_statement(MAX_STATEMENT + 2)[:-1], long_statement(3)], by_line=True)
def test_tokens_are_dropped_and_joined_as_one_after_the_other(texts: list[Tokens], by_line: bool) -> None:  # noqa: FBT001 - drawn
    result = normalised(texts, by_line=by_line)
    for number, tokens in enumerate(texts):
        text = result.of(number)
        ranges = naive.dropped_ranges(tokens, by_line=by_line)
        complete = naive.joined_literals(naive.outside(tokens, ranges))
        assert [tuple(row[1:]) for row in text.complete.tolist()] == plain(complete)
        assert text.characters == naive.characters(tokens, ranges)
        assert [tuple(row) for row in text.statements.tolist()] == [
            (tokens[first].start, tokens[end - 1].end) for first, end in ranges if tokens[first].has(Mark.STATEMENT)
        ]


@given(texts=st.lists(token_lists(), min_size=1, max_size=3))
def test_tokens_and_lexemes_are_collected_by_their_marks(texts: list[Tokens]) -> None:
    result = normalised(texts)
    for number, tokens in enumerate(texts):
        text = result.of(number)
        codes = text.complete[:, 0].tolist()
        complete = [Token(code, *row[1:]) for code, row in zip(codes, text.complete.tolist(), strict=True)]
        compared = [token for token in complete if not token.has(Mark.DROPPED)]
        assert text.tokens.ids.tolist() == [KIND + token.code for token in compared]
        assert text.tokens.starts.tolist() == [token.start for token in compared]
        assert text.tokens.ends.tolist() == [token.end for token in compared]
        joined = naive.joined_literals(tokens)
        lexemes = [token for token in joined if token.has(Mark.IDENTIFIER | Mark.STRING | Mark.NUMBER)]
        sorts = [1 if one.has(Mark.IDENTIFIER) else 2 if one.has(Mark.STRING) else 3 for one in lexemes]
        assert text.classes.tolist() == sorts
        assert [bool(one) for one in text.lexemes.ids.tolist()] == [sort == 1 for sort in sorts]
        assert text.lexemes.starts.tolist() == [one.start for one in lexemes]
        assert text.lexemes.ends.tolist() == [one.end for one in lexemes]
        assert text.disorder == 0


def test_lexemes_that_begin_before_the_last_one_are_counted() -> None:
    tokens = [Token(at, Mark.IDENTIFIER, start, start + 1, 0) for at, start in enumerate([4, 2, 3, 1])]
    assert normalised([tokens, tokens[:1]]).totals[:, DISORDER].tolist() == [2, 0]


@given(
    tokens=token_lists(),
    pieces=st.lists(st.integers(-1, 3), min_size=20, max_size=20),
    codes=st.lists(st.integers(-1, 19), min_size=16, max_size=16),
)
def test_operators_that_touch_are_joined_from_left_to_right(
    tokens: Tokens, pieces: list[int], codes: list[int]
) -> None:
    joins = np.array(codes, np.int32).reshape(4, 4)
    expected: Tokens = []
    for token in tokens:
        before = expected[-1] if expected else token
        both = pieces[before.code], pieces[token.code]
        code = int(joins[both]) if expected and min(both) >= 0 and before.end == token.start else -1
        if code >= 0:
            expected[-1] = before._replace(code=code, end=token.end)
        else:
            expected.append(token)
    lengths = [token.end - token.start for token in tokens] + [1] * (20 - len(tokens))
    columns = Columns([Mark.OPERATOR] * 20, [0] * 20, lengths, pieces)
    raw = [token.code for token in tokens], [token.start for token in tokens], [len(tokens)]
    rows = filled(*raw, columns, joins=joins).of(0).complete.tolist()
    assert [(row[0], row[2], row[3]) for row in rows] == [(one.code, one.start, one.end) for one in expected]


@given(codes=st.lists(st.integers(0, 4)))
def test_white_space_is_left_out_and_ends_lines(codes: list[int]) -> None:
    rows = [(0, 0, 3), (Mark.SPACE, 0, 0), (Mark.SPACE | Mark.NEWLINE, 0, 0), (Mark.NEWLINE, 1, 2)]
    rows.append((Mark.WORD, 2, 1))
    marks, leading, lengths = (list(column) for column in zip(*rows, strict=True))
    starts = [5 * at for at in range(len(codes))]
    text = filled(codes, starts, [len(codes)], Columns(marks, leading, lengths, [-1] * 5)).of(0)
    line, expected = 0, []
    for start, code in zip(starts, codes, strict=True):
        at = start + leading[code]
        if not marks[code] & Mark.SPACE:
            expected.append(Token(code, marks[code], at, at + lengths[code], line))
        line += bool(marks[code] & Mark.NEWLINE)
    assert [Token(*row) for row in text.complete.tolist()] == expected


@given(texts=st.lists(token_lists(), max_size=4))
def test_the_totals_are_those_of_the_texts_one_after_the_other(texts: list[Tokens]) -> None:
    alone = [normalised([tokens]).totals[0].tolist() for tokens in texts]
    together = normalised(texts).totals
    for column in (COMPLETE, TOKENS, LEXEMES, STATEMENTS):
        assert together[:, column].tolist() == np.cumsum([row[column] for row in alone]).tolist()
    for column in (CHARACTERS, DISORDER):
        assert together[:, column].tolist() == [row[column] for row in alone]
