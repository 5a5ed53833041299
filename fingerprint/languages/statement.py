"""Words, numbers and names of a task's statement, which say nothing about who wrote a program."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.distinct import distinct_values
from fingerprint.languages.base import LexicalClass
from fingerprint.languages.coarse_terms import number_terms, number_value, pack_terms, text_terms
from fingerprint.languages.lexeme_ids import lexeme_id, with_length
from fingerprint.languages.lexical_terms import NO_TERMS, LexicalTerms
from fingerprint.languages.lookup import salts
from fingerprint.languages.string_words import StringWords, dictated_strings, string_word_ids, word_ids

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fingerprint.types import Terms

_NUMBER = re.compile(r"\.?\d[\w.']*")
_GROUPS = re.compile(r"(?<=\d),(?=\d{3})")
_NAMES = re.compile(r"[^\W\d]\w*"), re.compile(r"[$@%]?[^\W\d][\w-]*[?!]?")


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
    return with_length(lexeme_id(salt, LexicalClass.IDENTIFIER, name), len(name))


def _ascending(ids: Iterable[int]) -> Terms:
    return distinct_values(np.array([*ids], dtype=np.uint64))
