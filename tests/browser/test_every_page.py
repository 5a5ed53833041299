"""Every page in a real browser: no violation, no error, no other host, and no attack that runs."""

from datetime import timedelta
from itertools import cycle
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from submissions.models import Assignment, Course, Membership, Report
from submissions.reports import progress
from submissions.work import heartbeats
from submissions.work.kinds import BROKEN, OUT_OF_TIME, QUEUES
from tests.support.browser import (
    LAYOUTS,
    SIZES,
    Shoot,
    SignIn,
    assert_accessible_now,
    check_every_layout,
    each_layout,
    visit,
)
from tests.support.every_page import (
    ACCOUNT_PAGES,
    FILES,
    FRAGMENTS,
    INVITATIONS,
    PAGES,
    PUBLIC,
    REDIRECTS,
    STAFF_FILES,
    STAFF_FRAGMENTS,
    STAFF_OBJECTS,
    STAFF_PAGES,
    World,
    address_of,
    patterns,
)
from tests.support.page_faults import faults_of

pytestmark = pytest.mark.services

# Words of tables, of ten letters at most, that are broken over lines.
BROKEN_WORDS = """() => [...document.querySelectorAll("td, th")].flatMap((cell) => {
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const broken = [];
  while (texts.nextNode()) {
    for (const word of texts.currentNode.data.matchAll(/(?<![\\p{L}\\d])\\p{L}{2,10}(?![\\p{L}\\d])/gu)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, word.index);
      range.setEnd(texts.currentNode, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map((one) => one.top)).size > 1) broken.push(word[0]);
    }
  }
  return broken;
})"""
LANGUAGES = [language for language, _ in settings.LANGUAGES]


def test_each_kind_of_fault_of_a_page_is_seen(page: Page) -> None:
    page.set_content(
        "<p style='width: 40px; overflow: hidden; white-space: nowrap'>a text that is cut off</p>"
        "<p style='width: 40px; white-space: nowrap'>a text that leaves its box</p>"
        "<select style='width: 60px'><option>a choice of many words</select>"
        "<input style='width: 60px' placeholder='an example of many words'>"
        "<button>first</button><button style='margin-left: -2em'>second</button>"
        "<p style='width: 40px'>as it is</p><button>third</button>"
    )
    kinds = [fault.partition(":")[0] for fault in faults_of(page)]
    assert kinds == ["cut text", "text beside its box", "cut choice", "cut example", "on top of each other"]


def test_every_address_that_answers_a_get_is_visited(admin: User, admin_client: Client, world: World) -> None:
    Course.objects.filter(pk=world.assignment.course_id).update(owner=admin)
    # Who made the links and the invitation may still do so.
    course = world.assignment.course_id
    Membership.objects.create(course_id=course, user=world.owner, role=Membership.Role.INSTRUCTOR)
    actual = {name: admin_client.get(address_of(world, name)).status_code for name in patterns()}
    staff = (*STAFF_PAGES, *STAFF_FRAGMENTS, *STAFF_FILES, *STAFF_OBJECTS)
    pages = (*PAGES, *ACCOUNT_PAGES, *INVITATIONS, *FRAGMENTS, *FILES, *PUBLIC, *staff)
    statuses = {**dict.fromkeys(pages, 200), **dict.fromkeys(REDIRECTS, 302)}
    expected = {name: statuses.get(name, 405) for name in patterns()}
    assert actual == expected, (
        "add every address that answers a GET to tests/support/every_page.py, so that it is checked"
    )


def test_no_page_has_a_fault(world: World, sign_in: SignIn, subtests: pytest.Subtests) -> None:
    """Check each page in one layout and language, so that all pages together are checked in all."""
    page = sign_in(world.owner)
    pages = (*PAGES, *ACCOUNT_PAGES, *INVITATIONS, *PUBLIC)
    for name, layout, language in zip(pages, cycle(LAYOUTS), cycle(LANGUAGES), strict=False):
        with subtests.test(name):
            page.set_extra_http_headers({"Accept-Language": language})
            page.goto(address_of(world, name))
            for _ in each_layout(page, [layout]):
                assert_accessible_now(page)


@pytest.mark.long
def test_no_page_has_a_fault_in_any_layout(
    world: World, sign_in: SignIn, shoot: Shoot, subtests: pytest.Subtests
) -> None:
    page = sign_in(world.owner)
    for name in (*PAGES, *ACCOUNT_PAGES, *INVITATIONS, *PUBLIC):
        with subtests.test(name):
            page.goto(address_of(world, name))
            check_every_layout(page, shoot, f"page-{name}")


@pytest.mark.long
@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_no_page_has_a_fault_in_a_language_of_longer_words(
    language: str, world: World, sign_in: SignIn, shoot: Shoot, subtests: pytest.Subtests
) -> None:
    page = sign_in(world.owner)
    page.set_extra_http_headers({"Accept-Language": language})
    for name in (*PAGES, *ACCOUNT_PAGES, *PUBLIC):
        with subtests.test(name):
            page.goto(address_of(world, name))
            assert page.locator("html").get_attribute("lang") == language
            for layout in each_layout(page):
                if layout.endswith("-light"):
                    shoot(f"{language}-{name}-{layout}")
            assert_accessible_now(page, every_row=True)


