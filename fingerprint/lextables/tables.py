"""The arrays of compiled lexers and their columns; the instructions of `machine`, and numbers of lexemes.

An instruction is a number, and then its operands: `set` is a row of `Program.member`, an address is an
index in `Program.code`, and a limit of -1 is none.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt

from fingerprint.kernels.registry import bare_kernel, bare_njit
from fingerprint.kernels.types import Ids

# Sorted code points at which membership in a set of characters changes.
Changes = npt.NDArray[np.int64]
CharacterKinds = npt.NDArray[np.uint16]
CodePoints = npt.NDArray[np.uint32]
Numbers = npt.NDArray[np.int64]
Choices = Annotated[npt.NDArray[np.int32], 2]
KindRows = Annotated[npt.NDArray[np.uint8], 2]
Stack = Annotated[npt.NDArray[np.int64], 2]
Tokens = Annotated[npt.NDArray[np.int32], 2]


class Program(NamedTuple):
    """The tables of a lexer.

    code : the instructions of `machine`, the rules and lists of `loop`; an address is an index of it
    member : 1 where a set (row) has a kind (column); the last kind is the end of a text
    choices : address of the list of what to try, by kind (column): the rules of a state, then the
        alternatives of a branch (rows)
    pages, page_kinds : the kind of each character, see `fingerprint.lextables.characters.Partition`
    """

    code: Numbers
    member: KindRows
    choices: Choices
    pages: CharacterKinds
    page_kinds: CharacterKinds


class Text(NamedTuple):
    """Texts that are read one after another, with a character between each two.

    kinds : their kinds, one more
    codes : their code points
    folded : the code points that stand for them where case is ignored
    bounds : where each text begins; the last one is the number of kinds
    """

    kinds: CharacterKinds
    codes: CodePoints
    folded: CodePoints
    bounds: Numbers


class Memory(NamedTuple):
    """The state of a run of a lexer.

    registers : numbers, see `machine` and `loop`
    stack : what the machine returns to, see `machine`
    states : the stack of the states of the lexer; what it waits for, see `loop`, lies between them
    tokens : start, type and end of each token
    ends : the number of tokens up to the end of each text
    """

    registers: Numbers
    stack: Stack
    states: Numbers
    tokens: Tokens
    ends: Numbers


LAST_GROUP = 30

MATCHED = 0  # the expression matches
CHARACTER = 1  # kind
WORD = 2  # number of kinds, kinds
ONE = 3  # set
SPAN = 4  # set, least, most: as many as there are, and never fewer
SPLIT = 5  # set for the first address, set for the second one, both addresses in the order to try them
BRANCH = 6  # row of `Program.choices`
JUMP = 7  # address
GREEDY = 8  # set, least, most, set that can follow
LAZY = 9  # as GREEDY
SAVE = 10  # register
CLEAR = 11  # the register behind the last group
FAIL = 12

# Repeats with a counter; each has two registers.
REPEAT = 13  # register
UNTIL = 14  # register, least, most, address of the body and of what follows, sets with which these begin
UNTIL_LAZY = 15  # as UNTIL, and the address of MORE
MORE = 16  # register, most, address of the body

# Parts that are matched for themselves; DONE ends each.
POSSESSIVE = 17  # register, least, most, address of what follows, set with which the body begins
LOOK = 18  # address of what follows, characters before
NO_LOOK = 19  # as LOOK
ATOMIC = 20  # address of what follows
DONE = 21

# Conditions, with a set of words or of line ends.
TEXT_START = 22
TEXT_END = 23
LINE_START = 24  # set
LINE_END = 25  # set
LAST_LINE_END = 26  # set
BOUNDARY = 27  # set, 1 for a boundary and 0 for none, whether an empty text has it
REFERENCE = 28  # register of the start of a group, 1 where case is ignored


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
