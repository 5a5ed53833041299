"""The tokens of a lexer as codes of a vocabulary.

A literal that the lexer reads on too far ends with its line.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from functools import cache, partial
from re import Match, Pattern
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pygments.token import Comment, Error, Operator, String, Whitespace, _TokenType

from fingerprint.kernels.types import Bounds, Flags, Ids, Marks, Offsets
from fingerprint.languages.lexers import lexer_class
from fingerprint.languages.token_rows import Mark
from fingerprint.lextables.dispatch import (
    DispatchingLexer,
    apply_transition,
    dispatching_lexer,
    joined_tokens,
    raw_tokens,
)
from fingerprint.lextables.raw_tokens import JoinedTokens, RawTokens, TokenColumns

if TYPE_CHECKING:
    from pygments.lexer import Lexer

    from fingerprint.languages.language_table import Language
    from fingerprint.languages.vocabulary import Vocabulary

# Fortran continues a string after `&`, other languages after a backslash.
_LINE_END = re.compile(r"(?<![\\&])\n")

# Errors that a broken lexer raises. The exception of a time limit is not one of them, so it is not caught.
LEXER_ERRORS = (
    ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError,
)  # fmt: skip

_NAMES = ("Token.Name", "Token.Text")
QUOTES = frozenset("\"'`")
# The literals that are tried one after another where one of them never ends.
MOST_TRIED = 6
# A quote with what may stand before it; words before it are text, as in `don't`.
_OPENER = re.compile(r"(?i)(?:[rbufnex]|br|rb|fr|rf|u8|[$@]{1,4})?[\"'`]")
# A string that goes on in the next line, or has a suffix after its quote.
_CONTINUED = re.compile(r"\\\Z|[\"'`]\w\Z")


class _Opened(NamedTuple):
    """A literal or comment that is a state of the lexer.

    `depth` is the depth of the stack before it, `start` its offset, `crosses` whether it may cross lines.
    """

    depth: int
    start: int
    crosses: bool


class MultilineLiterals:
    """The literals of a language that may go on in the next line, as the row of the language names them."""

    def __init__(self, multiline: str | None) -> None:
        self.any = multiline is None
        names = (multiline or "").split()
        self._types = tuple(name for name in names if name.startswith("Literal."))
        openers = "|".join(re.escape(name) for name in names if name not in self._types)
        self._opener: Pattern[str] = re.compile(rf"\s*+(?:[A-Za-z]\w{{0,3}})??(?:{openers})" if openers else "(?!)")

    def may_cross(self, text: str, at: int, token_type: object) -> bool:
        """Return whether the literal at that place of a text may cross lines."""
        return self.any or bool(self._opener.match(text, at)) or self.has_type(token_type)

    def has_type(self, token_type: object) -> bool:
        return str(token_type).removeprefix("Token.") in self._types


def crosses_line(tokens: TokenColumns, text: str, suspects: Iterable[int], literals: MultilineLiterals) -> bool:
    """Return whether one of the suspects may be part of a literal that crosses a line and must not.

    `suspects` are the indexes of parts of strings with a line end.
    """
    checked = -1
    for index in suspects:
        first = index
        while first > checked + 1 and is_string(tokens.types[first - 1]):
            first -= 1
        same_literal = first == checked + 1 and checked >= 0 and is_string(tokens.types[checked])
        checked = index
        if not same_literal and not literals.may_cross(text, tokens.starts[first], tokens.types[index]):
            return True
    return False


@cache
def line_bound_lexer(lexer: type[Lexer], multiline: str | None) -> Lexer:
    """Return a lexer that is put back at the end of a line in which a literal ends that it reads on.

    It takes twice the time of `dispatching_lexer`, whose tokens are the same where no literal crosses a line.
    """
    bound = type("LineBoundLexer", (LineBoundLexer,), {"literals": MultilineLiterals(multiline)})
    return dispatching_lexer(lexer, bound)


class LineBoundLexer(DispatchingLexer):
    """Ends a literal at the end of its line if it may not cross lines, or starts at an offset in `ended`.

    `crossing` has the offsets of the literals that crossed a line, or were open at the end of the last text;
    `cut` has the offsets of the literals that were ended.
    """

    literals: MultilineLiterals
    ended: frozenset[int] = frozenset()
    crossing: list[int]
    cut: list[int]

    def raw_tokens(self, text: str, stack: Iterable[str] = ("root",)) -> RawTokens:
        tokens, opened, names, at = RawTokens([], [], []), list[_Opened](), list(stack), 0
        self.crossing, self.cut = [], []
        while True:
            count = len(tokens.starts)
            transition, end = self._add_next(tokens, names[-1], text, at)
            if end < 0:
                if at >= len(text):
                    self.crossing += [literal.start for literal in opened]
                    return tokens
                if text[at] == "\n":
                    names, opened = ["root"], []
                tokens.add(iter([(at, Whitespace if text[at] == "\n" else Error, text[at])]))
                at += 1
                continue
            at = end
            outermost = _outermost(opened)
            cut = self._cut(tokens, count, text, opened)
            if cut >= 0:
                self.cut.append(_first_of_literal(tokens, count) if outermost < 0 else outermost)
                at = cut
                del names[_depth(opened, len(names)) :]
            elif transition is not None:
                depth = len(names)
                apply_transition(names, transition)
                if len(names) > depth and count < len(tokens.starts):
                    self._note_opened(opened, depth, tokens.types[count], tokens.starts[count], text)
            while opened and len(names) <= opened[-1].depth:
                opened.pop()

    def _add_next(self, tokens: RawTokens, state: str, text: str, at: int) -> tuple[Any, int]:
        """Add the tokens of the first rule that matches; return its transition, and its end or -1."""
        rules = self.states[state]
        for match_at, action, transition in rules[text[at]] if at < len(text) else rules.rules:
            match: Match[str] | None = match_at(text, at)
            if match is not None:
                if isinstance(action, _TokenType):
                    tokens.add(iter([(at, action, match.group())]))
                elif action is not None:
                    tokens.add(action(self, match))
                return transition, match.end()
        return None, -1

    def _cut(self, tokens: RawTokens, count: int, text: str, opened: list[_Opened]) -> int:
        """Cut the newest tokens off at the end of a line that a literal must not cross; return it, or -1."""
        for index in range(count, len(tokens.starts)):
            if not is_literal(tokens.types[index]):
                continue
            start = tokens.starts[index]
            # What begins with a line end is cut where a literal is open, and the lexer leaves its state.
            first = start + (index == count and not opened)
            end = _LINE_END.search(text, first, start + len(tokens.values[index]))
            if end and not self._crosses(tokens, count, index, text, opened):
                for column in tokens:
                    del column[index + (end.start() > start) :]
                if end.start() > start:
                    tokens.values[index] = text[start : end.start()]
                return end.start()
        return -1

    def _crosses(self, tokens: RawTokens, count: int, index: int, text: str, opened: list[_Opened]) -> bool:
        """Return whether the literal that a token is part of may cross a line, and note that it does."""
        if opened:
            start = opened[-1].start
            has_type = start not in self.ended and self.literals.has_type(tokens.types[index])
            crosses = opened[-1].crosses or has_type
        else:
            while index > count and is_string(tokens.types[index - 1]):
                index -= 1
            start = tokens.starts[index]
            crosses = self._may_cross(text, start, tokens.types[index])
        if crosses:
            self.crossing.append(start)
        return crosses

    def _may_cross(self, text: str, start: int, token_type: _TokenType) -> bool:
        if start in self.ended:
            return False
        return _is_comment(token_type) or self.literals.may_cross(text, start, token_type)

    def _note_opened(self, opened: list[_Opened], depth: int, token_type: _TokenType, start: int, text: str) -> None:
        """Note the literal or comment that the lexer has entered, but no comment inside another literal."""
        if is_literal(token_type) and not (_is_comment(token_type) and opened):
            opened.append(_Opened(depth, start, self._may_cross(text, start, token_type)))


def is_literal(token_type: _TokenType) -> bool:
    return is_string(token_type) or _is_comment(token_type)


def is_string(token_type: _TokenType) -> bool:
    return token_type in String  # type: ignore[comparison-overlap]  # types of tokens are no mere tuples


def _is_comment(token_type: _TokenType) -> bool:
    return token_type is Comment.Multiline or token_type is Comment


def _outermost(opened: list[_Opened]) -> int:
    """Return where the outermost literal begins that ends with this line; -1 if none is open."""
    start = -1
    for literal in reversed(opened):
        if literal.crosses:
            break
        start = literal.start
    return start


def _first_of_literal(tokens: RawTokens, count: int) -> int:
    """Return where the last literal of the newest tokens begins, the tokens from the index `count` on."""
    index = len(tokens.starts) - 1
    while index > count and is_literal(tokens.types[index - 1]):
        index -= 1
    return tokens.starts[index]


def _depth(opened: list[_Opened], depth: int) -> int:
    """Return the depth of the stack before the outermost literal that ends with this line."""
    for literal in reversed(opened):
        if literal.crosses:
            break
        depth = literal.depth
    return depth


class Lexed(NamedTuple):
    """Codes of the lexemes of a text, their offsets, and where its unclosed literals begin."""

    codes: Ids
    starts: Offsets
    unclosed: list[int]


def joined_letters(lexed: Lexed, source: str, vocabulary: Vocabulary) -> Lexed:
    """Return the lexemes with those joined that are letters of one word, as some lexers return names."""
    codes, starts, unclosed = lexed
    distinct, places = np.unique(codes, return_inverse=True)
    types = [_type_of_letter(*vocabulary.key(code)) for code in distinct.tolist()]
    numbers = {one: number for number, one in enumerate(dict.fromkeys(filter(None, types)), 1)}
    kinds = np.array([numbers.get(one, 0) for one in types], dtype=np.int32)[places]
    joins = (kinds[1:] > 0) & (kinds[1:] == kinds[:-1]) & (starts[1:] - starts[:-1] == 1)
    if not joins.any():
        return lexed
    first = np.flatnonzero(np.r_[True, ~joins])
    counts = np.diff(np.r_[first, len(codes)])
    codes, starts = codes[first], starts[first]
    for at in np.flatnonzero(counts > 1).tolist():
        start = int(starts[at])
        codes[at] = vocabulary[vocabulary.key(int(codes[at]))[0], source[start : start + int(counts[at])]]
    return Lexed(codes, starts, unclosed)


def _type_of_letter(token_type: object, lexeme: str) -> object:
    """Return the type of a token that may be a letter of a word, None for others."""
    is_letter = len(lexeme) == 1 and (lexeme.isalnum() or lexeme == "_")
    return token_type if is_letter and str(token_type).startswith(_NAMES) else None


def lexed(lexer: Lexer, language: Language, source: str, vocabulary: Vocabulary) -> Lexed:
    """Return the lexemes of a source; errors of the lexer are raised."""
    tokens = raw_tokens(lexer, source)
    return _closed(language, source, vocabulary, tokens, tokens.codes(vocabulary.__getitem__))


def lexings(
    lexer: Lexer, language: Language, sources: Sequence[str], vocabulary: Vocabulary
) -> Iterator[Callable[[], Lexed]]:
    """Yield for each source what returns its lexemes; the lexer reads all sources together where it can."""
    joined = None
    if len(sources) > 1:
        with suppress(*LEXER_ERRORS):  # of one source, which is read alone then
            joined = joined_tokens(lexer, sources)
    if joined is None:
        return (partial(lexed, lexer, language, source, vocabulary) for source in sources)
    return _joined_lexings(joined, language, sources, vocabulary)


def _joined_lexings(
    joined: JoinedTokens, language: Language, sources: Sequence[str], vocabulary: Vocabulary
) -> Iterator[Callable[[], Lexed]]:
    tokens, ends, bounds = joined
    codes = tokens.codes(vocabulary.__getitem__)
    last = map(tokens.types.items.__getitem__, tokens.numbers[ends - 1].tolist())
    begins = np.concatenate(([0], ends[:-1]))
    starts = tokens.offsets() - np.repeat(bounds[:-1].astype(np.int32), ends - begins)
    suspects = _suspects(vocabulary.marks(codes), ends)
    columns = zip(sources, begins.tolist(), ends.tolist(), last, strict=True)
    for number, (source, begin, end, last_type) in enumerate(columns):
        if number in suspects or is_literal(last_type) or has_open_comment(source):
            yield partial(_closed, language, source, vocabulary, joined.of(number), codes[begin:end])
        else:
            yield partial(Lexed, codes[begin:end], starts[begin:end], [])


def _suspects(marks: Marks, ends: Bounds) -> set[int]:
    """Return the texts in which a literal may be read on too far, or have no end."""
    suspect = (marks & np.uint32(Mark.LINES | Mark.ERROR)) != 0
    suspect[:-1] |= _ends_with_line(marks)
    return set(np.searchsorted(ends, np.flatnonzero(suspect), side="right").tolist())


def _ends_with_line(marks: Marks) -> Flags:
    """Return of each token but the last one whether it is a literal without a quote before a line end."""
    unquoted: Flags = (marks[:-1] & np.uint32(Mark.UNQUOTED)) != 0
    unquoted &= (marks[1:] & np.uint32(Mark.NEWLINE)) != 0
    return unquoted


@cache
def _literals_over_lines(multiline: str | None) -> MultilineLiterals:
    return MultilineLiterals(multiline)


def _closed(language: Language, source: str, vocabulary: Vocabulary, tokens: TokenColumns, codes: Ids) -> Lexed:
    """Return the lexemes of a source by its tokens, put back where the lexer read a literal on too far.

    `codes` are the codes of the tokens.
    """
    marks = vocabulary.marks(codes)
    seen = int(np.bitwise_or.reduce(marks))
    lines = np.flatnonzero(marks & np.uint32(Mark.LINES)).tolist() if seen & Mark.LINES else []
    reads_on = bool(lines) and crosses_line(tokens, source, lines, _literals_over_lines(language.multiline))
    # A quote without its partner makes code of strings later on, in which something is an error.
    inverted = bool(lines) and (bool(seen & Mark.ERROR) or is_inverted(tokens, source, lines))
    if not (reads_on or inverted or is_open_at_end(tokens)):
        return Lexed(codes, tokens.offsets(), _unclosed(tokens, source, marks))
    bound = line_bound_lexer(lexer_class(language.lexer), language.multiline)
    unclosed: list[int] = []
    if isinstance(bound, LineBoundLexer):
        if reads_on:
            tokens = raw_tokens(bound, source)
            unclosed = bound.cut
        if inverted or never_ends(tokens):
            tokens, ended = closed(bound, source, tokens)
            unclosed = ended or unclosed
    codes = tokens.codes(vocabulary.__getitem__)
    unclosed += _unclosed(tokens, source, vocabulary.marks(codes))
    return Lexed(codes, tokens.offsets(), unclosed)


def _unclosed(tokens: TokenColumns, source: str, marks: Marks) -> list[int]:
    """Return where the literals and comments begin that the lexer itself ended with their line."""
    seen, literals = int(np.bitwise_or.reduce(marks)), list[int]()
    if seen & Mark.UNQUOTED:
        literals = ended_with_line(tokens, np.flatnonzero(_ends_with_line(marks)).tolist())
    quotes = quotes_without_partner(tokens, source) if seen & Mark.ERROR else []
    return [*literals, *quotes, *unclosed_comments(tokens, source)]


def closed(lexer: LineBoundLexer, text: str, tokens: TokenColumns) -> tuple[TokenColumns, list[int]]:
    """Return the tokens of a text in which a literal or comment never ends, by ending one with its line.

    If quotes may cross lines, it is not known which quote lacks its partner. The first few literals that
    cross a line, and the last, are tried; the literal that leaves the fewest others across lines is ended. If
    none helps, the tokens stay as they are. Also return the offsets of the literals that were ended.
    """
    best, fewest = (tokens, list[int]()), len(text)
    for start in _candidates(lexer, text):
        bound = copy(lexer)
        bound.ended = frozenset({start})
        read = raw_tokens(bound, text)
        crossing = len(set(bound.crossing))
        if crossing < fewest and not never_ends(read):
            best, fewest = (read, bound.cut), crossing
    return best


def _candidates(lexer: LineBoundLexer, text: str) -> list[int]:
    bound = copy(lexer)
    raw_tokens(bound, text)
    starts = sorted(set(bound.crossing))
    return sorted({*starts[:MOST_TRIED], *starts[-1:]})


def never_ends(tokens: TokenColumns) -> bool:
    """Return whether a literal or comment is open at the end of a text, or a quote has no partner."""
    return is_open_at_end(tokens) or any(
        token_type is Error and value in QUOTES for token_type, value in zip(tokens.types, tokens.values, strict=True)
    )


def ended_with_line(tokens: TokenColumns, last: Iterable[int]) -> list[int]:
    """Return where the literals begin that end without their quote.

    `last` are the indexes of parts of strings that end with a line and with no quote.
    """
    starts = []
    for index in last:
        if index + 1 < len(tokens.types) and is_string(tokens.types[index + 1]):
            continue
        first = index
        while first and is_string(tokens.types[first - 1]):
            first -= 1
        if _OPENER.match(tokens.values[first]) and not _CONTINUED.search(tokens.values[index]):
            starts.append(tokens.starts[first])
    return starts


def quotes_without_partner(tokens: TokenColumns, text: str) -> list[int]:
    """Return the offsets of the quotes that begin no literal; two in one line have each other."""
    quotes, line, at = [], 0, 0
    for start, token_type, value in zip(*tokens, strict=True):
        if token_type is Error and value in QUOTES:
            line, at = line + text.count("\n", at, start), start
            quotes.append((start, line))
    in_line = Counter(line for _, line in quotes)
    return [start for start, line in quotes if in_line[line] % 2]


def has_open_comment(text: str) -> bool:
    return text.count("/*") > text.count("*/")


def unclosed_comments(tokens: TokenColumns, text: str) -> list[int]:
    """Return where `/*` begins no comment, since none ends behind it."""
    if not has_open_comment(text):
        return []
    pairs = zip(tokens.starts, tokens.types, strict=True)
    return [at for at, ttype in pairs if ttype in Operator and text.startswith("/*", at)]  # type: ignore[comparison-overlap]


def is_inverted(tokens: TokenColumns, text: str, lines: Iterable[int]) -> bool:
    """Return whether one of the literals over lines may be code between two strings: a word touches its end.

    `lines` are the indexes of the parts of strings with a line end.
    """
    last = -1
    for index in lines:
        if index <= last:
            continue
        last = index
        while last + 1 < len(tokens.types) and is_string(tokens.types[last + 1]):
            last += 1
        end = tokens.starts[last] + len(tokens.values[last])
        if tokens.values[last][-1] in QUOTES and (text[end].isalnum() or text[end] in "_\\"):
            return True
    return False


def is_open_at_end(tokens: TokenColumns) -> bool:
    """Return whether a text ends within a literal or comment; a closed one leaves the last line end."""
    return bool(tokens.values) and is_literal(tokens.types[-1]) and tokens.values[-1].endswith("\n")
