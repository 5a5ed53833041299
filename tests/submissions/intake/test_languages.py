"""The files of a submission that are compared, and their languages."""

import pytest
from hypothesis import given, strategies as st

from submissions.intake.file_languages import NO_PROGRAM, reading_languages

LANGUAGES = st.sampled_from(["java", "python", "c", "cpp", "text", "json", "xml", "notebook", "make"])


@pytest.mark.parametrize(
    ("detected", "wanted", "expected"),
    [
        (["java", "text", "xml"], "", ["java", "", ""]),
        (["java", "python"], "", ["java", "python"]),
        (["text", "text"], "", ["text", "text"]),
        (["text", "json"], "", ["text", "json"]),
        (["java", "text"], "java", ["java", ""]),
        (["java", "python"], "java", ["java", ""]),
        (["text", "text"], "java", ["java", "java"]),
        (["c", "cpp", "make"], "cpp", ["cpp", "cpp", ""]),
        (["notebook", "python", "text"], "python", ["notebook", "python", ""]),
        ([], "java", []),
    ],
)
def test_programs_in_the_language_of_the_assignment_count(
    detected: list[str], wanted: str, expected: list[str]
) -> None:
    assert reading_languages(detected, wanted) == expected


@given(st.lists(LANGUAGES, max_size=6), st.sampled_from(["", "java", "python", "c", "cpp"]))
def test_something_of_each_submission_counts(detected: list[str], wanted: str) -> None:
    read = reading_languages(detected, wanted)
    assert len(read) == len(detected)
    assert any(read) or not detected
    if not wanted and set(detected) - NO_PROGRAM:
        assert not NO_PROGRAM & set(read)
