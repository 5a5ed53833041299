"""Which bits lead in which table (simhash-web-crawling, sections 3.1.1 and 3.1.2)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, pairwise
from math import comb
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

BITS = 64


class Layout(NamedTuple):
    """The permutation of one table: bit positions (63 is the highest), `lead` before `rest`."""

    lead: tuple[int, ...]
    rest: tuple[int, ...]

    @property
    def mask(self) -> int:
        """The leading bits of an unpermuted fingerprint."""
        return sum(1 << position for position in self.lead)

    @property
    def inverse(self) -> Layout:
        """The layout that puts every bit back."""
        highest_first = range(BITS - 1, -1, -1)
        came_from = dict(zip(self.lead + self.rest, highest_first, strict=True))
        return Layout((), tuple(came_from[position] for position in highest_first))

    def pieces(self, *, whole: bool) -> list[tuple[int, int]]:
        """(lowest position, width) of every run of adjacent bits: of the leading bits, or of all of them."""
        runs: list[tuple[int, int]] = []
        for position in self.lead + self.rest if whole else self.lead:
            if runs and runs[-1][0] == position + 1:
                runs[-1] = (position, runs[-1][1] + 1)
            else:
                runs.append((position, 1))
        return runs


@dataclass(frozen=True, slots=True)
class Design:
    """Tables of which at least one leads with equal bits, for any two fingerprints within `distance`.

    The first table keeps the order of the bits.
    """

    distance: int
    layouts: tuple[Layout, ...]

    @property
    def prefix(self) -> int:
        """The shortest lead in bits: the smallest p_i."""
        return min(len(layout.lead) for layout in self.layouts)


def design(distance: int, *blocks: int) -> Design:
    """Split 64 bits into blocks and lead with every choice of all but `distance` of them (Example 3.1).

    Parameters
    ----------
    distance : bits in which two fingerprints may differ, at least 0
    blocks : number of blocks; a further number splits the bits that do not lead once more

    Raises
    ------
    ValueError
        When no number of blocks is given, one is not above `distance`, or too few bits are left to split.
    """
    if distance < 0:
        raise ValueError(f"distance is {distance}; it is at least 0 bits")
    if not blocks:
        raise ValueError("no number of blocks is given; at least one is needed")
    highest_first = tuple(range(BITS - 1, -1, -1))
    return Design(distance, tuple(_layouts(highest_first, distance, blocks)))


def _layouts(bits: tuple[int, ...], distance: int, blocks: tuple[int, ...]) -> Iterator[Layout]:
    if not blocks:
        yield Layout((), bits)
        return
    parts = _split(bits, distance, blocks[0])
    for chosen in combinations(range(len(parts)), len(parts) - distance):
        lead = tuple(bit for i in chosen for bit in parts[i])
        others = tuple(bit for i, part in enumerate(parts) if i not in chosen for bit in part)
        for deeper in _layouts(others, distance, blocks[1:]):
            yield Layout(lead + deeper.lead, deeper.rest)


def _split(bits: tuple[int, ...], distance: int, count: int) -> list[tuple[int, ...]]:
    if not distance < count <= len(bits):
        raise ValueError(
            f"{count} blocks of {len(bits)} bits are given for distance {distance}; "
            f"{distance + 1} to {len(bits)} are allowed"
        )
    size, longer = divmod(len(bits), count)
    ends = [i * size + min(i, longer) for i in range(count + 1)]
    return [bits[start:end] for start, end in pairwise(ends)]


EXAMPLE_3_1 = {4: design(3, 4), 10: design(3, 5), 16: design(3, 4, 4), 20: design(3, 6)}


def tables_needed(f: int, k: int, d: float, prefix: float | None = None) -> int:
    """How few tables do: X(f, k, d) of section 3.1.2.

    Parameters
    ----------
    f : bits of a fingerprint, 1 to 64
    k : bits in which two fingerprints may differ, 0 to f - 1
    d : log2 of the number of stored fingerprints, at least 0
    prefix : the smallest p_i allowed, 0 to f - k; the threshold of the paper is d - prefix. By default d - 3,
        so that a probe retrieves 8 fingerprints on average, as with the 20 tables of Example 3.1.

    Raises
    ------
    ValueError
        When a parameter is outside the range given above.
    """
    if not 1 <= f <= BITS:
        raise ValueError(f"f is {f}; a fingerprint has 1 to {BITS} bits")
    if not 0 <= k < f:
        raise ValueError(f"k is {k}; with {f} bits it is 0 to {f - 1}")
    if not d >= 0:
        raise ValueError(f"d is {d}; it is the log2 of a number of fingerprints, at least 0")
    least = max(0, d - 3) if prefix is None else prefix
    if not 0 <= least <= f - k:
        raise ValueError(f"a prefix of {least} bits is asked for; with f={f}, k={k} it is 0 to {f - k}")
    return _tables(Fraction(f), k, Fraction(f) - Fraction(least))


@lru_cache(maxsize=65536)
def _tables(bits: Fraction, k: int, enough: Fraction) -> int:
    # What d loses, the bits lose too, so that "d - prefix reached" is a number of bits left over: `enough`.
    if bits <= enough:
        return 1
    best = _tables_of(bits, k, enough, k + 1)
    for r in range(k + 2, int(bits) + 1):
        if comb(r, k) >= best:
            break
        best = min(best, _tables_of(bits, k, enough, r))
    return best


def _tables_of(bits: Fraction, k: int, enough: Fraction, r: int) -> int:
    return comb(r, k) * _tables(bits * k / r, k, enough)
