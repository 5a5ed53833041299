"""The tokens of a lexer as codes of a vocabulary, put back where it read a literal on too far."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.languages.lexer_dispatch import raw_tokens
from fingerprint.languages.lexers import lexer_class
from fingerprint.languages.literal_lines import (
    LineBoundLexer,
    MultilineLiterals,
    crosses_line,
    line_bound_lexer,
)
from fingerprint.languages.marks import Mark
from fingerprint.languages.unclosed_literals import (
    closed,
    ended_with_line,
    is_inverted,
    is_open_at_end,
    never_ends,
    quotes_without_partner,
    unclosed_comments,
)

if TYPE_CHECKING:
    from pygments.lexer import Lexer

    from fingerprint.languages.raw_tokens import TokenColumns
    from fingerprint.languages.spec import Language
    from fingerprint.languages.vocabulary import Vocabulary
    from fingerprint.types import Ids, Marks, Offsets

# Errors that a broken lexer raises. The exception of a time limit is not one of them, so it is not caught.
LEXER_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


class Lexed(NamedTuple):
    """Codes and starts of lexemes, the vocabulary of the codes, and where unclosed literals begin."""

    codes: Offsets
    starts: Offsets
    vocabulary: Vocabulary
    unclosed: list[int]


def lexed(lexer: Lexer, language: Language, source: str, vocabulary: Vocabulary) -> Lexed:
    """Return the lexemes of a source; the errors are those of the lexer."""
    tokens, codes, unclosed = _closed_tokens(lexer, language, source, vocabulary)
    return Lexed(codes, tokens.offsets(), vocabulary, unclosed)


@cache
def _literals_over_lines(multiline: str | None) -> MultilineLiterals:
    return MultilineLiterals(multiline)


def _closed_tokens(
    lexer: Lexer, language: Language, source: str, vocabulary: Vocabulary
) -> tuple[TokenColumns, Ids, list[int]]:
    """Return the tokens of the lexer, put back where it read a literal on too far, and their codes.

    Also return where the literals begin that were ended with their line.
    """
    tokens = raw_tokens(lexer, source)
    codes = tokens.codes(vocabulary.__getitem__)
    marks = vocabulary.lexemes().marks[codes]
    seen = int(np.bitwise_or.reduce(marks))
    lines = np.flatnonzero(marks & np.uint32(Mark.LINES)).tolist() if seen & Mark.LINES else []
    reads_on = bool(lines) and crosses_line(tokens, source, lines, _literals_over_lines(language.multiline))
    # A quote without its partner makes code of strings later on, in which something is an error.
    inverted = bool(lines) and (bool(seen & Mark.ERROR) or is_inverted(tokens, source, lines))
    if not (reads_on or inverted or is_open_at_end(tokens)):
        return tokens, codes, _unclosed(tokens, source, marks)
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
    unclosed += _unclosed(tokens, source, vocabulary.lexemes().marks[codes])
    return tokens, codes, unclosed


def _unclosed(tokens: TokenColumns, source: str, marks: Marks) -> list[int]:
    """Return where the literals and comments begin that the lexer itself ended with their line."""
    seen, literals = int(np.bitwise_or.reduce(marks)), list[int]()
    if seen & Mark.UNQUOTED:
        unquoted = (marks[:-1] & np.uint32(Mark.UNQUOTED)) != 0
        ends_line = (marks[1:] & np.uint32(Mark.NEWLINE)) != 0
        literals = ended_with_line(tokens, np.flatnonzero(unquoted & ends_line).tolist())
    quotes = quotes_without_partner(tokens, source) if seen & Mark.ERROR else []
    return [*literals, *quotes, *unclosed_comments(tokens, source)]
