"""Normalisation: from the raw tokens of a lexer to the tokens that are compared, for several texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.kernels.registry import bare_kernel, bare_njit
from fingerprint.kernels.types import Bounds, Classes, Ids, Offsets, PairRows, Rows
from fingerprint.languages.token_rows import (
    END,
    LINE,
    MARKS,
    START,
    Lexemes,
    Mark,
    StreamColumns,
    TokenRows,
    collect_lexemes,
    collect_tokens,
    join_literals,
    join_operators,
    keep_others,
    locate,
    token_rows,
)

if TYPE_CHECKING:
    from fingerprint.languages.lexing import Lexed
    from fingerprint.languages.vocabulary import Vocabulary

# A statement without an end after this many tokens is broken code: none of its tokens are dropped.
MAX_STATEMENT = 400
STATEMENT, DECORATOR, STATEMENT_END = Mark.STATEMENT, Mark.DECORATOR, Mark.STATEMENT_END
OPEN, CLOSE, PARENTHESIS, WORD, BRACE = Mark.OPEN, Mark.CLOSE, Mark.PARENTHESIS, Mark.WORD, Mark.BRACE


@bare_njit
def find_dropped(rows: TokenRows, by_line: int, ranges: PairRows) -> int:
    """Fill `ranges` with the index range [i, end) of each statement and decorator to drop.

    Return their number. `by_line` is 1 where a statement ends with its line.
    """
    count, end = 0, 0
    for at in range(len(rows)):
        mark = rows[at, MARKS]
        if at < end or mark & (STATEMENT | DECORATOR) == 0:
            continue
        if mark & STATEMENT:
            end = statement_end(rows, at, by_line) if begins_statement(rows, at) else at
        else:
            end = decorator_end(rows, at)
        if at < end:
            ranges[count, 0], ranges[count, 1] = at, end
            count += 1
    return count


@bare_njit
def begins_statement(rows: TokenRows, at: int) -> bool:
    """Return whether a token is the first of its line or follows a `;` or a bracket."""
    if at == 0 or rows[at - 1, LINE] < rows[at, LINE]:
        return True
    return bool(rows[at - 1, MARKS] & (STATEMENT_END | OPEN | CLOSE))


@bare_njit
def statement_end(rows: TokenRows, at: int, by_line: int) -> int:
    """Return the index after the statement that begins at `at`; `at` itself when the statement has no end.

    Also `at` when a parenthesis follows: C# disposes with `using (...) {`, PHP binds with `use (...) {`. And where
    code is in its brackets, as in those of `mod`, `namespace`, `package`, and of `import` as a function, or behind.
    """
    depth, last, in_braces = 0, min(len(rows), at + MAX_STATEMENT), 0
    is_block = by_line * (rows[at, MARKS] & DECORATOR == 0)  # not the data of a decorator
    enclosed = at > 0 and rows[at - 1, MARKS] & PARENTHESIS != 0
    if not by_line and not enclosed and at + 1 < last and rows[at + 1, MARKS] & PARENTHESIS:
        return at
    for index in range(at + 1, last):
        mark = rows[index, MARKS]
        if depth == 0:
            if mark & STATEMENT_END:
                return index + 1
            if mark & CLOSE or (by_line and rows[index - 1, LINE] < rows[index, LINE]):
                return index
            if in_braces and not by_line and rows[index - 1, MARKS] & CLOSE and mark & (WORD | DECORATOR):
                return at
        elif _shows_code(mark, in_braces, is_block * (rows[at, LINE] < rows[index, LINE])):
            return at
        in_braces |= mark & BRACE
        if mark & OPEN:
            depth += 1
        elif mark & CLOSE:
            depth -= 1
    return len(rows) if last == len(rows) and depth == 0 and by_line else at


@bare_njit
def _shows_code(mark: int, in_braces: int, is_later: int) -> bool:
    """Return whether a token in brackets shows that they have code; `is_later`: a line ends between."""
    return bool((in_braces and mark & STATEMENT_END) or (is_later and (mark & BRACE or (in_braces and mark & OPEN))))


@bare_njit
def decorator_end(rows: TokenRows, at: int) -> int:
    """Return the index after the decorator at `at` and its arguments in parentheses.

    Its lexeme may be the whole decorator (`@Test`), only its sign (`@` before a name), or the bracket that
    opens it (`#[`).
    """
    last = min(len(rows), at + MAX_STATEMENT)
    if rows[at, MARKS] & OPEN:
        return bracket_end(rows, at, last)
    after = at + 1
    if after < last and rows[at, MARKS] & WORD == 0 and rows[after, MARKS] & WORD:
        after += 1
    if after < last and rows[after, MARKS] & PARENTHESIS:
        return bracket_end(rows, after, last)
    return after


@bare_njit
def bracket_end(rows: TokenRows, at: int, last: int) -> int:
    """Return the index after the bracket that closes the one at `at`; `at + 1` if none does, or it has code."""
    depth = 0
    for index in range(at, last):
        mark = rows[index, MARKS]
        depth += (mark & OPEN != 0) - (mark & CLOSE != 0)
        if depth == 0:
            return index + 1
        if depth > 1 and mark & STATEMENT_END:
            break
    return at + 1


class RawColumns(NamedTuple):
    """Codes and offsets of the raw tokens of texts, one text after another.

    `ends` int64 [texts] has the number of tokens up to the end of each text.
    """

    codes: Ids
    starts: Offsets
    ends: Bounds


class WorkArrays(NamedTuple):
    """Room for normalising one text: rows, indexes of touching operators, and ranges to drop."""

    rows: TokenRows
    touching: Ids
    ranges: PairRows

    @classmethod
    def of(cls, count: int) -> WorkArrays:
        """Return room for a text of so many tokens."""
        return cls(token_rows(count), np.empty(count, np.int32), np.empty((count, 2), np.int32))


# Columns of `Normalised.totals`.
COMPLETE, TOKENS, LEXEMES, STATEMENTS, CHARACTERS, DISORDER = range(6)


class NormalisedText(NamedTuple):
    """The tokens of one text: the columns of `Normalised`, and what its totals say of the text alone."""

    complete: TokenRows
    tokens: StreamColumns
    classes: Classes
    lexemes: StreamColumns
    statements: PairRows
    characters: int
    disorder: int


class Normalised(NamedTuple):
    """The tokens of texts, one text after another.

    complete : rows of all but white space, comments, and what is dropped as a statement or decorator, with
        split operators and literals joined
    tokens : the tokens to compare
    classes, lexemes : the identifiers and literals, with their `LexicalClass`; the id of a literal is 0
    statements : int32 [n, 2], the start and the end of each dropped statement, such as an import
    totals : int64 [texts, 6], the number of rows of these four columns up to the end of each text, then the
        number of characters of code of the text, without dropped code, and the number of its lexemes that do
        not begin after the start of the previous lexeme
    """

    complete: TokenRows
    tokens: StreamColumns
    classes: Classes
    lexemes: StreamColumns
    statements: PairRows
    totals: Rows

    def of(self, text: int) -> NormalisedText:
        """Return the tokens of one text."""
        begins, ends = self.totals[text - 1].tolist() if text else [0] * 6, self.totals[text].tolist()
        rows = list(map(slice, begins[:CHARACTERS], ends))
        return NormalisedText(
            self.complete[rows[COMPLETE]],
            self.tokens.rows(rows[TOKENS]),
            self.classes[rows[LEXEMES]],
            self.lexemes.rows(rows[LEXEMES]),
            self.statements[rows[STATEMENTS]],
            *ends[CHARACTERS:],
        )

    @classmethod
    def room(cls, texts: int, count: int) -> Normalised:
        """Return columns for texts of so many tokens, still to be filled."""
        return cls(
            token_rows(count),
            StreamColumns.of(count),
            np.empty(count, np.uint8),
            StreamColumns.of(count),
            np.empty((count, 2), np.int32),
            np.zeros((texts, 6), np.int64),
        )


@bare_kernel
def fill_normalised(
    raw: RawColumns, lexemes: Lexemes, by_line: int, arrays: WorkArrays, normalised: Normalised
) -> None:
    """Normalise texts, one after another. `by_line` is 1 where a statement ends with its line."""
    begin, complete, tokens, literals, statements = 0, 0, 0, 0, 0
    for text in range(len(raw.ends)):
        end = raw.ends[text]
        count, seen = locate(raw.codes[begin:end], raw.starts[begin:end], lexemes, arrays.rows)
        rows, kept = arrays.rows[:count], normalised.complete[complete:]
        ranges = 0
        if seen & (STATEMENT | DECORATOR):
            ranges = find_dropped(rows, by_line, arrays.ranges)
        dropped = arrays.ranges[:ranges]
        statements = add_statements(rows, dropped, normalised.statements, statements)
        count, touching, characters = keep_others(rows, dropped, kept, arrays.touching)
        join_operators(kept, arrays.touching[:touching], lexemes)
        count = join_literals(kept[:count], kept)
        complete += count
        tokens += collect_tokens(kept[:count], lexemes.kinds, behind(normalised.tokens, tokens))
        count = join_literals(rows, rows)
        columns = behind(normalised.lexemes, literals)
        count, disorder = collect_lexemes(rows[:count], lexemes.names, normalised.classes[literals:], columns)
        literals += count
        totals = normalised.totals[text]
        totals[COMPLETE], totals[TOKENS], totals[LEXEMES] = complete, tokens, literals
        totals[STATEMENTS], totals[CHARACTERS], totals[DISORDER] = statements, characters, disorder
        begin = end


@bare_njit
def behind(columns: StreamColumns, count: int) -> StreamColumns:
    return StreamColumns(columns.ids[count:], columns.starts[count:], columns.ends[count:])


@bare_njit
def add_statements(rows: TokenRows, dropped: PairRows, statements: PairRows, count: int) -> int:
    """Add the offsets of the dropped ranges that are statements; return how many there are then."""
    for number in range(len(dropped)):
        first, end = dropped[number, 0], dropped[number, 1]
        if rows[first, MARKS] & STATEMENT:
            statements[count, 0], statements[count, 1] = rows[first, START], rows[end - 1, END]
            count += 1
    return count


def normalise(texts: Sequence[Lexed], vocabulary: Vocabulary, *, by_line: bool) -> Normalised:
    """Return the tokens of texts as they are compared. With `by_line` a statement ends with its line."""
    raw = split_runs(_raw(texts), vocabulary)
    arrays = WorkArrays.of(int(np.diff(raw.ends, prepend=0).max(initial=0)))
    normalised = Normalised.room(len(raw.ends), len(raw.codes))
    fill_normalised(raw, vocabulary.lexemes(), int(by_line), arrays, normalised)
    return normalised


def _raw(texts: Sequence[Lexed]) -> RawColumns:
    if len(texts) == 1:
        codes, starts, _ = texts[0]
        return RawColumns(codes, starts, np.array([len(codes)]))
    no_tokens = np.empty(0, np.int32)
    codes = np.concatenate([no_tokens, *(text.codes for text in texts)])
    starts = np.concatenate([no_tokens, *(text.starts for text in texts)])
    return RawColumns(codes, starts, np.cumsum([len(text.codes) for text in texts], dtype=np.int64))


def split_runs(raw: RawColumns, vocabulary: Vocabulary) -> RawColumns:
    """Split each run of punctuation that the lexer returned as one token into a token for each character.

    Without this, `f();` and `f() ;` would differ.
    """
    codes, starts, ends = raw
    run = (vocabulary.marks(codes) & np.uint32(Mark.RUN)) != 0
    if not run.any():
        return raw
    parts = {int(code): vocabulary.punctuation_codes(int(code)) for code in np.unique(codes[run])}
    counts = np.ones(len(codes), dtype=np.int64)
    for code, split in parts.items():
        counts[codes == code] = len(split)
    origin = np.repeat(np.arange(len(codes)), counts)
    nth = (np.arange(len(origin)) - (np.cumsum(counts) - counts)[origin]).astype(np.int32)
    split_codes = codes[origin]
    for code, split in parts.items():
        where = split_codes == code
        split_codes[where] = np.array(split, dtype=np.int32)[nth[where]]
    return RawColumns(split_codes, starts[origin] + nth, np.searchsorted(origin, ends))
