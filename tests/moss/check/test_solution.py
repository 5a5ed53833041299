"""Model solutions and earlier work are compared with the class only, and change none of its figures."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User

from submissions.models import Assignment, Batch, Report
from submissions.reports.read import PairFilter, ranked_pairs
from submissions.uploads.change import create_batch
from tests.moss.check.test_check import check, folder
from tests.moss.check.test_earlier import LAST_YEAR
from tests.support.html import Page
from tests.support.programs import program, renamed
from tests.support.sample_class import zipped
from tests.support.uploads import Committing, HandIn

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
def test_every_figure_of_the_class_is_the_same_with_other_work(
    students: Path, solutions: Path, option: str
) -> None:
    alone, beside = ranked(students), ranked(students, option, solutions)
    assert len(beside["pairs"]) > len(alone["pairs"])
    assert of_class(beside) == alone["pairs"]
    assert len(alone["pairs"]) > 1
    for figure in ("threshold", "common_limit"):
        assert beside[figure] == alone[figure]


@pytest.mark.parametrize("option", ["--solution", "--earlier"])
def test_a_percentage_of_the_common_limit_is_one_of_the_class(
    students: Path, solutions: Path, option: str
) -> None:
    report = ranked(students, option, solutions, "--common", "50%")
    assert report["common_limit"] == len(STUDENTS) // 2


def test_the_student_with_the_answer_of_the_model_is_found_and_no_other(
    students: Path, solutions: Path
) -> None:
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
        {text.rpartition(" (")[2] for text in (pair["left"], pair["right"]) if " (" in text}
        for pair in report["pairs"]
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
