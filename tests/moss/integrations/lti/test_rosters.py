"""The roster of a course from the people whom its platform lists."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from moss.integrations.lti.models import PlatformCourse
from submissions.models import Course, CourseRoster, EnrolledStudent
from tests.support.html import Page, get_page
from tests.support.platform import INSTRUCTOR, LEARNER, LearningPlatform

pytestmark = pytest.mark.services


def member(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "user_id": f"user-{number}",
        "name": f"Student {number}",
        "email": f"s{number}@lms.example",
        "lis_person_sourcedid": f"100{number}",
        "roles": [LEARNER],
        "status": "Active",
    } | changes


def fill(lms: LearningPlatform, client: Client, *pages: list[dict[str, Any]]) -> Page:
    """Launch as an instructor, read the people from the platform, and return the page of the roster."""
    lms.server.members = list(pages)
    lms.launch(client)
    lms.server.tool_keys = client.get(reverse("lti_keys")).json()
    course = Course.objects.get()
    page = get_page(client, reverse("roster", args=[course.pk]))
    address = page.one("form[aria-labelledby=platform-heading]").attributes["action"]
    assert client.post(str(address)).headers["Location"] == reverse("roster", args=[course.pk])
    return get_page(client, reverse("roster", args=[course.pk]))


def test_the_students_of_all_pages_become_the_roster(lms: LearningPlatform, client: Client) -> None:
    page = fill(
        lms,
        client,
        [member(1), member(2, roles=[INSTRUCTOR]), member(3, status="Inactive")],
        [
            member(4, status=None, name=None, given_name="Ada", family_name="Four"),
            member(5, roles=["Mentor"]),
        ],
    )
    assert "2 students were read from Example LMS." in page.text(".notices")
    rows = list(EnrolledStudent.objects.values_list("name", "identifier", "email", "other_ids"))
    assert rows == [
        ("Ada Four", "1004", "s4@lms.example", ["user-4"]),
        ("Student 1", "1001", "s1@lms.example", ["user-1"]),
    ]
    assert CourseRoster.objects.get().name == "Example LMS"
    assert lms.server.asked[-3:] == ["/token", "/members", "/members?page=1"]


def test_a_platform_that_keeps_names_to_itself_is_said(lms: LearningPlatform, client: Client) -> None:
    page = fill(lms, client, [{"user_id": "user-1", "roles": [LEARNER]}, member(2)])
    assert "The platform gave no name for 1 student:" in page.text(".problems")
    assert EnrolledStudent.objects.count() == 2


def test_a_list_without_students_changes_nothing(lms: LearningPlatform, client: Client) -> None:
    fill(lms, client, [member(1)])
    page = fill(lms, client, [member(1, roles=[INSTRUCTOR])])
    assert "lists no student" in page.text(".notices")
    assert EnrolledStudent.objects.get().name == "Student 1"


@pytest.mark.parametrize("wrong", ["token", "list", "next page"])
def test_a_platform_that_does_not_give_its_list_is_said_and_changes_nothing(
    wrong: str, lms: LearningPlatform, client: Client
) -> None:
    fill(lms, client, [member(1)])
    if wrong == "token":
        lms.row.client_id = "another"
        lms.row.save()
        PlatformCourse.objects.update(platform=lms.row)
    pages: list[Any] = [7] if wrong == "list" else [[member(2)], [member(3)]]
    lms.server.members, lms.server.next_page = (
        pages,
        "http://127.0.0.1:1/members" if wrong == "next page" else "",
    )
    course = Course.objects.get()
    client.post(reverse("lti_fill_roster", args=[course.pk]))
    page = get_page(client, reverse("roster", args=[course.pk]))
    assert "did not give the list of its students" in page.text(".notices")
    assert EnrolledStudent.objects.get().name == "Student 1"


def test_a_platform_without_the_service_has_no_button(lms: LearningPlatform, client: Client) -> None:
    fill(lms, client, [member(1)])
    PlatformCourse.objects.update(memberships_url="")
    course = Course.objects.get()
    assert not get_page(client, reverse("roster", args=[course.pk])).has("#platform-heading")
    assert client.post(reverse("lti_fill_roster", args=[course.pk])).status_code == 404
