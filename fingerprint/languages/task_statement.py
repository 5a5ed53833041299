"""Words, numbers and names of a task's statement, which say nothing about who wrote a program."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from fingerprint.distinct import distinct_values
from fingerprint.kernels.types import Terms
from fingerprint.languages.base import LexicalClass, Scan
from fingerprint.languages.coarse import number_terms, number_value, pack_terms, text_terms
from fingerprint.languages.front_ends import families_ignoring_case, salts
from fingerprint.languages.lexical_terms import NO_TERMS, STRING, LexicalTerms
from fingerprint.languages.prose import FAMILY, normalise_word, word_pattern
from fingerprint.languages.vocabulary import lexeme_id, with_length
from fingerprint.tokens import kind_id

# Shorter words of the Latin alphabet are articles, escapes and formats: `to`, `\n`, `%ld`.
SHORTEST_WORD = 3
# A string of which the statement has this part of the distinct words is dictated by it.
DICTATED_WORDS = 0.8
_NO_WORDS = re.compile(r"\\.|\{[^{}]*\}")

_NUMBER = re.compile(r"\.?\d[\w.']*")
_GROUPS = re.compile(r"(?<=\d),(?=\d{3})")
_NAMES = re.compile(r"[^\W\d]\w*"), re.compile(r"[$@%]?[^\W\d][\w-]*[?!]?")


class StringWords(NamedTuple):
    """Distinct words of the strings of a document, as parallel uint64 arrays with a row for each word.

    `strings`, ascending: the terms of strings as `LexicalTerms.literals` has them; `words`: ids of the words
    as the front-end of prose has them.
    """

    strings: Terms
    words: Terms


NO_STRING_WORDS = StringWords(np.empty(0, np.uint64), np.empty(0, np.uint64))


def string_words(text: str, scan: Scan) -> StringWords:
    """Return the words of the strings of a document."""
    is_string = scan.lexical_classes == STRING
    if not is_string.any():
        return NO_STRING_WORDS
    stream = scan.lexical.take(is_string)
    spans = zip(stream.kinds.tolist(), stream.starts.tolist(), stream.ends.tolist(), strict=True)
    rows = {term: string_word_ids(text[start:end]) for term, start, end in spans}
    terms = sorted(rows)
    words = list(chain.from_iterable(rows[term] for term in terms))
    counts = [len(rows[term]) for term in terms]
    return StringWords(np.repeat(np.array(terms, dtype=np.uint64), counts), np.array(words, dtype=np.uint64))


@lru_cache(maxsize=65536)
def string_word_ids(string: str) -> tuple[int, ...]:
    """Return the ids of the distinct words of a string, without escapes and what is put into it."""
    return word_ids(_NO_WORDS.sub(" ", string))


def word_ids(text: str) -> tuple[int, ...]:
    """Return the ids of the distinct words of a text that are not too short."""
    words = {normalise_word(word) for word in word_pattern().findall(text)}
    return tuple(kind_id(FAMILY, word) for word in words if len(word) >= SHORTEST_WORD or not word.isascii())


def dictated_strings(strings: StringWords, statement: Terms) -> Terms:
    """Return the strings that consist of words of a statement, by the ids of its words."""
    terms, numbers = np.unique(strings.strings, return_inverse=True)
    dictated = np.bincount(numbers, np.isin(strings.words, statement), minlength=len(terms))
    dictated_terms: Terms = terms[dictated >= np.bincount(numbers, minlength=len(terms)) * DICTATED_WORDS]
    return dictated_terms


class TaskStatement(NamedTuple):
    """Words and terms that statements of tasks dictate: ascending uint64.

    `words`: ids of their words, see `StringWords`; `numbers` and `names`: terms, in every tuned language;
    `coarse`: terms of the stream that all languages share.
    """

    words: Terms
    numbers: Terms
    names: Terms
    coarse: Terms

    @classmethod
    def of(cls, texts: Iterable[str]) -> TaskStatement:
        """Return what statements with these texts dictate."""
        text = "\n".join(texts)
        numbers = {number.rstrip(".'") for number in _NUMBER.findall(_GROUPS.sub("", text))}
        names = {name for pattern in _NAMES for name in pattern.findall(text)}
        coarse = {*text_terms(" ".join(text.split()))}
        coarse.update(*(number_terms(number_value(number)) for number in numbers))
        families = set(salts().values())
        number_ids = {lexeme_id(salt, LexicalClass.NUMBER, number) for salt in families for number in numbers}
        return cls(
            _ascending({*word_ids(text), *string_word_ids(text)}),
            _ascending(number_ids),
            _ascending(_name_term(salt, name) for salt in families for name in names),
            pack_terms(coarse),
        )

    def lexical(self, strings: Iterable[StringWords]) -> LexicalTerms:
        """Return the terms that are dictated, of strings those of some documents."""
        dictated = [dictated_strings(one, self.words) for one in strings]
        literals = distinct_values(np.concatenate([self.numbers, *dictated]))
        return LexicalTerms(literals, self.names, NO_TERMS)


def _name_term(salt: str, name: str) -> int:
    spelling = name.lower() if salt in families_ignoring_case() else name
    return with_length(lexeme_id(salt, LexicalClass.IDENTIFIER, spelling), len(name))


def _ascending(ids: Iterable[int]) -> Terms:
    return distinct_values(np.array([*ids], dtype=np.uint64))
