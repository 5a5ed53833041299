"""Which files of two submissions belong together: equal files first, then the files that share most.

A file that is handed in unchanged is matched with itself, whatever it shares with others. The tokens of
another file are matched in its partner before anywhere else.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fingerprint.kernels.registry import bare_njit, njit
from fingerprint.ranking.alignment import POSITION_BITS, POSITION_MASK, EqualFiles, FileTable, trim
from fingerprint.ranking.sorting import sort_places, sort_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from fingerprint.kernels.types import Bounds, Flags, Ids, Kinds, Positions, Runs
    from fingerprint.ranking.alignment import IndexedTokens

# Of the number of a file, where the numbers of two files are one number.
FILE_BITS = 32
FILE_MASK = (1 << FILE_BITS) - 1


def number_equal(files: Sequence[Sequence[npt.NDArray[Any]]]) -> Ids:
    """Return a number for each file, given by columns: the same for equal ones, -1 where no other is equal.

    Returns: int32 [files].
    """
    # Hardly any other files have columns of the same lengths.
    lengths = _numbers([tuple(map(len, columns)) for columns in files])
    contents = [
        _digest(columns) if number >= 0 else None
        for number, columns in zip(lengths.tolist(), files, strict=True)
    ]
    return _numbers(contents)


def _numbers(keys: Sequence[object]) -> Ids:
    """Return a number for each key, from 0; -1 where it is None, and where no other key is equal."""
    places: dict[object, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    places.pop(None, None)
    numbers = np.full(len(keys), -1, dtype=np.int32)
    for number, equal in enumerate(equal for equal in places.values() if len(equal) > 1):
        numbers[equal] = number
    return numbers


def _digest(columns: Sequence[npt.NDArray[Any]]) -> bytes:
    digest = blake2b(digest_size=16)
    for column in columns:
        digest.update(len(column).to_bytes(8, "little"))
        digest.update(np.ascontiguousarray(column).data)
    return digest.digest()


def file_table(
    submissions: Sequence[Sequence[Kinds]],
    file_starts: Bounds,
    submission_starts: Bounds,
    identical: Ids | None,
) -> tuple[FileTable, Bounds]:
    """Return the files of a cohort, and where those of each submission begin: int64 [n + 1].

    `identical`: numbers of files that are equal in names and values too, by default of those of equal kinds.
    """
    alike = number_equal([(kinds,) for files in submissions for kinds in files])
    firsts = np.searchsorted(file_starts, submission_starts)
    owners = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts))
    starts = (file_starts[:-1] - submission_starts[owners]).astype(np.int32)
    sizes = np.diff(file_starts).astype(np.int32) - 1
    equal = (
        _equal_files(numbers, owners, firsts)
        for numbers in (alike if identical is None else identical, alike)
    )
    numbers = np.repeat(np.arange(len(owners)) - firsts[owners], np.diff(file_starts)).astype(np.int32)
    return FileTable(starts, sizes, numbers, *equal), firsts


def _equal_files(numbers: Ids, owners: npt.NDArray[np.intp], firsts: Bounds) -> EqualFiles:
    order = np.lexsort((numbers, owners))
    return EqualFiles(numbers, (order - firsts[owners]).astype(np.int32))


@njit
def equal_file_runs(left: IndexedTokens, right: IndexedTokens, k: int) -> Runs:
    """Return the runs (left token, right token, length) of whole files that are equal: int64 [runs, 3].

    Identical files are paired before files that are equal but for names and values, in the order of both
    sides, each file once. A run has no boilerplate at its ends.
    """
    runs = np.empty((min(len(left.files.starts), len(right.files.starts)), 3), dtype=np.int64)
    paired = np.zeros(len(left.files.starts), np.bool_), np.zeros(len(right.files.starts), np.bool_)
    count = _fill_equal((left, right), (left.files.identical, right.files.identical), k, paired, runs)
    count += _fill_equal((left, right), (left.files.alike, right.files.alike), k, paired, runs[count:])
    return runs[:count]


@bare_njit
def _fill_equal(
    pair: tuple[IndexedTokens, IndexedTokens],
    equal: tuple[EqualFiles, EqualFiles],
    k: int,
    paired: tuple[Flags, Flags],
    runs: Runs,
) -> int:
    """Fill `runs` with files of equal numbers that are not paired yet, and pair them; return how many."""
    (numbers, order), (other_numbers, other_order) = equal
    at, other, count = 0, 0, 0
    while at < len(order) and other < len(other_order):
        a, b = order[at], other_order[other]
        number, other_number = numbers[a], other_numbers[b]
        if paired[0][a] or number < 0 or number < other_number:
            at += 1
        elif paired[1][b] or other_number < number:
            other += 1
        else:
            paired[0][a] = paired[1][b] = True
            at, other = at + 1, other + 1
            count += _fill_whole_file(pair, (a, b), k, runs[count])
    return count


@bare_njit
def _fill_whole_file(
    pair: tuple[IndexedTokens, IndexedTokens], files: tuple[int, int], k: int, run: Positions
) -> bool:
    """Fill the run of two equal files; return whether it has at least `k` tokens, and any that can match."""
    left, right = pair
    start, other, size = left.files.starts[files[0]], right.files.starts[files[1]], left.files.sizes[files[0]]
    run[0], run[1], run[2] = trim((left.boilerplate, right.boilerplate), start, other, size)
    for at in range(run[0], run[0] + run[2] - k + 1):  # noqa: SIM110 - a generator cannot be compiled
        if left.kgrams[at] >= 0:
            return True
    return False


class FilePartners(NamedTuple):
    """Arrays for the partners of the files of two submissions, with f and g files, and n runs between them.

    `partner` int32 [f]: the right file of each left file, -1 for none; `has_partner` bool [g]; `first_run`
    int32 [f]: a run of each left file, -1 for none; `next_run` int32 [n]: the next run of its file; `tokens`
    int64 [g]: tokens in runs of one left file; `touched` int64 [g, 3]: the right files that have any, in
    the first column; `pairs` int64 [n]: two files as one number; `order` int64 [n]: the pairs, those with
    most tokens first.
    """

    partner: Ids
    has_partner: Flags
    first_run: Ids
    next_run: Ids
    tokens: Positions
    touched: Runs
    pairs: Positions
    order: Positions


@njit
def partners_first(
    files: tuple[FileTable, FileTable], runs: Runs, taken: tuple[Flags, Flags]
) -> tuple[Runs, Runs]:
    """Return the runs (place, length) in files that are partners, and the other runs, without taken files.

    The two files whose runs have most tokens are partners, then two of the others, and so on. Two files have
    at most as many tokens in runs as the smaller has; of equal pairs the first is taken.
    """
    left, right = len(files[0].starts), len(files[1].starts)
    arrays = FilePartners(
        np.full(left, -1, dtype=np.int32),
        np.zeros(right, dtype=np.bool_),
        np.full(left, -1, dtype=np.int32),
        np.empty(len(runs), dtype=np.int32),
        np.zeros(right, dtype=np.int64),
        np.zeros((right, 3), dtype=np.int64),
        np.empty(len(runs), dtype=np.int64),
        np.empty(len(runs), dtype=np.int64),
    )
    count = _count_tokens(files, runs, taken, arrays)
    sort_places(arrays.order[:count])
    parts = np.empty_like(runs)
    first, last = _choose_partners(files, runs, count, arrays, parts)
    return parts[:first], parts[last:]


@bare_njit
def _count_tokens(
    files: tuple[FileTable, FileTable], runs: Runs, taken: tuple[Flags, Flags], arrays: FilePartners
) -> int:
    """Fill `pairs` with the pairs of files that have free runs, and `order`; return their number."""
    first_run, next_run = arrays.first_run, arrays.next_run
    for at in range(len(runs)):
        a, b = runs[at, 0] >> POSITION_BITS, runs[at, 0] & POSITION_MASK
        # Only whole files are taken yet, so that a run is free if its first token is.
        if not (taken[0][a] | taken[1][b]):
            file = files[0].numbers[a]
            next_run[at], first_run[file] = first_run[file], at
    count = 0
    for file in range(len(first_run)):
        if first_run[file] >= 0:
            count = _count_tokens_of(file, files, runs, arrays, count)
    return count


@bare_njit
def _count_tokens_of(
    file: int, files: tuple[FileTable, FileTable], runs: Runs, arrays: FilePartners, count: int
) -> int:
    """Add the pairs of one left file with the right files that it has runs with; return their number."""
    tokens, touched, found, at = arrays.tokens, arrays.touched, 0, arrays.first_run[file]
    while at >= 0:
        other = files[1].numbers[runs[at, 0] & POSITION_MASK]
        if tokens[other] == 0:
            touched[found, 0] = other
            found += 1
        tokens[other] += runs[at, 1]
        at = arrays.next_run[at]
    sort_rows(touched[:found])
    for at in range(found):
        other = touched[at, 0]
        most = min(files[0].sizes[file], files[1].sizes[other])
        arrays.pairs[count] = file << FILE_BITS | other
        arrays.order[count] = (FILE_MASK - min(tokens[other], most)) << FILE_BITS | count
        tokens[other], count = 0, count + 1
    return count


@bare_njit
def _choose_partners(
    files: tuple[FileTable, FileTable], runs: Runs, count: int, arrays: FilePartners, parts: Runs
) -> tuple[int, int]:
    """Choose partners, and fill `parts` with the runs: those in partners from the front, others from the end.

    Return where the first part ends, and where the other begins.
    """
    partner, has_partner = arrays.partner, arrays.has_partner
    for at in range(count):
        pair = arrays.pairs[arrays.order[at] & FILE_MASK]
        left, right = pair >> FILE_BITS, pair & FILE_MASK
        if partner[left] < 0 and not has_partner[right]:
            partner[left], has_partner[right] = right, True
    first, last = 0, len(runs)
    for file in range(len(partner)):
        at = arrays.first_run[file]
        while at >= 0:
            is_first = partner[file] == files[1].numbers[runs[at, 0] & POSITION_MASK]
            last -= not is_first
            to = first if is_first else last
            parts[to, 0], parts[to, 1] = runs[at, 0], runs[at, 1]
            first, at = first + is_first, arrays.next_run[at]
    return first, last
