"""Read texts by the tables of a lexer.

The tables come from the library of kernels, which is built once a machine, or are made where needed.
"""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from math import prod
from typing import Any, NamedTuple

import numpy as np
import pygments
from pygments.token import Token, _TokenType

from fingerprint.lextables import loop
from fingerprint.lextables.characters import folded
from fingerprint.lextables.deadline import TooSlow
from fingerprint.lextables.expressions import Untranslatable
from fingerprint.lextables.loop import run
from fingerprint.lextables.machine import HIGH, LOW, STEPS
from fingerprint.lextables.raw_tokens import JoinedTokens, LexemeTokens, RawTokens
from fingerprint.lextables.table_writer import LexerTables, TableWriter, numbered_rules, numbered_states
from fingerprint.lextables.tables import CodePoints, Memory, Numbers, Program, Text, Tokens, number_lexemes

# Shorter texts are read as fast by Python.
SHORTEST_TEXT = 300
# Making tables takes as long as reading so many characters by Python's loop.
FIRST_CHARACTERS = 250_000

# Steps that a text may take, some seconds; steps after which Python may end the run, a tenth of a second.
MOST_STEPS, SLICE = 1 << 30, 1 << 24
# Rows of the stack of the machine at first and at most.
FIRST_ROWS, MOST_ROWS = 1 << 10, 1 << 20

# What grows when it is full, and how many rows it may have.
_GROWING = {
    loop.STACK_FULL: ("stack", MOST_ROWS),
    loop.TOKENS_FULL: ("tokens", MOST_ROWS * 16),
    loop.STATES_FULL: ("states", MOST_ROWS),
}


class Header(NamedTuple):
    """The versions for which tables were stored, and the parts of the tables that are no arrays.

    `versions` are the versions of Python and Pygments; tables for other versions are not used. `types` are
    the parts of the names of token types, `arrays` the dtype and the shape of each array.
    """

    versions: list[str]
    types: list[list[str]]
    registers: int
    folds: bool
    arrays: list[tuple[str, list[int]]]


def versions() -> list[str]:
    """Return the versions of Python and Pygments, of which regular expressions and rules are."""
    return [".".join(map(str, sys.version_info[:2])), pygments.__version__]


def name_of(lexer: Any) -> str:
    """Return the name of a `DispatchingLexer`'s base, under which its tables are stored."""
    base = type(lexer).__bases__[-1]
    return f"{base.__module__}.{base.__qualname__}"


def lexer_tables(lexer: Any) -> LexerTables:
    """Return the tables of a `DispatchingLexer`; raise Untranslatable when they cannot describe a rule."""
    return TableWriter(lexer._tokens, reads_itself=lexer.reads_itself).tables()  # noqa: SLF001 - Pygments'


def pack(tables: LexerTables) -> bytes:
    """Return tables as they are stored."""
    arrays = [(array.dtype.str, [*array.shape]) for array in tables.program]
    types = [[*one] for one in tables.types]
    header = Header(versions(), types, tables.registers, tables.folds, arrays)
    return zlib.compress(b"".join((json.dumps(header).encode(), b"\n", *(array.tobytes() for array in tables.program))))


def unpack(packed: bytes, lexer: Any) -> LexerTables | None:
    """Return the tables of a lexer that `pack` wrote; None where they are of another Python or Pygments."""
    line, columns = zlib.decompress(packed).split(b"\n", 1)
    header = Header(*json.loads(line))
    if header.versions != versions():
        return None
    states = numbered_states(lexer._tokens)  # noqa: SLF001 - Pygments'
    rules = [rule for _, rule in numbered_rules(lexer._tokens, states)]  # noqa: SLF001 - Pygments'
    types = [_type(names) for names in header.types]
    matchers, actions = [rule[0] for rule in rules], [rule[1] for rule in rules]
    program = _program(header, columns)
    return LexerTables(program, states, types, matchers, actions, header.registers, header.folds)


def _type(names: list[str]) -> Any:
    token_type = Token
    for name in names:
        token_type = getattr(token_type, name)
    return token_type


def _program(header: Header, columns: bytes) -> Program:
    arrays, start = [], 0
    for dtype, shape in header.arrays:
        array = np.frombuffer(columns, dtype, prod(shape), start).reshape(shape).copy()
        arrays.append(array)
        start += array.nbytes
    return Program(*arrays)


