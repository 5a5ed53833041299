"""The Huffman code that fingerprints are compressed with (simhash-web-crawling, section 3.2)."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.types import Words


EQUAL = 64  # the symbol for "no bit differs", which the paper's distinct fingerprints do not need


class Code(NamedTuple):
    """A canonical prefix code: of one length, codes ascend with their symbols."""

    lengths: Words  # by symbol, in bits; 0 for a symbol that does not occur
    codes: Words  # by symbol
    counts: Words  # by length: how many codes have it
    symbols: Words  # ordered by code


def code_for(frequencies: npt.NDArray[np.integer]) -> Code:
    """Give the symbols 0 .. len(frequencies) - 1 a prefix code of the least total length."""
    lengths = _lengths([int(frequency) for frequency in frequencies])
    symbols = sorted((s for s, length in enumerate(lengths) if length), key=lambda s: (lengths[s], s))
    codes = [0] * len(lengths)
    code = length = 0
    for symbol in symbols:
        code <<= lengths[symbol] - length
        length = lengths[symbol]
        codes[symbol] = code
        code += 1
    words = (lengths, codes, np.bincount([lengths[s] for s in symbols], minlength=1), symbols)
    return Code(*(np.array(column, dtype=np.uint64) for column in words))


def _lengths(frequencies: list[int]) -> list[int]:
    lengths = [0] * len(frequencies)
    heap = [(frequency, s, [s]) for s, frequency in enumerate(frequencies) if frequency]
    for _, symbol, _ in heap[:1] if len(heap) == 1 else []:
        lengths[symbol] = 1  # a single symbol still takes a bit
    heapq.heapify(heap)
    while len(heap) > 1:
        rare, _, left = heapq.heappop(heap)
        next_rare, symbol, right = heapq.heappop(heap)
        for member in left + right:
            lengths[member] += 1
        heapq.heappush(heap, (rare + next_rare, symbol, left + right))
    return lengths
