"""Pair the files of two submissions: equal files first, then those of one name, then those that share most.

A file that is handed in unchanged is matched with itself, whatever it shares with others. The tokens of
another file are matched in its partner before anywhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fingerprint.kernels.registry import bare_njit, njit
from fingerprint.kernels.types import Bounds, FileRows, Flags, Ids, Kinds, Positions, Runs
from fingerprint.ranking.alignment import POSITION_BITS, POSITION_MASK, FileTable, IndexedTokens, trim
from fingerprint.ranking.sorting import sort_places, sort_rows

# Of the number of a file, where the numbers of two files are one number.
FILE_BITS = 32
FILE_MASK = (1 << FILE_BITS) - 1
# Columns of `FileTable.equal` for paths and names.
NAMED = 2
# No file has so many tokens.
RANK_BITS = 29


def number_equal(files: Sequence[Sequence[npt.NDArray[Any]]]) -> Ids:
    """Return a number for each file, given by columns: the same for equal ones, -1 where no other is equal.

    Returns: int32 [files].
    """
    # Hardly any other files have columns of the same lengths.
    lengths = numbered_keys([tuple(map(len, columns)) for columns in files])
    contents = [
        digest_columns(columns) if number >= 0 else None
        for number, columns in zip(lengths.tolist(), files, strict=True)
    ]
    return numbered_keys(contents)


def numbered_keys(keys: Sequence[object]) -> Ids:
    """Return a number for each key, from 0; -1 where it is None, and where no other key is equal."""
    places: dict[object, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    places.pop(None, None)
    numbers = np.full(len(keys), -1, dtype=np.int32)
    for number, equal in enumerate(equal for equal in places.values() if len(equal) > 1):
        numbers[equal] = number
    return numbers


def digest_columns(columns: Sequence[npt.NDArray[Any]]) -> bytes:
    """Return a digest that is the same for equal columns."""
    digest = blake2b(digest_size=16)
    for column in columns:
        digest.update(len(column).to_bytes(8, "little"))
        digest.update(np.ascontiguousarray(column).data)
    return digest.digest()


class FileLabels(NamedTuple):
    """The contents and paths of the files of a cohort, by which files are paired.

    `contents`: numbers of files, int32 [files] each, that are the same for files of equal content, in the
    order in which such files are paired; `paths`: the path of each file in its submission.
    """

    contents: Sequence[Ids]
    paths: Sequence[str]

    @classmethod
    def of(cls, sources: Sequence[str], written_alike: Ids, paths: Sequence[str]) -> FileLabels:
        """Return labels by which the same bytes come before the same tokens, names and values."""
        return cls([numbered_keys([source or None for source in sources]), written_alike], paths)


def file_table(
    submissions: Sequence[Sequence[Kinds]], file_starts: Bounds, submission_starts: Bounds, labels: FileLabels | None
) -> tuple[FileTable, Bounds]:
    """Return the files of a cohort, and where those of each submission begin: int64 [n + 1].

    Equal files are paired by content, the most alike first; of those that are equally alike, files of one
    path before files of one name, before others. Without labels, all files have different paths.
    """
    alike = number_equal([(kinds,) for files in submissions for kinds in files])
    firsts = np.searchsorted(file_starts, submission_starts)
    owners = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts))
    starts = (file_starts[:-1] - submission_starts[owners]).astype(np.int32)
    sizes = np.diff(file_starts).astype(np.int32) - 1
    if np.diff(firsts).max(initial=0) <= 1:
        labels = None  # where each has one file, nothing is to be told apart
    paths = labels.paths if labels else [""] * len(owners)
    ends = ([path or None for path in paths], [path.rpartition("/")[2] or None for path in paths])
    named = [numbered_keys(of_files) for of_files in ends]
    contents = [*(_both(one, alike) for one in (labels.contents if labels else ())), alike]
    levels = [one for content in contents for one in (*(_both(content, name) for name in named), content)]
    order = [np.lexsort((column, owners)) - firsts[owners] for column in (*levels, *named)]
    numbers = np.repeat(np.arange(len(owners)) - firsts[owners], np.diff(file_starts)).astype(np.int32)
    return FileTable(starts, sizes, numbers, _columns([*levels, *named]), _columns(order)), firsts


def _columns(columns: Sequence[npt.NDArray[Any]]) -> FileRows:
    rows: FileRows = np.ascontiguousarray(np.stack(columns, axis=1), dtype=np.int32)
    return rows


def _both(one: Ids, other: Ids) -> Ids:
    """Return the same number for the files that have the same number in both columns."""
    rows = zip(one.tolist(), other.tolist(), strict=True)
    return numbered_keys([None if min(row) < 0 else row for row in rows])


@njit
def equal_file_runs(left: IndexedTokens, right: IndexedTokens, k: int) -> Runs:
    """Return the runs (left token, right token, length) of whole files that are equal: int64 [runs, 3].

    Files are paired level by level, see `FileTable`, in the order of both sides, each file once. A run has no
    boilerplate at its ends.
    """
    runs = np.empty((min(len(left.files.starts), len(right.files.starts)), 3), dtype=np.int64)
    paired = np.zeros(len(left.files.starts), np.bool_), np.zeros(len(right.files.starts), np.bool_)
    levels, count = left.files.equal.shape[1] - NAMED, 0
    # The last level has all pairs of the others.
    for level in range(0 if max(len(paired[0]), len(paired[1])) > 1 else levels - 1, levels):
        count += _fill_equal((left, right), level, k, paired, runs[count:])
    return runs[:count]


@bare_njit
def _fill_equal(
    pair: tuple[IndexedTokens, IndexedTokens], level: int, k: int, paired: tuple[Flags, Flags], runs: Runs
) -> int:
    """Fill `runs` with files of equal numbers that are not paired yet, and pair them; return how many."""
    numbers, order = pair[0].files.equal, pair[0].files.order
    other_numbers, other_order = pair[1].files.equal, pair[1].files.order
    at, other, count = 0, 0, 0
    while at < len(order) and other < len(other_order):
        a, b = order[at, level], other_order[other, level]
        number, other_number = numbers[a, level], other_numbers[b, level]
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
def _fill_whole_file(pair: tuple[IndexedTokens, IndexedTokens], files: tuple[int, int], k: int, run: Positions) -> bool:
    """Fill the run of two equal files; return whether it has at least `k` tokens, and any that can match."""
    left, right = pair
    start, other, size = left.files.starts[files[0]], right.files.starts[files[1]], left.files.sizes[files[0]]
    run[0], run[1], run[2] = trim((left.boilerplate, right.boilerplate), start, other, size)
    for at in range(run[0], run[0] + run[2] - k + 1):  # noqa: SIM110 - a generator cannot be compiled
        if left.kgrams[at] >= 0:
            return True
    return False


@bare_njit
def has_several(files: tuple[FileTable, FileTable]) -> bool:
    """Return whether both sides have several files, so that partners have to be found."""
    return len(files[0].starts) > 1 and len(files[1].starts) > 1


@njit
def runs_of_open_files(runs: Runs, least: int, taken: tuple[Flags, Flags]) -> Runs:
    """Return the runs of at least so many tokens outside of the files that are taken, as a whole, so far."""
    count, rows = 0, np.empty_like(runs)
    for at in range(len(runs)):
        a, b = runs[at, 0] >> POSITION_BITS, runs[at, 0] & POSITION_MASK
        rows[count, 0], rows[count, 1] = runs[at, 0], runs[at, 1]
        count += (runs[at, 1] >= least) & (not (taken[0][a] | taken[1][b]))
    return rows[:count]


class FilePartners(NamedTuple):
    """Arrays for the partners of the files of two submissions, with f and g files, and n runs between them.

    `partner` int32 [f]: the right file of each left file, -1 for none; `has_partner` bool [g]; `first_run`
    int32 [f]: a run of each left file, -1 for none; `next_run` int32 [n]: the next run of its file; `tokens`
    int64 [g]: tokens in runs of one left file; `touched` int64 [g, 3]: the right files that have any, in
    the first column; `pairs`, `shared` int64 [n]: two files as one number, and their tokens in runs; `most`
    int64 [f], [g]: the most of these of each file; `order` int64 [n]: the pairs in the order of the choice.
    """

    partner: Ids
    has_partner: Flags
    first_run: Ids
    next_run: Ids
    tokens: Positions
    touched: Runs
    pairs: Positions
    shared: Positions
    most: tuple[Positions, Positions]
    order: Positions


@njit
def file_partners(files: tuple[FileTable, FileTable], runs: Runs) -> Ids:
    """Return the right file that is the partner of each left file, -1 for none, by the runs (place, length).

    Files of one path are partners, then files of one name, unless one of them shares more than twice as much
    with another file; then the two files that share most, then two of the others, and so on. Two files share
    the tokens of their runs, at most as many as the smaller has; of equal pairs the first is taken.
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
        (np.zeros(left, dtype=np.int64), np.zeros(right, dtype=np.int64)),
        np.empty(len(runs), dtype=np.int64),
    )
    count = _count_tokens(files, runs, arrays)
    _order_pairs(files, arrays, count)
    sort_places(arrays.order[:count])
    _choose_partners(arrays, count)
    return arrays.partner


