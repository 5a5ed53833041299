from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import reverse

from submissions.models import Assignment, Course

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.test import Client

    from submissions.models import Report
    from tests.support.uploads import CountQueries


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


def test_a_course_is_renamed(alice_client: Client, assignment: Assignment) -> None:
    course = assignment.course
    address = reverse("rename_course", args=[course.pk])
    assert 'value="Programming 1"' in alice_client.get(address).content.decode()
    assert alice_client.post(address, {"name": "Programming 2"}).headers["Location"] == (
        course.get_absolute_url()
    )
    course.refresh_from_db()
    assert course.name == "Programming 2"
    # Its own name is no other course's.
    assert alice_client.post(address, {"name": "Programming 2"}).status_code == 302


def test_a_course_keeps_its_name_where_the_new_one_will_not_do(
    alice_client: Client, alice: User, assignment: Assignment
) -> None:
    Course.objects.create(owner=alice, name="Compilers")
    address = reverse("rename_course", args=[assignment.course.pk])
    for name, reason in (("", "This field is required"), ("Compilers", "of this name already")):
        answer = alice_client.post(address, {"name": name})
        assert answer.status_code == 422
        assert reason in answer.content.decode()
        assert "<title>Rename Programming 1" in answer.content.decode()
    assignment.course.refresh_from_db()
    assert assignment.course.name == "Programming 1"


def test_staff_rename_a_course_within_its_owners_names(
    admin_client: Client, admin: User, assignment: Assignment
) -> None:
    Course.objects.create(owner=admin, name="Compilers")
    address = reverse("rename_course", args=[assignment.course.pk])
    assert admin_client.post(address, {"name": "Compilers"}).status_code == 302


def test_deleting_an_assignment_says_first_what_goes_with_it(
    alice_client: Client, report: Report, assignment: Assignment
) -> None:
    address = reverse("delete_assignment", args=[assignment.pk])
    asked = alice_client.get(address).content.decode()
    for lost in ("1 upload", "3 submissions with their sources", "1 report with its pairs"):
        assert f"<li>{lost}</li>" in asked
    assert address in alice_client.get(reverse("assignment_settings", args=[assignment.pk])).content.decode()
    answer = alice_client.post(address, follow=True)
    assert b"Statistics was deleted with everything that belonged to it." in answer.content
    assert not Assignment.objects.exists()
    assert alice_client.get(assignment.get_absolute_url()).status_code == 404


def test_deleting_a_course_says_first_what_goes_with_it(
    alice_client: Client, report: Report, assignment: Assignment
) -> None:
    address = reverse("delete_course", args=[assignment.course.pk])
    asked = alice_client.get(address).content.decode()
    for lost in ("1 assignment", "1 upload", "3 submissions with their sources"):
        assert f"<li>{lost}</li>" in asked
    assert b"Programming 1 was deleted" in alice_client.post(address, follow=True).content
    assert not Course.objects.exists()


def test_an_empty_course_is_deleted_without_a_list(alice_client: Client, alice: User) -> None:
    course = Course.objects.create(owner=alice, name="Compilers")
    asked = alice_client.get(reverse("delete_course", args=[course.pk])).content.decode()
    assert "holds nothing yet" in asked
