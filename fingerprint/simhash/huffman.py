"""Huffman codes for the compression of fingerprints (simhash-web-crawling, section 3.2)."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.types import Words


EQUAL = 64  # the symbol for "no bit differs"; the paper needs none, since its fingerprints are distinct


class PrefixCode(NamedTuple):
    """A canonical prefix code: codes of one length ascend with their symbols. All arrays are uint64."""

    lengths: Words  # by symbol: length of its code in bits; 0 for a symbol that does not occur
    codes: Words  # by symbol
    counts: Words  # by length: number of codes of that length
    symbols: Words  # in order of their codes


def huffman_code(frequencies: npt.NDArray[np.integer]) -> PrefixCode:
    """Return the prefix code of least total length for the symbols 0 .. len(frequencies) - 1."""
    lengths = _lengths([int(frequency) for frequency in frequencies])
    symbols = sorted((s for s, length in enumerate(lengths) if length), key=lambda s: (lengths[s], s))
    codes = [0] * len(lengths)
    code = length = 0
    for symbol in symbols:
        code <<= lengths[symbol] - length
        length = lengths[symbol]
        codes[symbol] = code
        code += 1
    columns = (lengths, codes, np.bincount([lengths[s] for s in symbols], minlength=1), symbols)
    return PrefixCode(*(np.array(column, dtype=np.uint64) for column in columns))


def _lengths(frequencies: list[int]) -> list[int]:
    lengths = [0] * len(frequencies)
    heap = [(frequency, s, [s]) for s, frequency in enumerate(frequencies) if frequency]
    for _, symbol, _ in heap[:1] if len(heap) == 1 else []:
        lengths[symbol] = 1  # even a single symbol needs a bit
    heapq.heapify(heap)
    while len(heap) > 1:
        least, _, left = heapq.heappop(heap)
        second_least, symbol, right = heapq.heappop(heap)
        for s in left + right:
            lengths[s] += 1
        heapq.heappush(heap, (least + second_least, symbol, left + right))
    return lengths
