"""The front-end of prose, and of all text in no known language: words of any script.

Sketches need the kinds of words without offsets, which a kernel makes much faster.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any
from unicodedata import normalize

import numpy as np
import numpy.typing as npt

from fingerprint.kernels.registry import kernel, njit
from fingerprint.kernels.types import ByteRows, Bytes, Ids, Rows, Words
from fingerprint.languages.base import LexicalClass, Scan, Span
from fingerprint.languages.lexical_terms import lexeme_terms
from fingerprint.languages.look_alikes import plain, without_unseen
from fingerprint.languages.vocabulary import lexeme_id
from fingerprint.tokens import TokenStream, kind_id

# The row of each slot, -1 for none; by row the length, the letters and the kind; the secret number.
Table = tuple[Ids, Bytes, ByteRows, Words, np.uint64]

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
    "\u102b-\u103e\u1056-\u1059\u17b4-\u17d3\u180e\u1ab0-\u1aff\u1dc0-\u1dff\u200b-\u200f\u202a-\u202e\u2060-\u206f\u20d0-\u20ff"
    "\u061c\u3099\u309a\ufe00-\ufe0f\ufe20-\ufe2f\ufeff"
)
_WORD = rf"[{_UNSPACED}][{_MARKS}]*|[^\W_{_UNSPACED}](?:[{_MARKS}]|[^\W_{_UNSPACED}]|['\u2019](?=[^\W\d_]))*"
_IGNORED = str.maketrans("", "", "'\u2019")

MAX_WORDS = 1 << 18

# Bytes of the longest word that is stored; hardly any word is longer.
LONGEST = 32
APOSTROPHE, ZERO, NINE, UPPER_A, UPPER_Z, LOWER_A, LOWER_Z = b"'09AZaz"
CASE = LOWER_A - UPPER_A
PRIME = np.uint64(0x100000001B3)  # FNV-1a


@cache
def word_pattern() -> re.Pattern[str]:
    """Return the expression of a word; compiling it takes as long as reading some files of code."""
    return re.compile(_WORD)


def normalise_word(word: str) -> str:
    """Return a word as it is compared: without case, width variants, ligatures and apostrophes."""
    if word.isascii():
        return word.lower().replace("'", "")
    return normalize("NFKC", normalize("NFKC", without_unseen(word)).casefold()).translate(_IGNORED)


class Prose:
    """The front-end whose tokens are words; everything between words is ignored."""

    name = "text"
    title = "Plain text"
    version = 3

    def text(self, decoded: str) -> str:
        return decoded

    def tokens(self, text: str) -> TokenStream:
        kinds: dict[str, int] = {}
        return TokenStream.from_triples(
            (_word_kind(kinds, match[0]), *match.span()) for match in word_pattern().finditer(plain(text).text)
        )

    def scan(self, text: str, *, coarse: bool = False, spans: bool = False) -> Scan:
        """Return the words twice: normalised as tokens, and as written, with their case, as identifiers.

        Prose has no coarse stream and no syntax colours.
        """
        del coarse, spans
        tokens = self.tokens(text)
        words = zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)
        seen = plain(text).text
        spelt = [without_unseen(seen[start:end]) for start, end in words]
        ids = [lexeme_id(FAMILY, LexicalClass.IDENTIFIER, word) for word in spelt]
        classes = np.full(len(tokens), LexicalClass.IDENTIFIER, dtype=np.uint8)
        lengths = np.fromiter(map(len, spelt), np.int32, len(spelt))
        terms = lexeme_terms(np.array(ids, dtype=np.uint64), lengths, classes)
        lexical = TokenStream(terms, tokens.starts, tokens.ends)
        return Scan(tokens, lexical, classes, TokenStream.from_triples(()), np.empty(0, dtype=np.uint8))

    def named_tokens(self, text: str) -> Iterator[Span]:
        for match in word_pattern().finditer(plain(text).text):
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
        words = word_pattern().findall(plain(text).text)
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


class WordTable:
    """Kinds of up to `words` normalised ASCII words of at most LONGEST bytes, by open addressing.

    Words are found by their bytes, never by their hash alone. The hash starts from a secret number, so that
    nobody can write a text whose words all get the same slot.
    """

    def __init__(self, words: int) -> None:
        self._slots = np.full(2 * words, -1, dtype=np.int32)
        lengths, letters = np.zeros(words, dtype=np.uint8), np.zeros((words, LONGEST), dtype=np.uint8)
        self._kinds = np.zeros(words, dtype=np.uint64)
        self._table = (self._slots, lengths, letters, self._kinds, np.uint64(secrets.randbits(64)))
        self._count = 0

    def look_up(self, text: Bytes) -> tuple[Words, Rows]:
        """Return the kinds of all words of ASCII text, and the words that are missing.

        The kinds are uint64 [n]; those of missing words are 0. A row of the int64 array [m, 3] has the
        number of a missing word, its start and its end in the text.
        """
        kinds = np.empty((len(text) + 1) // 2, dtype=np.uint64)
        missing = np.empty((len(kinds), 3), dtype=np.int64)
        words, lost = _look_up(text, self._table, kinds, missing)
        return kinds[:words], missing[:lost]

    def add(self, kinds: Mapping[str, int]) -> None:
        """Store the kinds of words as they are written; emptied first where they do not fit."""
        new = [(word, kind) for word, kind in kinds.items() if len(word) <= LONGEST]
        if self._count + len(new) > len(self._kinds):
            self._slots[:] = -1
            self._count = 0
        for word, kind in new[: len(self._kinds)]:
            letters = np.frombuffer(word.encode("ascii"), dtype=np.uint8)
            self._count += _insert(letters, np.uint64(kind), self._count, self._table)


@njit
def _is_letter(byte: int) -> bool:
    return UPPER_A <= byte <= UPPER_Z or LOWER_A <= byte <= LOWER_Z


@njit
def _is_in_word(byte: int) -> bool:
    return ZERO <= byte <= NINE or _is_letter(byte)


@njit
def _normalise(text: Any, start: int, word: Any, seed: Any) -> tuple[int, int, Any]:
    """Write the word that starts at `start` without case and apostrophes.

    Return its end, its number of bytes and its hash; of a longer word only LONGEST bytes are written.
    """
    at, size, hashed = start, 0, seed
    while at < len(text):
        byte = text[at]
        if _is_in_word(byte):
            if byte >= UPPER_A:
                byte |= CASE
            if size < LONGEST:
                word[size] = byte
            hashed = (hashed ^ np.uint64(byte)) * PRIME
            size += 1
        elif not (byte == APOSTROPHE and at + 1 < len(text) and _is_letter(text[at + 1])):
            break
        at += 1
    return at, size, hashed


@njit
def _is_equal(one: Any, other: Any, size: int) -> bool:
    for at in range(size):  # noqa: SIM110 - numba compiles no generators
        if one[at] != other[at]:
            return False
    return True


@njit
def _slot(word: Any, size: int, hashed: Any, table: Any) -> Any:
    """Return the slot of a word, or the free slot where it belongs."""
    slots, lengths, letters, _, _ = table
    slot: Any = np.int64((hashed ^ (hashed >> np.uint64(32))) % np.uint64(len(slots)))
    while slots[slot] >= 0:
        row = slots[slot]
        if lengths[row] == size and _is_equal(letters[row], word, size):
            break
        slot = slot + 1 if slot + 1 < len(slots) else 0
    return slot


@kernel
def _look_up(text: Bytes, table: Table, kinds_in_text: Words, missing: Rows) -> tuple[int, int]:
    slots, _, _, kinds, seed = table
    word = np.empty(LONGEST, dtype=np.uint8)
    at, words, lost = 0, 0, 0
    while at < len(text):
        if not _is_in_word(text[at]):
            at += 1
            continue
        start = at
        at, size, hashed = _normalise(text, start, word, seed)
        row = -1
        if size <= LONGEST:
            row = slots[_slot(word, size, hashed, table)]
        kinds_in_text[words] = kinds[row] if row >= 0 else np.uint64(0)
        if row < 0:
            missing[lost, 0], missing[lost, 1], missing[lost, 2] = words, start, at
            lost += 1
        words += 1
    return words, lost


@kernel
def _insert(written: Bytes, kind: np.uint64, count: int, table: Table) -> int:
    """Store a word, unless it is there; return the number of words that were added."""
    word = np.empty(LONGEST, dtype=np.uint8)
    slots, lengths, letters, kinds, seed = table
    _, size, hashed = _normalise(written, 0, word, seed)
    slot = _slot(word, size, hashed, table)
    if slots[slot] >= 0:
        return 0
    slots[slot] = count
    lengths[count], kinds[count] = size, kind
    for at in range(size):
        letters[count, at] = word[at]
    return 1
