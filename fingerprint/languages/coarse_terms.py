"""Literals that a translation keeps: words of strings, and numbers by value."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.distinct import distinct_values
from fingerprint.languages.coarse_words import STOP_NUMBERS
from fingerprint.languages.lexeme_ids import LENGTH_BITS, MAX_LENGTH
from fingerprint.tokens import kind_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fingerprint.types import Terms

FAMILY = "across languages"
SHORTEST_WORD = 3
_TEXT_WORDS = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)*")
_NUMBER_TAIL = re.compile(r"(?<![xX])(?<=\d)[uUlLfFdDmMnN]+\Z|_")


@lru_cache(maxsize=65536)
def text_terms(text: str) -> tuple[str, ...]:
    """Return the words of a string and its pairs of words with one space between; its symbols if it has none.

    Words are terms since every language puts a message together in its own way.
    """
    terms: list[str] = []
    for run in _TEXT_WORDS.findall(text):
        words = run.lower().split(" ")
        terms += [word for word in words if len(word) >= SHORTEST_WORD]
        terms += map(" ".join, pairwise(words))
    symbols = text.strip("\"'` ")
    return tuple(terms) if terms or len(symbols) < SHORTEST_WORD else (symbols,)


@lru_cache(maxsize=65536)
def number_value(lexeme: str) -> str:
    """Return a number by its value, the same for `10`, `10.0`, `10L` and `0xA`; the lexeme if it has none.

    The sign does not count: some lexers return it as an operator.
    """
    digits = _NUMBER_TAIL.sub("", lexeme).lstrip("+-")
    try:
        return repr(float(int(digits, 16)) if digits[:2].lower() == "0x" else float(digits))
    except (ValueError, OverflowError):
        return lexeme


def number_terms(value: str) -> tuple[str, ...]:
    return () if value in STOP_NUMBERS else (value.removesuffix(".0"),)


def pack_terms(terms: Iterable[str]) -> Terms:
    """Return distinct terms, ascending, with their lengths in the low bits as in `LexicalTerms`."""
    ids = [_term(term) for term in set(terms)]
    return distinct_values(np.array(ids, dtype=np.uint64))


def _term(term: str) -> int:
    identity = kind_id(FAMILY, term) >> LENGTH_BITS << LENGTH_BITS
    return identity | min(len(term), MAX_LENGTH)
