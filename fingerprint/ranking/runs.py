"""Maximal runs of equal tokens that two submissions share, verified token by token.

Fingerprints only say which pairs to compare; the passages are found on the tokens (winnowing, section 5.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fingerprint.kernels.registry import bare_kernel, bare_njit, kernel, njit
from fingerprint.ranking.alignment import group_end, kgram_index

if TYPE_CHECKING:
    from fingerprint.ranking.alignment import IndexedTokens, KgramIndex
    from fingerprint.types import Flags, Hashes, Ids, Runs

    # Of both sides: `line_starts` and `line_ends` of `IndexedTokens`.
    Lines = tuple[tuple[Ids, Ids], tuple[Ids, Ids]]

# Bits for a token's position within its submission; no submission has 2**32 tokens.
POSITION_BITS = 32
POSITION_MASK = (1 << POSITION_BITS) - 1
# Few pairs have more runs than this.
INITIAL_RUNS = 256
# More steps than any number of runs takes.
NO_LIMIT = 1 << 62


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
    while (
        a + high < len(left.kinds)
        and b + high < len(right.kinds)
        and left.kinds[a + high] == right.kinds[b + high]
    ):
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
    """Fill `places` with those of the k-grams that are `members`, see `Workspace`; return their number.

    There is no branch, as above.
    """
    count = 0
    for at in range(len(kgrams)):
        number = np.uint64(kgrams[at] + 1)
        places[count] = at
        count += (members[number >> np.uint64(6)] >> (number & np.uint64(63))) & np.uint64(1) != np.uint64(0)
    return count


# When a matchable k-gram has the same matchable k-gram before it on both sides, its run is found from that
# earlier one, so it is skipped, and all such occurrences at once. When a matchable one is before it on one
# side only, or another one on each side, the tokens before it differ and the run begins with it.
@njit
def _list_starts(
    pair: tuple[KgramIndex, KgramIndex], k: int, left_table: Ids, shared: Ids, limits: tuple[int, Runs]
) -> tuple[int, int, Runs]:
    """Return the number of places at which a run begins, the steps that remain, and an array with the places.

    `shared` are the indices of the right k-grams that the left side has; the `limits` are the steps and the
    array for the places. The array that is returned is this or a larger copy of it; its first column begins
    with the places.
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

    A row is (`place_of` the run, length). The runs are written to `runs`, or to a larger copy of it.
    `left_table` is the k-gram table of the left side. The number is -1 when the search takes more than
    `steps` comparisons.
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
