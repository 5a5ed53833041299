"""Words that all names of a class begin or end with are no part of a name."""

import pytest
from hypothesis import given, strategies as st

from submissions.intake.layouts.places import without_common_parts


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["lab1 ada", "lab1 adrian", "lab1 alan"], ["ada", "adrian", "alan"]),
        (["Ada - fines.py", "Ben - fines.py", "Cleo - fines.py"], ["Ada", "Ben", "Cleo"]),
        (["hw 2 - ada - final", "hw 2 - ben - final", "hw 2 - cleo - final"], ["ada", "ben", "cleo"]),
        (["hw 1 ada.py", "hw 1 ben.py", "hw 1 cleo.py"], ["ada.py", "ben.py", "cleo.py"]),
    ],
)
def test_a_common_beginning_or_end_is_left_out(names: list[str], short: list[str]) -> None:
    assert list(without_common_parts(names).values()) == short


@pytest.mark.parametrize(
    "names",
    [
        ["ada.py", "ben.py", "cleo.py"],
        ["Ada Byron", "Bea Byron"],
        ["student-01", "student-02", "student-03"],
        ["case-01_L1.java", "case-01_L2.java", "case-01_original.java"],
        ["hw1_ada.py", "hw1_ben.py", "hw1_cleo.py"],
        ["lab1 -", "lab1 - ada", "lab1 - ben"],
        ["anna", "anne", "annika"],
        [],
    ],
)
def test_what_would_leave_no_name_stays(names: list[str]) -> None:
    assert without_common_parts(names) == {name: name for name in names}


@given(st.sets(st.text("ab -_1", min_size=1, max_size=8), max_size=6))
def test_names_remain_distinct_parts_of_what_they_were(names: set[str]) -> None:
    short = without_common_parts(names)
    assert len(set(short.values())) == len(names)
    assert all(rest and rest in name for name, rest in short.items())
