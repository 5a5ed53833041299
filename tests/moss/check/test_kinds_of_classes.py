"""The threshold and the bands in classes of the kinds that courses have, from the files to the ranking."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from moss.check.rank import RankingOptions, rank_path
from submissions.matches.bands import Bands, is_whole
from tests.support.programs import edited, program, renamed

STUDENTS, COPIES = 24, 2
WORDS = """
    harbour tide wind boat sail rope anchor chart buoy mast deck crew storm pilot quay bridge lamp signal
    cargo crane ferry island coast shore gull salt wave current depth sounding log watch night morning fog
"""
TABLES = {
    "boat": ("name", "length", "berth", "owner", "built"),
    "owner": ("name", "town", "phone", "since", "paid"),
    "berth": ("pier", "depth", "price", "taken", "side"),
    "trip": ("start", "arrival", "crew", "miles", "weather"),
}


def notebook(source: str, locked: tuple[bool, bool] = (False, False)) -> str:
    """Return a notebook with two given cells and a cell for each function; which of both nbgrader locked."""
    given = ["import pandas as pd\nreadings = pd.read_csv('readings.csv')\nreadings.head()"]
    given.append("def clean(table):\n    table = table.dropna()\n    return table[table['level'] > 0]")
    cells: list[dict[str, object]] = [
        {
            "cell_type": "code", "source": text, "outputs": [], "execution_count": None,
            "metadata": {"nbgrader": {"locked": locked[number >= len(given)], "grade_id": f"cell{number}"}},
        }
        for number, text in enumerate((*given, *source.split("\n\n")))
    ]  # fmt: skip
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def statements(random: Random) -> str:
    """Return six short queries of one task: a student chooses columns, conditions and forms."""
    queries = []
    for table in (*TABLES, "boat", "trip"):
        columns = random.sample(TABLES[table], 3)
        condition = random.choice(("{} > {}", "{} BETWEEN {} AND 900", "{} IN ({}, 7)", "NOT {} = {}"))
        end = random.choice(("ORDER BY {0}", "GROUP BY {0} HAVING COUNT(*) > 2", "ORDER BY {0} DESC"))
        where = condition.format(columns[0], random.randrange(2, 500))
        queries.append(
            f"SELECT {', '.join(columns[: random.randrange(1, 4)])} FROM {table}"
            f" WHERE {where} {end.format(columns[1])};"
        )
    return "\n".join(queries)


def page(random: Random) -> str:
    """Return a web page with the headings of the task; some of its sentences are on other pages too."""
    common = Random("sentences")
    sentences = [" ".join(common.choice(WORDS.split()) for _ in range(12)) for _ in range(20)]
    parts = ["<!DOCTYPE html><html><head><title>Our harbour</title></head><body><h1>Our harbour</h1>"]
    for heading in ("History", "Boats", "People", "Contact"):
        text = ". ".join(random.sample(sentences, 3))
        text += ". " + " ".join(random.choice(WORDS.split()) for _ in range(20))
        parts.append(f"<h2>{heading}</h2><p>{text}.</p><ul><li>{random.choice(WORDS.split())}</li></ul>")
    return "\n".join([*parts, "</body></html>"])


def reworded(random: Random, source: str) -> str:
    """Return a page of which every fortieth word is another one."""
    words = source.split(" ")
    for at in range(20, len(words), 40):
        if "<" not in words[at]:
            words[at] = random.choice(WORDS.split())
    return " ".join(words)


def write(folder: Path, sources: list[str], name: str) -> Path:
    for number, source in enumerate(sources):
        path = folder / name.format(number=number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    return folder


def notebooks(random: Random, folder: Path) -> tuple[Path, RankingOptions]:
    programs = [program(random) for _ in range(STUDENTS)]
    copies = [renamed(one) for one in programs[:COPIES]]
    earlier = [program(random) for _ in range(STUDENTS)]
    old = write(folder / "old", [notebook(one) for one in earlier], "o{number:02}/work.ipynb")
    new = write(folder / "new", [notebook(one) for one in (*programs, *copies)], "s{number:02}/work.ipynb")
    return new, RankingOptions(show=None, earlier=(old,))


def export(random: Random, folder: Path) -> tuple[Path, RankingOptions]:
    programs = [program(random) for _ in range(STUDENTS)]
    copies = [edited(random, renamed(one)) for one in programs[:COPIES]]
    name = "Student {number:02}_{number:05}_assignsubmission_file/main.py"
    return write(folder / "export", [*programs, *copies], name), RankingOptions(show=None)


def pages(random: Random, folder: Path) -> tuple[Path, RankingOptions]:
    sources = [page(random) for _ in range(STUDENTS)]
    copies = [reworded(random, one) for one in sources[:COPIES]]
    return write(folder / "pages", [*sources, *copies], "s{number:02}/index.html"), RankingOptions(show=None)


def queries(random: Random, folder: Path) -> tuple[Path, RankingOptions]:
    sources = [statements(random) for _ in range(STUDENTS)]
    copies = ["-- mine\n" + one.replace("DESC", "ASC") for one in sources[:COPIES]]
    return write(folder / "sql", [*sources, *copies], "s{number:02}/answers.sql"), RankingOptions(show=None)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in (1, 2))])
@pytest.mark.parametrize("kind", [notebooks, export, pages, queries])
def test_the_line_lies_between_the_copies_and_honest_pairs(
    kind: Callable[[Random, Path], tuple[Path, RankingOptions]], seed: int, tmp_path: Path
) -> None:
    report = rank_path(*kind(Random(seed), tmp_path))
    similarities: dict[bool, list[float]] = {True: [], False: []}
    for pair in report.pairs():
        numbers = [re.match(r"\D+(\d\d)", report.submissions[side]) for side in (pair.left, pair.right)]
        left, right = (int(match[1]) for match in numbers if match)
        if not any("earlier" in report.submissions[side] for side in (pair.left, pair.right)):
            similarities[abs(left - right) == STUDENTS].append(pair.similarity)
    copies, honest = similarities[True], similarities[False]
    threshold = report.ranking.threshold
    assert len(copies) == COPIES
    assert min(copies) >= threshold.value
    assert sum(one >= threshold.value for one in honest) <= 1
    assert max(honest) < threshold.stands_out


def more_work(random: Random, folder: Path, change: str, sources: list[str]) -> RankingOptions:
    """Change what a class is compared with, or add a student to it."""
    if change == "boilerplate":
        handed_out = folder / "given.py"
        handed_out.write_text("\n\n".join(one.split("\n\n")[0] for one in sources[:3]))
        return RankingOptions(show=None, boilerplate=(handed_out,))
    if change == "earlier work":
        old = write(folder / "old", [*sources[:1], *(program(random) for _ in range(9))], "o{number:02}/main.py")
        return RankingOptions(show=None, earlier=(old,))
    if change == "one more student":
        sources.append(edited(random, sources[0]))
    return RankingOptions(show=None)


@pytest.mark.parametrize("change", ["", "boilerplate", "earlier work", "one more student"])
@pytest.mark.parametrize("students", [2, STUDENTS])
def test_nothing_that_an_instructor_adds_hides_a_whole_copy(students: int, change: str, tmp_path: Path) -> None:
    random = Random(students)
    programs = [program(random) for _ in range(students)]
    sources = [*programs, programs[0], renamed(programs[1])]
    options = more_work(random, tmp_path, change, sources)
    report = rank_path(write(tmp_path / "class", sources, "s{number:02}/main.py"), options)
    bands = Bands.of(report.ranking.threshold._asdict())
    found = {
        frozenset((report.submissions[pair.left], report.submissions[pair.right])): bands.band(
            pair.similarity, whole=is_whole(pair.tokens, pair.left_share, pair.right_share)
        )
        for pair in report.pairs()
    }
    for original in (0, 1):
        assert found[frozenset((f"s{original:02}", f"s{students + original:02}"))] != "ordinary"


def in_cells(source: str, lines: int) -> str:
    """Return a program in which a cell of a notebook has so many lines."""
    rows = [row for row in source.splitlines() if row]
    return "\n\n".join("\n".join(rows[at : at + lines]) for at in range(0, len(rows), lines))


@pytest.mark.parametrize("hostile", [(True, True), (False, True)])
@pytest.mark.parametrize("lines", [1, 3, 5, 100])
@pytest.mark.parametrize("liars", [1, 2])
def test_a_student_who_locks_cells_hides_nothing(
    liars: int, lines: int, hostile: tuple[bool, bool], tmp_path: Path
) -> None:
    sources = [program(Random(number)) for number in range(8)]
    works = [notebook(one, (True, False)) for one in sources]
    works += [notebook(in_cells(renamed(sources[0]), lines), hostile)]
    works[0] = works[8] if liars == 2 else works[0]
    report = rank_path(write(tmp_path, works, "s{number:02}/work.ipynb"), RankingOptions(show=None))
    best = max(report.pairs(), key=lambda pair: pair.similarity)
    assert {report.submissions[side] for side in (best.left, best.right)} == {"s00", "s08"}
    assert best.similarity > 0.8


@pytest.mark.parametrize("students", [2, 3, 8])
def test_a_cell_that_most_of_a_class_have_locked_counts_for_nobody(students: int, tmp_path: Path) -> None:
    cell = "\n".join(f"assert solve({number}, depth={number}) == table[{number}]" for number in range(9))
    works = [notebook(f"{cell}\n\n{program(Random(number))}", (True, True)) for number in range(students)]
    report = rank_path(write(tmp_path, works, "s{number:02}/work.ipynb"), RankingOptions(show=None))
    ignored = [sum(end - start for start, end, _ in file) for file in report.inputs.cohort.ignored_spans()]
    assert {of_one > 100 for of_one in ignored} == {students > 2}
