"""Ids of lexemes that normalisation replaces by kinds: names and strings as written, numbers by value."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

from fingerprint.languages.base import LexicalClass
from fingerprint.languages.numbers import number_value
from fingerprint.tokens import kind_id

if TYPE_CHECKING:
    from collections.abc import Callable

    from fingerprint.types import Classes, Kinds, Offsets


# Lexemes of several classes as parallel arrays: (classes, ids, starts, ends).
LexicalColumns = tuple["Classes", "Kinds", "Offsets", "Offsets"]

# The low bits of a term hold its number of characters, so that scoring needs no text.
LENGTH_BITS = 5
MAX_LENGTH = (1 << LENGTH_BITS) - 1


@cache
def lexeme_family(salt: str, lexical_class: LexicalClass) -> str:
    """Return the family of lexeme ids, so that no lexeme id equals the id of a kind (see `kind_id`)."""
    return f"{salt} as written, {lexical_class.name}"


def lexeme_id(salt: str, lexical_class: LexicalClass, lexeme: str) -> int:
    """Return the 64-bit id of a lexeme."""
    family = lexeme_family(salt, lexical_class)
    return number_id(family, lexeme) if lexical_class == LexicalClass.NUMBER else kind_id(family, lexeme)


def with_length(identity: int, characters: int) -> int:
    """Return an id with a number of characters, at most 31, in its low bits."""
    return identity >> LENGTH_BITS << LENGTH_BITS | min(characters, MAX_LENGTH)


def number_id(family: str, lexeme: str) -> int:
    """Return the id of a number by its value, with the number of characters of that: `0x10` is `16`."""
    value = number_value(lexeme)
    return with_length(kind_id(family, value), len(value))


class LiteralIds(dict[str, int]):
    """Maps a literal to its id, computed at first use; `characters` is the total length of the literals."""

    def __init__(self, identify: Callable[[str], int]) -> None:
        super().__init__()
        self._identify, self.characters = identify, 0

    def __missing__(self, lexeme: str) -> int:
        self[lexeme] = identity = self._identify(lexeme)
        self.characters += len(lexeme)
        return identity


def literal_ids(salt: str) -> dict[int, LiteralIds]:
    """Return the ids of strings and of numbers, by their `LexicalClass`."""
    string, number = LexicalClass.STRING, LexicalClass.NUMBER
    return {
        int(string): LiteralIds(partial(kind_id, lexeme_family(salt, string))),
        int(number): LiteralIds(partial(number_id, lexeme_family(salt, number))),
    }