class LazyTables:
    """The tables of a lexer: stored, or made when so much is read that making them saves time."""

    def __init__(self) -> None:
        self._characters, self._tried_stored, self._tried = 0, False, False
        self._tables: LexerTables | None = None

    def of(self, lexer: Any, length: int) -> LexerTables | None:
        """Return the tables to read a text of a length with, or None where Python's loop is to read it."""
        if length < SHORTEST_TEXT:
            return None
        self._characters += length
        if self._tables is None:
            self.expect(lexer, self._characters)
        return self._tables

    def expect(self, lexer: Any, characters: int) -> None:
        """Get the tables if so many characters are worth it, unless the engine is still to be compiled.

        Also load the compiled functions, so that processes that are forked then need not.
        """
        if self._tables is not None or not run.is_ready:
            return
        if not self._tried_stored:
            self._tried_stored, self._tables = True, stored_tables(lexer)
        if self._tables is None and characters > FIRST_CHARACTERS and not self._tried:
            self._tried = True
            with suppress(Untranslatable):
                self._tables = lexer_tables(lexer)
        if self._tables is not None:
            run.load()
            number_lexemes.load()


def stored_tables(lexer: Any) -> LexerTables | None:
    """Return the tables of a lexer that the library has; None where it has none of these versions."""
    # Imported here, so that a process that calls no kernel does not load the library.
    from fingerprint.kernels.library import stored_data  # noqa: PLC0415

    packed = stored_data(name_of(lexer))
    return unpack(packed, lexer) if packed is not None else None


class GivenUp(Exception):
    """Raised for a text that needs more memory than a run may have; Python's loop reads it."""


class Run:
    """One run of a lexer over texts, one after another.

    `text` is all of them, `types` are the token types of `memory.tokens`, and `written` has the values that
    are not what the text has.
    """

    def __init__(self, lexer: Any, tables: LexerTables, texts: Sequence[str], stack: Iterable[str]) -> None:
        self.lexer, self.tables, self.texts, self.text = lexer, tables, texts, "\n".join(texts)
        self.types = {token_type: number for number, token_type in enumerate(tables.types)}
        self.written: dict[int, str] = {}
        self.codes = np.frombuffer(self.text.encode("utf-32-le", "surrogatepass"), np.uint32)
        folds = _folded(self.codes) if tables.folds else self.codes
        self.bounds = np.zeros(len(texts) + 1, np.int64)
        np.cumsum([len(text) + 1 for text in texts], out=self.bounds[1:])
        self._source = Text(np.empty(len(self.codes) + 1, np.uint16), self.codes, folds, self.bounds)
        self._memory = _memory(self._source, [tables.states[name] for name in stack], tables.registers)
        self._slice, self._spent, self._place = min(SLICE, MOST_STEPS), 0, b""
        self._memory.registers[STEPS] = self._slice

    def tokens(self) -> Tokens:
        """Return the start, the number of the type and the end of each token.

        Raises TooSlow when it takes too many steps. Raises GivenUp when it takes too much memory.
        """
        while True:
            outcome = run(self.tables.program, self._source, self._memory)
            if outcome == loop.FINISHED:
                return self._memory.tokens[: self._memory.registers[loop.TOKENS]]
            if outcome == loop.PARTS_FULL:
                raise GivenUp("its parts are nested too deeply")
            if outcome in (loop.ASK_RULE, loop.ASK_ACTION):
                self._ask(outcome)
            elif outcome == loop.TOO_LONG:
                self._go_on()
            else:
                self._grow(*_GROWING[outcome])

    def ends(self) -> Numbers:
        """Return the number of tokens up to the end of each text."""
        return self._memory.ends

    def _go_on(self) -> None:
        """Allow the next slice of steps: twice as many if the last slice did not suffice for one match."""
        registers = self._memory.registers
        self._spent += self._slice
        if self._spent >= MOST_STEPS:
            raise TooSlow
        place = registers[[loop.AT, loop.TOKENS, loop.CHOICE]].tobytes()
        self._slice = min(self._slice * (2 if place == self._place else 1), MOST_STEPS - self._spent)
        self._place, registers[STEPS] = place, self._slice

    def _grow(self, field: str, most: int) -> None:
        array = getattr(self._memory, field)
        if 2 * len(array) > most:
            raise GivenUp(f"its {field} are too many")
        self._memory = self._memory._replace(**{field: np.concatenate((array, np.empty_like(array)))})

    def _ask(self, outcome: int) -> None:
        """Run a rule by Python, as the lexer's own loop does."""
        registers = self._memory.registers
        address, low, high = (int(registers[one]) for one in (loop.RULE, LOW, HIGH))
        rule = int(self.tables.program.code[address + loop.NUMBER])
        whole = not registers[loop.WAITING]
        text = self.texts[registers[loop.BEGUN] - 1] if whole else self.text[low:high]
        match = self.tables.matchers[rule](text, int(registers[loop.AT]) - low)
        if match is None and outcome == loop.ASK_ACTION:
            raise GivenUp("Python finds no match where the tables have one")
        if match is None:
            registers[loop.CHOICE] += 1
            return
        action = self.tables.actions[rule]
        if isinstance(action, _TokenType):
            self._add(match.start() + low, action, match.group())
        elif action is not None:
            for start, token_type, value in action(self.lexer, match):
                self._add(start + low, token_type, value)
        registers[loop.AT], registers[loop.DUE], registers[loop.CHOICE] = match.end() + low, address, 0

    def _add(self, start: int, token_type: _TokenType, value: str) -> None:
        if (count := int(self._memory.registers[loop.TOKENS])) == len(self._memory.tokens):
            self._grow(*_GROWING[loop.TOKENS_FULL])
        kind = self.types.setdefault(token_type, len(self.types))
        self._memory.tokens[count] = start, kind, start + len(value)
        if self.text[start : start + len(value)] != value:
            self.written[count] = value
        self._memory.registers[loop.TOKENS] = count + 1


