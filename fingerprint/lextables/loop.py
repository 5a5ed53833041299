"""The loop of a lexer: the first rule of the state that matches decides on tokens and the next state.

A run ends where Python has something to do, and goes on when it is called again with the same memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint.kernels.registry import bare_kernel, bare_njit
from fingerprint.lextables.machine import COUNTERS, GROUPS, HIGH, LOW, NO_MATCH, STEPS, match_at

if TYPE_CHECKING:
    from fingerprint.lextables.tables import CharacterKinds, Memory, Numbers, Program, Text, Tokens

# More registers: where the lexer is, the number of states and the first one of this lexer, how many lexers
# wait, the number of tokens, the next rule to try or 0, the rule that Python is asked about, the rule whose
# transition is due or 0, and how many texts were begun.
AT, DEPTH, BASE, WAITING, TOKENS, CHOICE, RULE, DUE, BEGUN = range(4, 13)
# Why a run ends. Python runs the action of ASK_ACTION; of ASK_RULE it matches the expression, too.
FINISHED, STACK_FULL, TOO_LONG, TOKENS_FULL, STATES_FULL, PARTS_FULL, ASK_RULE, ASK_ACTION = range(8)
NOT_TRANSLATED = -4
# Rows that one rule may need, and how many lexers may wait.
MOST_TOKENS, MOST_STATES, MOST_WAITING = 40, 128, 50
# A rule: the address of its expression or -1, its action, the address of its transition, and its number.
ACTION, TRANSITION, NUMBER = 1, 2, 3
# Actions that are neither a type of tokens nor, from FIRST_LIST down, the address of a list.
NOTHING, CALL, FIRST_LIST = -1, -2, -10
# Transitions: the end of the list, the state once more; from POP on down the number of states to remove.
STAY, AGAIN, POP = -1, -2, -10
ROOT, WHITESPACE, ERROR = 0, 0, 1
NEWLINE = 10
# Steps for a token, and for an empty one: a lexer may make these without end.
TOKEN_STEPS, EMPTY_STEPS = 4, 64
# What a waiting lexer goes on with: the address of the next action, the rule, the place and the end of its
# match, the part of the text, the first state, and the kind that the end of the part hides; then the groups.
OUTER = 8
OUTER_SIZE = OUTER + COUNTERS - GROUPS


@bare_kernel
def run(program: Program, text: Text, memory: Memory) -> int:
    """Read texts on; return why the run ends."""
    registers = memory.registers
    start(program, text, memory)
    while True:
        outcome = read_on(program, text, memory)
        if outcome != FINISHED:
            return outcome
        memory.ends[registers[BEGUN] - 1] = registers[TOKENS]
        if registers[BEGUN] == len(memory.ends):
            return FINISHED
        begin_text(text.bounds, memory)


@bare_njit
def read_on(program: Program, text: Text, memory: Memory) -> int:
    """Read one text on; return why this ends."""
    registers = memory.registers
    while True:
        if registers[TOKENS] + MOST_TOKENS > len(memory.tokens):
            return TOKENS_FULL
        if registers[DEPTH] + MOST_STATES > len(memory.states):
            return STATES_FULL
        rule, end = next_match(program, text, memory)
        if end < NO_MATCH:
            return ASK_RULE if end == NOT_TRANSLATED else -end - 1
        if rule > 0 and program.code[rule + ACTION] == CALL:
            return ASK_ACTION
        if rule > 0 or registers[AT] >= registers[HIGH]:
            if rule == 0 and registers[WAITING] == 0:
                return FINISHED
            if registers[WAITING] >= MOST_WAITING:
                return PARTS_FULL
            apply_rule(program, text, memory, rule, end)
        else:
            skip(text, memory)


@bare_njit
def start(program: Program, text: Text, memory: Memory) -> None:
    """Find the kinds of new texts, or go on behind the rule that Python was asked about."""
    registers, kinds, codes, bounds = memory.registers, text.kinds, text.codes, text.bounds
    if registers[BEGUN] == 0:
        for at in range(len(codes)):
            page = np.int64(program.pages[codes[at] >> 7])
            kinds[at] = program.page_kinds[page * 128 + (codes[at] & 127)]
        for number in range(1, len(bounds)):
            kinds[bounds[number] - 1] = program.member.shape[1] - 1
        begin_text(bounds, memory)
    if registers[DUE] > 0:
        change_state(program.code, registers, memory.states, registers[DUE])
        registers[DUE] = 0


@bare_njit
def begin_text(bounds: Numbers, memory: Memory) -> None:
    """Go to the next text; all but the first one begin in the root state."""
    registers = memory.registers
    number = registers[BEGUN]
    if number > 0:
        registers[DEPTH], memory.states[0] = 1, ROOT
    registers[LOW] = registers[AT] = bounds[number]
    registers[HIGH] = bounds[number + 1] - 1
    registers[BEGUN] = number + 1


@bare_njit
def next_match(program: Program, text: Text, memory: Memory) -> tuple[int, int]:
    """Return the first rule of the state that matches, or 0, and where its match ends."""
    registers, code, at = memory.registers, program.code, memory.registers[AT]
    index = registers[CHOICE]
    if index == 0:
        index = np.int64(program.choices[memory.states[registers[DEPTH] - 1], text.kinds[at]])
    registers[CHOICE] = 0
    while code[index] >= 0:
        rule = code[index]
        end = NOT_TRANSLATED
        if code[rule] >= 0:
            end = match_at(program, text, memory, code[rule], at)
        if end != NO_MATCH:
            registers[RULE] = rule
            registers[CHOICE] = index if end < NO_MATCH else 0
            return rule, end
        index += 1
    return 0, NO_MATCH


@bare_njit
def add_token(registers: Numbers, tokens: Tokens, begin: int, kind: int, end: int) -> None:
    count = registers[TOKENS]
    tokens[count, 0] = begin
    tokens[count, 1] = kind
    tokens[count, 2] = end
    registers[TOKENS] = count + 1
    registers[STEPS] -= TOKEN_STEPS if end > begin else EMPTY_STEPS


@bare_njit
def skip(text: Text, memory: Memory) -> None:
    """Add a character that no rule matches; the next line begins in the root state."""
    registers, at = memory.registers, memory.registers[AT]
    is_newline = text.codes[at] == NEWLINE
    if is_newline:
        registers[DEPTH] = registers[BASE] + 1
        memory.states[registers[BASE]] = ROOT
    add_token(registers, memory.tokens, at, WHITESPACE if is_newline else ERROR, at + 1)
    registers[AT] = at + 1


@bare_njit
def apply_rule(program: Program, text: Text, memory: Memory, rule: int, end: int) -> None:
    """Run the action of a rule that matches; without one, go on with the lexer that waits."""
    code, registers, states = program.code, memory.registers, memory.states
    action, index = code[rule + ACTION], 0
    if rule == 0:
        index, rule, end = close_part(text.kinds, registers, states)
    elif action <= FIRST_LIST:
        index = FIRST_LIST - action
        registers[GROUPS] = registers[AT]
        registers[GROUPS + 1] = end
    elif action >= 0:
        add_token(registers, memory.tokens, registers[AT], action, end)
    while code[index] >= 0:
        group, action = code[index], code[index + 1]
        first, last = registers[group], registers[group + 1]
        index += 2
        if first < 0 or last < first:
            continue
        if action < 0:
            open_part(text.kinds, registers, states, index, rule, end, first, last)
            return push_states(code, registers, states, POP - action)
        if last > first:
            add_token(registers, memory.tokens, first, action, last)
    registers[AT] = end
    change_state(code, registers, states, rule)
    return None


@bare_njit
def open_part(
    kinds: CharacterKinds, registers: Numbers, states: Numbers, index: int, rule: int, end: int, first: int, last: int
) -> None:
    """Begin to read a part of the text with this lexer, as if there were nothing else."""
    outer = registers[DEPTH]
    states[outer], states[outer + 1], states[outer + 2], states[outer + 3] = index, rule, registers[AT], end
    states[outer + 4], states[outer + 5] = registers[LOW], registers[HIGH]
    states[outer + 6], states[outer + 7] = registers[BASE], kinds[last]
    for group in range(COUNTERS - GROUPS):
        states[outer + OUTER + group] = registers[GROUPS + group]
    registers[WAITING] += 1
    registers[BASE] = registers[DEPTH] = outer + OUTER_SIZE
    registers[LOW] = registers[AT] = first
    registers[HIGH] = last
    kinds[last] = kinds[len(kinds) - 1]


@bare_njit
def close_part(kinds: CharacterKinds, registers: Numbers, states: Numbers) -> tuple[int, int, int]:
    """Go on with the lexer that waits; return its next action, its rule, and the end of its match."""
    outer = registers[BASE] - OUTER_SIZE
    kinds[registers[HIGH]] = states[outer + 7]
    registers[WAITING] -= 1
    registers[DEPTH] = outer
    registers[AT] = states[outer + 2]
    registers[LOW], registers[HIGH], registers[BASE] = states[outer + 4], states[outer + 5], states[outer + 6]
    for group in range(COUNTERS - GROUPS):
        registers[GROUPS + group] = states[outer + OUTER + group]
    return states[outer], states[outer + 1], states[outer + 3]


@bare_njit
def push_states(code: Numbers, registers: Numbers, states: Numbers, index: int) -> None:
    """Put the states of a list on the stack."""
    while code[index] >= 0:
        states[registers[DEPTH]] = code[index]
        registers[DEPTH] += 1
        index += 1


@bare_njit
def change_state(code: Numbers, registers: Numbers, states: Numbers, rule: int) -> None:
    """Apply the transition of a rule to the stack of states; one state always remains."""
    index = code[rule + TRANSITION]
    while code[index] != STAY:
        change = code[index]
        if change <= POP:
            registers[DEPTH] = max(registers[BASE] + 1, registers[DEPTH] - (POP - change))
        else:
            states[registers[DEPTH]] = states[registers[DEPTH] - 1] if change == AGAIN else change
            registers[DEPTH] += 1
        index += 1
