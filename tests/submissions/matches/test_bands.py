"""The bands of a ranking, and what is said of them."""

from bisect import bisect_left
from gettext import NullTranslations

import pytest
from django.utils import translation
from hypothesis import given, strategies as st

from submissions.matches.bands import Bands, MovedThreshold, OtherClasses, are_many, band_sentences, is_whole
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

SIMILARITIES = st.lists(st.integers(0, 1000).map(lambda n: n / 1000), max_size=40).map(sorted)


@pytest.mark.parametrize(
    ("bands", "similarities", "sentences"),
    [
        (
            Bands(0.45, 0.48),
            [0.1, 0.36, 0.49, 0.5, 0.7, 0.8, 1.0],
            "Ordinary up to 36%. Nobody between 36% and 49%. 5 pairs from 49% on stand out.",
        ),
        (
            Bands(0.4, 0.6),
            [0.2, 0.39, 0.401, 0.5, 0.6],
            "Ordinary up to 39%. 2 pairs of 40% to 50%: look at them. 1 pair of 60% stands out.",
        ),
        (
            Bands(0.4, 0.6),
            [0.2, 0.3],
            "Ordinary up to 30%. No pair is above that: read the best match of each student once.",
        ),
        (
            Bands(0.9, 0.95, alike=True),
            [0.7, 0.89, 0.905],
            "Programs of this task are too alike for a line. Ordinary up to 89%. 1 pair of 90%: look at it.",
        ),
        (
            Bands(0.06, 0.3, threshold=0.2),
            [0.061, 0.15, 0.2, 0.25],
            "4 pairs of 6% to 25%: look at them. 2 pairs to look at are below the threshold: read them last.",
        ),
        (
            Bands(0.06, 0.3, threshold=0.3),
            [0.061, 0.25],
            "2 pairs of 6% to 25% are below the threshold: read them last.",
        ),
        (
            Bands(0.1, 0.6),
            [0.05, 0.996, 1.0],
            "Ordinary up to 5%. Nobody between 5% and 99%. 2 pairs from 99% on stand out.",
        ),
        (
            Bands(0.1, 0.6),
            [0.05, 1.0, 1.0],
            "Ordinary up to 5%. Nobody between 5% and 100%. 2 pairs of 100% stand out.",
        ),
        (Bands(0.1, 0.6), [0.181, 0.184], "2 pairs of 18%: look at them."),
        (Bands(0.4, 0.6), [], ""),
    ],
)
def test_the_pairs_of_each_band_are_told(bands: Bands, similarities: list[float], sentences: str) -> None:
    assert band_sentences(bands, similarities, NullTranslations()) == sentences


def test_no_pair_is_above_is_not_said_beside_one_with_a_model_solution() -> None:
    said = band_sentences(Bands(0.4, 0.6), [0.2], NullTranslations(), apart=2)
    assert said == "Ordinary up to 20%. Not counted: 2 pairs of 40% or more with a model solution or of one student."


@pytest.mark.parametrize(
    ("language", "similarities", "said"),
    [
        ("de", [0.451, 0.5], "2 Paare mit 45 % bis 50 %: ansehen."),
        ("es", [0.451, 0.5], "2 pares del 45 % al 50 %: conviene mirarlos."),
        ("es", [0.181, 0.184], "2 pares del 18 %: conviene mirarlos."),
    ],
)
def test_both_ends_of_a_band_are_said_in_other_languages(language: str, similarities: list[float], said: str) -> None:
    with translation.override(language):
        assert band_sentences(Bands(0.1, 0.6), similarities, translation, " ") == said


@given(SIMILARITIES, st.floats(0.2, 0.9), st.floats(0, 0.5))
def test_what_is_said_of_the_bands_counts_every_pair_above_the_line(
    similarities: list[float], look: float, further: float
) -> None:
    bands = Bands(look, look + further)
    counts = [bands.band(one) for one in similarities]
    text = band_sentences(bands, similarities, NullTranslations())
    for band, end in (("look", "look at"), ("stands out", " stand")):
        number = counts.count(band)
        assert (f"{number} pair" in text and end in text) == (number > 0) or number == 0
    # Bands follow each other as similarities do.
    assert counts == sorted(counts, key=["ordinary", "look", "stands out"].index)
    assert ("Ordinary" in text) == (bisect_left(similarities, look) > 0)


@given(st.floats(0, 1), st.floats(0.2, 1), st.floats(0, 1), st.integers(0, 60))
def test_a_whole_copy_is_never_ordinary_wherever_the_line_is_but_a_tiny_program_is_no_whole_copy(
    similarity: float, look: float, share: float, tokens: int
) -> None:
    bands = Bands(look, max(look, 0.95))
    assert bands.band(similarity, whole=True) != "ordinary"
    expected = share >= 0.95 and tokens >= 30
    assert is_whole(tokens, share, 0) == is_whole(tokens, 0, share) == expected


@pytest.mark.parametrize(
    ("whole", "submissions", "many"), [(2, 3, False), (3, 4, False), (4, 7, True), (4, 8, False), (11, 20, True)]
)
def test_two_or_three_who_copied_are_not_many_in_a_small_class(whole: int, submissions: int, *, many: bool) -> None:
    assert are_many(whole, submissions) == many


def test_reports_of_an_earlier_version_have_bands_too() -> None:
    stored: dict[str, object] = {"value": 0.4, "reason": "no pair reaches 40%"}
    assert Bands.of(stored) == (0.4, 0.4, False, 0.4, False)
    stored |= {"look": 0.3, "stands_out": 0.5}
    assert Bands.of(stored) == (0.3, 0.5, False, 0.4, False)
    assert Bands.of(stored, chosen=0.6) == (0.6, 0.6, False, 0.0, False)


@pytest.mark.parametrize(
    ("changes", "stated"),
    [
        ((1, 0, 0, False, False), "1 submission added"),
        ((2, 1, 3, False, False), "2 submissions added, 1 submission removed, 3 handed in again"),
        ((0, 0, 0, True, False), "other boilerplate or statement of the task"),
        (
            (0, 2, 0, True, True),
            "2 submissions removed, other boilerplate or statement of the task, new rules of the score",
        ),
        ((0, 0, 0, False, False), "settings, or how files are read"),
    ],
)
def test_a_moved_threshold_names_its_changes(changes: tuple[int, int, int, bool, bool], stated: str) -> None:
    sentence = MovedThreshold(0.6449, *changes).sentence(NullTranslations())
    assert sentence == f"The ranking before suggested 64%. Changed since: {stated}."


@pytest.mark.parametrize(
    ("others", "stated"),
    [
        ((3, 2140, 0, 0.4187, 0), "In 2,140 pairs of 3 compared assignments none was above 41%."),
        (
            (1, 9, 2, 0.36, 0),
            ("In 9 pairs of 1 compared assignment none was above 36%. Left out: 2 found suspicious or confirmed."),
        ),
        ((2, 380, 0, 0.9, 5), "5 of 380 pairs of 2 compared assignments reach 45%."),
    ],
)
def test_pairs_of_other_classes_say_whether_they_reach_the_threshold(
    others: tuple[int, int, int, float, int], stated: str
) -> None:
    assert OtherClasses(*others, threshold=0.45).sentence(NullTranslations()) == stated


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
