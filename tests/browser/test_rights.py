"""Access that an administrator gives, and a link whose maker left, in a real browser."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from submissions.courses import change as people
from submissions.models import Assignment, Membership, Share
from submissions.shares import links as shares
from tests.support.browser import Shoot, SignIn, check_every_layout

pytestmark = pytest.mark.services


@pytest.mark.long
def test_an_administrator_states_a_reason_and_invites_somebody(
    admin: User, alice: User, assignment: Assignment, sign_in: SignIn, shoot: Shoot
) -> None:
    people.invite(assignment.course, alice, "somebody-with-a-long-name@example.org", "assistant")
    page = sign_in(admin)
    page.goto(reverse("people", args=[assignment.course_id]))
    assert page.locator("#invite-heading").count() == 0
    check_every_layout(page, shoot, "page-people-without-reason")
    page.fill("textarea[name=reason]", "The owner is ill, tess marks instead.")
    page.click("text=Read the course")
    page.goto(reverse("people", args=[assignment.course_id]))
    page.fill("input[name=email]", "tess@example.org")
    page.click("text=Create the invitation")
    expect(page.locator(".copy input")).to_have_count(1)
    check_every_layout(page, shoot, "page-people-with-reason")


@pytest.mark.long
def test_the_owner_takes_over_the_link_of_somebody_who_left(
    alice: User, colleague: User, assignment: Assignment, sign_in: SignIn, shoot: Shoot
) -> None:
    links = [
        shares.create_share(assignment, colleague, timezone.now() + timedelta(days=days)) for days in (3, 9)
    ]
    Share.objects.filter(pk=links[0].pk).update(left="ada", right="grace")
    Membership.objects.all().delete()
    page = sign_in(alice)
    page.goto(assignment.course.get_absolute_url())
    check_every_layout(page, shoot, "page-course-with-stopped-links")
    page.click(".notice a")
    check_every_layout(page, shoot, "page-shares-stopped")
    page.locator("text=Take over").last.click()
    expect(page.locator(".copy input")).to_have_count(1)
    check_every_layout(page, shoot, "page-shares-taken-over")
