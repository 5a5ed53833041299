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
# A line with one of these is no head: what is inserted after a condition makes no other function of it.
CONTROL = (
    "if", "else", "elif", "for", "foreach", "while", "do", "switch", "case", "try", "catch", "finally",
    "with", "using", "lock", "synchronized", "unless", "until", "loop", "match", "select",
)  # fmt: skip


@cache
def _kinds() -> tuple[Kinds, Kinds, Kinds]:
    """Return the kinds of opening braces in all languages, of HEAD_WORDS and of CONTROL."""
    families = salts()
    braces = [kind_id(family, OPENING) for family in set(families.values())]
    control = [kind_id(family, word) for family in set(families.values()) for word in CONTROL]
    words = [kind_id(families[name], word) for name, own in HEAD_WORDS.items() for word in own]
    return np.array(braces, np.uint64), np.array(words, np.uint64), np.array(control, np.uint64)


def head_lines(kinds: Kinds, firsts: Positions) -> Flags:
    """Return which lines are heads, or are followed by a line with an opening brace alone: bool [lines].

    `firsts` has the first token of each line, in order.
    """
    braces, words, control = _kinds()
    ends = np.append(firsts[1:], len(kinds))
    has_word, has_control = (
        np.add.reduceat(np.isin(kinds, some), firsts, dtype=np.int64) > 0 for some in (words, control)
    )
    opens = np.isin(kinds[ends - 1], braces)
    alone = opens & (ends - firsts == 1)
    # A brace alone belongs to the line before it.
    has_control[1:] |= alone[1:] & has_control[:-1]
    heads: Flags = has_word | (opens & ~has_control)
    heads[:-1] |= alone[1:] & ~has_control[:-1]
    return heads


def after_heads(heads: Flags, ends: Positions) -> Positions:
    """Return where the line after each line and its heads ends, given where each ends: int64 [lines].

    That is its own end where it is no head; the last line of a file, a separator, is none.
    """
    lines = np.arange(len(heads))
    following = np.where(heads, len(heads) - 1, lines)
    return ends[np.minimum.accumulate(following[::-1])[::-1]]
