"""The table of pairs that `moss check` writes to a terminal."""

import re
from pathlib import Path
from random import Random

import pytest
from rich.cells import cell_len

from moss.commands.tables import HEADINGS, WIDTH, pairs_text
from submissions.matches.ranked_pairs import PairRow
from tests.moss.check.test_check import check, folder
from tests.support.programs import program


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


@pytest.fixture
def crowded(tmp_path: Path) -> Path:
    """Return a class with more pairs and more to be said of it than a terminal has rows."""
    names = [f"student-{n}-{'x' * 40}" for n in range(9)]
    programs = {f"{name}/main.py": program(Random(n)) for n, name in enumerate(names)}
    junk = {
        "a.png": b"\x89PNG\r\n\x1a\n",
        "b.class": b"\xca\xfe\xba\xbe",
        "c.zip": b"PK\3\4",
        "d.py": b"\0" * 9,
        "e.py": b"",
        "node_modules/a/b.js": b"x = 1",
        "package-lock.json": b"{}",
        "notes.txt": b"b",
    }
    broken = {f"{names[0]}/{name}": content for name, content in junk.items()}
    shared = {f"{name}/util.py": program(Random(50)) for name in names[:2]}
    long = {
        f"{name}/long{n}.py": program(Random(99 + 9 * n + at)) for at, name in enumerate(names[:2]) for n in range(9)
    }
    return folder(tmp_path / "class", {**programs, **broken, **shared, **long})


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (100, 24), (200, 24), (132, 50)])
def test_a_terminal_gets_the_answer_and_ten_pairs_on_one_screen(
    crowded: Path, monkeypatch: pytest.MonkeyPatch, columns: int, lines: int
) -> None:
    monkeypatch.setattr("moss.commands.check._is_screen", lambda: True)
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("LINES", str(lines))
    printed = check(crowded).output.splitlines()
    assert sum(max(-(-cell_len(line) // columns), 1) for line in printed) < lines
    assert printed[0] == "1 pair to read; 7 of 9 submissions are in none of them."
    table = [line for line in printed if re.match(r" *\d+  ", line)]
    assert [line.split()[0] for line in table] == [str(number) for number in range(1, 11)]
    assert max(map(cell_len, table)) <= columns
    assert "1 identical" in table[0]
    assert "26 more pairs: list them with --top N or --all." in printed
    assert (" more notes: -v.)" in printed[-1]) == (lines == 24)


@pytest.mark.slow
def test_a_terminal_lists_as_many_pairs_as_are_asked_for(crowded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moss.commands.check._is_screen", lambda: True)
    for options, number in ((["--top", "3"], 3), (["--all"], 36), (["-n", "30"], 30)):
        printed = check(crowded, *options, "-v").output.splitlines()
        assert sum(bool(re.match(r" *\d+  ", line)) for line in printed) == number
        assert f"{36 - number} more pairs" in "\n".join(printed) or number == 36
        assert printed[0].startswith("1 pair to read; ")
