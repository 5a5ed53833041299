"""The best matches of one student over the assignments of a course, on the page of a submission."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from tests.support.html import get_page
from tests.support.reports import create_report

if TYPE_CHECKING:
    from django.test import Client

    from submissions.models import Assignment, Report, Submission

TABLE = ".over-course tbody tr"


@pytest.fixture
def reports(assignment: Assignment) -> list[Report]:
    """Return reports of three assignments; ann is in the first and the last, and ben in all."""
    course = assignment.course
    rows = {
        "HW10": {("ann", "ben"): 0.9, ("ann", "cal"): 0.2},
        "HW2": {("ann", "ben"): 0.3},
        "HW3": {("ben", "cal"): 0.6},
    }
    return [create_report(course.assignments.create(name=name), pairs) for name, pairs in rows.items()]


def address(report: Report, name: str) -> str:
    submission: Submission = report.submissions.get(name=name)
    return reverse("submission", args=[report.assignment_id, submission.pk])


def test_the_assignments_of_a_student_are_in_their_natural_order(
    reports: list[Report], alice_client: Client
) -> None:
    page = get_page(alice_client, address(reports[0], "ann"))
    assert page.rows(TABLE) == [["HW2", "30\u202f%", "no"], ["HW10", "90\u202f%", "yes"]]
    assert page.values(f"{TABLE} a", "href") == [address(reports[1], "ann")]
    assert page.one(".spark svg").attributes["role"] == "img"
    assert len(page.all(".spark circle.above")) == 1
    names = [row[0] for row in get_page(alice_client, address(reports[2], "ben")).rows(TABLE)]
    assert names == ["HW2", "HW3", "HW10"]


def test_somebody_known_by_an_identifier_is_one_student_under_two_names(
    reports: list[Report], alice_client: Client
) -> None:
    for report, name in ((reports[0], "ann"), (reports[2], "cal")):
        report.submissions.get(name=name).students.create(name=name, identifier="4711")
    names = [row[0] for row in get_page(alice_client, address(reports[0], "ann")).rows(TABLE)]
    assert names == ["HW3", "HW10"]


def test_who_has_a_made_up_name_is_not_followed_through_the_course(
    reports: list[Report], alice_client: Client
) -> None:
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    assert not get_page(alice_client, address(reports[0], "ann")).has(".over-course")


def test_one_assignment_makes_no_sparkline(reports: list[Report], alice_client: Client) -> None:
    reports[1].delete()
    assert not get_page(alice_client, address(reports[0], "ann")).has(".over-course")
