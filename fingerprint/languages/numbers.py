"""The value of a number, the same for every way to write it: `1600`, `0x640`, `1_600`, `16e2` and `1600L`."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from functools import lru_cache

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
