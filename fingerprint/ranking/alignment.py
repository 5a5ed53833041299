"""The k-gram index of a cohort's tokens, and the maximal runs of equal tokens that two submissions share.

Runs are verified token by token.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fingerprint.kernels.registry import bare_kernel, bare_njit, kernel, njit
from fingerprint.kernels.types import Bounds, FileRows, Flags, Hashes, Ids, Kinds, Offsets, Runs
from fingerprint.ranking.sorting import highest_id, number_pairs, order_by
from fingerprint.ranking.weights import document_frequency

# `line_starts`, `line_ends` and `ignored_before` of `IndexedTokens`.
Lines = tuple[Ids, Ids, Ids]

# A long k-gram has so many tokens more: of 2 to 8, ranking took least with this number.
LONGER = 3

# Bits for a token's position within its submission; no submission has 2**32 tokens.
POSITION_BITS = 32
POSITION_MASK = (1 << POSITION_BITS) - 1
# Few pairs have more runs than this.
INITIAL_RUNS = 256
# More steps than any number of runs takes.
NO_LIMIT = 1 << 62


class KgramIndex(NamedTuple):
    """The places of each k-gram of a submission; see the arrays of the same names in `IndexedTokens`."""

    kgrams: Ids
    order: Offsets
    ordered_kgrams: Ids
    previous: Ids
    next_group: Offsets


class FileTable(NamedTuple):
    """The f files of a submission: the first token of each and its number of tokens, int32 [f].

    `numbers` int32 [n]: the file of each token. `equal` int32 [f, levels + 2]: numbers that are the same for
    files that are equal in one respect, -1 where none is equal: a column for each level, files of the first
    are paired first, then one for the path and one for the name. `order` int32 [f, levels + 2]: the files
    sorted by the numbers of each column.
    """

    starts: Offsets
    sizes: Offsets
    numbers: Ids
    equal: FileRows
    order: FileRows


class IndexedTokens(NamedTuple):
    """The n tokens of one submission with an index of its k-grams; a separator follows each file.

    A k-gram is matchable when at least two submissions of the cohort contain it and it is not boilerplate.
    Equal ids are equal tokens, see `unmatch_collisions`.

    `kinds` uint64 [n]: the kind of a separator occurs once in the cohort; `kgrams` int32 [n]: id of the
    matchable k-gram that starts at a token, -1 where there is none; `boilerplate` bool [n]: tokens that a
    passage cannot begin or end with; `ignored` bool [n]: tokens of boilerplate and common code, which
    passages may contain but shares do not count; `ignored_before` int32 [n]: how many of these the cohort has
    before a token.
    `order` int32 [m]: positions of the m matchable k-grams, sorted by (id, id one token before, position);
    `ordered_kgrams` int32 [m]: their ids; `previous` int32 [m]: the ids one token before; `next_group` int32
    [m]: index in `order` at which the next pair (id, id one token before) begins. `line_starts`, `line_ends`
    int32 [n]: position of the first token of a token's line, and the position after its last one. Positions
    and indices count from the submission's own first.
    `long`: the same index of k-grams with `longer(k)` tokens more, of which all k-grams are matchable;
    `files`: the files of the submission.

    For all submissions of a cohort the same arrays follow each other in one object, see `Cohort`.
    """

    kinds: Kinds
    kgrams: Ids
    boilerplate: Flags
    ignored: Flags
    ignored_before: Ids
    order: Offsets
    ordered_kgrams: Ids
    previous: Ids
    next_group: Offsets
    line_starts: Ids
    line_ends: Ids
    long: KgramIndex
    files: FileTable


class CohortTokens(NamedTuple):
    """The tokens of n submissions, and int64 [n + 1] where the parts of each submission begin.

    These are its tokens, its part of `order`, its part of `long.order`, and its files.
    """

    tokens: IndexedTokens
    submission_starts: Bounds
    order_starts: Bounds
    long_starts: Bounds
    first_files: Bounds


@bare_njit
def longer(k: int) -> int:
    """Return how many tokens more than k a long k-gram has; two k-grams have to cover all of it."""
    return min(LONGER, k - 1)


@njit
def kgram_index(tokens: IndexedTokens) -> KgramIndex:
    return KgramIndex(tokens.kgrams, tokens.order, tokens.ordered_kgrams, tokens.previous, tokens.next_group)


@njit
def slice_submission(cohort: CohortTokens, number: int) -> IndexedTokens:
    """Return the tokens of one submission, with positions counted from its own first token."""
    tokens, long, files = cohort.tokens, cohort.tokens.long, cohort.tokens.files
    low, high = cohort.submission_starts[number], cohort.submission_starts[number + 1]
    first, last = cohort.order_starts[number], cohort.order_starts[number + 1]
    long_first, long_last = cohort.long_starts[number], cohort.long_starts[number + 1]
    first_file, last_file = cohort.first_files[number], cohort.first_files[number + 1]
    return IndexedTokens(
        tokens.kinds[low:high],
        tokens.kgrams[low:high],
        tokens.boilerplate[low:high],
        tokens.ignored[low:high],
        tokens.ignored_before[low:high],
        tokens.order[first:last],
        tokens.ordered_kgrams[first:last],
        tokens.previous[first:last],
        tokens.next_group[first:last],
        tokens.line_starts[low:high],
        tokens.line_ends[low:high],
        KgramIndex(
            long.kgrams[low:high],
            long.order[long_first:long_last],
            long.ordered_kgrams[long_first:long_last],
            long.previous[long_first:long_last],
            long.next_group[long_first:long_last],
        ),
        FileTable(
            files.starts[first_file:last_file],
            files.sizes[first_file:last_file],
            files.numbers[low:high],
            files.equal[first_file:last_file],
            files.order[first_file:last_file],
        ),
    )


def index_tokens(
    kinds: Kinds,
    kgrams: tuple[Ids, Ids],
    flags: tuple[Flags, Flags],
    bounds: Bounds,
    line_extents: tuple[Ids, Ids],
    *,
    files: tuple[FileTable, Bounds],
) -> CohortTokens:
    """Index the tokens of all submissions of a cohort.

    kinds, flags : three of the arrays of `IndexedTokens`, for all submissions one after another
    kgrams : the ids of their k-grams, and of the long ones, see `long_kgrams`
    bounds : int64 [s + 1], position at which each of the s submissions begins
    line_extents : `line_starts` and `line_ends` of all submissions one after another
    files : the files of all submissions one after another, and where those of each submission begin
    """
    (index, order_starts), (long, long_starts) = (_index_kgrams(ids, bounds) for ids in kgrams)
    before = np.cumsum(flags[1], dtype=np.int32) - flags[1]
    tokens = IndexedTokens(kinds, index.kgrams, *flags, before, *index[1:], *line_extents, long, files[0])
    return CohortTokens(tokens, bounds, order_starts, long_starts, files[1])


def _index_kgrams(kgrams: Ids, bounds: Bounds) -> tuple[KgramIndex, Bounds]:
    """Return the index of all submissions, and where in `order` the part of each begins: int64 [s + 1]."""
    previous = np.concatenate((np.full(1, -1, dtype=np.int32), kgrams[:-1]))[: len(kgrams)]
    matchable = np.flatnonzero(kgrams >= 0).astype(np.int32)
    owner = np.repeat(np.arange(len(bounds) - 1, dtype=np.int32), np.diff(bounds))[matchable]
    # Sorted by the previous k-gram too, so that k-grams of one run are next to each other: see `list_runs`.
    order = matchable[order_by(owner, kgrams[matchable], previous[matchable] + np.int32(1))]
    order_starts = np.searchsorted(owner, np.arange(len(bounds), dtype=np.int32)).astype(np.int64)
    ordered, previous = kgrams[order], previous[order]
    order -= bounds.astype(np.int32)[owner]
    next_group = _group_ends(owner, ordered, previous)
    next_group -= order_starts.astype(np.int32)[owner]
    return KgramIndex(kgrams, order, ordered, previous, next_group), order_starts


def _group_ends(*keys: Ids) -> Offsets:
    """Return where the run of rows with equal keys ends in which each of m rows is: int32 [m]."""
    is_new = np.zeros(max(len(keys[0]) - 1, 0), dtype=np.bool_)
    for key in keys:
        is_new |= key[1:] != key[:-1]
    ends = np.append(np.flatnonzero(is_new) + 1, len(keys[0])).astype(np.int32)
    return np.repeat(ends, np.diff(ends, prepend=0))


def long_kgrams(kgrams: Ids, k: int, bounds: Bounds) -> Ids:
    """Return the ids of the long k-grams, with `longer(k)` tokens more, that two submissions contain.

    int32 like `kgrams`, -1 where there is none. Ids have no gaps.
    """
    ids, more = np.full(len(kgrams), -1, dtype=np.int32), longer.py_func(k)
    count = max(len(kgrams) - more, 0)
    places = np.flatnonzero((kgrams[:count] >= 0) & (kgrams[more:] >= 0))
    numbers = number_pairs(kgrams[places], kgrams[places + more])
    starts = np.searchsorted(places, bounds)
    frequency = document_frequency(numbers, starts, 1 + int(numbers.max(initial=-1)))
    shared = frequency > 1
    ids[places] = np.where(shared, np.cumsum(shared) - 1, -1)[numbers]
    return ids


@kernel
def unmatch_collisions(kinds: Kinds, kgrams: Ids, k: int) -> None:
    """Set the id of a k-gram to -1 if its tokens differ from the first k-gram with the same id.

    Ids come from hashes, and two k-grams may have the same hash. So a hash decides nothing (winnowing,
    section 5.2), and code that compares ids need not compare tokens.
    """
    firsts = np.full(highest_id(kgrams) + 1, -1, dtype=np.int64)
    for at in range(len(kgrams)):
        if kgrams[at] < 0:
            continue
        first = firsts[kgrams[at]]
        if first < 0:
            firsts[kgrams[at]] = at
            continue
        for offset in range(k):
            if kinds[first + offset] != kinds[at + offset]:
                kgrams[at] = -1
                break


@bare_kernel
def fill_kgram_table(ordered_kgrams: Ids, table: Ids) -> None:
    """Enter the index of the first place of each k-gram of a submission into a table in which every entry is -1."""
    for at in range(len(ordered_kgrams) - 1, -1, -1):
        table[ordered_kgrams[at]] = at


@bare_njit
def group_end(ordered_kgrams: Ids, at: int) -> int:
    end = at + 1
    while end < len(ordered_kgrams) and ordered_kgrams[end] == ordered_kgrams[at]:
        end += 1
    return end


@bare_njit
def place_of(a: int, b: int) -> int:
    """Return both ends of a run in one number, which sorts by left token `a`, then by right token `b`."""
    return a << POSITION_BITS | b


@bare_njit
def maximal_run(left: IndexedTokens, right: IndexedTokens, a: int, b: int) -> tuple[int, int, int]:
    """Return the maximal run of equal tokens through tokens (a, b), without boilerplate at its ends."""
    low = 0
    while a - low > 0 and b - low > 0 and left.kinds[a - low - 1] == right.kinds[b - low - 1]:
        low += 1
    high = 0
    while a + high < len(left.kinds) and b + high < len(right.kinds) and left.kinds[a + high] == right.kinds[b + high]:
        high += 1
    return trim((left.boilerplate, right.boilerplate), a - low, b - low, low + high)


@njit
def with_room(runs: Runs, count: int) -> Runs:
    """Return the runs, or a copy of at least twice the length, so that there are `count` rows."""
    if count <= len(runs):
        return runs
    longer = np.empty((max(count, 2 * len(runs)), 2), dtype=np.int64)
    for at in range(len(runs)):
        longer[at, 0], longer[at, 1] = runs[at, 0], runs[at, 1]
    return longer


@bare_njit
def _find_shared(ordered_kgrams: Ids, left_table: Ids, shared: Ids) -> int:
    """Fill `shared` with the indices of those k-grams that the left side contains; return their number.

    There is no branch: few k-grams are shared, and which ones cannot be predicted.
    """
    count = 0
    for at in range(len(ordered_kgrams)):
        shared[count] = at
        count += left_table[ordered_kgrams[at]] >= 0
    return count


@bare_njit
def find_members(kgrams: Ids, members: Hashes, places: Ids) -> int:
    """Fill `places` with the places of k-grams that are `members`, see `Workspace`; return their number.

    There is no branch, as above.
    """
    count = 0
    for at in range(len(kgrams)):
        number = np.uint64(kgrams[at] + 1)
        places[count] = at
        count += (members[number >> np.uint64(6)] >> (number & np.uint64(63))) & np.uint64(1) != np.uint64(0)
    return count


# When a matchable k-gram has the same matchable k-gram before it on both sides, its run is found from that
# earlier k-gram, so it is skipped, and all such occurrences at once. When a matchable k-gram is before it on
# one side only, or different k-grams on the sides, the tokens before it differ and the run begins with it.
@njit
def _list_starts(
    pair: tuple[KgramIndex, KgramIndex], k: int, left_table: Ids, shared: Ids, limits: tuple[int, Runs]
) -> tuple[int, int, Runs]:
    """Return the number of places at which a run begins, the steps that remain, and an array with the places.

    `shared` are the indices of the right k-grams that the left side has; the `limits` are the steps and the array for
    the places. The array that is returned is this or a larger copy of it; its first column begins with the places.
    """
    (left, right), (steps, runs), count, at = pair, limits, 0, 0
    left_kgrams, left_previous, left_order = left.ordered_kgrams, left.previous, left.order
    kgrams, previous, order, next_group = right.ordered_kgrams, right.previous, right.order, right.next_group
    while at < len(shared):
        first = shared[at]
        end, left_first = group_end(kgrams, first), left_table[kgrams[first]]
        at += end - first
        for i in range(left_first, group_end(left_kgrams, left_first)):
            a, before, j, known = left_order[i], left_previous[i], first, count
            runs = with_room(runs, count + end - first)
            while j < end:
                steps -= 1
                if before >= 0 and previous[j] == before:
                    j = next_group[j]
                    continue
                runs[count, 0] = place_of(a, order[j])
                count, j = count + 1, j + 1
            steps -= k * (count - known)
            if steps < 0:
                return count, steps, runs
    return count, steps, runs


@bare_njit
def measure_runs(kgrams: tuple[Ids, Ids], k: int, count: int, steps: int, runs: Runs) -> tuple[int, int]:
    """Add the lengths of the runs that begin at the first `count` places; return their number, and the steps.

    Without boilerplate, a run is equal matchable k-grams one after another.
    """
    left, right = kgrams
    for at in range(count):
        a, b = runs[at, 0] >> POSITION_BITS, runs[at, 0] & POSITION_MASK
        first, a, b = a, a + 1, b + 1
        while left[a] == right[b] and left[a] >= 0:
            a, b = a + 1, b + 1
        runs[at, 1] = a - first + k - 1
        steps -= a - first - 1
        if steps < 0:
            break
    return count, steps


@kernel
def list_long_runs(pair: tuple[KgramIndex, KgramIndex], k: int, left_table: Ids, members: Hashes) -> Runs:
    """Return the maximal runs of at least k tokens, as `list_runs` does, where no side has boilerplate.

    `members` are the k-grams of the left side, see `Workspace`.
    """
    runs = np.empty((INITIAL_RUNS, 2), dtype=np.int64)
    shared = np.empty(len(pair[1].ordered_kgrams), dtype=np.int32)
    shared = shared[: find_members(pair[1].ordered_kgrams, members, shared)]
    count, _, runs = _list_starts(pair, k, left_table, shared, (NO_LIMIT, runs))
    measure_runs((pair[0].kgrams, pair[1].kgrams), k, count, NO_LIMIT, runs)
    return runs[:count]


@bare_njit
def _measure_through_boilerplate(
    pair: tuple[IndexedTokens, IndexedTokens], k: int, count: int, steps: int, runs: Runs
) -> tuple[int, int]:
    """Replace the first `count` places by the maximal runs at them; return their number, and the steps."""
    (left, right), kept = pair, 0
    for at in range(count):
        a, b, length = maximal_run(left, right, runs[at, 0] >> POSITION_BITS, runs[at, 0] & POSITION_MASK)
        steps -= length - k
        runs[kept, 0], runs[kept, 1] = place_of(a, b), length
        kept += length >= k
        if steps < 0:
            break
    return kept, steps


@bare_njit
def has_any(flags: Flags) -> bool:
    any_flag = False
    for flag in flags:  # Without a branch, the processor compares many flags at once.
        any_flag |= flag
    return any_flag


# This takes most of the time of a ranking. Two loops are faster than one that does all, and an array as a
# variable is faster than one in a tuple or an argument of a call, whose references are counted.
@kernel
def list_runs(
    pair: tuple[IndexedTokens, IndexedTokens], k: int, left_table: Ids, steps: int, runs: Runs
) -> tuple[int, Runs]:
    """Return the number of maximal runs that contain a matchable k-gram, and an array that begins with them.

    A row is (`place_of` the run, length). The runs are written to `runs`, or to a larger copy of it. `left_table` is
    the k-gram table of the left side. The number is -1 when the search takes more than `steps` comparisons.
    """
    left, right = pair
    index = kgram_index(left), kgram_index(right)
    shared = np.empty(len(right.ordered_kgrams), dtype=np.int32)
    shared = shared[: _find_shared(right.ordered_kgrams, left_table, shared)]
    count, steps, runs = _list_starts(index, k, left_table, shared, (steps, runs))
    if steps < 0:
        return -1, runs
    if has_any(left.boilerplate) or has_any(right.boilerplate):
        count, steps = _measure_through_boilerplate(pair, k, count, steps, runs)
    else:
        count, steps = measure_runs((left.kgrams, right.kgrams), k, count, steps, runs)
    return (count if steps >= 0 else -1), runs


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
def _small_part_of_line(lines: Lines, at: int, first: int, after: int) -> int:
    """Return how many of the tokens [first, after) are on the line of token `at`.

    Return 0 if they are more than two thirds of that line, or of its tokens that are not ignored.
    """
    start, end, before = lines[0][at], lines[1][at], lines[2]
    low, high, last = max(first, start), min(after, end), min(end, len(before) - 1)
    inside, size = high - low, end - start
    counted, of_line = inside - (before[high] - before[low]), size - (before[last] - before[start])
    return 0 if 3 * inside > 2 * size or 3 * counted > 2 * of_line else inside


@kernel
def lines_of(left: IndexedTokens, right: IndexedTokens) -> tuple[Lines, Lines]:
    """Return what `trim_to_lines` takes of two submissions: passing all their arrays takes longer."""
    return (
        (left.line_starts, left.line_ends, left.ignored_before),
        (right.line_starts, right.line_ends, right.ignored_before),
    )


@bare_kernel
def trim_to_lines(lines: tuple[Lines, Lines], run: tuple[int, int, int], k: int) -> tuple[int, int, int]:
    """Return a run (left token, right token, length) without small parts of lines at its ends.

    Any two statements begin with a few equal tokens. So a line at an end of a run stays only if more than
    two thirds of its tokens are in the run, or of those that are not ignored, on both sides. A run of which
    less than `k` tokens would remain is returned as it is.
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


