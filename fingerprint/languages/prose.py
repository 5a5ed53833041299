"""The front-end of prose, and of all text in no known language: words of any script."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING
from unicodedata import normalize

import numpy as np

from fingerprint.languages.base import LexicalClass, Scan
from fingerprint.languages.lexeme_ids import lexeme_id
from fingerprint.tokens import TokenStream, kind_id

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fingerprint.languages.base import Span

FAMILY = "text"

# Scripts written without spaces, where each character is a word: Thai, Lao, Myanmar, Khmer, Kana, Han.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3031-\u3035\u303b\u3040-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
# Combining marks belong to the letter before them, soft hyphens and joiners to the word that they are in.
_MARKS = (
    "\u00ad\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0711\u0730-\u074a"
    "\u07a6-\u07b0\u0900-\u0903\u093a-\u094f\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc-\u09cd\u0a01-\u0a51"
    "\u0a81-\u0a83\u0abc-\u0acd\u0b01-\u0b03\u0b3c-\u0b57\u0b82\u0bbe-\u0bcd\u0c00-\u0c04\u0c3c-\u0c56"
    "\u0c81-\u0c83\u0cbc-\u0cd6\u0d00-\u0d03\u0d3b-\u0d4d\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ece"
    "\u102b-\u103e\u1056-\u1059\u17b4-\u17d3\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\u20d0-\u20ff\u3099\u309a"
    "\ufe00-\ufe0f\ufe20-\ufe2f"
)
_WORD = rf"[{_UNSPACED}][{_MARKS}]*|[^\W_{_UNSPACED}](?:[{_MARKS}]|[^\W_{_UNSPACED}]|['\u2019](?=[^\W\d_]))*"
_IGNORED = str.maketrans("", "", "\u00ad\u200c\u200d'\u2019")


@cache
def word_pattern() -> re.Pattern[str]:
    """Return the expression of a word; compiling it takes as long as reading some files of code."""
    return re.compile(_WORD)


def normalise_word(word: str) -> str:
    """Return a word as it is compared: without case, width variants, ligatures and apostrophes."""
    if word.isascii():
        return word.lower().replace("'", "")
    return normalize("NFKC", normalize("NFKC", word).casefold()).translate(_IGNORED)


class Prose:
    """The front-end whose tokens are words; everything between words is ignored."""

    name = "text"
    title = "Plain text"
    version = 1

    def text(self, decoded: str) -> str:
        return decoded

    def tokens(self, text: str) -> TokenStream:
        kinds: dict[str, int] = {}
        return TokenStream.from_triples(
            (_word_kind(kinds, match[0]), *match.span()) for match in word_pattern().finditer(text)
        )

    def scan(self, text: str, *, coarse: bool = False, spans: bool = False) -> Scan:
        """Return the words twice: normalised as tokens, and as written, with their case, as identifiers.

        Prose has no coarse stream and no syntax colours.
        """
        del coarse, spans
        tokens = self.tokens(text)
        words = zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)
        ids = [lexeme_id(FAMILY, LexicalClass.IDENTIFIER, text[start:end]) for start, end in words]
        lexical = TokenStream(np.array(ids, dtype=np.uint64), tokens.starts, tokens.ends)
        classes = np.full(len(tokens), LexicalClass.IDENTIFIER, dtype=np.uint8)
        return Scan(tokens, lexical, classes, TokenStream.from_triples(()), np.empty(0, dtype=np.uint8))

    def named_tokens(self, text: str) -> Iterator[Span]:
        for match in word_pattern().finditer(text):
            yield match.start(), match.end(), normalise_word(match[0])

    def highlight(self, text: str) -> list[Span]:
        """Return no spans: prose has no syntax colours."""
        del text
        return []


def _word_kind(kinds: dict[str, int], word: str) -> int:
    kind = kinds.get(word)
    if kind is None:
        kind = kinds[word] = kind_id(FAMILY, normalise_word(word))
    return kind
