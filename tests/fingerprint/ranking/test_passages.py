"""Passages: where they begin and end, and the blocks that they make."""

import heapq
import time
from itertools import accumulate, combinations, pairwise, product
from random import Random

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from fingerprint.engine import front_end, token_lines
from fingerprint.kernels.types import Ids
from fingerprint.ranking.alignment import lines_of, trim_to_lines
from fingerprint.ranking.cohort import Cohort
from fingerprint.ranking.passages import LEAST_MOVED_TOKENS, MAX_GAP, Passage, group_passages, moved_blocks
from fingerprint.ranking.tiling import pop_piece, push_piece
from fingerprint.winnowing import Params
from tests.fingerprint import naive
from tests.fingerprint.ranking.naive_passages import passages_of


def passage(left: int, right: int, tokens: int = 10, file: int = 0) -> Passage:
    return Passage(file, left, 9, right, tokens, 2)


@st.composite
def passages(draw: st.DrawFn) -> list[Passage]:
    """Draw passages that do not overlap, in any order on the right."""
    sizes = draw(st.lists(st.integers(1, 9) | st.integers(15, 90), max_size=7))
    order = draw(st.permutations(range(len(sizes))))
    places = []
    for sequence in (range(len(sizes)), order):
        at, place = 0, {}
        for number in sequence:
            at += draw(st.integers(0, 2 * MAX_GAP))
            place[number] = at
            at += sizes[number]
        places.append(place)
    files = sorted(draw(st.lists(st.integers(0, 1), min_size=len(sizes), max_size=len(sizes))))
    both = zip(files, sizes, strict=True)
    return [passage(places[0][n], places[1][n], size, file) for n, (file, size) in enumerate(both)]


Part = tuple[Passage, ...]


def size(part: Part) -> int:
    return sum(row.tokens for row in part)


def are_near(one: Part, two: Part) -> bool:
    before, after = one[-1], two[0]
    gaps = after.left_token - before.left_token - before.tokens, after.right_token - before.right_token - before.tokens
    in_order = before.left_token < after.left_token and before.right_token < after.right_token
    same_files = (before.left_file, before.right_file) == (after.left_file, after.right_file)
    return same_files and in_order and max(gaps) <= max(MAX_GAP, min(size(one), size(two)))


def begins_between(one: Part, two: Part, other: Part) -> bool:
    (before, after), row = (one[-1], two[0]), other[0]
    on_left = row.left_file == before.left_file and before.left_token < row.left_token < after.left_token
    return on_left or (row.right_file == before.right_file and before.right_token < row.right_token < after.right_token)


def joined(parts: list[Part], others: list[Part]) -> list[Part]:
    """Join any two parts that are near each other without one of the others between, until there are none."""
    for one, two in product(parts, repeat=2):
        if are_near(one, two) and not any(begins_between(one, two, other) for other in others):
            return joined([part for part in parts if part not in (one, two)] + [one + two], others)
    return parts


def heaviest(parts: list[Part]) -> list[tuple[Part, ...]]:
    """Return all series of parts of two files, in one order on both sides, with most tokens and then parts."""
    series = [
        chosen
        for count in range(1, len(parts) + 1)
        for chosen in combinations(sorted(parts), count)
        if all(one[0].right_token < two[0].right_token for one, two in pairwise(chosen))
    ]
    most = max((sum(map(size, chosen)), len(chosen)) for chosen in series)
    return [chosen for chosen in series if (sum(map(size, chosen)), len(chosen)) == most]


@given(passages())
def test_blocks_are_joined_until_no_two_are_near_and_short_strays_divide_none(rows: list[Passage]) -> None:
    singles: list[Part] = [(row,) for row in rows]
    parts = joined(singles, singles)
    large = [part for part in parts if size(part) >= LEAST_MOVED_TOKENS]
    expected = []
    for file in {row.left_file for row in rows}:
        of_files = [part for part in parts if part[0].left_file == file]
        ways = [
            {*joined(list(chosen), large), *(part for part in of_files if part not in chosen)}
            for chosen in heaviest(of_files)
        ]
        expected.append(ways)
    blocks = {tuple(block) for block in group_passages(rows)}
    assert blocks in [set[Part]().union(*ways) for ways in product(*expected)]


