"""A launch in a real browser, from a page of a learning platform to the link that it stores."""

from html import escape
from urllib.parse import urlencode

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Browser, expect
from pytest_django.live_server_helper import LiveServer

from moss.integrations.lti.models import PlatformCourse
from submissions.models import Assignment, Course
from tests.support.browser import Shoot, SignIn, check_every_layout, save_screenshot
from tests.support.platform import CLIENT_ID, LearningPlatform

pytestmark = pytest.mark.services


@pytest.fixture
def course_page(lms: LearningPlatform, live_server: LiveServer) -> str:
    """Return the address of a page of the platform with this service in a frame.

    Both are `localhost`: without HTTPS a browser adds the cookie of a launch only within one site.
    """
    url = lms.url.replace("127.0.0.1", "localhost")
    lms.row.auth_url = f"{url}/auth"
    lms.row.save()
    lms.server.claims = lms.claims("", **lms.deep_linking(deep_link_return_url=f"{url}/links"))
    query = f"iss=https://lms.example&client_id={CLIENT_ID}&login_hint=7"
    lms.server.course_page = f'<!doctype html><iframe src="{live_server.url}/lti/login/?{query}"></iframe>'
    return f"{url}/course"


@pytest.mark.long
def test_an_instructor_comes_from_a_frame_makes_an_assignment_and_takes_its_link_back(
    course_page: str, lms: LearningPlatform, browser: Browser
) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(course_page)
    link = page.frame_locator("iframe").locator("main a")
    assert link.inner_text() == "Open in a new window"
    save_screenshot(page, "page-lti-framed")
    with context.expect_page() as opened:
        link.click()
    window = opened.value
    window.fill("input[name=new-name]", "Sheet 1")
    save_screenshot(window, "page-lti-deep-linking")
    window.click("button[name=make]")
    save_screenshot(window, "page-lti-hand-back")
    window.click("main button")
    window.wait_for_selector("text=The link was added")
    context.close()
    assert len(lms.server.answers) == 1
    assert Assignment.objects.get().course == Course.objects.get()


@pytest.mark.long
def test_the_pages_of_platforms_have_no_fault(
    lms: LearningPlatform, admin: User, sign_in: SignIn, shoot: Shoot
) -> None:
    course = Course.objects.create(owner=admin, name="Algorithms")
    PlatformCourse.objects.create(platform=lms.row, course=course, memberships_url=f"{lms.url}/members")
    page = sign_in(admin)
    for name, arguments in (
        ("lti_platforms", []),
        ("lti_platform", [lms.row.pk]),
        ("roster", [course.pk]),
        ("lti_login", []),
    ):
        page.goto(reverse(name, args=arguments))
        check_every_layout(page, shoot, f"page-{name}")


@pytest.mark.long
def test_a_platform_is_registered_in_its_frame_which_it_may_close_then(
    lms: LearningPlatform, admin: User, sign_in: SignIn, shoot: Shoot
) -> None:
    page = sign_in(admin)
    page.goto(reverse("lti_platforms"))
    page.get_by_role("button", name="Make an address for it").click()
    address = page.get_by_label("It works once").input_value()
    check_every_layout(page, shoot, "page-lti_offer_registration")
    query = urlencode(
        {"openid_configuration": f"{lms.url}/configuration", "registration_token": "the-registration-token"}
    )
    page.goto(f"{address}?{query}")
    check_every_layout(page, shoot, "page-lti_register")
    heard = "addEventListener('message', event => { document.title = event.data.subject })"
    frame = f'<iframe src="{escape(f"{address}?{query}")}" width=900 height=700></iframe>'
    lms.server.course_page = f"<!doctype html>{frame}<script>{heard}</script>"
    assert page.context.browser
    context = page.context.browser.new_context()
    window = context.new_page()
    window.goto(f"{lms.url}/course")
    framed = window.frame_locator("iframe")
    framed.get_by_role("button", name="Register 127.0.0.1").click()
    framed.get_by_role("heading", name="is registered").wait_for()
    save_screenshot(window, "page-lti_registered")
    framed.get_by_role("button", name="Close").click()
    expect(window).to_have_title("org.imsglobal.lti.close")
    context.close()
