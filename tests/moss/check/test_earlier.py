"""Earlier work, model solutions and the statement of a task in `moss check`."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User

from submissions.matches.ranked_pairs import percent_text
from submissions.models import Assignment, Batch, Report
from submissions.reports.read import PairFilter, ranked_pairs
from submissions.uploads.change import create_batch
from tests.moss.check.test_check import check, folder, rows
from tests.support.html import Page
from tests.support.programs import program, renamed
from tests.support.sample_class import COPIED, HONEST, RENAMED, zipped
from tests.support.uploads import Committing, HandIn

LAST_YEAR = {"gus/main.py": COPIED, "hal/main.py": RENAMED}


GUS, HAL = "gus (earlier work, lab1-2024)", "hal (earlier work, lab1-2024)"


@pytest.fixture
def this_year(tmp_path: Path) -> Path:
    return folder(tmp_path / "class", {"ada/main.py": COPIED, "cleo/main.py": HONEST})


@pytest.fixture
def last_year(tmp_path: Path) -> Path:
    archive = tmp_path / "lab1-2024.zip"
    archive.write_bytes(zipped(LAST_YEAR).read())
    return archive


def test_the_others_that_have_common_code_are_of_the_class(tmp_path: Path) -> None:
    template = program(Random(99), 1)
    files = {f"s{n}/main.py": template + program(Random(n), 4) for n in range(5)}
    old = folder(tmp_path / "old", {"gus/main.py": template + program(Random(50), 4)})
    html = check(folder(tmp_path / "class", files), "-m", "3", "--earlier", old, "--all", "--format", "html").stdout
    said = {
        ("earlier work" in details, max(numbers))
        for details in Page(html).texts("details")
        if (numbers := re.findall(r"common code, the whole also in up to (\d+) others", details))
    }
    assert said == {(True, "4"), (False, "3")}


def test_earlier_work_is_compared_with_the_class_and_not_among_itself(this_year: Path, last_year: Path) -> None:
    pairs = {(row.left, row.right) for row in rows(this_year, "--earlier", last_year, "--all")}
    assert {("ada", GUS), ("ada", HAL)} <= pairs
    assert (GUS, HAL) not in pairs
    assert rows(this_year, "--earlier", last_year)[0].similarity == 1


def test_work_of_several_years_is_not_compared_with_each_other(
    this_year: Path, last_year: Path, tmp_path: Path
) -> None:
    other = folder(tmp_path / "lab1-2023", LAST_YEAR)
    pairs = rows(this_year, "--earlier", last_year, "--earlier", other, "--all")
    earlier = [sum("earlier work" in name for name in (row.left, row.right)) for row in pairs]
    assert set(earlier) <= {0, 1}
    assert {"gus (earlier work, lab1-2023)", GUS} <= {row.right for row in pairs}


@pytest.mark.parametrize("copied", [False, True])
def test_the_pairs_within_earlier_classes_are_said_to_reach_the_threshold_or_not(
    tmp_path: Path, *, copied: bool
) -> None:
    """They are the pairs of each earlier class that is ranked by itself."""
    new = folder(tmp_path / "new", {f"new{n}/main.py": program(Random(n)) for n in range(8)})
    old = [
        folder(tmp_path / f"lab-{year}", {f"{year}-{n}/main.py": program(Random(year + n)) for n in range(5)})
        for year in (2023, 2024)
    ]
    if copied:
        folder(old[1], {"copier/main.py": renamed(program(Random(2024)))})
    arguments = [part for path in old for part in ("--earlier", path)]
    limit = json.loads(check(new, *arguments, "--format", "json").stdout)["threshold"]["value"]
    similarities = [row.similarity for path in old for row in rows(path, "--all")]
    reached = sum(similarity >= limit for similarity in similarities)
    highest, number = percent_text(max(similarities)), 25 if copied else 20
    sentence = (
        f"{reached} of {number} pairs of 2 compared assignments reach {percent_text(limit)}."
        if reached
        else f"In {number} pairs of 2 compared assignments none was above {highest}."
    )
    assert bool(reached) == copied
    assert sentence in check(new, *arguments).stderr.splitlines()
    assert "compared assignment" not in check(new).stderr


def test_every_output_labels_earlier_work(this_year: Path, last_year: Path) -> None:
    table = check(this_year, "--earlier", last_year)
    assert "gus (earlier work" in table.stdout
    assert "Read as a folder or file for each student: 2 submissions.\n" in table.stderr
    assert "Earlier work: 2 submissions, compared with these and not with each other." in table.stderr
    assert "Pairs not compared" not in table.stderr
    output = json.loads(check(this_year, "--earlier", last_year, "--format", "json").stdout)
    assert output["earlier"] == [GUS, HAL]
    page = Page(check(this_year, "--earlier", last_year, "--format", "html").stdout)
    assert "of 4 submissions, of which 2 are earlier work that is not compared among itself" in page.text(".lead")
    assert any(GUS in summary for summary in page.texts("summary"))


def test_a_repeaters_own_earlier_work_is_a_pair_of_its_own_kind_in_every_output(
    this_year: Path, tmp_path: Path
) -> None:
    other = folder(tmp_path / "lab1-2024", {"ada/main.py": COPIED, "ben/main.py": HONEST})
    repeater, flag = ("ada", "ada (earlier work, lab1-2024)"), "the same student, 2024; identical"
    flags = {(row.left, row.right): row.flag for row in rows(this_year, "--earlier", other, "--all")}
    assert flags[repeater] == flag
    assert flags["cleo", "ben (earlier work, lab1-2024)"] == "identical"
    output = json.loads(check(this_year, "--earlier", other, "--format", "json").stdout)
    assert [pair["flag"] for pair in output["pairs"] if (pair["left"], pair["right"]) == repeater] == [flag]
    page = Page(check(this_year, "--earlier", other, "--format", "html").stdout)
    assert [flag in text for text in page.texts("summary")].count(True) == 1
    assert "the same student" in check(this_year, "--earlier", other).stdout


def test_a_folder_without_one_year_in_its_name_is_named_itself(this_year: Path, tmp_path: Path) -> None:
    for name, label in (("lab-2023-2024", "lab-2023-2024"), ("last", "last"), ("SS19_2021", "2021")):
        other = folder(tmp_path / name, {"ada/main.py": COPIED})
        flags = {row.flag for row in rows(this_year, "--earlier", other, "--all")}
        assert f"the same student, {label}; identical" in flags


def test_files_of_earlier_work_that_are_not_compared_are_listed_with_their_folder(
    this_year: Path, tmp_path: Path
) -> None:
    other = folder(tmp_path / "last", {**LAST_YEAR, "gus/Main.class": b"\xca\xfe\xba\xbe"})
    assert f"skipped {other}: gus/Main.class" in check(this_year, "--earlier", other).stderr


@pytest.mark.parametrize("form", ["html", "json", "csv", "dolos"])
def test_folders_whose_names_are_no_utf_8_are_named_in_every_output(tmp_path: Path, form: str) -> None:
    this, last = (
        folder(tmp_path / os.fsdecode(name), {**LAST_YEAR, "gus/Main.class": b"\xca\xfe\xba\xbe"})
        for name in (b"this\xff\x1b[31m", b"last\xff")
    )
    output = tmp_path / "output"
    done = check(this, "--earlier", last, "--format", form, "--output", output)
    assert (done.exit_code, "last\ufffd" in output.read_text(encoding="utf-8")) == (0, True), done.stderr


def test_earlier_work_alone_is_not_compared(tmp_path: Path, last_year: Path) -> None:
    empty = folder(tmp_path / "class", {"ada/photo.png": b"\x89PNG\r\n\x1a\n\0"})
    result = check(empty, "--earlier", last_year)
    assert result.exit_code == 1
    assert "Found no submission of the class that can be read" in result.stderr


MODEL = program(Random(100))


STUDENTS = {f"student{number}/main.py": program(Random(number)) for number in range(9)} | {
    "ada/main.py": program(Random(0)),
    "ben/main.py": renamed(MODEL),
}


# Three of one handwriting, so that what they share would be common among submissions.
SOLUTIONS = {f"attempt{number}.py": MODEL + f"\nprint({number})\n" for number in range(3)}


LABEL = " (model solution, assistant)"


EARLIER_LABEL = " (earlier work, assistant)"


@pytest.fixture
def students(tmp_path: Path) -> Path:
    return folder(tmp_path / "class", STUDENTS)


@pytest.fixture
def solutions(tmp_path: Path) -> Path:
    return folder(tmp_path / "assistant", SOLUTIONS)


def ranked(*arguments: Any) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(check(*arguments, "--all", "--format", "json").stdout)
    return report


def of_class(report: dict[str, Any]) -> list[dict[str, Any]]:
    sides = ((pair, pair["left"] + pair["right"]) for pair in report["pairs"])
    return [pair for pair, both in sides if LABEL not in both and EARLIER_LABEL not in both]


@pytest.mark.parametrize("option", ["--solution", "--earlier"])
def test_every_figure_of_the_class_is_the_same_with_other_work(students: Path, solutions: Path, option: str) -> None:
    alone, beside = ranked(students), ranked(students, option, solutions)
    assert len(beside["pairs"]) > len(alone["pairs"])
    assert of_class(beside) == alone["pairs"]
    assert len(alone["pairs"]) > 1
    for figure in ("threshold", "common_limit"):
        assert beside[figure] == alone[figure]


@pytest.mark.parametrize("option", ["--solution", "--earlier"])
def test_a_percentage_of_the_common_limit_is_one_of_the_class(students: Path, solutions: Path, option: str) -> None:
    report = ranked(students, option, solutions, "--common", "50%")
    assert report["common_limit"] == len(STUDENTS) // 2


def test_the_student_with_the_answer_of_the_model_is_found_and_no_other(students: Path, solutions: Path) -> None:
    report = ranked(students, "--solution", solutions)
    flagged = [pair for pair in report["pairs"] if pair["flag"] == "model solution"]
    assert {pair["left"] for pair in flagged if pair["similarity"] > 0.5} == {"ben"}
    assert all(pair["right"].endswith(LABEL) for pair in flagged)
    assert not [pair for pair in flagged if pair["left"].endswith(LABEL)]
    assert report["solutions"] == sorted(name + LABEL for name in SOLUTIONS)


def test_model_solutions_and_earlier_work_are_not_compared_with_each_other(
    students: Path, solutions: Path, tmp_path: Path
) -> None:
    earlier = folder(tmp_path / "lab1-2024", {**LAST_YEAR, "ina/main.py": MODEL})
    report = ranked(students, "--solution", solutions, "--earlier", earlier)
    assert report["earlier"] == [f"{name} (earlier work, lab1-2024)" for name in ("gus", "hal", "ina")]
    sides = [
        {text.rpartition(" (")[2] for text in (pair["left"], pair["right"]) if " (" in text} for pair in report["pairs"]
    ]
    assert {"earlier work, lab1-2024)"} in sides
    assert {"model solution, assistant)"} in sides
    assert max(map(len, sides)) == 1


@pytest.mark.slow
def test_every_output_says_what_is_a_model_solution(students: Path, solutions: Path) -> None:
    table = check(students, "--solution", solutions)
    assert "model solution" in table.stdout
    assert "Model solutions: 3, compared with the class only, and counted nowhere." in table.stderr
    page = Page(check(students, "--solution", solutions, "--format", "html").stdout)
    assert "with 3 model solutions, which count nowhere," in page.text(".lead")
    assert any(LABEL in summary for summary in page.texts("summary"))


def test_a_single_file_is_a_model_solution(students: Path, solutions: Path) -> None:
    report = ranked(students, "--solution", solutions / "attempt0.py")
    assert len(report["solutions"]) == 1
    assert any(pair["flag"] == "model solution" and pair["left"] == "ben" for pair in report["pairs"])


def in_service(name: str) -> str:
    """Return a name as the service has it, where the list of an upload says that it is earlier work."""
    return name.replace(EARLIER_LABEL, " (assistant)")


Stored = Callable[[Batch.Role], Report]


@pytest.fixture
def stored(
    hand_in: HandIn, assignment: Assignment, alice: User, django_capture_on_commit_callbacks: Committing
) -> Stored:
    """Return a function that makes the report of the same class and other work in the service."""

    def upload(role: Batch.Role) -> Report:
        hand_in(zipped(STUDENTS))
        with django_capture_on_commit_callbacks(execute=True):
            create_batch(assignment, alice, [zipped(SOLUTIONS, "assistant.zip")], role=role)
        return Report.objects.filter(assignment=assignment, state=Report.State.DONE).latest("pk")

    return upload


@pytest.mark.long
@pytest.mark.parametrize("role", [Batch.Role.MODEL, Batch.Role.EARLIER])
def test_the_service_has_the_same_pairs_with_the_same_figures(
    students: Path, solutions: Path, stored: Stored, role: Batch.Role
) -> None:
    report = ranked(students, "--solution" if role == Batch.Role.MODEL else "--earlier", solutions)
    local = {
        frozenset(map(in_service, (pair["left"], pair["right"]))): (
            pair["similarity"],
            pair["tokens"],
            pair["longest"],
        )
        for pair in report["pairs"]
    }
    on_web = {
        frozenset((pair.left.name, pair.right.name)): (round(pair.similarity, 6), pair.tokens, pair.longest)
        for pair in ranked_pairs(stored(role), PairFilter(work=role))
    }
    assert any("ben" in names for names in on_web)
    assert {pair: local.get(pair) for pair in on_web} == on_web
