"""The best matches of one student over the assignments of a course, on the page of a submission."""

import pytest
from django.test import Client
from django.urls import reverse

from submissions.core.submitters import enrol
from submissions.intake.layouts.places import participant
from submissions.models import Assignment, CourseRoster, Report, Submission, SubmissionStudent
from tests.support.html import get_page
from tests.support.reports import create_report

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


def test_assignments_of_a_student_are_in_natural_order(reports: list[Report], alice_client: Client) -> None:
    page = get_page(alice_client, address(reports[0], "ann"))
    low, high = ["HW2", "30\u202f%", "no", "name alone"], ["HW10", "90\u202f%", "yes", "name alone"]
    assert page.rows(TABLE) == [low, high]
    assert page.values(f"{TABLE} a", "href") == [address(reports[1], "ann")]
    assert page.one(".spark svg").attributes["role"] == "img"
    assert len(page.all(".spark circle.above")) == 1
    names = [row[0] for row in get_page(alice_client, address(reports[2], "ben")).rows(TABLE)]
    assert names == ["HW2", "HW3", "HW10"]
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    assert not get_page(alice_client, address(reports[2], "ben")).has(".over-course")
    alice_client.post(reverse("switch_names"), {"names": "real"})
    reports[1].delete()
    assert not get_page(alice_client, address(reports[0], "ann")).has(".over-course")


def test_one_identifier_is_one_student_of_two_names(reports: list[Report], alice_client: Client) -> None:
    for report, name in ((reports[0], "ann"), (reports[2], "cal")):
        report.submissions.get(name=name).students.create(name=name, identifier="4711")
    names = [row[0] for row in get_page(alice_client, address(reports[0], "ann")).rows(TABLE)]
    assert names == ["HW3", "HW10"]


def number_anew(reports: list[Report], student: str = "ann") -> None:
    """Set another participant's number in each report, as Moodle does."""
    for number, report in enumerate(reports):
        for one in report.submissions.filter(name=student):
            students = [SubmissionStudent(submission=one, name=student, identifier=participant(f"{number}7"))]
            enrol(report.assignment.course, students)
            SubmissionStudent.objects.bulk_create(students)


@pytest.mark.parametrize(
    ("enrolled", "by"),
    [
        ({"name": "Ann Meyer", "login": "ann"}, "login"),
        ({"name": "Ann Meyer", "email": "ann@example.edu"}, "e-mail address"),
        ({"name": "Ann", "login": "am12", "identifier": "99"}, "full name in the roster"),
        # 07 and 27 are numbers of Moodle and of nobody in the roster.
        ({"name": "Another Student", "identifier": "07"}, "name alone"),
        ({}, "name alone"),
    ],
)
def test_a_student_numbered_anew_in_every_assignment_is_recognised_and_the_page_says_by_what(
    reports: list[Report], alice_client: Client, enrolled: dict[str, str], by: str
) -> None:
    roster = CourseRoster.objects.create(course=reports[0].assignment.course, name="class.csv")
    if enrolled:
        roster.students.create(**enrolled)
    number_anew(reports)
    number_anew(reports, "ben")
    rows = get_page(alice_client, address(reports[0], "ann")).rows(TABLE)
    assert [(row[0], row[3]) for row in rows] == [("HW2", by), ("HW10", by)]


@pytest.mark.parametrize(("column", "by"), [("login", "login"), ("identifier", "id")])
def test_an_id_of_the_roster_is_stronger_than_the_name_there(
    reports: list[Report], alice_client: Client, column: str, by: str
) -> None:
    roster = CourseRoster.objects.create(course=reports[0].assignment.course, name="class.csv")
    enrolled = roster.students.create(name="ann", **{column: "am12"})
    for report in reports[:2]:
        ann = report.submissions.get(name="ann")
        ann.students.create(name="ann", identifier="am12", enrolled=enrolled)
    assert {row[3] for row in get_page(alice_client, address(reports[0], "ann")).rows(TABLE)} == {by}


def test_two_students_of_one_name_stay_apart(reports: list[Report], alice_client: Client) -> None:
    number_anew(reports)
    other = reports[1].submissions.get(name="ben")
    other.students.create(name="ann", identifier=participant("99"))
    assert not get_page(alice_client, address(reports[0], "ann")).has(TABLE)