@given(passages())
def test_the_order_of_the_passages_changes_nothing(rows: list[Passage]) -> None:
    assert group_passages(reversed(rows)) == group_passages(rows)


def test_a_copy_padded_with_statements_is_one_block() -> None:
    assert len(group_passages([passage(10 * at, 18 * at) for at in range(28)])) == 1


def test_blocks_of_many_passages_are_joined_in_little_time() -> None:
    started = time.process_time()
    assert len(group_passages([passage(95 * at, 95 * at, 50) for at in range(12_000)])) == 1
    assert time.process_time() - started < 2


def test_a_function_that_was_moved_is_a_block_of_its_own() -> None:
    blocks = group_passages([passage(0, 0), passage(10, 60, 25), passage(35, 10, 50), passage(90, 90)])
    assert [[row.left_token for row in block] for block in blocks] == [[0], [10], [35], [90]]
    assert len(moved_blocks(blocks)) == 1


def test_a_short_run_that_belongs_elsewhere_divides_no_block() -> None:
    blocks = group_passages([passage(0, 0), passage(10, 400, 9), passage(20, 10), passage(40, 50)])
    assert [[row.left_token for row in block] for block in blocks] == [[0, 20, 40], [10]]


def test_a_long_insertion_between_longer_parts_interrupts_one_block() -> None:
    assert len(group_passages([passage(0, 0, 100), passage(190, 100, 95)])) == 1
    assert len(group_passages([passage(0, 0, 100), passage(190, 100, 89)])) == 2


def test_two_functions_that_changed_places_are_two_blocks_of_which_one_was_moved() -> None:
    blocks = group_passages([passage(0, 55, 50), passage(50, 0, 55)])
    assert [len(block) for block in blocks] == [1, 1]
    assert len(moved_blocks(blocks)) == 1


def test_passages_of_two_files_are_in_two_blocks() -> None:
    assert len(group_passages([passage(0, 0), passage(0, 10, file=1)])) == 2


def test_what_was_rewritten_over_many_lines_separates_blocks() -> None:
    assert len(group_passages([passage(0, 0), passage(10, 10 + MAX_GAP + 1)])) == 2


@given(st.lists(st.integers(1, 9), max_size=7), st.randoms(use_true_random=False))
def test_moved_blocks_are_those_outside_the_longest_series_in_one_order(sizes: list[int], random: Random) -> None:
    order = list(range(len(sizes)))
    random.shuffle(order)
    places = enumerate(zip(order, sizes, strict=True))
    blocks = [[passage(99 * at, 99 * place, size)] for at, (place, size) in places]
    series = [
        chosen
        for count in range(len(sizes) + 1)
        for chosen in combinations(range(len(sizes)), count)
        if sorted(chosen, key=order.__getitem__) == list(chosen)
    ]
    best = max(series, key=lambda chosen: (sum(sizes[at] for at in chosen), len(chosen)))
    assert len(moved_blocks(blocks)) == len(sizes) - len(best)


@given(st.permutations(range(5)), st.permutations(range(5)))
def test_files_in_another_order_are_not_moved_parts(files: list[int], others: list[int]) -> None:
    blocks = [[Passage(files[at], 0, others[at], 0, 30, 2)] for at in sorted(range(5), key=files.__getitem__)]
    assert len(moved_blocks(blocks)) == 0


def test_a_part_that_went_to_another_file_was_moved() -> None:
    blocks = [[Passage(0, 0, 7, 0, 90, 2)], [Passage(0, 90, 8, 40, 30, 2)], [Passage(1, 0, 8, 0, 40, 2)]]
    assert len(moved_blocks(blocks)) == 1


def test_a_file_that_took_a_part_of_another_one_still_has_its_own_partner() -> None:
    blocks = [[Passage(0, 0, 7, 0, 100, 2)], [Passage(0, 99, 8, 0, 50, 2)], [Passage(1, 0, 8, 60, 40, 2)]]
    assert len(moved_blocks(blocks)) == 1


def test_nothing_shared_is_no_block() -> None:
    assert group_passages([]) == []
    assert moved_blocks([]) == []


