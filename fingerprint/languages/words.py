"""Kinds of a text's words, for sketches; without offsets this is much faster than `Prose`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint.languages.prose import FAMILY, WORD, normalise_word
from fingerprint.languages.word_table import WordTable
from fingerprint.tokens import kind_id

if TYPE_CHECKING:
    import numpy.typing as npt

MAX_WORDS = 1 << 18


class WordKinds:
    """Cache of the kinds of words, for any number of texts; emptied when it is full to bound its memory."""

    def __init__(self, max_words: int = MAX_WORDS) -> None:
        self._max_words = max_words
        self._ascii = WordTable(max_words)
        self._others: dict[str, int] = {}

    def word_kinds(self, text: str) -> npt.NDArray[np.uint64]:
        """Return the kinds of `Prose().tokens(text)`: a uint64 array with one kind for each word."""
        if text.isascii():
            return self._ascii_kinds(text)
        words = WORD.findall(text)
        return np.fromiter(map(self._kind, words), dtype=np.uint64, count=len(words))

    def _ascii_kinds(self, text: str) -> npt.NDArray[np.uint64]:
        kinds, missing = self._ascii.look_up(np.frombuffer(text.encode("ascii"), dtype=np.uint8))
        new: dict[str, int] = {}
        for number, start, end in missing.tolist():
            word = text[start:end]
            if word not in new:
                new[word] = kind_id(FAMILY, normalise_word(word))
            kinds[number] = new[word]
        self._ascii.add(new)
        return kinds

    def _kind(self, word: str) -> int:
        kind = self._others.get(word)
        if kind is None:
            if len(self._others) >= self._max_words:
                self._others.clear()
            kind = self._others[word] = kind_id(FAMILY, normalise_word(word))
        return kind
