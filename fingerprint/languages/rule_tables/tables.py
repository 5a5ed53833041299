"""The arrays of compiled lexers, and what each column of them is."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import numpy as np
import numpy.typing as npt

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
    pages, page_kinds : the kind of each character, see `characters.Partition`
    """

    code: Numbers
    member: KindRows
    choices: Choices
    pages: CharacterKinds
    page_kinds: CharacterKinds


class Text(NamedTuple):
    """A text: its kinds, one more, its code points, and those that stand for them where case is ignored."""

    kinds: CharacterKinds
    codes: CodePoints
    folded: CodePoints


class Memory(NamedTuple):
    """The state of a run of a lexer.

    registers : numbers, see `machine` and `loop`
    stack : what the machine returns to, see `machine`
    states : the stack of the states of the lexer; what it waits for, see `loop`, lies between them
    tokens : start, type and end of each token
    """

    registers: Numbers
    stack: Stack
    states: Numbers
    tokens: Tokens
