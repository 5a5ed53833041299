from __future__ import annotations

from typing import TYPE_CHECKING

from django.urls import reverse

from submissions.models import Assignment, Course
from tests.support.html import get_page, page_of

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.test import Client

    from submissions.models import Report
    from tests.support.uploads import CountQueries


def test_an_instructor_without_courses_reads_what_to_do(alice_client: Client) -> None:
    assert get_page(alice_client, reverse("courses")).text(".empty strong") == "No course yet."


def test_creating_a_course_opens_it(alice_client: Client, alice: User) -> None:
    response = alice_client.post(reverse("courses"), {"name": "Compilers"})
    course = Course.objects.get(owner=alice, name="Compilers")
    assert response.headers["Location"] == course.get_absolute_url()
    page = get_page(alice_client, course.get_absolute_url())
    assert page.text(".empty strong") == "No assignment yet."


def test_two_instructors_may_have_courses_of_the_same_name_but_one_may_not(
    alice_client: Client, bob_client: Client
) -> None:
    for client in (alice_client, bob_client):
        assert client.post(reverse("courses"), {"name": "Compilers"}).status_code == 302
    again = alice_client.post(reverse("courses"), {"name": "Compilers"})
    assert again.status_code == 422
    assert page_of(again).text(".error").startswith("You have a course of this name already")


def test_bob_sees_his_courses_and_not_alices(bob_client: Client, bob: User, assignment: Assignment) -> None:
    Course.objects.create(owner=bob, name="Networks")
    page = get_page(bob_client, reverse("courses"))
    assert page.texts(".rows .name") == ["Networks"]
    assert assignment.course.name not in page.html


def test_staff_see_whose_course_it_is(admin_client: Client, assignment: Assignment) -> None:
    assert get_page(admin_client, reverse("courses")).text(".rows .meta") == "1 assignment · alice"
    page = get_page(admin_client, assignment.course.get_absolute_url())
    assert page.text(".lead") == "Taught by alice"


def test_creating_an_assignment_opens_it(alice_client: Client, assignment: Assignment) -> None:
    sent = {"name": "Sorting", "language": "python", "common_limit": "7"}
    response = alice_client.post(assignment.course.get_absolute_url(), sent)
    created = Assignment.objects.get(name="Sorting")
    assert response.headers["Location"] == created.get_absolute_url()
    assert (created.course, created.language, created.common_limit) == (assignment.course, "python", 7)


def test_a_language_is_detected_from_each_file_unless_chosen(
    alice_client: Client, assignment: Assignment
) -> None:
    alice_client.post(assignment.course.get_absolute_url(), {"name": "Sorting"})
    created = Assignment.objects.get(name="Sorting")
    assert (created.language, created.common_limit) == ("", None)


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
        response = alice_client.post(assignment.course.get_absolute_url(), sent)
        assert response.status_code == 422
        assert reason in page_of(response).text(".error")
    assert Assignment.objects.count() == 1


def test_names_with_markup_are_shown_as_text(alice_client: Client, alice: User) -> None:
    course = Course.objects.create(owner=alice, name="<script>alert(1)</script>")
    for address, name in ((reverse("courses"), ".rows .name"), (course.get_absolute_url(), "h1")):
        page = get_page(alice_client, address)
        assert page.text(name) == "<script>alert(1)</script>"
        assert page.inline_code() == []


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
    with django_assert_num_queries(5):  # session, user, course, assignments, size of the roster
        alice_client.get(assignment.course.get_absolute_url())


def test_a_course_is_renamed(alice_client: Client, assignment: Assignment) -> None:
    course = assignment.course
    address = reverse("rename_course", args=[course.pk])
    assert get_page(alice_client, address).values("input[name=name]", "value") == ["Programming 1"]
    assert alice_client.post(address, {"name": "Programming 2"}).headers["Location"] == (
        course.get_absolute_url()
    )
    course.refresh_from_db()
    assert course.name == "Programming 2"
    # Its own name is no other course's.
    assert alice_client.post(address, {"name": "Programming 2"}).status_code == 302


def test_a_course_keeps_its_name_if_the_new_one_is_invalid(
    alice_client: Client, alice: User, assignment: Assignment
) -> None:
    Course.objects.create(owner=alice, name="Compilers")
    address = reverse("rename_course", args=[assignment.course.pk])
    for name, reason in (("", "This field is required"), ("Compilers", "of this name already")):
        response = alice_client.post(address, {"name": name})
        assert response.status_code == 422
        page = page_of(response)
        assert reason in page.text(".error")
        assert page.text("title") == "Rename Programming 1 · moss"
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
    losses = {*get_page(alice_client, address).texts(".lost li")}
    assert losses >= {"1 upload", "3 submissions with their sources", "1 report with its pairs"}
    settings = get_page(alice_client, reverse("assignment_settings", args=[assignment.pk]))
    assert address in settings.links()
    page = page_of(alice_client.post(address, follow=True))
    assert page.text(".notices") == "Statistics was deleted with everything that belonged to it."
    assert not Assignment.objects.exists()
    assert alice_client.get(assignment.get_absolute_url()).status_code == 404


def test_deleting_a_course_says_first_what_goes_with_it(
    alice_client: Client, report: Report, assignment: Assignment
) -> None:
    address = reverse("delete_course", args=[assignment.course.pk])
    losses = {*get_page(alice_client, address).texts(".lost li")}
    assert losses >= {"1 assignment", "1 upload", "3 submissions with their sources"}
    page = page_of(alice_client.post(address, follow=True))
    assert page.text(".notices").startswith("Programming 1 was deleted")
    assert not Course.objects.exists()


def test_an_empty_course_is_deleted_without_a_list(alice_client: Client, alice: User) -> None:
    course = Course.objects.create(owner=alice, name="Compilers")
    page = get_page(alice_client, reverse("delete_course", args=[course.pk]))
    assert "Compilers holds nothing yet." in page.texts("form.card p")
    assert not page.has(".lost")