def _memory(text: Text, states: list[int], count: int) -> Memory:
    registers = np.zeros(count, np.int64)
    registers[loop.DEPTH] = len(states)
    return Memory(
        registers,
        np.empty((FIRST_ROWS, 4), np.int64),
        np.array(states + [0] * 2 * loop.MOST_STATES, np.int64),
        np.empty((len(text.codes) // 2 + 2 * loop.MOST_TOKENS, 3), np.int32),
        np.zeros(len(text.bounds) - 1, np.int64),
    )


def _folded(codes: CodePoints) -> CodePoints:
    """Return the code points that stand for others where case is ignored."""
    different, where = np.unique(codes, return_inverse=True)
    return np.array(folded(different.tolist()), np.uint32)[where.reshape(-1)]


def read(lexer: Any, tables: LexerTables, text: str, stack: Iterable[str]) -> LexemeTokens | RawTokens:
    """Return the same tokens of a text as the lexer's own loop.

    Raises TooSlow when it takes too many steps. Raises GivenUp when it takes too much memory.
    """
    reading = Run(lexer, tables, [text], stack)
    tokens = reading.tokens()
    return _lexemes(reading, tokens) or _lists(reading, tokens)


def read_all(lexer: Any, tables: LexerTables, texts: Sequence[str]) -> JoinedTokens:
    """Return the tokens of texts, each of which begins in the root state; raises as `read` does.

    Raises GivenUp also when tokens are not what the texts have.
    """
    reading = Run(lexer, tables, texts, ("root",))
    lexemes = _lexemes(reading, reading.tokens())
    if lexemes is None:
        raise GivenUp("its tokens are not what is written")
    return JoinedTokens(lexemes, reading.ends(), reading.bounds)


def _lexemes(reading: Run, tokens: Tokens) -> LexemeTokens | None:
    """Return the tokens by their lexemes; None if a value differs from the text, or lexemes collide."""
    numbers, firsts = np.empty(len(tokens), np.int32), np.empty(len(tokens), np.int32)
    slots = np.zeros(1 << (2 * len(tokens)).bit_length(), np.int32)
    count = -1 if reading.written else number_lexemes(reading.codes, tokens, slots, numbers, firsts)
    if count < 0:
        return None
    starts, kinds, ends = (column.tolist() for column in tokens[firsts[:count]].T)
    types, text = [*reading.types], reading.text
    values = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    return LexemeTokens.of(tokens[:, 0].copy(), numbers, [types[kind] for kind in kinds], values)


def _lists(reading: Run, tokens: Tokens) -> RawTokens:
    """Return the tokens one by one, also tokens whose value differs from the text."""
    types = [*reading.types]
    starts, kinds, ends = (column.tolist() for column in tokens.T)
    values = [reading.text[start:end] for start, end in zip(starts, ends, strict=True)]
    for index, value in reading.written.items():
        values[index] = value
    return RawTokens(starts, [types[kind] for kind in kinds], values)
