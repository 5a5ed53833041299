"""Every page of the site in Chromium: no fault that axe knows, no error, no other host, nothing cut off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from submissions.models import Assignment, Course
from submissions.ranking import progress
from tests.support.browser import look_everywhere
from tests.support.every_page import FILES, FRAGMENTS, PAGES, PUBLIC, REDIRECTS, World, address, patterns

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.test import Client
    from playwright.sync_api import Page

    from submissions.models import Report
    from tests.support.browser import Shoot, SignIn


def test_every_address_that_answers_a_get_is_visited(alice_client: Client, world: World) -> None:
    answers = {name: alice_client.get(address(world, name)).status_code for name in patterns()}
    known = {**dict.fromkeys((*PAGES, *FRAGMENTS, *FILES, *PUBLIC), 200), **dict.fromkeys(REDIRECTS, 302)}
    expected = {name: known.get(name, 405) for name in patterns()}
    assert answers == expected, "what answers a GET stands in tests/world.py, so that it is looked at"


def test_every_page_is_without_fault(
    world: World, sign_in: SignIn, shoot: Shoot, subtests: pytest.Subtests
) -> None:
    page = sign_in(world.owner)
    for name in (*PAGES, *PUBLIC):
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


def test_work_that_goes_on_is_shown_without_fault(report: Report, sign_in: SignIn, shoot: Shoot) -> None:
    assignment = report.assignment
    page = sign_in(assignment.course.owner)
    coming = assignment.batches.create(
        name="late.zip", state="fingerprinting", documents_total=8, documents_done=3
    )
    newer = assignment.reports.create(state="running")
    progress.publish(newer.pk, "Aligning pairs", 1_234, 5_000)
    for about, name in ((assignment, "assignment"), (coming, "batch")):
        page.goto(about.get_absolute_url())
        look_everywhere(page, shoot, f"busy-{name}")


@pytest.mark.parametrize("state", ["failed", "cancelled"])
def test_work_that_came_to_nothing_is_shown_without_fault(
    state: str, report: Report, sign_in: SignIn, shoot: Shoot
) -> None:
    assignment = report.assignment
    page = sign_in(assignment.course.owner)
    lost = assignment.batches.create(name="late.zip", state=state, message="late.zip is truncated.")
    assignment.reports.create(state=state, message="Something broke on our side.")
    for about, name in ((assignment, "assignment"), (lost, "batch")):
        page.goto(about.get_absolute_url())
        look_everywhere(page, shoot, f"{state}-{name}")
