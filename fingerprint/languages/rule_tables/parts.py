"""The other instructions: repeats with a counter, parts that are matched for themselves, conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.kernels.registry import bare_njit
from fingerprint.languages.rule_tables.steps import push
from fingerprint.languages.rule_tables.tables import (
    ATOMIC,
    LAST_GROUP,
    LAST_LINE_END,
    LINE_END,
    LINE_START,
    LOOK,
    MORE,
    NO_LOOK,
    POSSESSIVE,
    REPEAT,
    TEXT_END,
    TEXT_START,
    UNTIL,
    UNTIL_LAZY,
)

if TYPE_CHECKING:
    from fingerprint.languages.rule_tables.tables import (
        CharacterKinds,
        CodePoints,
        KindRows,
        Numbers,
        Stack,
    )

# Kinds of rows of the stack.
SAVED, COUNTED, FRAME = -1, -2, -3
# Registers: the steps that are left, the innermost frame, and the part of the text that is read; `loop` has
# more of them. Then the start and the end of each group follow, -1 where it is not set, and the counters of
# repeats: how many there were, and where the last one began.
STEPS, INNERMOST, LOW, HIGH = 0, 1, 2, 3
GROUPS = 16
COUNTERS = GROUPS + 2 * LAST_GROUP + 2


@bare_njit
def repeat(
    code: Numbers,
    member: KindRows,
    registers: Numbers,
    stack: Stack,
    top: int,
    address: int,
    here: int,
    kind: int,
) -> tuple[int, int]:
    """Return where to go on in a repeat with a counter."""
    operation, counter = code[address], code[address + 1]
    repeats, begun = registers[counter], registers[counter + 1]
    follows = operation >= UNTIL and operation != MORE and member[code[address + 7], kind] != 0
    begins = operation == MORE or (operation != REPEAT and member[code[address + 6], kind] != 0)
    most = code[address + 2] if operation == MORE else code[address + 3]
    target = code[address + 3] if operation == MORE else code[address + 4]
    if operation == REPEAT:
        target, repeats, here = address + 2, -1, -1
    elif operation != MORE and repeats < code[address + 2]:
        if not begins:
            return -1, top
        here = begun
    elif operation == UNTIL_LAZY:
        if follows:
            return code[address + 5], push(stack, top, code[address + 8], here, -1, -1)
        return code[address + 8], top
    elif repeats == most or begun == here or not begins:
        return (code[address + 5] if follows else -1), top
    elif follows:
        top = push(stack, top, code[address + 5], here, -1, -1)
    top = push(stack, top, COUNTED, counter, registers[counter], -1)
    top = push(stack, top, COUNTED, counter + 1, begun, -1)
    registers[counter] = repeats + 1
    registers[counter + 1] = here
    return target, top


@bare_njit
def enter(
    code: Numbers,
    member: KindRows,
    registers: Numbers,
    stack: Stack,
    top: int,
    address: int,
    here: int,
    kind: int,
) -> tuple[int, int, int]:
    """Begin a part that is matched for itself."""
    operation, begin, body = code[address], here, address + 2
    if operation == POSSESSIVE:
        repeats, body = registers[code[address + 1]], address + 6
        begins = member[code[address + 5], kind] != 0
        if repeats == code[address + 3] or (repeats >= code[address + 2] and not begins):
            return code[address + 4], here, top
    elif operation != ATOMIC:
        begin, body = here - code[address + 2], address + 3
        if begin < registers[LOW]:
            return (-1 if operation == LOOK else code[address + 1]), here, top
    outer = registers[INNERMOST]
    registers[INNERMOST] = top
    return body, begin, push(stack, top, FRAME, address, here, outer)


@bare_njit
def leave(code: Numbers, registers: Numbers, stack: Stack, top: int, here: int) -> tuple[int, int, int]:
    """End a part that is matched for itself: no other way through it is tried."""
    frame = registers[INNERMOST]
    address, position, registers[INNERMOST] = stack[frame, 1], stack[frame, 2], stack[frame, 3]
    operation = code[address]
    if operation == NO_LOOK:
        for row in range(top - 1, frame, -1):
            if stack[row, 0] == SAVED or stack[row, 0] == COUNTED:
                registers[stack[row, 1]] = stack[row, 2]
        return -1, here, frame
    kept = frame
    for row in range(frame + 1, top):
        if stack[row, 0] == SAVED:
            kept = push(stack, kept, SAVED, stack[row, 1], stack[row, 2], -1)
    if operation != POSSESSIVE:
        return code[address + 1], (position if operation == LOOK else here), kept
    counter = code[address + 1]
    registers[counter] += 1
    if here == position and registers[counter] >= code[address + 2]:
        return code[address + 4], here, kept
    return address, here, kept


@bare_njit
def match_again(
    code: Numbers, registers: Numbers, codes: CodePoints, address: int, here: int, left: int
) -> tuple[int, int, int]:
    """Match what a group has matched."""
    start, end = registers[code[address + 1]], registers[code[address + 1] + 1]
    if start < 0 or end < start or here + end - start > registers[HIGH]:
        return -1, here, left
    for index in range(end - start):
        if codes[start + index] != codes[here + index]:
            return -1, here, left - index
    return address + 3, here + end - start, left - (end - start)


@bare_njit
def check_place(
    code: Numbers, member: KindRows, kinds: CharacterKinds, registers: Numbers, address: int, here: int
) -> int:
    """Return the address behind a condition on the place, or -1 if it is not met."""
    operation, at_start, at_end = code[address], here == registers[LOW], here == registers[HIGH]
    if operation == TEXT_START:
        return address + 1 if at_start else -1
    if operation == TEXT_END:
        return address + 1 if at_end else -1
    row = code[address + 1]
    before = not at_start and member[row, kinds[here - 1]] != 0
    after = not at_end and member[row, kinds[here]] != 0
    if operation == LINE_START:
        return address + 2 if at_start or before else -1
    if operation == LINE_END:
        return address + 2 if at_end or after else -1
    if operation == LAST_LINE_END:
        return address + 2 if at_end or (after and here + 1 == registers[HIGH]) else -1
    met = (before != after) == (code[address + 2] != 0)
    if at_start and at_end:
        met = code[address + 3] != 0
    return address + 4 if met else -1