@kernel
def trim_tiles(tiles: Runs, left: IndexedTokens, right: IndexedTokens, k: int) -> tuple[Runs, Runs]:
    """Return the passages of sorted tiles, and the common passages, which shares do not count.

    Small parts of lines at the ends of a tile are left out, see `trim_to_lines`. Of the rest, a passage has
    no ignored token at its ends. A part that is cut off, or the whole if fewer than `k` tokens remain, is a
    common passage if it has `k` tokens. So every tile has a passage of one sort.
    """
    rows, common = np.empty_like(tiles), np.empty((2 * len(tiles), 3), dtype=np.int64)
    lines, ignored = lines_of(left, right), (left.ignored, right.ignored)
    count, common_count = _fill_passages(tiles, (lines, ignored), k, rows, common)
    return rows[:count], common[:common_count]


@bare_njit
def _fill_passages(
    tiles: Runs, sides: tuple[tuple[Lines, Lines], tuple[Flags, Flags]], k: int, rows: Runs, common: Runs
) -> tuple[int, int]:
    """Fill `rows` with passages and `common` with common passages; return their numbers."""
    lines, ignored = sides
    count, common_count = 0, 0
    for i in range(len(tiles)):
        tile = trim_to_lines(lines, (tiles[i, 0], tiles[i, 1], tiles[i, 2]), k)
        a, b, length = trim(ignored, tile[0], tile[1], tile[2])
        if length >= k:
            rows[count, 0], rows[count, 1], rows[count, 2] = a, b, length
            count += 1
        else:
            a, b, length = tile[0] + tile[2], tile[1] + tile[2], 0
        before = a - tile[0]
        for x, y, n in ((tile[0], tile[1], before), (a + length, b + length, tile[2] - before - length)):
            if n >= k:
                common[common_count, 0], common[common_count, 1], common[common_count, 2] = x, y, n
                common_count += 1
    return count, common_count
