import pytest

from tests.support.unselected import is_left_out

FAST = "not services and not slow and not long and not hostile"
ALL_MARKS = "pytestmark = [\n    pytest.mark.long,\n    pytest.mark.timeout(900),\n]\n"


@pytest.mark.parametrize(
    ("text", "selection"),
    [
        ("import pytest\n\npytestmark = pytest.mark.slow\n", FAST),
        ("pytestmark = pytest.mark.django_db(transaction=True)\n", FAST),
        ("pytestmark = [pytest.mark.timeout(9), pytest.mark.services]\n", FAST),
        ('pytestmark = pytest.mark.usefixtures("empty_queues", "eager_tasks")\n', FAST),
        (ALL_MARKS, FAST),
        (ALL_MARKS, "not hostile and not long"),
    ],
)
def test_a_file_whose_tests_all_have_a_mark_that_is_left_out_is_not_imported(
    text: str, selection: str
) -> None:
    assert is_left_out(text, selection)


@pytest.mark.parametrize(
    ("text", "selection"),
    [
        ("@pytest.mark.slow\ndef test_one() -> None: ...\n", FAST),
        ("    pytestmark = pytest.mark.slow\n", FAST),
        ('pytestmark = pytest.mark.usefixtures("eager_tasks")\n\n@pytest.mark.slow\n', FAST),
        ("pytestmark = pytest.mark.slow\n", "not long and not hostile"),
        ("pytestmark = pytest.mark.slow\n", "not (slow and services)"),
        ("pytestmark = pytest.mark.slow\n", "slow"),
        ("pytestmark = pytest.mark.slow\n", "not slow or long"),
        ("pytestmark = pytest.mark.slow\n", ""),
    ],
)
def test_any_other_file_is(text: str, selection: str) -> None:
    assert not is_left_out(text, selection)
