"""Passages: greedy tiling of two submissions with the runs of equal tokens that they share.

Long tiles come first, then tiles of k tokens and of at most k - 1 tokens more. The runs of repetitive
submissions are listed in time linear in their length. Many pairs use the same arrays one after another.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fingerprint.kernels.registry import bare_kernel, bare_njit, kernel, njit
from fingerprint.kernels.types import Flags, Hashes, Ids, Positions, Rows, Runs
from fingerprint.ranking.alignment import (
    INITIAL_RUNS,
    POSITION_BITS,
    POSITION_MASK,
    CohortTokens,
    FileTable,
    IndexedTokens,
    fill_kgram_table,
    find_members,
    group_end,
    has_any,
    list_long_runs,
    list_runs,
    longer,
    maximal_run,
    place_of,
    slice_submission,
    with_room,
)
from fingerprint.ranking.file_pairs import (
    equal_file_runs,
    file_partners,
    has_several,
    partners_first,
    runs_of_open_files,
)
from fingerprint.ranking.sorting import group_by_length, longest_part, sort_places, sort_rows

# The file of each right token, and a right file, -1 for any.
Partner = tuple[Ids, int]

# The occurrence of rank r on one side is compared with those of rank r - 8 to r + 8 on the other side.
RANK_DISTANCE = 8
# Most runs that can begin at a right token.
RANKED_RUNS_PER_TOKEN = 2 * RANK_DISTANCE + 1

# Few pairs have more pieces that wait than this.
INITIAL_PIECES = 64
# Number of comparisons of tokens or positions after which a pair counts as repetitive: measured on tables,
# dumps and generated parsers; pairs of programs that people wrote take a fraction.
STEPS_PER_TOKEN, LEAST_STEPS = 64, 1 << 16


class Workspace(NamedTuple):
    """Arrays for the pairs of one left side after another; n is the number of tokens of the longest side.

    Filled for a left side, by `enter`: `table`, `long_table` int32: the k-gram tables of its k-grams and its long ones,
    see `fill_kgram_table`, with a last entry for the id -1; `groups` int32 [n]: the entry of the table for the k-gram
    at each token; `sizes` int32 [n + 1]: number of occurrences of a k-gram, by this entry. `members`, `long_members`
    uint64: a bit for each id from -1 on, whether the left side has that k-gram; these stay in the processor's cache.

    Empty before a pair and after it: `taken` bool [n], for each side: tokens in tiles; `heads` int32 [n + 1]:
    the first open place on the right of each k-gram on the left, by its entry, -1 for none; `after` int32
    [n]: the next one with the same k-gram; `places` int32 [n], for each side: see `short_tiles`.
    """

    table: Ids
    long_table: Ids
    groups: Ids
    sizes: Ids
    members: Hashes
    long_members: Hashes
    taken: tuple[Flags, Flags]
    heads: Ids
    after: Ids
    places: tuple[Ids, Ids]


@njit
def workspace(distinct: int, long_distinct: int, size: int) -> Workspace:
    """Return an empty workspace for so many k-grams, long ones, and tokens of the longest side."""
    return Workspace(
        np.full(distinct + 1, -1, dtype=np.int32),
        np.full(long_distinct + 1, -1, dtype=np.int32),
        np.full(size, -1, dtype=np.int32),
        np.zeros(size + 1, dtype=np.int32),
        np.zeros((distinct + 1 >> 6) + 1, dtype=np.uint64),
        np.zeros((long_distinct + 1 >> 6) + 1, dtype=np.uint64),
        (np.zeros(size, dtype=np.bool_), np.zeros(size, dtype=np.bool_)),
        np.full(size + 1, -1, dtype=np.int32),
        np.empty(size, dtype=np.int32),
        (np.empty(size, dtype=np.int32), np.empty(size, dtype=np.int32)),
    )


@njit
def cohort_workspace(cohort: CohortTokens, distinct: tuple[int, int]) -> Workspace:
    """Return a workspace for pairs of a cohort with so many distinct k-grams, and long ones."""
    return workspace(distinct[0], distinct[1], longest_part(cohort.submission_starts))


@bare_njit
def fill_members(kgrams: Ids, members: Hashes) -> None:
    for kgram in kgrams:
        number = np.uint64(kgram + 1)
        members[number >> np.uint64(6)] |= np.uint64(1) << (number & np.uint64(63))


@bare_kernel
def enter(space: Workspace, left: IndexedTokens) -> None:
    """Fill an empty workspace for a left side."""
    fill_kgram_table(left.ordered_kgrams, space.table)
    fill_kgram_table(left.long.ordered_kgrams, space.long_table)
    fill_members(left.ordered_kgrams, space.members)
    fill_members(left.long.ordered_kgrams, space.long_members)
    for at in range(len(left.order)):
        group = space.table[left.ordered_kgrams[at]]
        space.groups[left.order[at]] = group
        space.sizes[group] += 1


@bare_kernel
def leave(space: Workspace, left: IndexedTokens) -> None:
    """Empty a workspace that is filled for a left side."""
    for at in range(len(left.order)):
        space.table[left.ordered_kgrams[at]] = -1
        space.members[left.ordered_kgrams[at] + 1 >> 6] = 0
        space.groups[left.order[at]] = -1
        space.sizes[at] = 0
    for kgram in left.long.ordered_kgrams:
        space.long_table[kgram] = -1
        space.long_members[kgram + 1 >> 6] = 0


@njit
def change_left(space: Workspace, cohort: CohortTokens, entered: int, left: int) -> int:
    """Fill a workspace for submission `left` in place of `entered`, -1 for none; return `left`."""
    if left != entered:
        if entered >= 0:
            leave(space, slice_submission(cohort, entered))
        enter(space, slice_submission(cohort, left))
    return left


@njit
def _left_groups(left: IndexedTokens, right: IndexedTokens, left_table: Ids) -> Rows:
    """Return for each right token: index in `left.order` and size of its group on the left, and its rank.

    A group has the positions of one k-gram with the same k-gram before it. The size is 0 where the left side
    has no such group. The rank is that of the token's position in its group on the right.
    """
    groups, at = np.zeros((len(right.kinds), 3), dtype=np.int64), 0
    while at < len(right.ordered_kgrams):
        end = group_end(right.ordered_kgrams, at)
        i, j = left_table[right.ordered_kgrams[at]], at
        last = group_end(left.ordered_kgrams, i) if i >= 0 else -1
        while i < last and j < end:
            next_i, next_j = left.next_group[i], right.next_group[j]
            before_left, before_right = left.previous[i], right.previous[j]
            if before_left == before_right:
                for index in range(j, next_j):
                    b = right.order[index]
                    groups[b, 0], groups[b, 1], groups[b, 2] = i, next_i - i, index - j
            if before_left <= before_right:
                i = next_i
            if before_right <= before_left:
                j = next_j
        at = end
    return groups


@kernel
def fill_ranked_runs(pair: tuple[IndexedTokens, IndexedTokens], k: int, left_table: Ids, steps: int, rows: Runs) -> int:
    """Fill `rows` as `list_runs` does, but only with runs through occurrences of about the same rank.

    Occurrences of a k-gram are ranked by position among those with the same k-gram before them. `steps` is
    the number of comparisons, which the right tokens share evenly. `rows` has room for RANKED_RUNS_PER_TOKEN
    runs of each right token. Return the number of runs.
    """
    left, right = pair
    groups, count = _left_groups(left, right, left_table), 0
    # For each diagonal, that is for each difference of positions: the right token at which its last run ends.
    reached = np.zeros(len(left.kinds) + len(right.kinds) + 1, dtype=np.int64)
    used = 0
    for b in range(len(right.kinds)):
        first, size, rank = groups[b]
        for turn in range(min(size, RANKED_RUNS_PER_TOKEN)):
            if used > steps * (b + 1) // len(right.kinds):
                break
            used += 1
            # The nearest rank first: 0, 1, -1, 2, -2, ...
            offset = (turn + 1) // 2 if turn % 2 else -(turn // 2)
            a = left.order[first + (rank + offset) % size]
            diagonal = a - b + len(right.kinds)
            if b < reached[diagonal]:
                continue
            start, other, length = maximal_run(left, right, a, b)
            used += length
            reached[diagonal] = max(b + 1, other + length)
            if length >= k:
                rows[count, 0], rows[count, 1] = place_of(start, other), length
                count += 1
    return count


@bare_kernel
def shared_places(right: IndexedTokens, space: Workspace) -> tuple[int, int]:
    """Fill `places` of the right side with the places of k-grams that the left side has.

    Return the number of places, and the number of pairs of places with equal k-grams.
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
    """Fill `places` of the left side with free places whose k-gram is open on the right; return how many."""
    groups, heads, places, taken = space.groups, space.heads, space.places[0], space.taken[0]
    count = 0
    for at in range(len(left.kinds) - k + 1):
        places[count] = at  # without a branch, as above
        count += (heads[groups[at]] >= 0) & (not (taken[at] | taken[at + k - 1]))
    return count


