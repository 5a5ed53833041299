"""The order of a cohort, the order of names, and the submissions that are never compared."""

import pytest
from hypothesis import given, strategies as st

from submissions.matches.groups import (
    STUDENT,
    HashedFile,
    Identity,
    Key,
    content_order,
    group_numbers,
    natural_key,
    student_key,
)

SUBMISSIONS = 4


files = st.lists(st.builds(HashedFile, st.integers(0, SUBMISSIONS - 1), st.sampled_from("abc"), st.sampled_from("xy")))


def contents(some: list[HashedFile]) -> list[list[str]]:
    """Return the digests of each submission, as its contents are compared."""
    return [sorted(one.digest for one in some if one.submission == number) for number in range(SUBMISSIONS)]


@given(files)
def test_submissions_follow_their_contents_and_equal_ones_keep_their_order(some: list[HashedFile]) -> None:
    order, _ = content_order(some, SUBMISSIONS)
    expected = sorted((content, number) for number, content in enumerate(contents(some)))
    assert order == [number for _, number in expected]


@given(files)
def test_files_follow_their_submissions_by_digest_and_path(some: list[HashedFile]) -> None:
    order, in_order = content_order(some, SUBMISSIONS)
    expected = sorted(range(len(some)), key=lambda at: (order.index(some[at].submission), *some[at][1:], at))
    assert in_order == expected


@given(files, st.permutations(range(SUBMISSIONS)))
def test_other_numbers_do_not_change_the_order(some: list[HashedFile], numbers: list[int]) -> None:
    others = [one._replace(submission=numbers[one.submission]) for one in some]
    before, after = (
        [contents(each)[number] for number in content_order(each, SUBMISSIONS).submissions] for each in (some, others)
    )
    assert before == after


def test_numbers_count_by_value_and_case_and_accents_do_not() -> None:
    names = ["HW10", "hw2", "HW1", "Émile", "Eva", "emil", "10", "9 lives", "Zoë", ""]
    expected = ["", "9 lives", "10", "emil", "Émile", "Eva", "HW1", "hw2", "HW10", "Zoë"]
    assert sorted(names, key=natural_key) == expected


NAMES = st.lists(st.text(max_size=20), max_size=20)


@given(NAMES.flatmap(lambda names: st.tuples(st.just(names), st.permutations(names))))
def test_any_names_have_one_order(both: tuple[list[str], list[str]]) -> None:
    names, others = both
    assert sorted(names, key=natural_key) == sorted(others, key=natural_key)


keys = st.lists(st.sets(st.sampled_from("abcd").map(lambda text: (STUDENT, text))), max_size=6)


@given(keys)
def test_submissions_have_a_common_number_where_they_have_a_key(key_sets: list[set[Key]]) -> None:
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
