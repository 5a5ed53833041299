"""The short tiles of a pair: those of a k-gram and of at most k - 1 tokens more.

Nine tenths of all runs are short, and hardly any of them becomes a tile: the tokens of most are in longer
ones, and a k-gram that each side has ten times makes a hundred runs but ten tiles. So they are not listed.
After all longer tiles, a tile is a window of free tokens that both sides contain: left ones are taken in
order, each with the first free one on the right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fingerprint.kernels.registry import bare_kernel, bare_njit
from fingerprint.ranking.runs import find_members

if TYPE_CHECKING:
    from fingerprint.ranking.alignment import IndexedTokens
    from fingerprint.ranking.workspace import Workspace
    from fingerprint.types import Flags, Ids, Rows, Runs


@bare_kernel
def shared_places(right: IndexedTokens, space: Workspace) -> tuple[int, int]:
    """Fill `places` of the right side with those of k-grams that the left side has.

    Return their number, and that of the pairs of places with equal k-grams.
    """
    kgrams, places, table, sizes = right.kgrams, space.places[1], space.table, space.sizes
    count, pairs = find_members(kgrams, space.members, places), 0
    for index in range(count):
        pairs += sizes[table[kgrams[places[index]]]]
    return count, pairs


@bare_njit
def _is_free(taken: Flags, at: int, length: int, k: int) -> bool:
    """Return whether a window of less than 2k tokens is free; tiles have at least k tokens."""
    return not (taken[at] | taken[at + k - 1] | taken[at + length - 1])


@bare_njit
def _link_open_places(right: IndexedTokens, count: int, k: int, space: Workspace) -> None:
    """Link the places of each shared k-gram that are free on the right, in order."""
    kgrams, taken = right.kgrams, space.taken[1]
    for index in range(count - 1, -1, -1):
        at = space.places[1][index]
        if not (taken[at] | taken[at + k - 1]):
            group = space.table[kgrams[at]]
            space.after[at] = space.heads[group]
            space.heads[group] = at


@bare_njit
def _open_places(left: IndexedTokens, k: int, space: Workspace) -> int:
    """Fill `places` of the left side with free ones whose k-gram is open on the right; return how many."""
    groups, heads, places, taken = space.groups, space.heads, space.places[0], space.taken[0]
    count = 0
    for at in range(len(left.kinds) - k + 1):
        places[count] = at  # without a branch, as above
        count += (heads[groups[at]] >= 0) & (not (taken[at] | taken[at + k - 1]))
    return count


@bare_njit
def _first_open(
    sides: tuple[Ids, Ids], place: tuple[int, int], lengths: tuple[int, int], space: Workspace
) -> int:
    """Return the first free place on the right of the window at left token `a`, -1 for none.

    `sides` are the k-grams of both sides, `place` is `a` with its group; `lengths`: of the window, and k.
    """
    (left, right), (a, group), (length, k) = sides, place, lengths
    last = left[a + length - k]
    # What ends the window has to be open on the right too.
    b = space.heads[group] if space.heads[space.groups[a + length - k]] >= 0 else -1
    while b >= 0 and not (right[b + length - k] == last and _is_free(space.taken[1], b, length, k)):
        b = space.after[b]
    return b


@bare_njit
def _add_tiles_of_length(
    sides: tuple[Ids, Ids], lengths: tuple[int, int], numbers: tuple[int, int], space: Workspace, tiles: Runs
) -> int:
    """Add the tiles of one length at the open places on the left; return the number of tiles.

    The `numbers` are that of these places, and that of tiles before.
    """
    (length, k), (places, count) = lengths, numbers
    for index in range(places):
        a = space.places[0][index]
        if not _is_free(space.taken[0], a, length, k):
            continue
        b = _first_open(sides, (a, space.groups[a]), lengths, space)
        if b >= 0:
            tiles[count, 0], tiles[count, 1], tiles[count, 2] = a, b, length
            count += 1
            for offset in range(length):
                space.taken[0][a + offset] = space.taken[1][b + offset] = True
    return count


@bare_njit
def add_short_tiles(
    pair: tuple[IndexedTokens, IndexedTokens],
    lengths: tuple[int, int],
    numbers: tuple[int, int],
    space: Workspace,
    tiles: Runs,
) -> int:
    """Add the tiles of k to `least` - 1 tokens to the longer ones; return the number of tiles.

    `lengths` are k and `least`, at most 2k. The `numbers` are those of `shared_places` and of longer tiles.
    """
    (left, right), (k, least), (shared, count) = pair, lengths, numbers
    _link_open_places(right, shared, k, space)
    places = _open_places(left, k, space)
    for length in range(least - 1, k - 1, -1):
        sides = left.kgrams, right.kgrams
        count = _add_tiles_of_length(sides, (length, k), (places, count), space, tiles)
    for index in range(shared):
        space.heads[space.table[right.kgrams[space.places[1][index]]]] = -1
    return count


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