@bare_njit
def _first_open(
    sides: tuple[Ids, Ids], place: tuple[int, int], lengths: tuple[int, int], within: Partner, space: Workspace
) -> int:
    """Return the first free place on the right of the window at left token `a`, -1 for none.

    `sides` are the k-grams of both sides, `place` is `a` with its group; `lengths`: of the window, and k;
    `within`: the file of each right token, and the file where the place has to be, -1 for any.
    """
    (left, right), (a, group), (length, k), (numbers, file) = sides, place, lengths, within
    last = left[a + length - k]
    # What ends the window has to be open on the right too.
    b = space.heads[group] if space.heads[space.groups[a + length - k]] >= 0 else -1
    while b >= 0 and not (
        right[b + length - k] == last and _is_free(space.taken[1], b, length, k) and (file < 0 or numbers[b] == file)
    ):
        b = space.after[b]
    return b


@bare_njit
def _add_tiles_of_length(
    pair: tuple[IndexedTokens, IndexedTokens],
    lengths: tuple[int, int],
    numbers: tuple[int, int],
    partner: Ids,
    arrays: tuple[Workspace, Runs],
) -> int:
    """Add the tiles of one length at the open places on the left; return the number of tiles.

    `numbers` are the number of these places and the number of earlier tiles. With `partner`, only tiles in
    files that are partners are added.
    """
    (left, right), (length, k), (places, count), (space, tiles) = pair, lengths, numbers, arrays
    file, sides = -1, (left.kgrams, right.kgrams)
    for index in range(places):
        a = space.places[0][index]
        if len(partner) > 0:
            file = partner[left.files.numbers[a]]
            if file < 0:
                continue
        if not _is_free(space.taken[0], a, length, k):
            continue
        b = _first_open(sides, (a, space.groups[a]), lengths, (right.files.numbers, file), space)
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
    partner: Ids,
    arrays: tuple[Workspace, Runs],
) -> int:
    """Add the tiles of k to `least` - 1 tokens to the longer ones; return the number of tiles.

    `lengths` are k and `least`, at most 2k; `numbers` are the numbers of `shared_places` and of longer tiles.
    Tiles in files that are partners come first; `partner` is empty where each side has one file.
    """
    (left, right), (k, least), (shared, count), space = pair, lengths, numbers, arrays[0]
    _link_open_places(right, shared, k, space)
    places = _open_places(left, k, space)
    for turn in range(2 if len(partner) > 0 else 1):
        among = partner if turn == 0 else partner[:0]
        for length in range(least - 1, k - 1, -1):
            count = _add_tiles_of_length(pair, (length, k), (places, count), among, arrays)
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

    The first row is the longest piece, of equally long pieces the piece with the least place.
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


