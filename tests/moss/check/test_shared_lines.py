"""Lines that most of a class share are said, by numbers that a naive count of the texts confirms."""

import json
import re
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as st

from submissions.matches import source_html
from submissions.matches.source_html import cell_lines
from tests.moss.check.test_check import check, folder
from tests.support.html import Page
from tests.support.notebooks import notebook_of


def expression(random: Random, depth: int) -> str:
    """Return an expression; its brackets and words differ from those of nearly all others."""
    if depth == 0:
        return f"v{random.randrange(10**6)}"
    one, other, third = (expression(random, random.randrange(depth)) for _ in range(3))
    forms = (
        f"{one}({other}, {third})", f"{one}[{other}]", f"[{one}, {other}]", f"{{{one}: {other}}}",
        f"({one} if {other} else {third})", f"(not {one})", f"(lambda: {other})", f"{one}.v({other})",
        f"({one} and {other})", f"({one} in {other})", f"[{one} for v in {other}]", f"({one} - {other})",
    )  # fmt: skip
    return random.choice(forms)


def statements(random: Random, count: int) -> list[str]:
    """Return lines of code that no other call returns."""
    lines = [f"result = {expression(random, 5)}" for _ in range(20 * count)]
    return [line for line in lines if 40 < len(line) < 200][:count]


def class_with(seed: int, students: int, sharers: int, pieces: list[int]) -> dict[str, str]:
    """Return a class in which `sharers` have the same pieces of so many lines between their own lines."""
    random = Random(seed)
    same = [statements(random, lines) for lines in pieces]
    files = {}
    for number in range(students):
        lines = statements(random, random.randrange(25, 40))
        for piece in same if number < sharers else []:
            lines += [*piece, *statements(random, random.randrange(6, 15))]
        files[f"student{number}/main.py"] = "\n".join(lines) + "\n"
    return files


def shared(path: Path, files: dict[str, str]) -> tuple[dict[str, Any] | None, str]:
    result = check(folder(path, files), "--format", "json", "--show", "1")
    assert result.exit_code == 0
    return json.loads(result.stdout)["shared_lines"], result.stderr


def counted(said: dict[str, Any], files: dict[str, str]) -> tuple[int, int]:
    """Return how many files have all lines of the places, and how many lines these are."""
    lines = [
        line
        for place in said["places"]
        for line in files[place["file"]].splitlines()[place["first_line"] - 1 : place["last_line"]]
    ]
    return sum(set(lines) <= set(text.splitlines()) for text in files.values()), len(lines)


