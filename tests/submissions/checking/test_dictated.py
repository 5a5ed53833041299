"""Terms that the statement of a task dictates are no evidence: reports keep to it, the check finds faults."""

import re
from collections.abc import Callable
from datetime import timedelta
from random import Random

import pytest

from submissions.models import Assignment, Boilerplate, Report
from tests.support.checking.dictated import Statement, dictated
from tests.support.checking.facts import Facts
from tests.support.checking.findings import contradictions
from tests.support.programs import program
from tests.support.sample_class import loose, zipped
from tests.support.uploads import HandIn, register_boilerplate

TEXT = """\
# Harbour

Print `the boat has overstayed its berth`, and `no berth is left for 4,711 boats`.
Call the function `berth_count`; the fee is 12.5.
"""
# A function that the statement asks for, with variables of the student's own.
ASKED_FOR = """\
def berth_count(a{0}):
    print("the boat has overstayed its berth", a{0})
    b{0} = a{0}("no berth is left for %d boats", 4711)
    return b{0} * 12.5
"""


@pytest.mark.parametrize(
    ("kind", "lexeme", "is_dictated"),
    [
        ("literals", '"the boat has overstayed its berth"', True),
        ("literals", "'The boat has\\n overstayed {fee} its berth!'", True),
        ("literals", '"the boat has no licence"', False),
        ("literals", "4711", True),
        ("literals", "12.5", True),
        ("literals", "711", False),
        ("literals", "04711", False),
        ("literals", "#define boat berth", False),
        ("names", "berth_count", True),
        ("names", "berth_counts", False),
        ("names", "Harbour", True),
    ],
)
def test_a_statement_dictates_its_names_and_its_numbers(kind: str, lexeme: str, *, is_dictated: bool) -> None:
    assert Statement.of(TEXT).dictates(kind, lexeme) == is_dictated


def student_program(number: int) -> str:
    """Return a program whose names and numbers no other one has; three have what the statement asks for."""
    asked_for = ASKED_FOR.format(number) if number in {1, 2, 3} else ""
    other_numbers = re.sub(r"\d+", lambda match: f"{number + 1}00{match[0]}", program(Random(number), 3))
    return re.sub(r"\b([a-k][a-z]{4})\b", rf"\g<1>{number}", other_numbers) + asked_for


@pytest.fixture
def rank(hand_in: HandIn, assignment: Assignment) -> Callable[[], Report]:
    def rank() -> Report:
        files = {f"own{number:02}/main.py": student_program(number) for number in range(12)}
        hand_in(zipped(files | {"copy/main.py": student_program(1)}))
        return Report.objects.filter(assignment=assignment, state=Report.State.DONE).latest("pk")

    return rank


def test_a_statement_contradicts_nothing(rank: Callable[[], Report], assignment: Assignment) -> None:
    register_boilerplate(assignment, loose("task.md", TEXT.encode()), statement=True)
    report = rank()
    assert report.pairs.filter(literals__gt=0).exists()
    assert report.pairs.filter(names__gt=0).exists()
    assert list(contradictions(report)) == []


def test_a_report_with_dictated_code_is_found(rank: Callable[[], Report], assignment: Assignment) -> None:
    report = rank()
    honest = [("own01", "own02"), ("own01", "own03"), ("own02", "own03")]
    counted = report.pairs.filter(literals__gt=0).values_list("left__name", "right__name")
    assert {*honest, ("copy", "own01")} <= {*counted}
    register_boilerplate(assignment, loose("task.md", TEXT.encode()), statement=True)
    assert list(dictated(Facts(report))) == []  # as the report was ranked before
    Boilerplate.objects.update(created=report.created - timedelta(minutes=1))
    lines = list(dictated(Facts(report)))
    by_literals = {line.partition(": ")[0] for line in lines if "by literals, and the statement" in line}
    assert by_literals >= {" / ".join(both) for both in honest}
    assert "copy / own01" not in by_literals
