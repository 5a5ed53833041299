"""Lines that begin a block of code, such as the head of a function, whose content is on later lines."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.languages import salts
from fingerprint.tokens import kind_id

if TYPE_CHECKING:
    from fingerprint.types import Flags, Kinds, Positions

# Words whose line is a head; in other languages a head ends with an opening brace.
HEAD_WORDS = {"python": ("def", "class")}
OPENING = "{"


@cache
def _kinds() -> tuple[Kinds, Kinds]:
    """Return the kinds of opening braces in all languages, and of words that make a line a head."""
    families = salts()
    braces = [kind_id(family, OPENING) for family in set(families.values())]
    words = [kind_id(families[name], word) for name, own in HEAD_WORDS.items() for word in own]
    return np.array(braces, dtype=np.uint64), np.array(words, dtype=np.uint64)


def head_lines(kinds: Kinds, firsts: Positions) -> Flags:
    """Return which lines are heads, or are followed by a line with an opening brace alone: bool [lines].

    `firsts` has the first token of each line, in order.
    """
    braces, words = _kinds()
    ends = np.append(firsts[1:], len(kinds))
    is_brace = np.isin(kinds[ends - 1], braces)
    with_word = np.isin(kinds, words)
    heads = is_brace | (np.add.reduceat(with_word, firsts, dtype=np.int64) > 0)
    alone = is_brace & (ends - firsts == 1)
    heads[:-1] |= alone[1:]
    return heads


def after_heads(heads: Flags, ends: Positions) -> Positions:
    """Return where the line after each line and its heads ends, given where each ends: int64 [lines].

    That is its own end where it is no head; the last line of a file, a separator, is none.
    """
    lines = np.arange(len(heads))
    following = np.where(heads, len(heads) - 1, lines)
    return ends[np.minimum.accumulate(following[::-1])[::-1]]
