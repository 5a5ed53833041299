"""Model solutions are compared with the class only, make no case, and change no figure of the class."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from random import Random
from typing import Any, cast

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse

from submissions.cases.read import report_cases
from submissions.models import Assignment, Batch, Pair, Report, SubmissionStudent
from submissions.pairs.read import suggested_threshold
from submissions.reports.read import PairFilter, ranked_pairs
from submissions.uploads.change import create_batch
from tests.support.html import get_page
from tests.support.kept_classes import stored
from tests.support.programs import program, renamed
from tests.support.sample_class import zipped
from tests.support.uploads import Committing, HandIn

pytestmark = pytest.mark.services

# Students of whom two copied from each other, and two from what a model wrote.
WRITTEN = [program(Random(seed)) for seed in range(9)]
MODEL = program(Random(100))
STUDENTS = {f"student{number}/main.py": text for number, text in enumerate(WRITTEN)} | {
    "ada/main.py": WRITTEN[0],
    "ben/main.py": renamed(MODEL),
    "cleo/main.py": renamed(MODEL) + "\n\n" + program(Random(200), 1),
}
# Three of one handwriting, so that half of the class could have been written by the model.
SOLUTIONS = {f"attempt{number}.py": MODEL + f"\nprint({number})\n" for number in range(3)}
LABEL = " (model solution, assistant)"


@pytest.fixture
def report(hand_in: HandIn, assignment: Assignment) -> Report:
    """Return the report of the class alone."""
    stored("a class before its model solutions", lambda: hand_in(zipped(STUDENTS)))
    return newest(assignment)


@pytest.fixture
def upload_solutions(
    alice: User, assignment: Assignment, django_capture_on_commit_callbacks: Committing
) -> Callable[[], None]:
    def upload() -> None:
        with django_capture_on_commit_callbacks(execute=True):
            create_batch(assignment, alice, [zipped(SOLUTIONS, "assistant.zip")], role=Batch.Role.MODEL)

    return upload


@pytest.fixture
def with_solutions(report: Report, assignment: Assignment, upload_solutions: Callable[[], None]) -> Report:
    """Return the report of the class with the model solutions."""
    stored("a class with its model solutions", upload_solutions)
    return newest(assignment)


def newest(assignment: Assignment) -> Report:
    return assignment.reports.filter(state=Report.State.DONE).latest("pk")


def figures(pair: Pair) -> tuple[Any, ...]:
    return pair.left.name, pair.right.name, pair.similarity, pair.left_share, pair.right_share, pair.longest


def body_of(response: HttpResponseBase) -> str:
    return b"".join(cast("Iterable[bytes]", response)).decode()


def of_class(report: Report) -> list[tuple[Any, ...]]:
    return sorted(figures(pair) for pair in ranked_pairs(report, PairFilter(work="class")))


@pytest.mark.long
def test_every_figure_of_the_class_is_the_same_with_model_solutions(
    report: Report, assignment: Assignment, upload_solutions: Callable[[], None]
) -> None:
    before = of_class(report)
    upload_solutions()
    after = newest(assignment)
    assert after.submissions.count() == len(STUDENTS) + len(SOLUTIONS)
    assert of_class(after) == before
    assert before
    assert suggested_threshold(after) == suggested_threshold(report)
    assert after.parameters["submissions"] == report.parameters["submissions"] == len(STUDENTS)


def test_what_the_solutions_share_with_each_other_stays_rare(with_solutions: Report) -> None:
    pairs = list(ranked_pairs(with_solutions, PairFilter(work="model")))
    best: dict[str, float] = defaultdict(float)
    for pair in pairs:
        student = pair.left if pair.left.batch.role == Batch.Role.CLASS else pair.right
        best[student.name] = max(best[student.name], pair.similarity)
    assert best["ben"] > 0.9
    assert best["cleo"] > 0.7
    assert {name for name, similarity in best.items() if similarity > 0.5} == {"ben", "cleo"}


def test_model_solutions_are_not_compared_among_themselves(with_solutions: Report) -> None:
    names = [{pair.left.name, pair.right.name} for pair in with_solutions.pairs.all()]
    assert not [pair for pair in names if all(name.endswith(LABEL) for name in pair)]
    assert with_solutions.findings
    assert (with_solutions.findings.not_compared.models, with_solutions.findings.not_compared.earlier) == (
        3,
        0,
    )


def test_a_pair_with_a_model_solution_makes_no_case_and_connects_none(with_solutions: Report) -> None:
    cases = [
        {with_solutions.submissions.get(pk=pk).name for pk in case.ids}
        for case in report_cases(with_solutions)
    ]
    assert {"ben", "cleo"} in cases  # as they are similar themselves
    assert not [case for case in cases if any(name.endswith(LABEL) for name in case)]
    at_a_low_threshold = report_cases(with_solutions, 0.01)
    members = {pk for case in at_a_low_threshold for pk in case.ids}
    assert not with_solutions.submissions.filter(pk__in=members, batch__role=Batch.Role.MODEL).exists()


def test_a_model_is_no_student(with_solutions: Report) -> None:
    solutions = with_solutions.submissions.filter(batch__role=Batch.Role.MODEL)
    assert solutions.count() == len(SOLUTIONS)
    assert not SubmissionStudent.objects.filter(submission__in=solutions).exists()


def test_lists_and_the_page_of_a_pair_label_a_model_solution(
    with_solutions: Report, assignment: Assignment, alice_client: Client
) -> None:
    pair = next(iter(ranked_pairs(with_solutions, PairFilter(work="model"))))
    page = get_page(alice_client, reverse("pair", args=[assignment.pk, pair.left_id, pair.right_id]))
    assert "which nobody handed in" in page.text()
    listed = get_page(alice_client, reverse("pairs", args=[assignment.pk]), flag="model")
    assert 'class="flag model"' in listed.html
    assert LABEL in listed.html
    every = get_page(alice_client, reverse("pairs", args=[assignment.pk]))
    assert "3 model solutions were compared with this class" in every.text()
    table = alice_client.get(reverse("table", args=[assignment.pk, "pairs", "csv"]))
    flags = [line for line in body_of(table).splitlines() if LABEL in line]
    assert flags
    assert all("model" in line.replace(LABEL, "") for line in flags)


def test_a_hidden_name_keeps_the_label(
    with_solutions: Report, assignment: Assignment, alice_client: Client
) -> None:
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    listed = get_page(alice_client, reverse("pairs", args=[assignment.pk]), flag="model")
    assert LABEL in listed.html
    assert "attempt0" not in listed.html