K = 3


line_sizes = st.lists(st.integers(1, 6), min_size=1, max_size=8)


def cohort_of(sides: list[list[int]]) -> Cohort:
    """Return two submissions of one kind of token, with lines of these sizes."""
    kinds = [[np.ones(sum(sizes), dtype=np.uint64)] for sizes in sides]
    lines = [np.repeat(np.arange(len(sizes)), sizes).astype(np.int32) for sizes in sides]
    return Cohort.from_submissions(kinds, K, lines=lines)


def without(lines: tuple[Ids, Ids, Ids], ignored: list[bool]) -> tuple[Ids, Ids, Ids]:
    """Return the lines of a submission of which these tokens are ignored."""
    return lines[0], lines[1], np.cumsum([0, *ignored], dtype=np.int32)


@given(line_sizes, line_sizes, st.data())
@example([3, 3, 5], [3, 3, 4], None)
def test_a_small_part_of_a_line_is_cut_off(left: list[int], right: list[int], data: st.DataObject | None) -> None:
    sizes = sum(left), sum(right)
    length = data.draw(st.integers(1, min(sizes))) if data else 7
    a, b = (data.draw(st.integers(0, size - length)) if data else 0 for size in sizes)
    both = [data.draw(st.lists(st.booleans(), min_size=n, max_size=n)) if data else [False] * n for n in sizes]
    cohort = cohort_of([left, right])
    lines = list(map(without, lines_of(cohort.submission(0), cohort.submission(1)), both))
    expected = naive.trim_to_lines(left, right, (a, b, length), K, (both[0], both[1]))
    assert trim_to_lines((lines[0], lines[1]), (a, b, length), K) == expected


@given(line_sizes, line_sizes, st.data())
def test_a_line_whose_other_tokens_are_all_ignored_is_never_cut_off(
    left: list[int], right: list[int], data: st.DataObject
) -> None:
    sizes = sum(left), sum(right)
    length = data.draw(st.integers(1, min(sizes)))
    firsts = [data.draw(st.integers(0, size - length)) for size in sizes]
    both = [[not first <= at < first + length for at in range(n)] for first, n in zip(firsts, sizes, strict=True)]
    cohort = cohort_of([left, right])
    lines = list(map(without, lines_of(cohort.submission(0), cohort.submission(1)), both))
    run = firsts[0], firsts[1], length
    assert trim_to_lines((lines[0], lines[1]), run, K) == run


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), line_sizes, st.data())
def test_equal_programs_share_all_that_counts(program: list[int], sizes: list[int], data: st.DataObject) -> None:
    pieces = st.builds(lambda first, size: program[first : first + size], st.integers(0, 60), st.integers(0, 30))
    handed_out, common = data.draw(pieces), data.draw(pieces)
    submissions = [program, program, common, [*common, 10], [*common, 11]]
    kinds = [[np.array(one, dtype=np.uint64)] for one in submissions]
    lines = [np.resize(np.repeat(np.arange(len(sizes)), sizes), len(one)).astype(np.int32) for one in submissions]
    lines = [np.cumsum(np.diff(one, prepend=0) != 0, dtype=np.int32) for one in lines]
    cohort = Cohort.from_submissions(kinds, K, [np.array(handed_out, dtype=np.uint64)], 2, lines=lines)
    counted = np.flatnonzero(~cohort.tokens.ignored[: len(program)])
    if len(counted) and counted[-1] - counted[0] + 1 >= K:
        covered = {
            at
            for one in passages_of(cohort, 0, 1)
            if not one.common
            for at in range(one.left_token, one.left_token + one.tokens)
        }
        assert {*counted.tolist()} <= covered


@given(line_sizes, line_sizes, st.data())
def test_what_remains_ends_where_most_of_both_lines_is_equal(
    left: list[int], right: list[int], data: st.DataObject
) -> None:
    length = data.draw(st.integers(K, max(K, min(sum(left), sum(right)))))
    if length > min(sum(left), sum(right)):
        return
    cohort = cohort_of([left, right])
    trimmed = trim_to_lines(lines_of(cohort.submission(0), cohort.submission(1)), (0, 0, length), K)
    if trimmed != (0, 0, length):
        a, b, n = trimmed
        for first, line_lengths in ((a, left), (b, right)):
            starts = [0, *accumulate(line_lengths)]
            for token in (first, first + n - 1):
                line = max(at for at, start in enumerate(starts) if start <= token)
                inside = min(first + n, starts[line + 1]) - max(first, starts[line])
                assert 3 * inside > 2 * line_lengths[line]


