"""Literals and comments that never end: the damage ends with their line, not with the file."""

from __future__ import annotations

import re
from collections import Counter
from copy import copy
from typing import TYPE_CHECKING

from pygments.token import Error, Operator

from fingerprint.languages.lexer_dispatch import raw_tokens
from fingerprint.languages.literal_lines import is_literal, is_string

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fingerprint.languages.literal_lines import LineBoundLexer
    from fingerprint.languages.raw_tokens import TokenColumns

QUOTES = frozenset("\"'`")
# The literals that are tried one after another where one of them never ends.
MOST_TRIED = 6
# A quote with what may stand before it; words before it are text, as in `don't`.
_OPENER = re.compile(r"(?i)(?:[rbufnex]|br|rb|fr|rf|u8|[$@]{1,4})?[\"'`]")
# A string that goes on in the next line, or has a suffix after its quote.
_CONTINUED = re.compile(r"\\\Z|[\"'`]\w\Z")


def closed(lexer: LineBoundLexer, text: str, tokens: TokenColumns) -> tuple[TokenColumns, list[int]]:
    """Return the tokens of a text in which a literal or comment never ends: one of them ends with its line.

    If quotes may cross lines, it is not known which one lacks its partner. Of the first few that cross a line
    that one is taken with which the fewest others do. The tokens as they are if none helps. Also return the
    offsets of the literals that were ended.
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
        token_type is Error and value in QUOTES
        for token_type, value in zip(tokens.types, tokens.values, strict=True)
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
    found, line, at = [], 0, 0
    for start, token_type, value in zip(*tokens, strict=True):
        if token_type is Error and value in QUOTES:
            line, at = line + text.count("\n", at, start), start
            found.append((start, line))
    quotes = Counter(line for _, line in found)
    return [start for start, line in found if quotes[line] % 2]


def unclosed_comments(tokens: TokenColumns, text: str) -> list[int]:
    """Return where `/*` begins no comment, since none ends behind it."""
    if text.count("/*") <= text.count("*/"):
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
