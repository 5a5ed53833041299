"""Ids of lexemes that normalisation replaces by kinds: names and strings as written, numbers by value.

A number is the same in every way to write it: `1600`, `0x640`, `1_600`, `16e2` and `1600L`.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING

from fingerprint.languages.base import LexicalClass
from fingerprint.tokens import kind_id

if TYPE_CHECKING:
    from collections.abc import Callable

    from fingerprint.types import Classes, Kinds, Offsets


# Longer numbers, and those of more digits before or behind the point, keep their spelling.
MAX_CHARACTERS, MAX_DIGITS = 64, 40
# What is shorter behind `_` may be a kind of Fortran, and behind `'` a base of Verilog.
_SEPARATOR = re.compile(r"(?<=[\da-f])(?:_(?=[\da-f]{3})|'(?=\d{3}))")
_HEXADECIMAL = re.compile(r"(?:0x|&h|#x|\$|16[#r]|\d*'s?h)([\da-f]+)(?:[ulnys#]*|[iu](?:\d+|size))\Z")
_HEXADECIMAL_H = re.compile(r"(\d[\da-f]*)h\Z")
_OCTAL = re.compile(r"(?:0o|&o|#o|8[#r]|\d*'s?o)([0-7]+)(?:[ulnys#]*|[iu](?:\d+|size))\Z")
_BINARY = re.compile(r"(?:0b|#b|2[#r]|\d*'s?b)([01]+)(?:[ulnys#]*|[iu](?:\d+|size))\Z")
# Of `1f32` the end is a type; `1d3` and `1f3` have an exponent.
_DECIMAL = re.compile(
    r"(?:\d*'s?d)?(\d+(?:\.\d*)?|\.\d+)(?:(?:[edq]|f(?!(?:16|32|64|128)\Z))([-+]?\d+))?"
    r"(?:[ulfdmnysq]{0,3}|[iuf](?:8|16|32|64|128|size))\Z"
)
# In some languages such a number is octal.
_LEADING_ZERO = re.compile(r"0\d+\Z")


@lru_cache(maxsize=65536)
def number_value(lexeme: str) -> str:
    """Return a number by its value in decimal digits; the lexeme if it has none that is known.

    Its type and its sign do not count: some lexers return a sign as an operator.
    """
    if len(lexeme) > MAX_CHARACTERS:
        return lexeme
    number = _SEPARATOR.sub("", lexeme.lower().lstrip("+-"))
    if match := _HEXADECIMAL.match(number) or _HEXADECIMAL_H.match(number):
        return str(int(match[1], 16))
    if match := _OCTAL.match(number):
        return str(int(match[1], 8))
    if match := _BINARY.match(number):
        return str(int(match[1], 2))
    match = _DECIMAL.match(number)
    if not match or _LEADING_ZERO.match(match[1]):
        return lexeme
    return _decimal(f"{match[1]}e{match[2] or 0}") or lexeme


def _decimal(digits: str) -> str:
    """Return decimal digits without an exponent; empty where they would be too many."""
    try:
        value = Decimal(digits)
    except InvalidOperation:
        return ""
    if abs(value.adjusted()) > MAX_DIGITS:
        return ""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


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
