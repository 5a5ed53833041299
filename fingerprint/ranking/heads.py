"""Lines that say little without their neighbours: heads of functions, and last lines before a head."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.languages import salts
from fingerprint.tokens import kind_id

if TYPE_CHECKING:
    from fingerprint.types import Bounds, Flags, Kinds, Positions

# Words whose line is a head; in other languages a head ends with an opening brace.
HEAD_WORDS = {"python": ("def", "class")}
OPENING, CLOSING = "{", "}"
# Lines before a head that belong to no function.
IMPORT_WORDS = ("import", "from")
# A line with one of these is no head: what is inserted after a condition makes no other function of it.
CONTROL = (
    "if", "else", "elif", "for", "foreach", "while", "do", "switch", "case", "try", "catch", "finally",
    "with", "using", "lock", "synchronized", "unless", "until", "loop", "match", "select",
)  # fmt: skip


@cache
def _kinds(*lexemes: str) -> Kinds:
    """Return the kinds that these lexemes have in all languages."""
    return np.array(
        [kind_id(family, lexeme) for family in set(salts().values()) for lexeme in lexemes], np.uint64
    )


@cache
def _word_kinds() -> Kinds:
    """Return the kinds of HEAD_WORDS."""
    families = salts()
    return np.array(
        [kind_id(families[name], word) for name, own in HEAD_WORDS.items() for word in own], np.uint64
    )


def _counts(kinds: Kinds, firsts: Positions, searched: Kinds) -> Positions:
    """Return how many tokens of each line are of the `searched` kinds."""
    return np.add.reduceat(np.isin(kinds, searched), firsts, dtype=np.int64)


def head_lines(kinds: Kinds, firsts: Positions) -> Flags:
    """Return which lines are heads, or are followed by a line with an opening brace alone: bool [lines].

    `firsts` has the first token of each line, in order.
    """
    ends = np.append(firsts[1:], len(kinds))
    has_word, has_control = (_counts(kinds, firsts, some) > 0 for some in (_word_kinds(), _kinds(*CONTROL)))
    opens = np.isin(kinds[ends - 1], _kinds(OPENING))
    alone = opens & (ends - firsts == 1)
    # A brace alone belongs to the line before it.
    has_control[1:] |= alone[1:] & has_control[:-1]
    heads: Flags = has_word | (opens & ~has_control)
    heads[:-1] |= alone[1:] & ~has_control[:-1]
    return heads


def tail_lines(kinds: Kinds, firsts: Positions, heads: Flags) -> Flags:
    """Return which lines end what is before a head: its last statement, and braces after it; bool [lines]."""
    opened, closed, ends = (
        _counts(kinds, firsts, _kinds(*some)) for some in (OPENING, CLOSING, CLOSING + ";")
    )
    sizes = np.diff(firsts, append=len(kinds))
    closers = (closed > 0) & (ends == sizes)
    lines = np.arange(len(firsts))
    next_other = np.minimum.accumulate(np.where(closers, len(lines) - 1, lines)[::-1])[::-1]
    following = np.minimum(lines + 1, len(lines) - 1)
    has_word, imports = (_counts(kinds, firsts, some) > 0 for some in (_word_kinds(), _kinds(*IMPORT_WORDS)))
    ends_block = closers[following] | (closed > opened) | (has_word[following] & ~imports)
    tails: Flags = heads[next_other[following]] & ends_block & ~heads
    return tails


def after_heads(heads: Flags, firsts: Positions, ends: Positions) -> Positions:
    """Return where the line after each line and its heads ends, given where each begins and ends: int64.

    That is its own end where it is no head; the last line of a file, a separator, is none. A head is at most
    two thirds of what it ends with, so that it never stays alone.
    """
    lines = np.arange(len(heads))
    following = np.where(heads, len(heads) - 1, lines)
    result = ends[np.minimum.accumulate(following[::-1])[::-1]]
    return np.where(heads, np.maximum(result, ends + _half(firsts, ends)), result)


def before_tails(tails: Flags, firsts: Positions, ends: Positions, file_starts: Bounds) -> Positions:
    """Return where the line before each line and its tails begins, as `after_heads`; in the same file."""
    lines = np.arange(len(tails))
    result = firsts[np.maximum.accumulate(np.where(tails, 0, lines))]
    result = np.where(tails, np.minimum(result, firsts - _half(firsts, ends)), result)
    return np.maximum(result, file_starts[np.searchsorted(file_starts, firsts, side="right") - 1])


def _half(firsts: Positions, ends: Positions) -> Positions:
    return (ends - firsts + 1) // 2
