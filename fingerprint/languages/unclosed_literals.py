"""Literals and comments that never end: the damage ends with their line, not with the file."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

from pygments.token import Error

from fingerprint.languages.lexer_dispatch import raw_tokens
from fingerprint.languages.literal_lines import is_literal, is_string

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fingerprint.languages.lexer_dispatch import RawTokens
    from fingerprint.languages.literal_lines import LineBoundLexer

QUOTES = frozenset("\"'`")
# The literals that are tried one after another where one of them never ends.
MOST_TRIED = 6


def closed(lexer: LineBoundLexer, text: str, tokens: RawTokens) -> RawTokens:
    """Return the tokens of a text in which a literal or comment never ends: one of them ends with its line.

    If quotes may cross lines, it is not known which one lacks its partner. Of the first few that cross a line
    that one is taken with which the fewest others do. The tokens as they are if none helps.
    """
    best, fewest = tokens, len(text)
    for start in _candidates(lexer, text):
        bound = copy(lexer)
        bound.ended = frozenset({start})
        read = raw_tokens(bound, text)
        crossing = len(set(bound.crossing))
        if crossing < fewest and not never_ends(read):
            best, fewest = read, crossing
    return best


def _candidates(lexer: LineBoundLexer, text: str) -> list[int]:
    bound = copy(lexer)
    raw_tokens(bound, text)
    starts = sorted(set(bound.crossing))
    return sorted({*starts[:MOST_TRIED], *starts[-1:]})


def never_ends(tokens: RawTokens) -> bool:
    """Return whether a literal or comment is open at the end of a text, or a quote has no partner."""
    return is_open_at_end(tokens) or any(
        token_type is Error and value in QUOTES
        for token_type, value in zip(tokens.types, tokens.values, strict=True)
    )


def is_inverted(tokens: RawTokens, text: str, lines: Iterable[int]) -> bool:
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


def is_open_at_end(tokens: RawTokens) -> bool:
    """Return whether a text ends within a literal or comment; a closed one leaves the last line end."""
    return bool(tokens.values) and is_literal(tokens.types[-1]) and tokens.values[-1].endswith("\n")
