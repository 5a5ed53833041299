"""The tables of a lexer: from the library of kernels, which is built once a machine, or made where needed.

What the library has of a lexer is compressed: a line of JSON, a `Header`, then the arrays of its `Program`.
"""

from __future__ import annotations

import json
import sys
import zlib
from contextlib import suppress
from math import prod
from typing import Any, NamedTuple

import numpy as np
import pygments
from pygments.token import Token

from fingerprint.languages.rule_tables.expressions import Untranslatable
from fingerprint.languages.rule_tables.loop import run
from fingerprint.languages.rule_tables.rules import (
    LexerTables,
    TableWriter,
    numbered_rules,
    numbered_states,
)
from fingerprint.languages.rule_tables.tables import Program, number_lexemes

# Shorter texts are read as fast by Python.
SHORTEST_TEXT = 300
# Making tables takes as long as reading so many characters by Python's loop.
FIRST_CHARACTERS = 250_000


class Header(NamedTuple):
    """The versions that stored tables are of, and the parts of them that are no arrays.

    `versions` are those of Python and Pygments; tables of others are not used. `types` are the parts of the
    names of token types, `arrays` the dtype and the shape of each array.
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
    """Return the name under which the tables of a `DispatchingLexer` are stored, that of its base."""
    base = type(lexer).__bases__[-1]
    return f"{base.__module__}.{base.__qualname__}"


def lexer_tables(lexer: Any) -> LexerTables:
    """Return the tables of a `DispatchingLexer`, made of its rules.

    Raises
    ------
    Untranslatable
        When tables cannot say what it does.
    """
    return TableWriter(lexer._tokens, reads_itself=lexer.reads_itself).tables()  # noqa: SLF001 - Pygments'


def pack(tables: LexerTables) -> bytes:
    """Return tables as they are stored."""
    arrays = [(array.dtype.str, [*array.shape]) for array in tables.program]
    types = [[*one] for one in tables.types]
    header = Header(versions(), types, tables.registers, tables.folds, arrays)
    return zlib.compress(
        b"".join((json.dumps(header).encode(), b"\n", *(array.tobytes() for array in tables.program)))
    )


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
    """The tables of a lexer: those that are stored, or made when so much is read that it saves time."""

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
