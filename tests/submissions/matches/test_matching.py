"""Texts of two sequences that match, against every choice that there is."""

from itertools import combinations

from hypothesis import given, strategies as st

from submissions.matches.differences import MAX_ALIGNED, matching_runs

TEXTS = st.lists(st.sampled_from(["a", "bb", "c", "dddd"]), max_size=6)


def matched(left: list[str], right: list[str]) -> list[tuple[int, int]]:
    return [(at + n, other + n) for at, other, size in matching_runs(left, right) for n in range(size)]


def most_characters(left: list[str], right: list[str]) -> int:
    """Return the most characters that one choice of texts in order has on both sides."""
    choices = [
        {tuple(chosen) for count in range(len(side) + 1) for chosen in combinations(side, count)}
        for side in (left, right)
    ]
    return max(len("".join(chosen)) for chosen in choices[0] & choices[1])


@given(TEXTS, TEXTS)
def test_what_matches_is_equal_in_order_and_has_the_most_characters(
    left: list[str], right: list[str]
) -> None:
    pairs = matched(left, right)
    assert all(left[at] == right[other] for at, other in pairs)
    assert all(first[0] < after[0] and first[1] < after[1] for first, after in combinations(pairs, 2))
    assert sum(len(left[at]) for at, _ in pairs) == most_characters(left, right)


@given(TEXTS, TEXTS, st.integers(0, 6), st.integers(0, 6))
def test_neither_exchanged_sides_nor_texts_of_one_side_only_change_what_matches(
    left: list[str], right: list[str], at: int, other: int
) -> None:
    pairs = [(left[here], right[theirs]) for here, theirs in matched(left, right)]
    assert sorted(matched(right, left)) == sorted((theirs, here) for here, theirs in matched(left, right))
    longer, other_longer = (
        [*left[:at], "only left", *left[at:]],
        [*right[:other], "only right", *right[other:]],
    )
    assert [(longer[here], other_longer[theirs]) for here, theirs in matched(longer, other_longer)] == pairs


def test_too_many_texts_match_nothing() -> None:
    side = 1 + int(MAX_ALIGNED**0.5)
    assert matching_runs(["a"] * side, ["a"] * side) == []
    assert matching_runs(["a"] * (side - 1), ["a"] * (side - 1)) == [(0, 0, side - 1)]
