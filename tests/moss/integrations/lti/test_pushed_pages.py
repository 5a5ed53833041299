"""The page of what platforms pushed: what came, what failed, and fetching it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from moss.integrations.lti.models import PushedSubmission
from submissions.courses.models import Role
from submissions.models import AuditEntry, Batch, Membership
from tests.support.html import get_page
from tests.support.jobs import carry_out

if TYPE_CHECKING:
    from tests.support.html import Page
    from tests.support.pushed import Gather, Pusher
    from tests.support.uploads import Committing

pytestmark = pytest.mark.services

State = PushedSubmission.State


def pushed_page(pusher: Pusher) -> Page:
    return get_page(pusher.client, reverse("lti_pushed", args=[pusher.assignment.pk]))


@pytest.mark.long
def test_the_page_says_what_came_and_what_failed_with_its_reason(pusher: Pusher, gathered: Gather) -> None:
    assert "Nothing was pushed yet" in pushed_page(pusher).text("main")
    pusher.push(1, pusher.asset("1.py"))
    pusher.push(2, pusher.asset("2.py", url="https://files.example/2.py"))
    batch = gathered()
    pusher.push(3, pusher.asset("3.py"))
    page = pushed_page(pusher)
    assert page.texts("section[aria-labelledby=failed-heading] tbody th") == ["Student 2"]
    assert "https://files.example" in page.text("section[aria-labelledby=failed-heading]")
    assert page.texts("section[aria-labelledby=pushed-heading] tbody th") == ["Student 3", "Student 1"]
    assert page.has(f"a[href='{batch.get_absolute_url()}']")


def test_a_submission_that_failed_is_fetched_again_by_a_button(
    pusher: Pusher, eager_tasks: None, gathered: Gather
) -> None:
    asset = pusher.asset("1.py")
    pusher.lms.server.files["/files/1.py"] = 404
    row = pusher.push(1, asset)
    carry_out("fetch_submission", row.pk)
    pusher.lms.server.files["/files/1.py"] = asset_data(pusher)
    form = pushed_page(pusher).one("section[aria-labelledby=failed-heading] form")
    pusher.client.post(str(form.attributes["action"]))
    carry_out("fetch_submission", row.pk)
    row.refresh_from_db()
    assert (row.state, row.problem) == (State.FETCHED, "")
    gathered()
    Batch.objects.all().delete()
    assert "The upload was deleted." in pushed_page(pusher).text("main")
    pusher.client.post(str(form.attributes["action"]))
    carry_out("fetch_submission", row.pk)
    row.refresh_from_db()
    assert row.state == State.FETCHED
    pusher.client.post(str(form.attributes["action"]))
    assert "it is no longer marked as failed" in pushed_page(pusher).text(".notices")


def asset_data(pusher: Pusher) -> bytes:
    """Return the bytes of the file that the platform names."""
    pusher.asset("copy.py")
    data = pusher.lms.server.files["/files/copy.py"]
    assert isinstance(data, bytes)
    return data


def test_what_waits_is_read_at_once_by_a_button(
    pusher: Pusher, eager_tasks: None, django_capture_on_commit_callbacks: Committing
) -> None:
    address = reverse("lti_read_now", args=[pusher.assignment.pk])
    pusher.client.post(address)
    assert "Nothing is waiting to be read." in pushed_page(pusher).text(".notices")
    for student in (1, 2):
        carry_out("fetch_submission", pusher.push(student, pusher.asset(f"{student}.py")).pk)
    assert "Read the 2 submissions that arrived" in pushed_page(pusher).texts("button")
    with django_capture_on_commit_callbacks(execute=True):
        pusher.client.post(address)
    assert Batch.objects.get().state == Batch.State.DONE


def test_who_opens_the_page_and_who_has_work_fetched_is_in_the_audit_log(pusher: Pusher) -> None:
    row = pusher.push(1, pusher.asset("1.py"))
    pushed_page(pusher)
    pusher.client.post(reverse("lti_fetch_again", args=[pusher.assignment.pk, row.pk]))
    pusher.client.post(reverse("lti_read_now", args=[pusher.assignment.pk]))
    entries = AuditEntry.objects.filter(page__startswith="lti_").exclude(page="lti_launch").order_by("pk")
    acts = [(one.action, one.assignment, one.page) for one in entries]
    assert acts == [
        ("saw", "Sheet 1", "lti_pushed"),
        ("uploaded", "Sheet 1", "lti_fetch_again"),
        ("uploaded", "Sheet 1", "lti_read_now"),
    ]


def test_where_names_are_hidden_the_page_names_nobody(pusher: Pusher) -> None:
    pusher.push(1, pusher.asset("1.py", filename="Student 1.py", sha256_checksum="wrong"))
    carry_out("fetch_submission", PushedSubmission.objects.get().pk)
    pusher.client.post(reverse("switch_names"), {"names": "made-up"})
    text = pushed_page(pusher).text("main")
    assert "Student 1" not in text
    assert f"Submission {PushedSubmission.objects.get().pk}" in text


def test_the_pages_of_an_assignment_lead_to_it_where_a_platform_pushes(pusher: Pusher) -> None:
    link = f"a[href='{reverse('lti_pushed', args=[pusher.assignment.pk])}']"
    assert get_page(pusher.client, pusher.assignment.get_absolute_url()).has(link)
    other = pusher.assignment.course.assignments.create(name="Sheet 2")
    page = get_page(pusher.client, other.get_absolute_url())
    assert not page.has(link.replace(str(pusher.assignment.pk), str(other.pk)))


@pytest.mark.long
@pytest.mark.parametrize("role", ["", Role.OBSERVER, Role.ASSISTANT])
def test_only_who_may_change_the_course_sees_it_or_has_work_fetched(role: str, pusher: Pusher) -> None:
    row = pusher.push(1, pusher.asset("1.py"))
    user, client = User.objects.create_user("somebody"), Client()
    client.force_login(user)
    if role:
        Membership.objects.create(course=pusher.assignment.course, user=user, role=role)
    expected = 403 if role else 404
    arguments = [pusher.assignment.pk]
    assert client.get(reverse("lti_pushed", args=arguments)).status_code == expected
    assert client.post(reverse("lti_read_now", args=arguments)).status_code == expected
    assert client.post(reverse("lti_fetch_again", args=[*arguments, row.pk])).status_code == expected


def test_a_submission_is_fetched_again_only_from_its_own_assignment(pusher: Pusher) -> None:
    row = pusher.push(1, pusher.asset("1.py"))
    other = pusher.assignment.course.assignments.create(name="Sheet 2")
    assert pusher.client.post(reverse("lti_fetch_again", args=[other.pk, row.pk])).status_code == 404
