"""The frequent instructions: a choice between two ways or more, a word, one character repeatedly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.kernels.registry import bare_njit
from fingerprint.languages.rule_tables.tables import (
    LAZY,
    SPAN,
    WORD,
)

if TYPE_CHECKING:
    from fingerprint.languages.rule_tables.tables import (
        CharacterKinds,
        KindRows,
        Numbers,
        Stack,
    )

    # The address to go on at or -1, the position, the rows of the stack, and the steps that are left.
    Step = tuple[int, int, int, int]


@bare_njit
def push(stack: Stack, top: int, what: int, position: int, other: int, index: int) -> int:
    stack[top, 0] = what
    stack[top, 1] = position
    stack[top, 2] = other
    stack[top, 3] = index
    return top + 1


@bare_njit
def split(
    code: Numbers, member: KindRows, stack: Stack, top: int, address: int, here: int, kind: int
) -> tuple[int, int]:
    """Return the first of two addresses that can match, and keep the other one if it can, too."""
    second = member[code[address + 2], kind] != 0
    if not member[code[address + 1], kind]:
        return (code[address + 4] if second else -1), top
    if second:
        top = push(stack, top, code[address + 4], here, -1, -1)
    return code[address + 3], top


@bare_njit
def choose(code: Numbers, stack: Stack, top: int, address: int, here: int, index: int) -> tuple[int, int]:
    """Return the first of the alternatives that can match, and keep the others."""
    first = code[index]
    if first >= 0 and code[index + 1] >= 0:
        top = push(stack, top, address, here, -1, index + 1)
    return first, top


@bare_njit
def match_several(
    code: Numbers,
    member: KindRows,
    kinds: CharacterKinds,
    stack: Stack,
    top: int,
    address: int,
    here: int,
    left: int,
) -> Step:
    """Match a word, or one character repeatedly."""
    operation, row = code[address], code[address + 1]
    if operation == WORD:
        for index in range(row):
            if kinds[here + index] != code[address + 2 + index]:
                return -1, here, top, left
        return address + 2 + row, here + row, top, left
    least, most = here + code[address + 2], here + code[address + 3]
    if most < here:
        most = len(kinds)
    limit, end = least if operation == LAZY else most, here
    while end < limit and member[row, kinds[end]]:
        end += 1
    left -= end - here
    if end < least:
        return -1, here, top, left
    if operation == SPAN:
        return address + 4, end, top, left
    if operation == LAZY:
        return take_more(code, member, kinds, stack, top, address, end, most, left)
    return take_less(code, member, kinds, stack, top, address, end, least, left)


@bare_njit
def take_less(
    code: Numbers,
    member: KindRows,
    kinds: CharacterKinds,
    stack: Stack,
    top: int,
    address: int,
    end: int,
    least: int,
    left: int,
) -> Step:
    """Go on behind the last place up to `end` where what follows can begin."""
    follow = code[address + 4]
    while not member[follow, kinds[end]]:
        end -= 1
        left -= 1
        if end < least:
            return -1, end, top, left
    if end > least:
        top = push(stack, top, address, end, least, -1)
    return address + 5, end, top, left


@bare_njit
def take_more(
    code: Numbers,
    member: KindRows,
    kinds: CharacterKinds,
    stack: Stack,
    top: int,
    address: int,
    end: int,
    most: int,
    left: int,
) -> Step:
    """Go on at the first place from `end` on where what follows can begin."""
    row, follow = code[address + 1], code[address + 4]
    while not member[follow, kinds[end]]:
        if end >= most or not member[row, kinds[end]]:
            return -1, end, top, left
        end += 1
        left -= 1
    if end < most and member[row, kinds[end]]:
        top = push(stack, top, address, end, most, -1)
    return address + 5, end, top, left