@bare_njit
def _first_free_piece(taken: tuple[Flags, Flags], a: int, b: int, length: int) -> tuple[int, int]:
    """Return the first stretch [start, end) of the run (a, b, length) that is free on both sides."""
    left, right = taken
    at = 0
    while at < length and (left[a + at] or right[b + at]):
        at += 1
    start = at
    while at < length and not (left[a + at] or right[b + at]):
        at += 1
    return start, at


@bare_njit
def _mark(taken: tuple[Flags, Flags], tiles: Runs, at: int, value: int) -> None:
    """Mark the tokens of a tile as taken, with 1, or as free again, with 0."""
    a, b, length = tiles[at, 0], tiles[at, 1], tiles[at, 2]
    for offset in range(length):
        taken[0][a + offset] = taken[1][b + offset] = value == 1


@bare_njit
def _has_matchable_kgram(kgrams: Ids, a: int, length: int, k: int) -> bool:
    for at in range(a, a + length - k + 1):  # noqa: SIM110 - a generator cannot be compiled
        if kgrams[at] >= 0:
            return True
    return False


@bare_njit
def _keep_open(places: Positions, taken: tuple[Flags, Flags], k: int) -> int:
    """Move those runs to the front of which token number k is free on both sides; return their number."""
    count, (left, right) = 0, taken
    for place in places:
        # Without a branch: which runs are open cannot be predicted.
        places[count] = place
        count += not (left[(place >> POSITION_BITS) + k - 1] | right[(place & POSITION_MASK) + k - 1])
    return count


