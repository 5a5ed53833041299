"""Normalise the tokens of a lexer in rows: code of the lexeme, marks, start, end, and line.

LF, CRLF and a lone CR end a line.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt

from fingerprint.kernels.registry import bare_kernel, bare_njit
from fingerprint.kernels.types import Bounds, Classes, Ids, Kinds, Lines, Marks, Offsets, PairRows, Positions
from fingerprint.lextables.raw_tokens import code_points
from fingerprint.tokens import TokenStream, joined, parts

TokenRows = Annotated[npt.NDArray[np.int32], 2]

CODE, MARKS, START, END, LINE = range(5)
COLUMNS = 5
# Stands for the code of a token that was joined to the previous token.
REMOVED = -1


class Mark:
    """Bits that describe a lexeme to normalisation; plain integers, since enum flags are slow to test."""

    SPACE = 1  # white space or a comment, which separates tokens
    NEWLINE = 2  # the lexeme contains the end of a line
    DROPPED = 4  # dropped, but only after the statements to drop are known
    STATEMENT = 8  # begins a statement to drop
    DECORATOR = 16
    OPEN = 32
    CLOSE = 64
    STATEMENT_END = 128
    OPERATOR = 256
    PART = 512  # part of a string or text: joined with neighbouring parts of the same sort
    WORD = 1024
    NUMBER = 2048
    STRING = 4096
    IDENTIFIER = 8192
    PARENTHESIS = 32768  # an opening parenthesis
    BRACE = 2097152  # an opening brace
    DOT = 131072
    RUN = 65536  # several punctuation characters that the lexer returned as one token
    LINES = 262144  # part of a string, with the end of a line in it
    UNQUOTED = 1048576  # part of a string that does not end with a quote
    ERROR = 524288  # what no rule of the lexer reads


# Machine code knows numbers, but no attributes of a class.
SPACE, NEWLINE, DROPPED, OPERATOR, PART = Mark.SPACE, Mark.NEWLINE, Mark.DROPPED, Mark.OPERATOR, Mark.PART
WORD, NUMBER, STRING, IDENTIFIER, DOT = Mark.WORD, Mark.NUMBER, Mark.STRING, Mark.IDENTIFIER, Mark.DOT


class Lexemes(NamedTuple):
    """The lexemes of a vocabulary: columns by code, and a table.

    marks : see `Mark`
    leading, lengths : white space before the lexeme in its raw token, and length of the lexeme
    pieces : which piece of an operator it is, or -1
    kinds : ids of the kinds
    names : lexeme ids of identifiers, 0 for all other lexemes
    joins : code of the operator that two pieces form, or -1: int32 [pieces, pieces]
    """

    marks: Marks
    leading: Offsets
    lengths: Offsets
    pieces: Ids
    kinds: Kinds
    names: Kinds
    joins: PairRows


class StreamColumns(NamedTuple):
    """Columns of tokens: ids of kinds or lexemes, and offsets."""

    ids: Kinds
    starts: Offsets
    ends: Offsets

    @classmethod
    def of(cls, count: int) -> StreamColumns:
        """Return columns for so many tokens, still to be filled."""
        return cls(np.empty(count, np.uint64), np.empty(count, np.int32), np.empty(count, np.int32))

    def rows(self, rows: slice) -> StreamColumns:
        return StreamColumns(self.ids[rows], self.starts[rows], self.ends[rows])

    def in_order(self, order: npt.NDArray[np.intp]) -> StreamColumns:
        return StreamColumns(self.ids[order], self.starts[order], self.ends[order])


def token_rows(count: int) -> TokenRows:
    """Return rows for so many tokens, still to be filled."""
    return np.empty((count, COLUMNS), dtype=np.int32)


@bare_njit
def locate(codes: Ids, starts: Offsets, lexemes: Lexemes, rows: TokenRows) -> tuple[int, int]:
    """Fill `rows` with the trimmed tokens that are neither white space nor comments.

    Return their number, and the marks that any token has.
    """
    count, line, seen = 0, 0, 0
    for at in range(len(codes)):
        code = codes[at]
        mark = int(lexemes.marks[code])
        seen |= mark
        if mark & SPACE == 0:
            rows[count, CODE], rows[count, MARKS] = code, mark
            rows[count, START] = starts[at] + lexemes.leading[code]
            rows[count, END] = rows[count, START] + lexemes.lengths[code]
            rows[count, LINE] = line
            count += 1
        if mark & NEWLINE:
            line += 1
    return count, seen


@bare_njit
def copy(rows: TokenRows, source: int, copies: TokenRows, target: int) -> None:
    for column in range(COLUMNS):
        copies[target, column] = rows[source, column]


@bare_njit
def keep_others(rows: TokenRows, ranges: PairRows, kept: TokenRows, touching: Ids) -> tuple[int, int, int]:
    """Fill `kept` with the tokens in none of the ranges.

    Fill `touching` with the indexes of the operators in `kept` that touch the next operator. Return the
    numbers of both, and the number of characters of the tokens that are neither dropped nor in the ranges.
    """
    count, touch_count, characters, number = 0, 0, 0, 0
    for at in range(len(rows)):
        length = rows[at, END] - rows[at, START]
        characters += 0 if rows[at, MARKS] & DROPPED else length
        if number < len(ranges) and at == ranges[number, 1]:
            number += 1
        if number < len(ranges) and at >= ranges[number, 0]:
            characters -= length
            continue
        copy(rows, at, kept, count)
        if count > 0 and kept[count - 1, MARKS] & kept[count, MARKS] & OPERATOR:
            touching[touch_count] = count - 1
            touch_count += kept[count - 1, END] == kept[count, START]
        count += 1
    return count, touch_count, characters


@bare_njit
def join_operators(rows: TokenRows, touching: Ids, lexemes: Lexemes) -> None:
    """Join the operators that touch the next operator, step by step, and mark joined tokens as removed."""
    head = -1
    for index in range(len(touching)):
        at = touching[index]
        if head < 0 or rows[head, END] != rows[at + 1, START] or rows[at, CODE] != REMOVED:
            head = at
        left, right = lexemes.pieces[rows[head, CODE]], lexemes.pieces[rows[at + 1, CODE]]
        code = lexemes.joins[left, right] if left >= 0 and right >= 0 else -1
        if code >= 0:
            rows[head, CODE], rows[head, MARKS] = code, lexemes.marks[code]
            rows[head, END] = rows[at + 1, END]
            rows[at + 1, CODE] = REMOVED


@bare_njit
def join_literals(rows: TokenRows, joined: TokenRows) -> int:
    """Fill `joined` with the rows, without the removed ones, and with the parts of each literal joined.

    Parts are neighbouring pieces of strings, and pieces of numbers such as `5u8` and `1.5`. `joined` may be
    the same array. Return the number of tokens.
    """
    count = 0
    for at in range(len(rows)):
        if rows[at, CODE] != REMOVED:
            copy(rows, at, joined, count)
            count += 1
    kept, before, earlier, end, touched, was_dot = 0, 0, 0, -1, False, False
    for at in range(count):
        mark, length = joined[at, MARKS], joined[at, END] - joined[at, START]
        touches = joined[at, START] == end
        is_dot = mark & DOT != 0 and length == 1  # not a `.` that was joined to `..`
        continues = mark & before & PART != 0 and mark & STRING == before & STRING
        if touches:
            continues |= before & NUMBER != 0 and mark & (WORD | NUMBER) != 0
            continues |= touched and was_dot and earlier & NUMBER != 0 and mark & NUMBER != 0
            continues |= is_dot and before & NUMBER != 0 and begins_number(joined, at + 1, count)
        end, touched, was_dot, earlier, before = joined[at, END], touches, is_dot, before, mark
        if continues:
            joined[kept - 1, END] = end
        else:
            copy(joined, at, joined, kept)
            kept += 1
    return kept


@bare_njit
def begins_number(rows: TokenRows, at: int, count: int) -> bool:
    """Return whether there is a number at an index that touches the token before it."""
    return bool(at < count and rows[at, MARKS] & NUMBER and rows[at, START] == rows[at - 1, END])


@bare_njit
def collect_tokens(rows: TokenRows, kinds: Kinds, columns: StreamColumns) -> int:
    """Fill the columns with the tokens to compare, by the `kinds` of codes; return the number of tokens."""
    count = 0
    for at in range(len(rows)):
        if rows[at, MARKS] & DROPPED == 0:
            columns.ids[count] = kinds[rows[at, CODE]]
            columns.starts[count], columns.ends[count] = rows[at, START], rows[at, END]
            count += 1
    return count


@bare_njit
def collect_lexemes(rows: TokenRows, names: Kinds, classes: Classes, columns: StreamColumns) -> tuple[int, int]:
    """Fill the columns with the identifiers, strings and numbers, and `classes` with their `LexicalClass`.

    The ids of identifiers are the `names` of their codes; the ids of literals are 0. Return the number of
    lexemes, and how many do not begin after the start of the previous lexeme.
    """
    count, disorder, last = 0, 0, -1
    for at in range(len(rows)):
        mark = rows[at, MARKS]
        if mark & (IDENTIFIER | STRING | NUMBER) == 0:
            continue
        classes[count] = 1 if mark & IDENTIFIER else 2 if mark & STRING else 3
        columns.ids[count] = names[rows[at, CODE]] if mark & IDENTIFIER else np.uint64(0)
        columns.starts[count], columns.ends[count] = rows[at, START], rows[at, END]
        disorder += rows[at, START] <= last
        last = rows[at, START]
        count += 1
    return count, disorder


def _line_starts(text: str) -> npt.NDArray[np.int64]:
    """Return the offsets at which lines begin (int64, code points); LF, CRLF and a lone CR end a line."""
    chars = code_points(text)
    ends = chars == ord("\n")
    if "\r" in text:
        lone = chars == ord("\r")
        lone[:-1] &= ~ends[1:]
        ends |= lone
    return np.concatenate(([0], np.flatnonzero(ends) + 1))


def lines_of_offsets(text: str, offsets: tuple[int, ...]) -> tuple[int, ...]:
    """Return the lines, from 1, that have these offsets."""
    if not offsets:
        return ()
    lines = np.searchsorted(_line_starts(text), np.array(offsets), side="right")
    return tuple(sorted({int(line) for line in lines}))


def token_lines(text: str, tokens: TokenStream) -> Lines:
    """Return the line, counted from 1, on which each token begins: int32 [n]."""
    return lines_of_texts([text], [tokens])[0]


def lines_of_texts(texts: Sequence[str], streams: Sequence[TokenStream]) -> list[Lines]:
    """Return `token_lines` of each text."""
    tokens, ends = joined(streams)
    lines = np.empty(ends[-1], np.int32)
    bounds = np.cumsum([0, *(len(text) + 1 for text in texts)])
    fill_lines(_line_starts("\0".join(texts)), bounds, tokens.starts, ends, lines)
    return [lines[rows] for rows in parts(ends)]


@bare_kernel
def fill_lines(line_starts: Positions, bounds: Bounds, starts: Offsets, ends: Bounds, lines: Lines) -> None:
    """Fill `lines` with the line of each token of texts, one text after another.

    `line_starts` and `bounds` are the offsets at which lines and texts begin, `starts` the offsets of tokens
    in their text, most of them ascending; `ends` has the number of tokens up to the end of each text.
    """
    token, line = 0, 0
    for text in range(len(ends)):
        while line < len(line_starts) and line_starts[line] <= bounds[text]:
            line += 1
        first = line - 1
        while token < ends[text]:
            place = bounds[text] + starts[token]
            while line < len(line_starts) and line_starts[line] <= place:
                line += 1
            while line_starts[line - 1] > place:
                line -= 1
            lines[token] = line - first
            token += 1
