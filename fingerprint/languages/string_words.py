"""Words of the strings of a document, by which the words of a task's statement are found in them."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fingerprint.languages.lexical_terms import STRING, lexeme_terms
from fingerprint.languages.prose import FAMILY, normalise_word, word_pattern
from fingerprint.tokens import kind_id

if TYPE_CHECKING:
    from fingerprint.languages.base import Scan
    from fingerprint.types import Terms

# Shorter words of the Latin alphabet are articles, escapes and formats: `to`, `\n`, `%ld`.
SHORTEST_WORD = 3
# A string of which the statement has this part of the distinct words is dictated by it.
DICTATED_WORDS = 0.8
_NO_WORDS = re.compile(r"\\.|\{[^{}]*\}")


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
    ids = lexeme_terms(stream, scan.lexical_classes[is_string])
    spans = zip(ids.tolist(), stream.starts.tolist(), stream.ends.tolist(), strict=True)
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
