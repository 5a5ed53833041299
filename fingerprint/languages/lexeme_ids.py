"""Ids of lexemes that normalisation replaces by kinds: names and strings as written, numbers by value."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from fingerprint.languages.base import LexicalClass
from fingerprint.languages.numbers import number_value
from fingerprint.tokens import kind_id

if TYPE_CHECKING:
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