@pytest.mark.parametrize(
    ("students", "sharers", "pieces"),
    [(20, 14, [79]), (20, 20, [12]), (21, 11, [30, 25]), (40, 25, [8, 8, 8]), (12, 12, [40])],
)
def test_lines_that_most_of_a_class_share_beside_their_own_code_are_said(
    tmp_path: Path, students: int, sharers: int, pieces: list[int]
) -> None:
    files = class_with(1, students, sharers, pieces)
    said, stderr = shared(tmp_path, files)
    assert said
    assert counted(said, files) == (said["submissions"], said["lines"]) == (sharers, sum(pieces))
    lines = sum(pieces)
    sentence = f"{sharers} of {students} submissions share {lines} lines that are treated as common code"
    first = said["places"][0]
    place = f"{first['file']}, {first['first_line']}-{first['last_line']}"
    assert f"{sentence}. See {place}" in stderr
    page = check(tmp_path, "--format", "html", "--show", "1").stdout
    assert sentence in page
    assert place in page


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.integers(),
    st.integers(11, 24),
    st.integers(0, 24),
    st.lists(st.integers(5, 40), min_size=1, max_size=3),
)
@example(0, 17, 17, [5, 5, 5])  # by chance, eleven of them go on alike after one of the pieces
def test_what_is_said_of_shared_lines_is_true_by_a_naive_count(
    tmp_path_factory: pytest.TempPathFactory, seed: int, students: int, sharers: int, pieces: list[int]
) -> None:
    sharers = min(students, sharers)
    files = class_with(seed, students, sharers, pieces)
    said, _ = shared(tmp_path_factory.mktemp("class"), files)
    if said:
        assert counted(said, files) == (said["submissions"], said["lines"])
        assert 2 * sharers > students
        assert said["submissions"] == sharers
        assert said["lines"] == sum(pieces)
    else:
        assert sharers <= max(10, students // 2)


def test_a_class_without_such_lines_or_with_registered_ones_says_nothing(tmp_path: Path) -> None:
    honest, stderr = shared(tmp_path / "honest", class_with(2, 20, 10, [79]))
    assert honest is None
    assert "treated as common code" not in stderr
    files = class_with(3, 20, 14, [79])
    given_out = tmp_path / "given.py"
    given_out.write_text(files["student0/main.py"])
    result = check(folder(tmp_path / "class", files), "-b", given_out, "--format", "json", "--show", "1")
    assert json.loads(result.stdout)["shared_lines"] is None


def test_shared_lines_of_notebooks_are_given_by_their_cells(tmp_path: Path) -> None:
    files = class_with(1, 20, 20, [12])
    notebooks = {path.replace(".py", ".ipynb"): notebook_of(text).decode() for path, text in files.items()}
    said, stderr = shared(tmp_path, notebooks)
    assert said
    (place,) = said["places"]
    # The only cell has one line above it.
    ends = [place["first_line"] - 1, place["last_line"] - 1]
    text = " … ".join(f"cell 1, line {line}" for line in ends)
    assert place["cells"] == text
    blocks = json.loads(check(tmp_path, "--format", "json", "--show", "1").stdout)["pairs"][0]["blocks"]
    assert blocks != []
    for row in blocks:
        lines = [row["left"][name] - 1 for name in ("first_line", "last_line")]
        assert row["left"]["cells"] == " … ".join(f"cell 1, line {line}" for line in dict.fromkeys(lines))
    assert f"See {place['file']}, {text}." in stderr
    assert text in check(tmp_path, "--format", "html", "--show", "1").stdout


def test_the_cells_of_a_notebook_are_looked_for_once_however_many_passages_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = class_with(5, 8, 8, [30, 12])
    looked = Counter[str]()

    def cells_of(text: str, language: str) -> list[int]:
        looked[text] += 1
        return cell_lines(text, language)

    monkeypatch.setattr(source_html, "cell_lines", cells_of)
    root = folder(tmp_path, {path.replace(".py", ".ipynb"): notebook_of(text).decode() for path, text in files.items()})
    pairs = json.loads(check(root, "--format", "json", "--all").stdout)["pairs"]
    assert sum(len(pair["passages"]) for pair in pairs) > len(files)
    assert {*looked.values()} == {1}


def test_a_whole_copy_below_the_threshold_is_not_among_the_pairs_to_read(tmp_path: Path) -> None:
    files = class_with(4, 14, 0, []) | {"copy/main.py": class_with(4, 14, 0, [])["student5/main.py"]}
    for number in (0, 1):
        rest = (statements(Random(20 * number + n), 40) for n in range(1, 9))
        files[f"student{number}/main.py"] += "\n".join(line for lines in rest for line in lines)
        files[f"student{number}/util.py"] = "\n".join(statements(Random(77), 14))
    said = check(folder(tmp_path, files)).stderr.splitlines()
    assert said[0] == "1 pair to read; 13 of 15 submissions are in none of them."
    assert said[2].startswith("1 pair below the threshold with an identical file, or one side nearly whole")
    page = Page(check(tmp_path, "--format", "html").stdout)
    listed = [re.findall(r"copy|student\d+", text) for text in page.texts(".pairs-of summary")[:2]]
    assert listed == [["copy", "student5"], ["student0", "student1"]]
    assert "those to read first, then those with an identical file, or one side nearly whole" in page.texts("p.lead")[0]
    assert len(page.all(".cases li")) == len(page.all(".to-read li")) == 1


def test_the_lead_of_an_html_names_pairs_to_read_only_where_there_are_some(tmp_path: Path) -> None:
    honest = {path: text for path, text in class_with(4, 14, 0, []).items() if path != "student13/main.py"}
    root = folder(tmp_path, honest)
    lead = " ".join(Page(check(root, "--format", "html").stdout).texts("p.lead")[0].split())
    assert "of 13 submissions, the best of each submission; others are left out" in lead, lead
    assert check(root).stderr.startswith("No pairs to read")
