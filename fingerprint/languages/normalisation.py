"""Normalisation: from the raw tokens of a lexer to the tokens that are compared, on arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from fingerprint.types import Flags, Ids, Lines, Marks, Offsets


# The indexes of the tokens from the first one to the one after the last.
Range = tuple[int, int]

# A statement without an end after this many tokens is broken code: none of its tokens are dropped.
MAX_STATEMENT = 400

# Operators that lexers may split. Each is a shorter operator plus one character, so that they can be joined
# step by step. `>>` stays split: it also closes two lists of type arguments.
_OPERATORS = (
    "== != <= >= && || ++ -- += -= *= /= %= &= |= ^= -> => :: << <<= ** **= // //= .. ... ..= ..< "
    "=== !== <=> ?? ??= ?. := ~= =~ !~ <- |> &&= ||= @= <>"
)
OPERATORS = frozenset(_OPERATORS.split())


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
    DOT = 131072
    RUN = 65536  # several punctuation characters that the lexer returned as one token
    LINES = 262144  # part of a string, with the end of a line in it
    UNQUOTED = 1048576  # part of a string that does not end with a quote
    ERROR = 524288  # what no rule of the lexer reads


class Lexemes(NamedTuple):
    """Columns by lexeme code: marks, white space before the lexeme in its raw token, length of the lexeme."""

    marks: Marks
    leading: Offsets
    lengths: Offsets


@dataclass(frozen=True, slots=True)
class LexedTokens:
    """Tokens as parallel arrays.

    `codes`: the lexeme's code in the vocabulary; `marks`: its `Mark` bits; `starts`, `ends`: offsets in the
    lexed text; `lines`: number of earlier tokens that end a line.
    """

    codes: Ids
    marks: Marks
    starts: Offsets
    ends: Offsets
    lines: Lines

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, selection: Flags | npt.NDArray[np.intp]) -> LexedTokens:
        return LexedTokens(
            self.codes[selection],
            self.marks[selection],
            self.starts[selection],
            self.ends[selection],
            self.lines[selection],
        )

    def has_mark(self, mark: int) -> Flags:
        mask: Flags = (self.marks & np.uint32(mark)) != 0
        return mask


def locate_tokens(codes: Ids, starts: Offsets, lexemes: Lexemes) -> LexedTokens:
    """Return all tokens of the lexer, white space and comments too, without the white space at their ends."""
    marks = lexemes.marks[codes]
    trimmed_starts = starts + lexemes.leading[codes]
    newline = (marks & np.uint32(Mark.NEWLINE)) != 0
    lines = np.cumsum(newline, dtype=np.int32) - newline
    return LexedTokens(codes, marks, trimmed_starts, trimmed_starts + lexemes.lengths[codes], lines)


def joined(
    tokens: LexedTokens, dropped: Sequence[Range], join: Callable[[int, int], tuple[int, int]]
) -> LexedTokens:
    """Return the tokens without the `dropped_ranges`, with split operators and literals joined.

    `tokens` are without white space and comments. `join` returns the code and marks of the operator that two
    pieces form; the code is -1 when they form none.
    """
    tokens = _with_joined_operators(_without_ranges(tokens, dropped), join)
    return with_joined_literals(tokens)


def normalise(tokens: LexedTokens) -> LexedTokens:
    """Return the tokens to compare: those that `joined` returned, without the lexemes to drop."""
    return tokens.take(~tokens.has_mark(Mark.DROPPED))


def dropped_statements(tokens: LexedTokens, dropped: Sequence[Range]) -> list[tuple[int, int]]:
    """Return the offsets (start, end) of the dropped ranges that are statements, such as imports."""
    return [
        (int(tokens.starts[i]), int(tokens.ends[end - 1]))
        for i, end in dropped
        if tokens.marks[i] & Mark.STATEMENT
    ]


def dropped_ranges(tokens: LexedTokens, *, by_line: bool) -> list[Range]:
    """Return the index range [i, end) of each statement and decorator to drop."""
    ranges, end = [], 0
    for i in map(int, np.flatnonzero(tokens.has_mark(Mark.STATEMENT | Mark.DECORATOR))):
        if i < end:
            continue
        if tokens.marks[i] & Mark.STATEMENT:
            end = _statement_end(tokens, i, by_line=by_line) if _begins_statement(tokens, i) else i
        else:
            end = _decorator_end(tokens, i)
        if i < end:
            ranges.append((i, end))
    return ranges


def _without_ranges(tokens: LexedTokens, ranges: Sequence[Range]) -> LexedTokens:
    if not ranges:
        return tokens
    keep = np.ones(len(tokens), dtype=np.bool_)
    for i, end in ranges:
        keep[i:end] = False
    return tokens.take(keep)


def _begins_statement(tokens: LexedTokens, i: int) -> bool:
    """Return whether token `i` is the first of its line or follows a `;` or a bracket."""
    if i == 0 or tokens.lines[i - 1] < tokens.lines[i]:
        return True
    return bool(tokens.marks[i - 1] & (Mark.STATEMENT_END | Mark.OPEN | Mark.CLOSE))


def _statement_end(tokens: LexedTokens, i: int, *, by_line: bool) -> int:
    """Return the index after the statement that begins at `i`; `i` itself when the statement has no end.

    Also `i` when a parenthesis follows: C# disposes with `using (...) {`, PHP binds with `use (...) {`.
    """
    depth = 0
    last = min(len(tokens), i + MAX_STATEMENT)
    enclosed = i > 0 and tokens.marks[i - 1] & Mark.PARENTHESIS
    if not by_line and not enclosed and i + 1 < last and tokens.marks[i + 1] & Mark.PARENTHESIS:
        return i
    for j in range(i + 1, last):
        mark = int(tokens.marks[j])
        if depth == 0:
            if mark & Mark.STATEMENT_END:
                return j + 1
            if mark & Mark.CLOSE or (by_line and tokens.lines[j - 1] < tokens.lines[j]):
                return j
        if mark & Mark.OPEN:
            depth += 1
        elif mark & Mark.CLOSE:
            depth -= 1
    return len(tokens) if last == len(tokens) and depth == 0 and by_line else i


def _decorator_end(tokens: LexedTokens, i: int) -> int:
    """Return the index after the decorator at `i` and its arguments in parentheses.

    Its lexeme may be the whole decorator (`@Test`), only its sign (`@` before a name), or the bracket that
    opens it (`#[`).
    """
    last = min(len(tokens), i + MAX_STATEMENT)
    if tokens.marks[i] & Mark.OPEN:
        return _bracket_end(tokens, i, last)
    after = i + 1
    if after < last and not tokens.marks[i] & Mark.WORD and tokens.marks[after] & Mark.WORD:
        after += 1
    if after < last and tokens.marks[after] & Mark.PARENTHESIS:
        return _bracket_end(tokens, after, last)
    return after


def _bracket_end(tokens: LexedTokens, i: int, last: int) -> int:
    """Return the index after the bracket that closes the one at `i`; `i + 1` when none does before `last`."""
    depth = 0
    for j in range(i, last):
        mark = int(tokens.marks[j])
        depth += bool(mark & Mark.OPEN) - bool(mark & Mark.CLOSE)
        if depth == 0:
            return j + 1
    return i + 1


def _with_joined_operators(tokens: LexedTokens, join: Callable[[int, int], tuple[int, int]]) -> LexedTokens:
    operator = tokens.has_mark(Mark.OPERATOR)
    touching = np.flatnonzero(operator[:-1] & operator[1:] & (tokens.ends[:-1] == tokens.starts[1:]))
    if not len(touching):
        return tokens
    keep = np.ones(len(tokens), dtype=np.bool_)
    codes, marks, ends = tokens.codes.copy(), tokens.marks.copy(), tokens.ends.copy()
    head = -1
    for i in map(int, touching):
        if head < 0 or ends[head] != tokens.starts[i + 1] or keep[i]:
            head = i
        joined, mark = join(int(codes[head]), int(codes[i + 1]))
        if joined >= 0:
            codes[head], marks[head], ends[head], keep[i + 1] = joined, mark, ends[i + 1], False
    return LexedTokens(codes, marks, tokens.starts, ends, tokens.lines).take(keep)


def with_joined_literals(tokens: LexedTokens) -> LexedTokens:
    """Join the parts of each literal: neighbouring pieces of strings, pieces of numbers (`5u8`, `1.5`)."""
    if not len(tokens):
        return tokens
    part = tokens.has_mark(Mark.PART)
    string = tokens.marks & np.uint32(Mark.STRING)
    continues = part[1:] & part[:-1] & (string[1:] == string[:-1])
    continues |= _continues_number(tokens)
    if not continues.any():
        return tokens
    heads = np.flatnonzero(np.concatenate(([True], ~continues)))
    tails = np.append(heads[1:], len(tokens)) - 1
    joined = tokens.take(heads)
    return LexedTokens(joined.codes, joined.marks, joined.starts, tokens.ends[tails], joined.lines)


def _continues_number(tokens: LexedTokens) -> Flags:
    """Return for each token but the first whether it continues the number before it."""
    number = tokens.has_mark(Mark.NUMBER)
    touching = tokens.starts[1:] == tokens.ends[:-1]
    continues: Flags = tokens.has_mark(Mark.WORD | Mark.NUMBER)[1:] & number[:-1] & touching
    dot = tokens.has_mark(Mark.DOT) & (tokens.ends - tokens.starts == 1)  # not a `.` that was joined to `..`
    fraction = number[:-2] & dot[1:-1] & number[2:] & touching[:-1] & touching[1:]
    continues[:-1] |= fraction
    continues[1:] |= fraction
    return continues


def split_runs(
    codes: Ids, starts: Offsets, marks: Marks, characters: Callable[[int], list[int]]
) -> tuple[Ids, Offsets]:
    """Split each run of punctuation that the lexer returned as one token into a token for each character.

    Without this, `f();` and `f() ;` would differ. `marks` is indexed by code; `characters` returns the codes
    of the characters of a run.
    """
    run = (marks[codes] & np.uint32(Mark.RUN)) != 0
    if not run.any():
        return codes, starts
    parts = {int(code): characters(int(code)) for code in np.unique(codes[run])}
    counts = np.ones(len(codes), dtype=np.int64)
    for code, split in parts.items():
        counts[codes == code] = len(split)
    origin = np.repeat(np.arange(len(codes)), counts)
    nth = (np.arange(len(origin)) - (np.cumsum(counts) - counts)[origin]).astype(np.int32)
    split_codes = codes[origin]
    for code, split in parts.items():
        where = split_codes == code
        split_codes[where] = np.array(split, dtype=np.int32)[nth[where]]
    return split_codes, starts[origin] + nth
