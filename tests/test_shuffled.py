"""`pytest --shuffle SEED` runs the tests in another order."""

from itertools import groupby

from tests.support.shuffled import shuffled

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
