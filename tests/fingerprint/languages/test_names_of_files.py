"""Languages by the names of files, compared with trying every pattern in the order of the table."""

from fnmatch import fnmatchcase

from hypothesis import given, strategies as st

from fingerprint.languages.detection import _by_pattern, detect
from fingerprint.languages.language_table import LANGUAGES, OTHERS

ROWS = [(pattern, row.name) for row in (*LANGUAGES, *OTHERS) for pattern in row.file_patterns.split()]
PARTS = st.one_of(
    st.sampled_from([pattern.lstrip("*") for pattern, _ in ROWS]), st.text(".abCR*?[]", max_size=4)
)


def naive(name: str) -> str:
    """Return the language of the first pattern that matches."""
    return next(
        (
            language
            for pattern, language in ROWS
            if fnmatchcase(name, pattern) or fnmatchcase(name.lower(), pattern)
        ),
        "",
    )


@given(st.lists(PARTS, max_size=4).map("".join), st.booleans())
def test_the_first_pattern_that_matches_decides(name: str, upper: bool) -> None:  # noqa: FBT001 - by Hypothesis
    chosen = name.upper() if upper else name
    assert _by_pattern(chosen) == naive(chosen)


def test_every_pattern_of_the_table_is_a_whole_name_or_an_ending_after_a_dot() -> None:
    for pattern, _ in ROWS:
        assert not set("*?[") & set(pattern.removeprefix("*.")), pattern


def test_every_pattern_of_the_table_is_found() -> None:
    for pattern, _ in ROWS:
        name = pattern.replace("*", "exercise")
        assert _by_pattern(name) == naive(name) != "", pattern


def test_a_name_of_many_dots_is_read_to_its_end() -> None:
    assert detect("a.java.bak.py", "") == "python"
