"""A match with another course in a real browser: asked for by one person, agreed to by another."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from submissions.models import Membership
from tests.support.browser import Shoot, SignIn, check_every_layout
from tests.support.tabs import tab
from tests.support.withheld import Sealed

pytestmark = pytest.mark.services


@pytest.mark.long
def test_a_pair_of_another_course_opens_when_its_owner_agrees(
    sealed: Sealed, sign_in: SignIn, shoot: Shoot
) -> None:
    alice, assignment = sealed.world.owner, sealed.world.assignment
    alice.email, alice.first_name, alice.last_name = "alice@example.org", "Alice", "Adams"
    alice.save()
    tess = User.objects.get(username="tess")
    assert Membership.objects.get(user=tess, course=assignment.course).role == Membership.Role.ASSISTANT
    page = sign_in(tess)
    page.goto(tab(assignment, "pairs"))
    assert page.locator("#withheld").get_by_role("listitem").count() > 1
    check_every_layout(page, shoot, "other-courses-withheld")
    page.locator("#withheld").get_by_role("button", name="Ask to read the pair").first.click()
    page.get_by_text("You asked.").wait_for()
    check_every_layout(page, shoot, "other-courses-asked")
    page = sign_in(alice)
    page.goto(sealed.old.course.get_absolute_url())
    check_every_layout(page, shoot, "other-courses-course")
    page.goto(reverse("people", args=[sealed.old.course.pk]))
    check_every_layout(page, shoot, "other-courses-request")
    page.get_by_role("button", name="Agree").click()
    page.get_by_role("button", name="Withdraw the agreement").wait_for()
    check_every_layout(page, shoot, "other-courses-agreed")
