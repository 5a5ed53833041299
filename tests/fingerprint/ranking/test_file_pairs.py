"""Which files of two submissions are matched with each other before others."""

from collections import Counter
from itertools import product

import numpy as np
from hypothesis import example, given, strategies as st

from fingerprint.engine import Cohort
from fingerprint.ranking.alignment import longer
from fingerprint.ranking.file_pairs import number_equal
from tests.fingerprint.ranking.naive_passages import find_passages, passages

K = 3
LEAST = K + longer.py_func(K)
File = list[int]
Place = tuple[int, int]
Run = tuple[Place, Place, int]
# Few different files, so that some are equal.
small_files = st.sampled_from([[0, 1, 2, 0, 1], [1, 1, 2, 2, 0, 0, 1], [0, 1], [2, 1, 0, 2, 1, 0, 2, 1]])
files = small_files | st.lists(st.integers(0, 2), max_size=12)
projects = st.lists(files, min_size=1, max_size=4)


def cohort_of(left: list[File], right: list[File], identical: list[int] | None = None) -> Cohort:
    arrays = [[np.array(file, dtype=np.uint64) for file in side] for side in (left, right)]
    numbers = None if identical is None else np.array(identical, dtype=np.int32)
    return Cohort.from_submissions(arrays, K, identical=numbers)


def runs_of(left: list[File], right: list[File]) -> list[Run]:
    """Return all maximal runs of equal tokens, by the file and the token of both sides."""
    runs = []
    for (f, one), (g, other) in product(enumerate(left), enumerate(right)):
        for a, b in product(range(len(one)), range(len(other))):
            if a and b and one[a - 1] == other[b - 1]:
                continue
            length = 0
            while a + length < len(one) and b + length < len(other) and one[a + length] == other[b + length]:
                length += 1
            runs.append(((f, a), (g, b), length))
    return runs


def greedy(runs: list[Run], least: int, taken: tuple[set[Place], set[Place]]) -> list[Run]:
    """Take the longest free part of a run of at least `least` tokens, again and again."""
    tiles = []
    while free := [part for run in runs for part in free_parts(run, taken) if part[2] >= least]:
        best = min(free, key=lambda part: (-part[2], part[0], part[1]))
        take(best, taken)
        tiles.append(best)
    return tiles


def free_parts(run: Run, taken: tuple[set[Place], set[Place]]) -> list[Run]:
    (f, a), (g, b), length = run
    parts, start = [], 0
    for at in range(length + 1):
        if at == length or (f, a + at) in taken[0] or (g, b + at) in taken[1]:
            parts += [((f, a + start), (g, b + start), at - start)] if at > start else []
            start = at + 1
    return parts


def take(tile: Run, taken: tuple[set[Place], set[Place]]) -> None:
    (f, a), (g, b), length = tile
    taken[0].update((f, a + at) for at in range(length))
    taken[1].update((g, b + at) for at in range(length))


def equal_files(left: list[File], right: list[File]) -> dict[int, int]:
    pairs: dict[int, int] = {}
    for f, one in enumerate(left):
        equal = [g for g, other in enumerate(right) if other == one and g not in pairs.values()]
        if equal:
            pairs[f] = equal[0]
    return pairs


def partner_files(left: list[File], right: list[File], runs: list[Run]) -> dict[int, int]:
    """Return the partner of each left file, by the tokens of its long runs, most first."""
    tokens: Counter[Place] = Counter()
    for (f, _), (g, _), length in runs:
        tokens[f, g] += length
    capped = {(f, g): min(count, len(left[f]), len(right[g])) for (f, g), count in tokens.items()}
    pairs: dict[int, int] = {}
    for f, g in sorted(capped, key=lambda pair: (-capped[pair], pair)):
        if f not in pairs and g not in pairs.values():
            pairs[f] = g
    return pairs


def naive_tiles(left: list[File], right: list[File]) -> list[Run]:
    taken: tuple[set[Place], set[Place]] = set(), set()
    equal = [((f, 0), (g, 0), len(left[f])) for f, g in equal_files(left, right).items() if len(left[f]) >= K]
    for tile in equal:
        take(tile, taken)
    runs = runs_of(left, right)
    long = [run for run in runs if run[2] >= LEAST]
    several = len(left) > 1 and len(right) > 1
    partners = partner_files(left, right, [run for run in long if free_parts(run, taken) == [run]])
    first = [run for run in long if several and partners.get(run[0][0]) == run[1][0]]
    tiles = [*equal, *greedy(first, LEAST, taken), *greedy(long, LEAST, taken)]
    return sorted([*tiles, *greedy(runs, K, taken)])


@given(projects, projects)
@example([[0, 1, 2, 0, 1], [1, 0, 1, 2, 0, 1, 2]], [[1, 0, 1, 2, 0, 1, 1], [0, 1, 2, 0, 1]])
def test_equal_files_come_first_then_files_that_share_most_then_all_others(
    left: list[File], right: list[File]
) -> None:
    found = find_passages(cohort_of(left, right), 0, 1)
    tiles = [
        ((tile.left_file, tile.left_token), (tile.right_file - len(left), tile.right_token), tile.tokens)
        for tile in found
    ]
    assert sorted(tiles) == naive_tiles(left, right)


@given(st.permutations(range(4)), projects, projects)
def test_a_file_that_both_have_is_one_passage_in_both_whatever_else_they_share(
    order: list[int], left: list[File], right: list[File]
) -> None:
    shared = [[number, *[0, 1, 2] * 3, number] for number in range(3, 7)]
    cohort = cohort_of([*shared, *left], [*(shared[at] for at in order), *right])
    whole = [tile for tile in find_passages(cohort, 0, 1) if tile.left_file < len(shared)]
    places = {(tile.left_file, tile.right_file - len(shared) - len(left), tile.tokens) for tile in whole}
    assert places == {(at, order.index(at), 11) for at in range(4)}


def test_of_files_that_differ_in_names_only_the_identical_ones_are_paired() -> None:
    file = [0, 1, 2, 0, 1]
    for numbers, expected in (([0, 1, 1, 0], [(0, 6), (6, 0)]), ([0, 1, 0, 1], [(0, 0), (6, 6)])):
        cohort = cohort_of([file, file], [file, file], numbers)
        rows = passages(cohort.submission(0), cohort.submission(1), K)
        assert sorted((a, b) for a, b, _ in rows.tolist()) == expected


columns = st.lists(st.lists(st.integers(0, 1), max_size=3).map(tuple), min_size=1, max_size=2).map(tuple)


@given(st.lists(columns, max_size=8))
def test_files_have_one_number_where_all_of_their_columns_are_equal(files: list[tuple[File, ...]]) -> None:
    numbers = number_equal([[np.array(one, dtype=np.uint64) for one in file] for file in files]).tolist()
    assert all((number < 0) == (files.count(file) == 1) for number, file in zip(numbers, files, strict=True))
    several = [(number, file) for number, file in zip(numbers, files, strict=True) if number >= 0]
    assert all((n == m) == (one == other) for (n, one), (m, other) in product(several, several))
