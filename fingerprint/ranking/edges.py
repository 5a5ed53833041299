"""Cut boilerplate and small parts of lines off the ends of runs of equal tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.kernels.registry import bare_kernel, bare_njit, kernel

if TYPE_CHECKING:
    from fingerprint.ranking.alignment import IndexedTokens
    from fingerprint.types import Flags, Ids

    # Of both sides: `line_starts` and `line_ends` of `IndexedTokens`.
    Lines = tuple[tuple[Ids, Ids], tuple[Ids, Ids]]


@bare_njit
def trim(flags: tuple[Flags, Flags], a: int, b: int, length: int) -> tuple[int, int, int]:
    """Return a run (left token, right token, length) without flagged tokens, of either side, at its ends."""
    left, right = flags
    while length > 0 and (left[a] or right[b]):
        a, b, length = a + 1, b + 1, length - 1
    while length > 0 and (left[a + length - 1] or right[b + length - 1]):
        length -= 1
    return a, b, length


@bare_njit
def _small_part_of_line(lines: tuple[Ids, Ids], at: int, first: int, after: int) -> int:
    """Return how many of the tokens [first, after) are on the line of token `at`.

    Return 0 if they are more than two thirds of that line.
    """
    start, end = lines[0][at], lines[1][at]
    inside = min(after, end) - max(first, start)
    return 0 if 3 * inside > 2 * (end - start) else inside


@kernel
def lines_of(left: IndexedTokens, right: IndexedTokens) -> Lines:
    """Return what `trim_to_lines` takes of two submissions: passing all their arrays takes longer."""
    return (left.line_starts, left.line_ends), (right.line_starts, right.line_ends)


@bare_kernel
def trim_to_lines(lines: Lines, run: tuple[int, int, int], k: int) -> tuple[int, int, int]:
    """Return a run (left token, right token, length) without small parts of lines at its ends.

    Any two statements begin with a few equal tokens. So a line at an end of a run stays only if more than
    two thirds of its tokens are in the run, on both sides. A run of which less than `k` tokens would remain
    is returned as it is.
    """
    (left, right), (a, b, length) = lines, run
    first, after = 0, length
    while first < after:
        cut = max(
            _small_part_of_line(left, a + after - 1, a + first, a + after),
            _small_part_of_line(right, b + after - 1, b + first, b + after),
        )
        if cut > 0:
            after -= cut
            continue
        cut = max(
            _small_part_of_line(left, a + first, a + first, a + after),
            _small_part_of_line(right, b + first, b + first, b + after),
        )
        if cut == 0:
            break
        first += cut
    if after - first < k:
        return run
    return a + first, b + first, after - first
