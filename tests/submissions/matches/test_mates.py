"""Mates are submissions with a key in common; one student is known by ids, or by name without them."""

import pytest
from hypothesis import given, strategies as st

from submissions.matches.groups import STUDENT, Identity, Key, group_numbers, student_key

keys = st.lists(st.sets(st.sampled_from("abcd").map(lambda text: (STUDENT, text))), max_size=6)


@given(keys)
def test_two_submissions_have_a_number_in_common_where_they_have_a_key_in_common(
    key_sets: list[set[Key]],
) -> None:
    numbers = group_numbers(key_sets)
    for left in range(len(key_sets)):
        for right in range(left):
            assert bool(set(numbers[left]) & set(numbers[right])) == bool(key_sets[left] & key_sets[right])


@given(keys)
def test_a_key_of_one_submission_is_no_group(key_sets: list[set[Key]]) -> None:
    numbers = [number for each in group_numbers(key_sets) for number in each]
    assert all(numbers.count(number) > 1 for number in numbers)


@pytest.mark.parametrize(
    ("left", "right", "is_one"),
    [
        (("ada", "A1"), ("Ada Chen", "a1"), True),
        (("Ada  Chen", ""), ("ada chen", ""), True),
        (("Ada", "1"), ("Ada", "2"), False),
        (("Ada", "1"), ("Ada", ""), False),
    ],
)
def test_a_student_is_known_by_the_id_or_else_by_the_name(
    left: tuple[str, str], right: tuple[str, str], *, is_one: bool
) -> None:
    assert (student_key(*left) == student_key(*right)) == is_one


@pytest.mark.parametrize(
    ("ids", "names", "is_one"),
    [(["A1"], ["Eve"], True), (["2"], ["Ada"], False), ([], ["ada"], True), ([""], ["Ada"], True)],
)
def test_an_equal_name_is_one_student_only_where_the_ids_do_not_differ(
    ids: list[str], names: list[str], *, is_one: bool
) -> None:
    assert Identity.of(["a1"], ["Ada"]).is_student_of(Identity.of(ids, names)) == is_one
