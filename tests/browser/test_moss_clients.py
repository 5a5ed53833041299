"""The user id on the page of the account, and the frames of an old result page, in a real browser."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings

from moss.integrations.moss_protocol.models import ClientResult
from moss.integrations.moss_protocol.uploads import digest
from submissions.models import Report
from tests.support.browser import Shoot, SignIn, check_every_layout

pytestmark = pytest.mark.services

KEY = "0" * 38


@pytest.mark.long
def test_an_instructor_gets_the_lines_for_a_script(
    alice: User, sign_in: SignIn, shoot: Shoot, settings: Settings
) -> None:
    settings.LISTEN = True
    page = sign_in(alice)
    page.goto(reverse("account"))
    page.get_by_role("button", name="Get a user id").click()
    page.get_by_text("$userid = ").wait_for()
    check_every_layout(page, shoot, "moss-user-id")


def test_the_frames_of_a_match_are_shown_and_lead_from_one_to_the_other(report: Report, page: Page) -> None:
    result = ClientResult.objects.create(
        assignment=report.assignment, key_digest=digest(KEY), options="-l python", shown=10
    )
    page.goto(f"/results/{result.pk}/{KEY}")
    page.locator("td a").first.click()
    page.wait_for_url("**/match0.html")
    page.frame_locator("frame[name=top]").locator("th").first.wait_for()
    left, right = (page.frame_locator(f"frame[name='{side}']") for side in "01")
    expect(left.locator("font").first).to_contain_text("def spread")
    left.locator("font a img").first.click()
    page.frame(name="1").wait_for_url("**/match0-1.html#0")  # type: ignore[union-attr]
    expect(right.locator("font").first).to_contain_text("def spread")
