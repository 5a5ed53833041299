"""The graph of a report in a real browser: whole names, and the numbers of the cases."""

import re
from itertools import combinations, pairwise
from typing import Any

import pytest
from django.contrib.auth.models import User

from submissions.cases.case_list import cases
from submissions.models import Assignment, Course
from tests.support.browser import Shoot, SignIn, each_layout
from tests.support.reports import create_report

pytestmark = pytest.mark.services


@pytest.fixture
def assignment(transactional_db: None, alice: User) -> Assignment:
    course = Course.objects.create(owner=alice, name="Programming 1")
    return course.assignments.create(name="Library fines")


NAMES = """(nodes) => nodes.map((node) => ({
  whole: node.dataset.name,
  written: [...node.querySelectorAll(".name tspan")].map((line) => line.textContent).join(""),
  number: node.querySelector(".number").textContent,
  box: node.querySelector(".name").getBoundingClientRect().toJSON(),
}))"""
LONG_NAMES = (
    "Maria de los Ángeles Fernández-Echevarría", "Chidubem Okonkwo-Nwachukwu", "Ng",
    "Donaudampfschifffahrtsgesellschaft", "Þórhallur Guðmundsson",
    "anna.katharina.schmidt-lindenberg@students.example.org",
)  # fmt: skip


@pytest.mark.long
def test_every_name_of_the_graph_is_whole_and_every_circle_has_the_number_of_its_case(
    assignment: Assignment, alice: User, sign_in: SignIn, shoot: Shoot
) -> None:
    first, second = dict.fromkeys(pairwise(LONG_NAMES[:4]), 0.8), {LONG_NAMES[4:]: 0.7}
    report = create_report(assignment, first | second)
    numbers = {name: str(case.number) for case in cases(report) for name in case.names}
    page = sign_in(alice)
    page.goto(assignment.get_absolute_url())
    for layout in each_layout(page):
        page.locator("[data-canvas]").scroll_into_view_if_needed()
        nodes = page.locator(".canvas .node").evaluate_all(NAMES)
        shoot(f"graph-names-{layout}")
        assert {node["whole"]: node["number"] for node in nodes} == numbers
        for node in nodes:
            assert re.sub(r"\s", "", node["written"]) == re.sub(r"\s", "", node["whole"])
        assert [both for both in combinations(nodes, 2) if overlap(*both)] == []


def overlap(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether the names of two circles are drawn over each other."""
    a, b = one["box"], other["box"]
    beside = a["right"] <= b["left"] + 1 or b["right"] <= a["left"] + 1
    return not beside and a["top"] < b["bottom"] - 1 and b["top"] < a["bottom"] - 1
