"""Kinds of a text's words, for sketches; without offsets this is much faster than `Prose`."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import numpy as np

from fingerprint.kernels.registry import kernel, njit
from fingerprint.languages.prose import FAMILY, normalise_word, word_pattern
from fingerprint.tokens import kind_id

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    import numpy.typing as npt

    from fingerprint.types import ByteRows, Bytes, Ids, Rows, Words

    # The row of each slot, -1 for none; by row the length, the letters and the kind; the secret number.
    Table = tuple[Ids, Bytes, ByteRows, Words, np.uint64]

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
        words = word_pattern().findall(text)
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


# Bytes of the longest word that is stored; hardly any word is longer.
LONGEST = 32
APOSTROPHE, ZERO, NINE, UPPER_A, UPPER_Z, LOWER_A, LOWER_Z = b"'09AZaz"
CASE = LOWER_A - UPPER_A
PRIME = np.uint64(0x100000001B3)  # FNV-1a


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
