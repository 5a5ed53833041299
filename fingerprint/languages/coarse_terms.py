"""Terms that translators keep: words of names and of strings, whole names in one spelling, numbers by value."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.languages.coarse_words import STOP_NUMBERS, STOP_WORDS
from fingerprint.languages.lexical_terms import LENGTH_BITS, MAX_LENGTH, LexicalTerms
from fingerprint.tokens import kind_id

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fingerprint.types import Terms

FAMILY = "across languages"
SHORTEST_WORD = 3
# A number is seldom a word that somebody chose, but a long one is: its digits count as characters.
_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_a-zA-Z]+")
_TEXT_WORDS = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)*")
_NUMBER_TAIL = re.compile(r"(?<![xX])(?<=\d)[uUlLfFdDmMnN]+\Z|_")


@lru_cache(maxsize=65536)
def name_terms(name: str) -> tuple[str, ...]:
    """Return the words of a name, and the whole name in lower case without underscores."""
    words = [piece.lower() for piece in _PIECES.findall(name)]
    words = [word for word in words if len(word) >= SHORTEST_WORD and word not in STOP_WORDS]
    whole = name.replace("_", "").lower()
    if len(whole) < SHORTEST_WORD or whole in STOP_WORDS or [whole] == words:
        return tuple(words)
    return (*words, whole)


@lru_cache(maxsize=65536)
def text_terms(text: str) -> tuple[str, ...]:
    """Return the words of a string, its pairs of words with one space between, and its symbols if it has no word."""
    terms: list[str] = []
    for run in _TEXT_WORDS.findall(text):
        words = run.lower().split(" ")
        terms += [word for word in words if len(word) >= SHORTEST_WORD]
        terms += map(" ".join, zip(words, words[1:], strict=False))
    if not terms:
        symbols = text.strip("\"'` ")
        terms += [symbols] if len(symbols) >= SHORTEST_WORD else []
    return tuple(terms)


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


def pack_terms(literals: Iterable[str], names: Iterable[str]) -> LexicalTerms:
    """Return terms as `lexical_terms` does, for a table of terms."""
    return LexicalTerms(_packed(literals), _packed(names))


def _packed(terms: Iterable[str]) -> Terms:
    ids = [_term(term) for term in set(terms)]
    return np.unique(np.array(ids, dtype=np.uint64))


def _term(term: str) -> int:
    identity = kind_id(FAMILY, term) >> LENGTH_BITS << LENGTH_BITS
    return identity | min(len(term), MAX_LENGTH)
