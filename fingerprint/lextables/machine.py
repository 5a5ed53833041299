"""A backtracking machine: it matches one expression at one place, with the result that `re` has.

The frequent instructions are a choice between two ways or more, a word, and one character repeatedly. The
others are repeats with a counter, parts that are matched for themselves, and conditions.
"""

from __future__ import annotations

from fingerprint.kernels.registry import bare_njit
from fingerprint.lextables.tables import (
    ATOMIC,
    BRANCH,
    CHARACTER,
    CLEAR,
    DONE,
    FAIL,
    GREEDY,
    JUMP,
    LAST_GROUP,
    LAST_LINE_END,
    LAZY,
    LINE_END,
    LINE_START,
    LOOK,
    MATCHED,
    MORE,
    NO_LOOK,
    ONE,
    POSSESSIVE,
    REFERENCE,
    REPEAT,
    SAVE,
    SPAN,
    SPLIT,
    TEXT_END,
    TEXT_START,
    UNTIL,
    UNTIL_LAZY,
    WORD,
    CharacterKinds,
    CodePoints,
    KindRows,
    Memory,
    Numbers,
    Program,
    Stack,
    Text,
)

# The address to go on at or -1, the position, the rows of the stack, and the steps that are left.
Step = tuple[int, int, int, int]

# Kinds of rows of the stack.
SAVED, COUNTED, FRAME = -1, -2, -3
# Registers: the steps that are left, the innermost frame, and the part of the text that is read; `loop` has
# more of them. Then the start and the end of each group follow, -1 where it is not set, and the counters of
# repeats: how many there were, and where the last one began.
STEPS, INNERMOST, LOW, HIGH = 0, 1, 2, 3
GROUPS = 16
COUNTERS = GROUPS + 2 * LAST_GROUP + 2

# Results that are no end of a match.
NO_MATCH, STACK_FULL, TOO_LONG = -1, -2, -3
# Rows of the stack that one instruction may need.
RESERVE = 8


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
    code: Numbers, member: KindRows, kinds: CharacterKinds, stack: Stack, top: int, address: int, here: int, left: int
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


@bare_njit
def repeat(
    code: Numbers, member: KindRows, registers: Numbers, stack: Stack, top: int, address: int, here: int, kind: int
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
    code: Numbers, member: KindRows, registers: Numbers, stack: Stack, top: int, address: int, here: int, kind: int
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


@bare_njit
def match_at(program: Program, text: Text, memory: Memory, start: int, at: int) -> int:
    """Return the end of the match of the expression at an address, or why there is none."""
    code, member, kinds, stack = program.code, program.member, text.kinds, memory.stack
    address, here, top, left = start, at, 0, memory.registers[STEPS]
    memory.registers[INNERMOST] = -1
    while left > 0 and top < len(stack) - RESERVE:
        left -= 1
        operation = code[address]
        if operation == SPLIT:
            address, top = split(code, member, stack, top, address, here, kinds[here])
        elif operation == BRANCH:
            address, top = choose(code, stack, top, address, here, program.choices[code[address + 1], kinds[here]])
        elif operation == CHARACTER:
            address = address + 2 if kinds[here] == code[address + 1] else -1
            here += 1
        elif operation == ONE:
            address = address + 2 if member[code[address + 1], kinds[here]] else -1
            here += 1
        elif operation == JUMP:
            address = code[address + 1]
        elif operation == MATCHED:
            memory.registers[STEPS] = left
            return here
        elif operation <= LAZY:
            address, here, top, left = match_several(code, member, kinds, stack, top, address, here, left)
        else:
            address, here, top, left = act(program, text, memory, top, address, here, left)
        while address < 0:
            if top == 0:
                memory.registers[STEPS] = left
                return NO_MATCH
            address, here, top, left = go_back(program, text, memory, top, left)
    memory.registers[STEPS] = left
    return TOO_LONG if left <= 0 else STACK_FULL


@bare_njit
def go_back(program: Program, text: Text, memory: Memory, top: int, left: int) -> Step:
    """Return to the newest row of the stack; the address is -1 where it only restores something."""
    code, stack, registers, top = program.code, memory.stack, memory.registers, top - 1
    what, position, other, index = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3]
    if what >= 0:
        if index >= 0:
            if code[index + 1] >= 0:
                stack[top, 3] = index + 1
                top += 1
            return code[index], position, top, left
        if other < 0:
            return what, position, top, left
        if code[what] == GREEDY:
            return take_less(code, program.member, text.kinds, stack, top, what, position - 1, other, left)
        return take_more(code, program.member, text.kinds, stack, top, what, position + 1, other, left)
    if what != FRAME:
        registers[position] = other
        return -1, 0, top, left
    registers[INNERMOST] = index
    if code[position] == NO_LOOK:
        return code[position + 1], other, top, left
    if code[position] == POSSESSIVE and registers[code[position + 1]] >= code[position + 2]:
        return code[position + 4], other, top, left
    return -1, 0, top, left


@bare_njit
def act(program: Program, text: Text, memory: Memory, top: int, address: int, here: int, left: int) -> Step:
    """Run an instruction that few expressions have."""
    code, member, registers, stack = program.code, program.member, memory.registers, memory.stack
    operation = code[address]
    if operation == SAVE:
        register = code[address + 1]
        top = push(stack, top, SAVED, register, registers[register], -1)
        registers[register] = here
        address += 2
    elif operation == CLEAR:
        for register in range(GROUPS, code[address + 1]):
            registers[register] = -1
        address += 2
    elif operation == FAIL:
        address = -1
    elif operation <= MORE:
        address, top = repeat(code, member, registers, stack, top, address, here, text.kinds[here])
    elif operation < DONE:
        address, here, top = enter(code, member, registers, stack, top, address, here, text.kinds[here])
    elif operation == DONE:
        address, here, top = leave(code, registers, stack, top, here)
    elif operation == REFERENCE:
        codes = text.folded if code[address + 2] else text.codes
        address, here, left = match_again(code, registers, codes, address, here, left)
    else:
        address = check_place(code, member, text.kinds, registers, address, here)
    return address, here, top, left
