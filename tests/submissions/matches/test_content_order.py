"""The order of a cohort does not depend on names or numbers, where the contents differ."""

from hypothesis import given, strategies as st

from submissions.matches.groups import HashedFile, content_order

SUBMISSIONS = 4
files = st.lists(
    st.builds(HashedFile, st.integers(0, SUBMISSIONS - 1), st.sampled_from("abc"), st.sampled_from("xy"))
)


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
def test_other_numbers_of_the_submissions_do_not_change_the_order_of_the_contents(
    some: list[HashedFile], numbers: list[int]
) -> None:
    others = [one._replace(submission=numbers[one.submission]) for one in some]
    before, after = (
        [contents(each)[number] for number in content_order(each, SUBMISSIONS).submissions]
        for each in (some, others)
    )
    assert before == after
