"""Kinds of a text's words, for sketches; without offsets this is about ten times as fast as `Prose`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.languages.prose import FAMILY, WORD, normalise_word
from fingerprint.tokens import kind_id

if TYPE_CHECKING:
    import numpy.typing as npt

MAX_WORDS = 1 << 20
# Equal to WORD on ASCII text, and several times as fast.
ASCII_WORD = re.compile("[A-Za-z0-9]+(?:'[A-Za-z][A-Za-z0-9]*)*")


class WordKinds(dict[str, int]):
    """Cache of the kinds of words, for any number of texts; emptied at 2**20 words to bound its memory."""

    def __missing__(self, word: str) -> int:
        if len(self) >= MAX_WORDS:
            self.clear()
        kind = self[word] = kind_id(FAMILY, normalise_word(word))
        return kind

    def word_kinds(self, text: str) -> npt.NDArray[np.uint64]:
        """Return the kinds of `Prose().tokens(text)`: a uint64 array with one kind for each word."""
        words = (ASCII_WORD if text.isascii() else WORD).findall(text)
        return np.fromiter(map(self.__getitem__, words), dtype=np.uint64, count=len(words))