@bare_njit
def _count_tokens(files: tuple[FileTable, FileTable], runs: Runs, arrays: FilePartners) -> int:
    """Fill `pairs` with the pairs of files that have runs, and `shared`; return their number."""
    first_run, next_run = arrays.first_run, arrays.next_run
    for at in range(len(runs)):
        file = files[0].numbers[runs[at, 0] >> POSITION_BITS]
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
        shared = min(tokens[other], files[0].sizes[file], files[1].sizes[other])
        arrays.pairs[count], arrays.shared[count] = file << FILE_BITS | other, shared
        arrays.most[0][file] = max(arrays.most[0][file], shared)
        arrays.most[1][other] = max(arrays.most[1][other], shared)
        tokens[other], count = 0, count + 1
    return count


@bare_njit
def _order_pairs(files: tuple[FileTable, FileTable], arrays: FilePartners, count: int) -> None:
    """Fill `order` with the pairs, files of one path first, then files of one name, each by tokens."""
    names, other_names = files[0].equal, files[1].equal
    path, name = names.shape[1] - NAMED, names.shape[1] - 1
    for at in range(count):
        left, right = arrays.pairs[at] >> FILE_BITS, arrays.pairs[at] & FILE_MASK
        shared, rank = arrays.shared[at], 0
        if 2 * shared >= max(arrays.most[0][left], arrays.most[1][right]):
            if names[left, path] >= 0 and names[left, path] == other_names[right, path]:
                rank = 2
            elif names[left, name] >= 0 and names[left, name] == other_names[right, name]:
                rank = 1
        arrays.order[at] = (FILE_MASK - (rank << RANK_BITS) - shared) << FILE_BITS | at


@bare_njit
def _choose_partners(arrays: FilePartners, count: int) -> None:
    partner, has_partner = arrays.partner, arrays.has_partner
    for at in range(count):
        pair = arrays.pairs[arrays.order[at] & FILE_MASK]
        left, right = pair >> FILE_BITS, pair & FILE_MASK
        if partner[left] < 0 and not has_partner[right]:
            partner[left], has_partner[right] = right, True


@njit
def partners_first(files: tuple[FileTable, FileTable], runs: Runs, partner: Ids) -> tuple[Runs, Runs]:
    """Return the runs in files that are partners, and the other runs."""
    first, last, parts = 0, len(runs), np.empty_like(runs)
    for at in range(len(runs)):
        a, b = runs[at, 0] >> POSITION_BITS, runs[at, 0] & POSITION_MASK
        is_first = partner[files[0].numbers[a]] == files[1].numbers[b]
        last -= not is_first
        to = first if is_first else last
        parts[to, 0], parts[to, 1] = runs[at, 0], runs[at, 1]
        first += is_first
    return parts[:first], parts[last:]
