"""The table of pairs that `moss check` writes to a terminal."""

import pytest
from rich.cells import cell_len

from moss.commands.tables import HEADINGS, WIDTH, pairs_text
from submissions.matches.ranked_pairs import PairRow


@pytest.fixture(autouse=True)
def _narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def row(left: str, right: str, similarity: float = 0.5) -> PairRow:
    return PairRow(
        left=left,
        right=right,
        similarity=similarity,
        left_share=similarity,
        right_share=similarity,
        tokens=120,
        lines=12,
        longest=60,
        mark="",
        left_without_common=similarity,
        right_without_common=similarity,
    )


def test_names_that_do_not_fit_are_cut_and_no_figure_is() -> None:
    head, *lines = pairs_text([row("student-" * 20, "学生" * 30), row("ada", "b" * 200)])
    assert {cell_len(line.rstrip("\n")) for line in lines} == {WIDTH}
    assert head.split() == [*filter(None, " ".join(HEADINGS).split())]
    for line in lines:
        assert line.split()[-6:] == ["50%", "50%", "50%", "120", "12", "60"]
        assert "\u2026" in line


def test_a_short_name_leaves_its_room_to_the_long_one() -> None:
    _, line = pairs_text([row("ada", "b" * 200)])
    assert "ada   bbbb" in line
    assert cell_len(line.rstrip("\n")) == WIDTH


def test_columns_stay_below_each_other_beside_wide_characters() -> None:
    lines = list(pairs_text([row("学生", "ada", 1.0), row("grace", "barbara", 0.05)]))
    ends = {cell_len(line[: line.rindex("60")]) for line in lines[1:]}
    assert len(ends) == 1


@pytest.mark.long
def test_lines_are_written_one_after_the_other_however_many_there_are() -> None:
    lines = pairs_text(row("ada", "ben") for _ in range(50_000))
    assert sum(1 for _ in lines) == 50_001


def test_no_pair_is_said_in_words() -> None:
    assert list(pairs_text([])) == ["No two submissions share anything.\n"]
