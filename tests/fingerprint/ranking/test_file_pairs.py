"""Which files of two submissions are matched with each other before others."""

from collections import Counter
from itertools import product

import numpy as np
from hypothesis import example, given, strategies as st

from fingerprint.engine import Cohort
from fingerprint.ranking.alignment import longer
from fingerprint.ranking.file_pairs import FileLabels, number_equal, numbered_keys
from tests.fingerprint.ranking.naive_passages import find_passages

K = 3
LEAST = K + longer.py_func(K)
File = list[int]
Place = tuple[int, int]
Run = tuple[Place, Place, int]
# Few different files, so that some are equal.
small_files = st.sampled_from([[0, 1, 2, 0, 1], [1, 1, 2, 2, 0, 0, 1], [0, 1], [2, 1, 0, 2, 1, 0, 2, 1]])
files = small_files | st.lists(st.integers(0, 2), max_size=12)
names = st.sampled_from(["", "a", "b", "p/a", "q/a", "p/b"])
Project = list[tuple[str, str, File]]
# Paths, bytes and tokens of files: the same bytes have the same tokens, but not the other way round.
projects = st.lists(st.tuples(names, st.sampled_from("xyz"), files), min_size=1, max_size=4)


def cohort_of(left: Project, right: Project) -> Cohort:
    arrays = [[np.array(file, dtype=np.uint64) for _, _, file in side] for side in (left, right)]
    sources = numbered_keys([(source, tuple(file)) for _, source, file in (*left, *right)])
    labels = FileLabels([sources], [path for path, *_ in (*left, *right)])
    return Cohort.from_submissions(arrays, K, labels=labels)


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


def name_of(path: str) -> str:
    return path.rsplit("/", maxsplit=1)[-1]


def alikeness(one: tuple[str, str, File], other: tuple[str, str, File]) -> tuple[int, int]:
    """Return how equal two files are by content, and how equal their paths are."""
    content = 0 if one[2] != other[2] else 1 + (one[1] == other[1])
    same_path, same_name = one[0] == other[0] != "", name_of(one[0]) == name_of(other[0]) != ""
    return content, same_path + same_name


def equal_files(left: Project, right: Project) -> dict[int, int]:
    """Pair the files that are most alike, again and again."""
    rows = [(f, g) for f, g in product(range(len(left)), range(len(right))) if left[f][2] == right[g][2]]
    # Paths are told apart by content first; of equally alike files the first ones are paired.
    rows.sort(key=lambda row: [-part for part in alikeness(left[row[0]], right[row[1]])])
    return chosen(rows)


def chosen(rows: list[tuple[int, int]]) -> dict[int, int]:
    pairs: dict[int, int] = {}
    for f, g in rows:
        if f not in pairs and g not in pairs.values():
            pairs[f] = g
    return pairs


def partner_files(left: Project, right: Project, runs: list[Run]) -> dict[int, int]:
    """Return the partner of each left file: by path or name where they share enough, else by tokens."""
    tokens: Counter[tuple[int, int]] = Counter()
    for (f, _), (g, _), length in runs:
        tokens[f, g] += length
    capped = {(f, g): min(n, len(left[f][2]), len(right[g][2])) for (f, g), n in tokens.items()}

    def rank(pair: tuple[int, int]) -> int:
        most = max(n for (f, g), n in capped.items() if f == pair[0] or g == pair[1])
        return 0 if 2 * capped[pair] < most else alikeness(left[pair[0]], right[pair[1]])[1]

    return chosen(sorted(capped, key=lambda pair: (-rank(pair), -capped[pair], pair)))


def naive_tiles(left: Project, right: Project) -> list[Run]:
    taken: tuple[set[Place], set[Place]] = set(), set()
    tiles = [((f, 0), (g, 0), len(left[f][2])) for f, g in equal_files(left, right).items()]
    tiles = [tile for tile in tiles if tile[2] >= K]
    for tile in tiles:
        take(tile, taken)
    runs = runs_of([file for *_, file in left], [file for *_, file in right])
    long = [run for run in runs if run[2] >= LEAST]
    partners = partner_files(left, right, [run for run in long if free_parts(run, taken) == [run]])
    if min(len(left), len(right)) == 1:
        partners = {}
    for some, least in ((long, LEAST), (runs, K)):
        in_partners = [run for run in some if partners.get(run[0][0]) == run[1][0]]
        tiles += greedy(in_partners, least, taken)
        tiles += greedy(some, least, taken)
    return sorted(tiles)


