"""Number the lexemes of a text, so that Python sees each of them once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint.kernels.registry import bare_kernel, bare_njit

if TYPE_CHECKING:
    from fingerprint.languages.rule_tables.tables import CodePoints, Tokens
    from fingerprint.types import Ids

PRIME = np.uint64(0x100000001B3)
SHIFT = np.uint64(29)
# More slots than this are looked at for one token on average only where a text was made for it.
MOST_PROBES = 64


@bare_kernel
def number_lexemes(codes: CodePoints, tokens: Tokens, slots: Ids, numbers: Ids, firsts: Ids) -> int:
    """Assign numbers to the lexemes in the order in which they first occur; return their count.

    `slots` are zeros, more than there are tokens, and a power of two. `numbers` gets the number of each
    token, `firsts` the first token of each number. Returns -1 where lexemes collide too often.
    """
    count, probes = 0, 0
    for index in range(len(tokens)):
        slot = hashed(codes, tokens, index) & (len(slots) - 1)
        while slots[slot] > 0 and not are_equal(codes, tokens, firsts[slots[slot] - 1], index):
            slot = (slot + 1) & (len(slots) - 1)
            probes += 1
        if probes > MOST_PROBES * (index + MOST_PROBES):
            return -1
        if slots[slot] == 0:
            firsts[count] = index
            count += 1
            slots[slot] = count
        numbers[index] = slots[slot] - 1
    return count


@bare_njit
def hashed(codes: CodePoints, tokens: Tokens, index: int) -> int:
    value = np.uint64(tokens[index, 1])
    for at in range(tokens[index, 0], tokens[index, 2]):
        value = (value ^ np.uint64(codes[at])) * PRIME
    return int(value ^ (value >> SHIFT))


@bare_njit
def are_equal(codes: CodePoints, tokens: Tokens, one: int, other: int) -> bool:
    """Return whether two tokens have the same type and the same text."""
    start, length = tokens[one, 0], tokens[one, 2] - tokens[one, 0]
    at = tokens[other, 0]
    if tokens[one, 1] != tokens[other, 1] or tokens[other, 2] - at != length:
        return False
    index = 0
    while index < length and codes[start + index] == codes[at + index]:
        index += 1
    return bool(index == length)
