from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import reverse

from submissions.models import Assignment, Course

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.test import Client

    from tests.handing_in import CountQueries

pytest_plugins = ["tests.handing_in"]


def test_an_instructor_without_courses_is_told_what_to_do(alice_client: Client) -> None:
    assert b"No course yet" in alice_client.get(reverse("courses")).content


def test_creating_a_course_opens_it(alice_client: Client, alice: User) -> None:
    answer = alice_client.post(reverse("courses"), {"name": "Compilers"})
    course = Course.objects.get(owner=alice, name="Compilers")
    assert answer.headers["Location"] == course.get_absolute_url()
    assert b"No assignment yet" in alice_client.get(course.get_absolute_url()).content


def test_two_instructors_may_have_courses_of_one_name_but_one_may_not(
    alice_client: Client, bob_client: Client
) -> None:
    for client in (alice_client, bob_client):
        assert client.post(reverse("courses"), {"name": "Compilers"}).status_code == 302
    again = alice_client.post(reverse("courses"), {"name": "Compilers"})
    assert again.status_code == 422
    assert b"You have a course of this name already" in again.content


def test_bob_sees_his_courses_and_not_alices(bob_client: Client, bob: User, assignment: Assignment) -> None:
    Course.objects.create(owner=bob, name="Networks")
    page = bob_client.get(reverse("courses")).content.decode()
    assert "Networks" in page
    assert assignment.course.name not in page


def test_staff_see_whose_course_it_is(admin_client: Client, assignment: Assignment) -> None:
    assert "alice" in admin_client.get(reverse("courses")).content.decode()
    assert b"Taught by alice" in admin_client.get(assignment.course.get_absolute_url()).content


def test_creating_an_assignment_opens_it(alice_client: Client, assignment: Assignment) -> None:
    sent = {"name": "Sorting", "language": "python", "common_limit": "7"}
    answer = alice_client.post(assignment.course.get_absolute_url(), sent)
    made = Assignment.objects.get(name="Sorting")
    assert answer.headers["Location"] == made.get_absolute_url()
    assert (made.course, made.language, made.common_limit) == (assignment.course, "python", 7)


def test_a_language_is_told_from_each_file_unless_chosen(
    alice_client: Client, assignment: Assignment
) -> None:
    alice_client.post(assignment.course.get_absolute_url(), {"name": "Sorting"})
    made = Assignment.objects.get(name="Sorting")
    assert (made.language, made.common_limit) == ("", None)


def test_bad_values_of_an_assignment_are_refused_with_a_reason(
    alice_client: Client, assignment: Assignment
) -> None:
    for sent, reason in (
        ({"name": ""}, "This field is required"),
        ({"name": assignment.name}, "This course has an assignment of this name already"),
        ({"name": "x", "common_limit": "1"}, "greater than or equal to 2"),
        ({"name": "x", "common_limit": "many"}, "Enter a whole number"),
        ({"name": "x", "language": "klingon"}, "Select a valid choice"),
        ({"name": "x" * 201}, "at most 200 characters"),
    ):
        answer = alice_client.post(assignment.course.get_absolute_url(), sent)
        assert answer.status_code == 422
        assert reason in answer.content.decode()
    assert Assignment.objects.count() == 1


def test_names_with_markup_are_shown_as_text(alice_client: Client, alice: User) -> None:
    course = Course.objects.create(owner=alice, name="<script>alert(1)</script>")
    assert b"<script>alert" not in alice_client.get(reverse("courses")).content
    assert b"&lt;script&gt;alert" in alice_client.get(course.get_absolute_url()).content


def test_the_lists_take_as_many_queries_for_many_rows_as_for_one(
    alice_client: Client,
    alice: User,
    assignment: Assignment,
    django_assert_num_queries: CountQueries,
) -> None:
    for n in range(20):
        course = Course.objects.create(owner=alice, name=f"Course {n}")
        Assignment.objects.create(course=course, name="One")
        Assignment.objects.create(course=assignment.course, name=f"Task {n}")
    with django_assert_num_queries(3):  # session, user, courses
        alice_client.get(reverse("courses"))
    with django_assert_num_queries(4):  # session, user, course, assignments
        alice_client.get(assignment.course.get_absolute_url())
