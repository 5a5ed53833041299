"""Blocks: runs that small insertions separate are one block; what was moved is another one."""

from itertools import combinations, product
from random import Random

from hypothesis import given, strategies as st

from fingerprint.ranking.passages import MAX_GAP, Passage, group_passages, moved_blocks


def passage(left: int, right: int, tokens: int = 10, file: int = 0) -> Passage:
    return Passage(file, left, 9, right, tokens, 2)


@st.composite
def passages(draw: st.DrawFn) -> list[Passage]:
    """Draw passages that do not overlap, in any order on the right."""
    sizes = draw(st.lists(st.integers(1, 9), max_size=9))
    order = draw(st.permutations(range(len(sizes))))
    places = []
    for sequence in (range(len(sizes)), order):
        at, place = 0, {}
        for number in sequence:
            at += draw(st.integers(0, MAX_GAP + 5))
            place[number] = at
            at += sizes[number]
        places.append(place)
    files = sorted(draw(st.lists(st.integers(0, 1), min_size=len(sizes), max_size=len(sizes))))
    both = zip(files, sizes, strict=True)
    return [passage(places[0][n], places[1][n], size, file) for n, (file, size) in enumerate(both)]


def are_neighbours(one: Passage, two: Passage, others: list[Passage]) -> bool:
    steps = two.left_token - one.left_token, two.right_token - one.right_token
    if one.left_file != two.left_file or min(steps) <= 0:
        return False
    gaps = two.left_token - one.left_token - one.tokens, two.right_token - one.right_token - one.tokens
    between = [
        other
        for other in others
        if (other.left_file == one.left_file and one.left_token < other.left_token < two.left_token)
        or one.right_token < other.right_token < two.right_token
    ]
    return max(gaps) <= MAX_GAP and not between


@given(passages())
def test_a_block_has_the_passages_that_follow_each_other_on_both_sides(rows: list[Passage]) -> None:
    blocks = group_passages(rows)
    assert sorted(row for block in blocks for row in block) == sorted(rows)
    block_of = {row: number for number, block in enumerate(blocks) for row in block}
    joined = {row: {row} for row in rows}
    for one, two in product(rows, repeat=2):
        if are_neighbours(one, two, rows):
            for row in joined[one] | joined[two]:
                joined[row] = joined[one] | joined[two] | joined[row]
    for _ in rows:
        joined = {row: set().union(*(joined[other] for other in joined[row])) for row in rows}
    for one, two in product(rows, repeat=2):
        assert (block_of[one] == block_of[two]) == (two in joined[one])


@given(passages())
def test_the_order_of_the_passages_changes_nothing(rows: list[Passage]) -> None:
    assert group_passages(reversed(rows)) == group_passages(rows)


def test_a_copy_padded_with_statements_is_one_block() -> None:
    assert len(group_passages([passage(10 * at, 18 * at) for at in range(28)])) == 1


def test_a_function_that_was_moved_is_a_block_of_its_own() -> None:
    blocks = group_passages([passage(0, 0), passage(10, 30), passage(20, 10), passage(40, 50)])
    assert [[row.left_token for row in block] for block in blocks] == [[0], [10], [20], [40]]
    assert moved_blocks(blocks) == 1


def test_two_functions_that_changed_places_are_two_blocks_of_which_one_was_moved() -> None:
    blocks = group_passages([passage(0, 55, 50), passage(50, 0, 55)])
    assert [len(block) for block in blocks] == [1, 1]
    assert moved_blocks(blocks) == 1


def test_passages_of_two_files_are_in_two_blocks() -> None:
    assert len(group_passages([passage(0, 0), passage(0, 10, file=1)])) == 2


def test_what_was_rewritten_over_many_lines_separates_blocks() -> None:
    assert len(group_passages([passage(0, 0), passage(10, 10 + MAX_GAP + 1)])) == 2


@given(st.lists(st.integers(1, 9), max_size=7), st.randoms(use_true_random=False))
def test_moved_blocks_are_those_outside_the_longest_series_in_one_order(
    sizes: list[int], random: Random
) -> None:
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
    assert moved_blocks(blocks) == len(sizes) - len(best)


@given(st.permutations(range(5)), st.permutations(range(5)))
def test_files_in_another_order_are_not_moved_parts(files: list[int], others: list[int]) -> None:
    blocks = [[Passage(files[at], 0, others[at], 0, 30, 2)] for at in sorted(range(5), key=files.__getitem__)]
    assert moved_blocks(blocks) == 0


def test_a_part_that_went_to_another_file_was_moved() -> None:
    blocks = [[Passage(0, 0, 7, 0, 90, 2)], [Passage(0, 90, 8, 40, 30, 2)], [Passage(1, 0, 8, 0, 40, 2)]]
    assert moved_blocks(blocks) == 1


def test_nothing_shared_is_no_block() -> None:
    assert group_passages([]) == []
    assert moved_blocks([]) == 0