def tiles_of(left: Project, right: Project, cohort: Cohort) -> list[Run]:
    return sorted(
        ((tile.left_file, tile.left_token), (tile.right_file - len(left), tile.right_token), tile.tokens)
        for tile in find_passages(cohort, 0, 1)
    )


MOVED = [("a", "x", [0, 1, 2, 0, 1, 2, 2, 1]), ("b", "x", [1, 0, 1, 2, 0, 1, 2])]


@given(projects, projects)
@example(MOVED, [("b", "x", MOVED[0][2]), ("a", "x", [1, 0, 1, 2, 0, 1, 1])])
@example(MOVED, [("b", "y", MOVED[0][2] + [0]), ("a", "y", [*MOVED[0][2], 1])])
def test_equal_files_come_first_then_files_of_one_name_then_files_that_share_most_then_all_others(
    left: Project, right: Project
) -> None:
    assert tiles_of(left, right, cohort_of(left, right)) == naive_tiles(left, right)


@given(projects, projects)
def test_runs_that_are_listed_make_the_tiles_that_the_index_makes(left: Project, right: Project) -> None:
    """A token of boilerplate beside all files takes the other way to the same tiles."""
    beside = [9, 9, 9]
    both = [[*side, ("", f"{number}", beside)] for number, side in enumerate((left, right))]
    arrays = [[np.array(file, dtype=np.uint64) for *_, file in side] for side in both]
    labels = FileLabels(
        [numbered_keys([(source, tuple(file)) for side in both for _, source, file in side])],
        [path for side in both for path, *_ in side],
    )
    cohort = Cohort.from_submissions(arrays, K, [np.array(beside, dtype=np.uint64)], labels=labels)
    expected = [tile for tile in naive_tiles(*both) if tile[0][0] < len(left)]
    assert tiles_of(both[0], both[1], cohort) == expected


@given(st.permutations(range(4)), projects, projects)
def test_a_file_that_both_have_is_one_passage_in_both_whatever_else_they_share(
    order: list[int], left: Project, right: Project
) -> None:
    shared = [("p/a", "x", [number, *[0, 1, 2] * 3, number]) for number in range(3, 7)]
    on_left, on_right = [*shared, *left], [*(shared[at] for at in order), *right]
    tiles = tiles_of(on_left, on_right, cohort_of(on_left, on_right))
    assert [tile for tile in tiles if tile[0][0] < 4] == [((at, 0), (order.index(at), 0), 11) for at in range(4)]


def test_of_files_that_differ_in_names_only_the_identical_ones_are_paired() -> None:
    for on_right, expected in (("xy", [(0, 0), (1, 1)]), ("yx", [(0, 1), (1, 0)])):
        left, right = ([("", source, [0, 1, 2, 0, 1]) for source in side] for side in ("xy", on_right))
        assert [(f, g) for (f, _), (g, _), _ in tiles_of(left, right, cohort_of(left, right))] == expected


columns = st.lists(st.lists(st.integers(0, 1), max_size=3).map(tuple), min_size=1, max_size=2).map(tuple)


@given(st.lists(columns, max_size=8))
def test_files_have_one_number_where_all_of_their_columns_are_equal(files: list[tuple[File, ...]]) -> None:
    numbers = number_equal([[np.array(one, dtype=np.uint64) for one in file] for file in files]).tolist()
    assert all((number < 0) == (files.count(file) == 1) for number, file in zip(numbers, files, strict=True))
    several = [(number, file) for number, file in zip(numbers, files, strict=True) if number >= 0]
    assert all((n == m) == (one == other) for (n, one), (m, other) in product(several, several))