@pytest.mark.long
def test_no_page_for_staff_has_a_fault(world: World, admin: User, sign_in: SignIn, shoot: Shoot) -> None:
    now = timezone.now()
    worker = heartbeats.Worker("worker@host", 4711, [*QUEUES], 2, "0.1.0", "", now.isoformat())
    heartbeats.save_worker(worker)
    heartbeats.save_end(heartbeats.MAINTENANCE)
    assignment = world.assignment
    for state, changed in (("failed", now), ("queued", now), ("fingerprinting", now - timedelta(hours=1))):
        batch = assignment.batches.create(name="late.zip", state=state, message=OUT_OF_TIME)
        assignment.batches.filter(pk=batch.pk).update(touched=changed)
    assignment.reports.create(state="running")
    assignment.reports.create(state="failed", message=BROKEN)
    page = sign_in(admin)
    for name in (*STAFF_PAGES, *STAFF_OBJECTS):
        page.goto(address_of(world, name))
        check_every_layout(page, shoot, f"page-{name}")
    heartbeats.delete_worker(worker.name)


def test_no_short_word_of_a_table_is_broken_on_a_small_laptop(world: World, admin: User, sign_in: SignIn) -> None:
    User.objects.filter(pk=world.owner.pk).update(username="instructor")
    page = sign_in(admin)
    page.set_viewport_size({"width": 1366, "height": 768})
    for name in STAFF_PAGES:
        page.goto(address_of(world, name))
        assert page.evaluate(BROKEN_WORDS) == [], name


@pytest.mark.long
def test_the_empty_pages_of_a_new_instructor_have_no_fault(alice: User, sign_in: SignIn, shoot: Shoot) -> None:
    page = sign_in(alice)
    course = Course(owner=alice, name="Programming 1")
    new = Assignment(course=course, name="Library fines")
    page.goto(reverse("courses"))
    check_every_layout(page, shoot, "empty-courses")
    course.save()
    page.goto(course.get_absolute_url())
    check_every_layout(page, shoot, "empty-course")
    new.save()
    page.goto(new.get_absolute_url())
    check_every_layout(page, shoot, "empty-assignment")


SIGN_IN = "/accounts/login/"


@pytest.mark.long
def test_it_is_used_again_and_knows_nothing_of_the_test_before(browser: Browser, live_server: LiveServer) -> None:
    kept: dict[str, Page] = {}
    with visit(browser, kept, "page", live_server.url) as page:
        page.goto(SIGN_IN)
        page.evaluate("localStorage.setItem('seen', '1')")
        page.set_viewport_size({"width": 300, "height": 300})
        page.emulate_media(color_scheme="dark")
        page.set_extra_http_headers({"Accept-Language": "de"})
        page.context.new_page()
        assert [cookie.get("name") for cookie in page.context.cookies()] == [settings.CSRF_COOKIE_NAME]
    with visit(browser, kept, "page", live_server.url) as again:
        assert again == page
        assert (again.url, again.context.pages, again.context.cookies()) == ("about:blank", [again], [])
        again.goto(SIGN_IN)
        assert again.evaluate("[localStorage.length, innerWidth, innerHeight]") == [0, *SIZES["wide"]]
        assert again.evaluate("matchMedia('(prefers-color-scheme: light)').matches")
        assert again.locator("html").get_attribute("lang") == "en"
    kept["page"].context.close()


def test_one_that_was_closed_is_not_used_again(browser: Browser, live_server: LiveServer) -> None:
    kept: dict[str, Page] = {}
    with visit(browser, kept, "page", live_server.url) as page:
        page.context.close()
    assert kept == {}


@pytest.mark.long
@pytest.mark.parametrize("state", ["running", "failed", "cancelled"])
def test_pages_of_running_failed_and_cancelled_work_have_no_fault(
    state: str, report: Report, sign_in: SignIn, shoot: Shoot
) -> None:
    assignment = report.assignment
    page = sign_in(assignment.course.owner)
    fields: dict[str, Any] = {"state": state, "message": "late.zip is truncated."}
    if state == "running":
        fields = {"state": "fingerprinting", "documents_total": 8, "documents_done": 3}
    batch = assignment.batches.create(name="late.zip", **fields)
    message = "" if state == "running" else "Something broke on our side."
    newer = assignment.reports.create(state=state, message=message)
    if state == "running":
        progress.publish(newer.pk, "Aligning pairs", 1_234, 5_000)
    for page_object, name in ((assignment, "assignment"), (batch, "batch")):
        page.goto(page_object.get_absolute_url())
        check_every_layout(page, shoot, f"{state}-{name}")
