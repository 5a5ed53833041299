"""A run of the tests: its order by a seed, its last lines, and what it did not select."""

from itertools import groupby

import pytest

from tests.support.shuffled import shuffled
from tests.support.summary import lines
from tests.support.unselected import is_left_out

NAMES = [f"tests/test_{file}.py::test_{number}" for file in "abcdef" for number in range(6)]


def files(names: list[str]) -> list[str]:
    return [file for file, _ in groupby(name.partition("::")[0] for name in names)]


def test_each_seed_has_an_order_of_its_own_which_it_keeps() -> None:
    orders = [shuffled(NAMES, str(seed)) for seed in range(5)]
    assert len({tuple(order) for order in orders}) == 5
    assert all(sorted(order) == sorted(NAMES) for order in orders)
    assert shuffled(reversed(NAMES), "3") == orders[3]


def test_the_tests_of_a_file_stay_together_in_another_order() -> None:
    order = shuffled(NAMES, "1")
    assert sorted(files(order)) == files(NAMES)
    assert files(order) != files(NAMES)
    assert [name for name in order if "test_a.py" in name] != NAMES[:6]


def skipped(reason: str) -> pytest.TestReport:
    return pytest.TestReport(
        "tests/test_one.py::test_one",
        ("", 0, ""),
        {},
        "skipped",
        ("test_one.py", 1, f"Skipped: {reason}"),
        "call",
    )


FAST = "not services and not slow and not long and not hostile"


ALL_MARKS = "pytestmark = [\n    pytest.mark.long,\n    pytest.mark.timeout(900),\n]\n"


@pytest.mark.parametrize(
    ("text", "selection", "left_out"),
    [
        ("import pytest\n\npytestmark = pytest.mark.slow\n", FAST, True),
        ("pytestmark = pytest.mark.django_db(transaction=True)\n", FAST, True),
        ("pytestmark = [pytest.mark.timeout(9), pytest.mark.services]\n", FAST, True),
        ('pytestmark = pytest.mark.usefixtures("empty_queues", "eager_tasks")\n', FAST, True),
        (ALL_MARKS, FAST, True),
        (ALL_MARKS, "not hostile and not long", True),
        ("@pytest.mark.slow\ndef test_one() -> None: ...\n", FAST, False),
        ("    pytestmark = pytest.mark.slow\n", FAST, False),
        ('pytestmark = pytest.mark.usefixtures("eager_tasks")\n\n@pytest.mark.slow\n', FAST, False),
        ("pytestmark = pytest.mark.slow\n", "not long and not hostile", False),
        ("pytestmark = pytest.mark.slow\n", "not (slow and services)", False),
        ("pytestmark = pytest.mark.slow\n", "slow", False),
        ("pytestmark = pytest.mark.slow\n", "not slow or long", False),
        ("pytestmark = pytest.mark.slow\n", "", False),
    ],
)
def test_only_a_file_whose_tests_all_have_a_mark_that_is_left_out_is_not_imported(
    *, text: str, selection: str, left_out: bool
) -> None:
    assert is_left_out(text, selection) == left_out


def test_the_last_lines_count_skipped_tests_and_name_what_was_left_out_and_how_long_it_took() -> None:
    assert lines([], "", 125.9) == ["Skipped: none", "Not selected: none", "Time: 2 min 5 s"]
    reports = [skipped("no npm"), skipped("no npm"), skipped("no nginx")]
    assert lines(reports, "not hostile and not long", 1)[:2] == [
        "Skipped: 2 (no npm); 1 (no nginx)",
        "Not selected: make test-long runs the long tests; make test-hostile runs the hostile tests",
    ]
