"""First steps: the first account, the sample class with one click, and files that are compared at once."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from moss.commands.service import offer_account
from submissions.models import Assignment, Batch, Course
from tests.support.html import get_page, page_of
from tests.support.sample_class import CLASS, zipped

pytestmark = pytest.mark.services


@pytest.mark.django_db
def test_the_sign_in_of_a_server_without_accounts_says_how_to_make_one(client: Client) -> None:
    address = reverse("login")
    assert "moss manage createsuperuser" in get_page(client, address).text(".notice code")
    User.objects.create_user("alice")
    assert not get_page(client, address).has(".notice code")


@pytest.mark.django_db
def test_a_server_that_nobody_watches_is_told_how_to_make_its_first_account(
    capsys: pytest.CaptureFixture[str],
) -> None:
    offer_account()
    assert "moss manage createsuperuser" in capsys.readouterr().out
    User.objects.create_user("alice")
    offer_account()
    assert capsys.readouterr().out == ""


def test_the_sample_class_is_opened_and_deleted_with_a_click_each(alice_client: Client, alice: User) -> None:
    page = get_page(alice_client, reverse("courses"))
    assert page.has(f'form[method=post][action="{reverse("add_sample")}"]')
    response = alice_client.post(reverse("add_sample"))
    batch = Batch.objects.get(assignment__course__owner=alice)
    assert response.headers["Location"] == batch.assignment.get_absolute_url()
    course = batch.assignment.course
    page = get_page(alice_client, course.get_absolute_url())
    assert page.has(f'form.notice[action="{reverse("delete_course", args=[course.pk])}"] button')
    alice_client.post(reverse("delete_course", args=[course.pk]))
    assert not Course.objects.filter(owner=alice).exists()


def test_courses_of_ones_own_are_never_taken_for_the_sample(alice_client: Client, alice: User) -> None:
    names = ("Sample course", "Sample course (moss)")
    courses = [Course.objects.create(owner=alice, name=name) for name in names]
    alice_client.post(reverse("add_sample"))
    assert Batch.objects.get().assignment.course.name == "Sample course 2"
    for course in courses:
        assert not course.assignments.exists()
        assert not get_page(alice_client, course.get_absolute_url()).has("form.notice")


def test_an_archive_is_compared_from_the_start_page(alice_client: Client, alice: User) -> None:
    for name in ("lab one", "lab one 2"):
        response = alice_client.post(reverse("compare"), {"files": [zipped(CLASS, name="lab one.zip")]})
        batch = Batch.objects.latest("pk")
        assert response.headers["Location"] == batch.get_absolute_url()
        assert (batch.assignment.name, batch.assignment.course.name) == (name, "Comparisons")
        assert batch.preview
    assert Course.objects.get(owner=alice).assignments.count() == 2


def test_a_comparison_without_files_creates_nothing_and_says_why(alice_client: Client) -> None:
    response = alice_client.post(reverse("compare"))
    assert response.status_code == 422
    assert page_of(response).text("form.upload .error") == "Choose at least one file."
    assert not Assignment.objects.exists()
