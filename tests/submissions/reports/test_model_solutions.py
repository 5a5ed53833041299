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
from tests.support.shares import pair_page
from tests.support.uploads import Committing, HandIn

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
def upload_solutions(alice: User, assignment: Assignment, committing: Committing) -> Callable[[], None]:
    def upload() -> None:
        with committing(execute=True):
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


def test_model_solutions_stay_rare_are_not_compared_and_make_no_case(with_solutions: Report) -> None:
    best: dict[str, float] = defaultdict(float)
    for pair in ranked_pairs(with_solutions, PairFilter(work="model")):
        student = pair.left if pair.left.batch.role == Batch.Role.CLASS else pair.right
        best[student.name] = max(best[student.name], pair.similarity)
    assert best["ben"] > 0.9
    assert best["cleo"] > 0.7
    assert {name for name, similarity in best.items() if similarity > 0.5} == {"ben", "cleo"}
    names = [{pair.left.name, pair.right.name} for pair in with_solutions.pairs.all()]
    assert not [pair for pair in names if all(name.endswith(LABEL) for name in pair)]
    assert with_solutions.findings
    not_compared = with_solutions.findings.not_compared
    assert (not_compared.models, not_compared.earlier) == (3, 0)
    submissions, model = with_solutions.submissions, Batch.Role.MODEL
    assert {submissions.get(name=name).pk for name in ("ben", "cleo")} in [
        set(case.ids) for case in report_cases(with_solutions)
    ]  # as they are similar themselves
    for case in (*report_cases(with_solutions), *report_cases(with_solutions, 0.01)):
        assert not submissions.filter(pk__in=case.ids, batch__role=model).exists()
    solutions = submissions.filter(batch__role=model)
    assert solutions.count() == len(SOLUTIONS)
    assert not SubmissionStudent.objects.filter(submission__in=solutions).exists()


def test_lists_and_the_page_of_a_pair_label_a_model_solution_although_names_are_hidden(
    with_solutions: Report, assignment: Assignment, alice_client: Client
) -> None:
    pair = next(iter(ranked_pairs(with_solutions, PairFilter(work="model"))))
    assert "which nobody handed in" in get_page(alice_client, pair_page(pair)).text()
    address = reverse("pairs", args=[assignment.pk])
    listed = get_page(alice_client, address, flag="model")
    assert 'class="flag model"' in listed.html
    assert LABEL in listed.html
    assert "3 model solutions were compared with this class" in get_page(alice_client, address).text()
    table = alice_client.get(reverse("table", args=[assignment.pk, "pairs", "csv"]))
    flags = [line for line in body_of(table).splitlines() if LABEL in line]
    assert flags
    assert all("model" in line.replace(LABEL, "") for line in flags)
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    listed = get_page(alice_client, address, flag="model")
    assert LABEL in listed.html
    assert "attempt0" not in listed.html