@njit
def _add_tiles(runs: Runs, lengths: tuple[int, int], sides: tuple[Ids, tuple[Flags, Flags]], tiles: Runs) -> int:
    """Fill `tiles` with pieces of the runs, longest first, then by place; return their number.

    `lengths` are k, and the least length of a tile; `sides` are the ids of the k-grams on the left, and the taken
    tokens. When earlier tiles cover part of a run, its free pieces are queued as runs of their length. The tiles are
    marked in `taken`. Most short runs are covered when their turn comes, so only the others are sorted.
    """
    k, least = lengths
    starts, places = group_by_length(runs)
    count, waiting, pieces = 0, 0, np.empty((INITIAL_PIECES, 2), dtype=np.int64)
    for length in range(len(starts) - 2, least - 1, -1):
        of_length, progress = places[starts[length] : starts[length + 1]], (0, count, waiting)
        if length < 2 * k:  # the pieces before and after token number k are too short
            of_length = of_length[: _keep_open(of_length, sides[1], k)]
        sort_places(of_length)
        while True:
            progress = _add_tiles_of((of_length, pieces, tiles), (length, k, least), sides, progress)
            count, waiting = progress[1], progress[2]
            if waiting + 2 <= len(pieces):
                break
            pieces = with_room(pieces, waiting + 2)
    return count


@bare_njit
def _add_tiles_of(
    arrays: tuple[Positions, Runs, Runs],
    lengths: tuple[int, int, int],
    sides: tuple[Ids, tuple[Flags, Flags]],
    progress: tuple[int, int, int],
) -> tuple[int, int, int]:
    """Fill tiles with the runs and pieces of a length; `lengths` are this, k, and the least of a tile.

    The arrays are the places of the runs, the pieces and the tiles. The progress is the number of runs that
    are done, of tiles, and of waiting pieces; this ends early where there is no room for two more pieces.
    """
    (of_length, pieces, tiles), (left_kgrams, taken), (at, count, waiting) = arrays, sides, progress
    length, k, least = lengths
    while waiting + 2 <= len(pieces):
        has_piece = waiting > 0 and pieces[0, 0] == length
        if at == len(of_length) and not has_piece:
            break
        if has_piece and (at == len(of_length) or pieces[0, 1] < of_length[at]):
            place = pop_piece(pieces, waiting)
            waiting -= 1
        else:
            place = of_length[at]
            at += 1
        a, b = place >> POSITION_BITS, place & POSITION_MASK
        start, end = _first_free_piece(taken, a, b, length)
        if end - start < length:
            if end - start >= least:
                push_piece(pieces, waiting, end - start, place_of(a + start, b + start))
                waiting += 1
            if length - end >= least:
                push_piece(pieces, waiting, length - end, place_of(a + end, b + end))
                waiting += 1
        elif _has_matchable_kgram(left_kgrams, a, length, k):
            tiles[count, 0], tiles[count, 1], tiles[count, 2] = a, b, length
            _mark(taken, tiles, count, 1)
            count += 1
    return at, count, waiting


