"""The three lines with which a run of the tests ends."""

import pytest

from tests.support.summary import lines


def skipped(reason: str) -> pytest.TestReport:
    return pytest.TestReport(
        "tests/test_one.py::test_one",
        ("", 0, ""),
        {},
        "skipped",
        ("test_one.py", 1, f"Skipped: {reason}"),
        "call",
    )


def test_skipped_tests_are_counted_by_their_reason() -> None:
    first, _, _ = lines([skipped("no npm"), skipped("no npm"), skipped("no nginx")], "", 1)
    assert first == "Skipped: 2 (no npm); 1 (no nginx)"


def test_what_the_selection_leaves_out_is_named_with_its_target() -> None:
    _, second, _ = lines([], "not hostile and not long", 1)
    assert (
        second == "Not selected: make test-long runs the long tests; make test-hostile runs the hostile tests"
    )


def test_a_run_of_everything_says_so_and_how_long_it_took() -> None:
    assert lines([], "", 125.9) == ["Skipped: none", "Not selected: none", "Time: 2 min 5 s"]
