"""Designs: the leading bits of each table (simhash-web-crawling, sections 3.1.1 and 3.1.2)."""

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
        """Mask of the leading bits in an unpermuted fingerprint."""
        return sum(1 << position for position in self.lead)

    @property
    def inverse(self) -> Layout:
        """Layout that reverses the permutation."""
        highest_first = range(BITS - 1, -1, -1)
        permuted_position = dict(zip(self.lead + self.rest, highest_first, strict=True))
        return Layout((), tuple(permuted_position[position] for position in highest_first))

    def pieces(self, *, whole: bool) -> list[tuple[int, int]]:
        """Return (lowest position, width) of each run of adjacent bits, of all bits or the leading ones."""
        runs: list[tuple[int, int]] = []
        for position in self.lead + self.rest if whole else self.lead:
            if runs and runs[-1][0] == position + 1:
                runs[-1] = (position, runs[-1][1] + 1)
            else:
                runs.append((position, 1))
        return runs


@dataclass(frozen=True, slots=True)
class Design:
    """Layouts of tables that find all pairs of fingerprints within `distance`.

    Any two such fingerprints have equal leading bits in at least one table. The first table keeps the order
    of the bits.
    """

    distance: int
    layouts: tuple[Layout, ...]

    @property
    def prefix(self) -> int:
        """Smallest number of leading bits in a table: the smallest p_i."""
        return min(len(layout.lead) for layout in self.layouts)


def design(distance: int, *blocks: int) -> Design:
    """Split 64 bits into blocks; each choice of all but `distance` blocks leads in a table (Example 3.1).

    Parameters
    ----------
    distance : bits in which two fingerprints may differ, at least 0
    blocks : number of blocks; each further number splits the bits that do not lead once more

    Raises
    ------
    ValueError
        When no number of blocks is passed, one is not above `distance`, or too few bits are left to split.
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
    for leading in combinations(range(len(parts)), len(parts) - distance):
        lead = tuple(bit for i in leading for bit in parts[i])
        rest = tuple(bit for i, part in enumerate(parts) if i not in leading for bit in part)
        for nested in _layouts(rest, distance, blocks[1:]):
            yield Layout(lead + nested.lead, nested.rest)


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
    """Return the smallest number of tables that suffices: X(f, k, d) of section 3.1.2.

    Parameters
    ----------
    f : bits of a fingerprint, 1 to 64
    k : bits in which two fingerprints may differ, 0 to f - 1
    d : log2 of the number of stored fingerprints, at least 0
    prefix : smallest p_i that is allowed, 0 to f - k; the threshold of the paper is d - prefix. By default
        d - 3, so that a probe retrieves 8 fingerprints on average, as with the 20 tables of Example 3.1.

    Raises
    ------
    ValueError
        When a parameter is outside its range.
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
    return _fewest_tables(Fraction(f), k, Fraction(f) - Fraction(least))


@lru_cache(maxsize=65536)
def _fewest_tables(bits: Fraction, k: int, enough: Fraction) -> int:
    # Each split reduces d and the bits by the same number. So instead of d, the recursion compares the bits
    # that do not lead yet with `enough`, their number when the prefix is reached.
    if bits <= enough:
        return 1
    best = _tables_with_blocks(bits, k, enough, k + 1)
    for r in range(k + 2, int(bits) + 1):
        if comb(r, k) >= best:
            break
        best = min(best, _tables_with_blocks(bits, k, enough, r))
    return best


def _tables_with_blocks(bits: Fraction, k: int, enough: Fraction, r: int) -> int:
    """Return the number of tables when the bits are split into `r` blocks."""
    return comb(r, k) * _fewest_tables(bits * k / r, k, enough)
