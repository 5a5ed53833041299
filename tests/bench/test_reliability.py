from pathlib import Path

import pytest

from bench.reliability import draw, points, table
from bench.threshold import SetFigures


def figures(name: str, expected: float, true: int) -> SetFigures:
    """Return the figures of a set that states one in 100 of some pairs, and nothing rarer."""
    of_set = SetFigures(name)
    of_set.expected[100], of_set.true[100] = expected, true
    return of_set


def test_a_true_statement_lies_on_the_diagonal_and_pairs_of_all_sets_count_the_same() -> None:
    (point,) = points([figures("a", 10, 10)])
    assert point.stated == point.true == 0.01
    (both,) = points([figures("a", 10, 10), figures("b", 30, 70)])
    assert both.true == pytest.approx(0.02)


@pytest.mark.slow
def test_what_no_set_states_has_no_point(tmp_path: Path) -> None:
    sets = [figures("a", 10, 20)]
    assert [round(one.stated, 4) for one in points(sets)] == [0.01]
    assert "2.00%" in table(sets)
    draw(sets, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
