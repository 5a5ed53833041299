"""A backtracking machine: it matches one expression at one place, with the result that `re` has.

What it returns to lies on a stack of its own, in rows of four numbers:

    address, position, -1, -           try the instruction at an address at a position
    address of GREEDY, end, least, -   give up one more character; at least so many stay
    address of LAZY, end, most, -      take one more character
    address of BRANCH, position, -, list   try the next alternatives
    SAVED or COUNTED, register, value, -   what a register of a group or counter was before
    FRAME, address, position, frame    a part that is matched for itself, and the one around it
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.kernels.registry import bare_njit
from fingerprint.languages.rule_tables.parts import (
    FRAME,
    GROUPS,
    INNERMOST,
    SAVED,
    STEPS,
    check_place,
    enter,
    leave,
    match_again,
    repeat,
)
from fingerprint.languages.rule_tables.steps import choose, match_several, push, split, take_less, take_more
from fingerprint.languages.rule_tables.tables import (
    BRANCH,
    CHARACTER,
    CLEAR,
    DONE,
    FAIL,
    GREEDY,
    JUMP,
    LAZY,
    MATCHED,
    MORE,
    NO_LOOK,
    ONE,
    POSSESSIVE,
    REFERENCE,
    SAVE,
    SPLIT,
)

if TYPE_CHECKING:
    from fingerprint.languages.rule_tables.steps import Step
    from fingerprint.languages.rule_tables.tables import (
        Memory,
        Program,
        Text,
    )

# Results that are no end of a match.
NO_MATCH, STACK_FULL, TOO_LONG = -1, -2, -3
# Rows of the stack that one instruction may need.
RESERVE = 8


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
            address, top = choose(
                code, stack, top, address, here, program.choices[code[address + 1], kinds[here]]
            )
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