@njit
def _add_from_index(
    pair: tuple[IndexedTokens, IndexedTokens], k: int, space: Workspace, tiles: Runs, count: int
) -> int:
    """Add tiles as `_add_from_runs` does from all runs, by the index of long k-grams; return their number.

    Return -1 for boilerplate and for repetitive pairs, where the runs have to be listed.
    """
    left, right = pair
    if has_any(left.boilerplate) or has_any(right.boilerplate):
        return -1
    shared, starts = shared_places(right, space)
    # A step is a look at a start of a run, or one token of a run. Each start is one of those counted here.
    if starts * (k + 1) > _most_steps(left, right):
        return -1
    least = k + longer(k)
    runs = list_long_runs((left.long, right.long), least, space.long_table, space.long_members)
    sides, files = (left.kgrams, space.taken), (left.files, right.files)
    partner = np.empty(0, dtype=np.int32)
    if has_several(files):
        runs = runs_of_open_files(runs, least, space.taken)
        partner = file_partners(files, runs)
    count += _add_by_file(runs, files, (k, least), (sides, partner), tiles[count:])
    return add_short_tiles(pair, (k, least), (shared, count), partner, (space, tiles))


@njit
def _add_from_runs(pair: tuple[IndexedTokens, IndexedTokens], k: int, space: Workspace, tiles: Runs, count: int) -> int:
    """Add the tiles from a list of runs; return their number.

    Long tiles in files that are partners come first, then other long tiles, then short ones in the same
    order: no run of hardly more than k tokens divides a part that moved to another file.
    """
    left, right = pair
    runs, least = _runs_of_pair(left, right, k, space.table), k + longer(k)
    sides, files = (left.kgrams, space.taken), (left.files, right.files)
    if not has_several(files):
        return count + _add_tiles(runs, (k, k), sides, tiles[count:])
    runs = runs_of_open_files(runs, k, space.taken)
    long = runs_of_open_files(runs, least, space.taken)
    partner = file_partners(files, long)
    count += _add_by_file(long, files, (k, least), (sides, partner), tiles[count:])
    return count + _add_by_file(runs, files, (k, k), (sides, partner), tiles[count:])


@njit
def _add_by_file(
    runs: Runs,
    files: tuple[FileTable, FileTable],
    lengths: tuple[int, int],
    sides: tuple[tuple[Ids, tuple[Flags, Flags]], Ids],
    tiles: Runs,
) -> int:
    """Fill `tiles` as `_add_tiles`, those in files that are partners, if there are any, before the others."""
    to_tile, partner = sides
    if len(partner) == 0:
        return _add_tiles(runs, lengths, to_tile, tiles)
    in_partners, others = partners_first(files, runs, partner)
    count = _add_tiles(in_partners, lengths, to_tile, tiles)
    return count + _add_tiles(others, lengths, to_tile, tiles[count:])


@bare_njit
def _most_steps(left: IndexedTokens, right: IndexedTokens) -> int:
    return LEAST_STEPS + STEPS_PER_TOKEN * (len(left.kinds) + len(right.kinds))


@njit
def _runs_of_pair(left: IndexedTokens, right: IndexedTokens, k: int, left_table: Ids) -> Runs:
    """Return the runs of a pair: all, or for a repetitive pair a number linear in its tokens."""
    steps = _most_steps(left, right)
    runs = np.empty((INITIAL_RUNS, 2), dtype=np.int64)
    count, runs = list_runs((left, right), k, left_table, steps, runs)
    if count < 0:
        runs = np.empty((RANKED_RUNS_PER_TOKEN * len(right.kinds), 2), dtype=np.int64)
        count = fill_ranked_runs((left, right), k, left_table, steps, runs)
    return runs[:count]


@kernel
def tile_pair(left: IndexedTokens, right: IndexedTokens, k: int, space: Workspace) -> Runs:
    """Return non-overlapping runs of at least `k` equal tokens, by left token; they may contain common code.

    Equal files come first, see `equal_file_runs`, then tiles as `_add_from_runs` adds them. Similarity and
    passages both come from these tiles. The workspace is filled for the left side, see `enter`.

    Returns: int64 array [tiles, 3]: left token, right token, length.
    """
    tiles = np.empty((min(len(left.kinds), len(right.kinds)) // k, 3), dtype=np.int64)
    equal = 0
    for run in equal_file_runs(left, right, k):
        tiles[equal, 0], tiles[equal, 1], tiles[equal, 2] = run
        _mark(space.taken, tiles, equal, 1)
        equal += 1
    count = _add_from_index((left, right), k, space, tiles, equal)
    if count < 0:
        count = _add_from_runs((left, right), k, space, tiles, equal)
    for at in range(count):
        _mark(space.taken, tiles, at, 0)
    sort_rows(tiles[:count])
    return tiles[:count]
