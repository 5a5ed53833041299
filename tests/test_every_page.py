"""Every page of the site in Chromium: no fault that axe knows, no error, no other host, nothing cut off."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from submissions import progress
from submissions.models import Assignment, Course
from tests.browser import look_everywhere
from tests.world import World, address, patterns

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.test import Client
    from playwright.sync_api import Page

    from tests.browser import Shoot, SignIn

# Pages of people who are signed in, by the names of their addresses.
PAGES = (
    "courses",
    "course",
    "rename_course",
    "delete_course",
    "assignment",
    "assignment_settings",
    "delete_assignment",
    "batch",
    "delete_batch",
    "pair",
    "submission",
)
# What stands in a page, and is looked at there.
FRAGMENTS = ("activity", "batch_progress")


def test_every_address_that_answers_a_get_is_visited(alice_client: Client, world: World) -> None:
    looked_at = {*PAGES, *FRAGMENTS}
    for name in patterns():
        status = alice_client.get(address(world, name)).status_code
        if name in looked_at:
            assert status == HTTPStatus.OK, name
        else:
            assert status == HTTPStatus.METHOD_NOT_ALLOWED, (
                f"{name} answers GET with {status}: add it to PAGES"
            )


def test_every_page_is_without_fault(
    world: World, sign_in: SignIn, shoot: Shoot, subtests: pytest.Subtests
) -> None:
    page = sign_in(world.owner)
    for name in PAGES:
        with subtests.test(name):
            page.goto(address(world, name))
            look_everywhere(page, shoot, f"page-{name}")


def test_what_a_new_instructor_sees_is_without_fault(alice: User, sign_in: SignIn, shoot: Shoot) -> None:
    page = sign_in(alice)
    course = Course(owner=alice, name="Programming 1")
    new = Assignment(course=course, name="Library fines")
    page.goto(reverse("courses"))
    look_everywhere(page, shoot, "empty-courses")
    course.save()
    page.goto(course.get_absolute_url())
    look_everywhere(page, shoot, "empty-course")
    new.save()
    page.goto(new.get_absolute_url())
    look_everywhere(page, shoot, "empty-assignment")


def test_the_sign_in_page_is_without_fault(page: Page, shoot: Shoot) -> None:
    page.goto("/")
    look_everywhere(page, shoot, "page-login")


def test_work_that_goes_on_is_shown_without_fault(world: World, sign_in: SignIn, shoot: Shoot) -> None:
    page = sign_in(world.owner)
    coming = world.assignment.batches.create(
        name="late.zip", state="fingerprinting", documents_total=8, documents_done=3
    )
    newer = world.assignment.reports.create(state="running")
    progress.tell(newer.pk, "Aligning pairs", 1_234, 5_000)
    for about, name in ((world.assignment, "assignment"), (coming, "batch")):
        page.goto(about.get_absolute_url())
        look_everywhere(page, shoot, f"busy-{name}")


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_work_that_came_to_nothing_is_shown_without_fault(
    state: str, world: World, sign_in: SignIn, shoot: Shoot
) -> None:
    page = sign_in(world.owner)
    lost = world.assignment.batches.create(name="late.zip", state=state, message="late.zip is truncated.")
    world.assignment.reports.create(state=state, message="Something broke on our side.")
    for about, name in ((world.assignment, "assignment"), (lost, "batch")):
        page.goto(about.get_absolute_url())
        look_everywhere(page, shoot, f"{state}-{name}")