def shared_text(language: str, left: str, right: str) -> list[tuple[str, str]]:
    """Return the text of every passage on both sides."""
    front = front_end(language)
    streams = [front.scan(source).tokens for source in (left, right)]
    lines = [token_lines(source, stream) for source, stream in zip((left, right), streams, strict=True)]
    cohort = Cohort.from_submissions([[stream.kinds] for stream in streams], Params().k, lines=lines)
    both = [
        [
            source[int(stream.starts[first]) : int(stream.ends[first + passage.tokens - 1])]
            for source, stream, first in zip(
                (left, right), streams, (passage.left_token, passage.right_token), strict=True
            )
        ]
        for passage in passages_of(cohort, 0, 1)
    ]
    return [(left_text, right_text) for left_text, right_text in both]


JAVA = """int total = 0;
for (int i = 0; i < marks.length; i++) {
    total += marks[i] * weights[i];
}
System.out.println("the total is " + total);
"""


PYTHON = """for mark, weight in zip(marks, weights):
    if weight > limit:
        total += mark * weight - 1
average = total / len(marks) - 3
"""


C = """int total = 0, i;
for (i = 0; i < count; i++) {
    total += marks[i] * weights[i];
}
printf("%d", total);
"""


@pytest.mark.parametrize(
    ("language", "source", "statement", "inserted", "last"),
    [
        ("java", JAVA, "System.out.println", "trace(total);\n", "}"),
        ("java", JAVA, "System.out.println", "Logger log;\n", "}"),
        ("python", PYTHON, "average", "debug = total\n", "total += mark * weight - 1"),
        ("python", PYTHON, "average", "log(total, marks)\n", "total += mark * weight - 1"),
        ("c", C, "printf", "fflush(out);\n", "}"),
    ],
)
def test_a_passage_ends_before_an_inserted_statement(
    language: str, source: str, statement: str, inserted: str, last: str
) -> None:
    copy = source.replace(statement, inserted + statement)
    left, right = shared_text(language, source, copy)[0]
    assert left.rstrip(" )").endswith(last)
    assert right.rstrip(" )").endswith(last)


def test_a_passage_keeps_the_larger_part_of_a_changed_line() -> None:
    changed = PYTHON.replace("- 3", "- offset")
    (left, right), *_ = shared_text("python", PYTHON, changed)
    assert left.endswith("average = total / len(marks) -")
    assert right == left


def test_a_run_that_lies_within_two_lines_stays_whole() -> None:
    same = "alpha = beta + [1, gamma] * delta"
    passages = shared_text("python", f"x -= y ** 2 or {same}", f"return not {same} // 4 % 7 // 3 % 2 % 4")
    assert [left for left, _ in passages] == [same]


# A piece to add, or None to remove the first one.
STEPS = st.lists(st.none() | st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=200)


@given(steps=STEPS)
def test_pieces_are_removed_by_length_then_by_place(steps: list[tuple[int, int] | None]) -> None:
    naive: list[tuple[int, int]] = []
    pieces = np.empty((len(steps), 2), dtype=np.int64)
    for step in steps:
        if step:
            push_piece(pieces, len(naive), *step)
            heapq.heappush(naive, (-step[0], step[1]))
        elif naive:
            length, place = heapq.heappop(naive)
            assert pieces[0].tolist() == [-length, place]
            assert pop_piece(pieces, len(naive) + 1) == place


def test_many_pieces_are_removed_by_length() -> None:
    pieces = np.empty((1000, 2), dtype=np.int64)
    for count in range(1000):
        push_piece(pieces, count, count % 7, count)
    lengths = []
    for count in range(1000, 0, -1):
        lengths.append(int(pieces[0, 0]))
        pop_piece(pieces, count)
    assert lengths == sorted(lengths, reverse=True)
