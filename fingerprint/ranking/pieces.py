"""A heap of the pieces of runs that wait until the tiling has come to their length."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.kernels.registry import bare_kernel, bare_njit

if TYPE_CHECKING:
    from fingerprint.types import Rows


@bare_njit
def _is_before(pieces: Rows, at: int, length: int, place: int) -> bool:
    other_length, other_place = pieces[at]
    return bool(other_length > length or (other_length == length and other_place < place))


@bare_kernel
def push_piece(pieces: Rows, count: int, length: int, place: int) -> None:
    """Add a piece to a heap of `count` rows, length and place; return the heap, with room for more.

    The first row is the longest piece, of equally long ones that with the least place.
    """
    at = count
    while at > 0 and not _is_before(pieces, (at - 1) // 2, length, place):
        pieces[at, 0], pieces[at, 1] = pieces[(at - 1) // 2, 0], pieces[(at - 1) // 2, 1]
        at = (at - 1) // 2
    pieces[at, 0], pieces[at, 1] = length, place


@bare_kernel
def pop_piece(pieces: Rows, count: int) -> int:
    """Remove the first piece from a heap of `count` rows; return its place."""
    first: int = pieces[0, 1]
    length, place = pieces[count - 1, 0], pieces[count - 1, 1]
    at, child = 0, 1
    while child < count - 1:
        if child + 1 < count - 1 and _is_before(pieces, child + 1, pieces[child, 0], pieces[child, 1]):
            child += 1
        if not _is_before(pieces, child, length, place):
            break
        pieces[at, 0], pieces[at, 1] = pieces[child, 0], pieces[child, 1]
        at, child = child, 2 * child + 1
    pieces[at, 0], pieces[at, 1] = length, place
    return first
