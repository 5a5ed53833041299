"""Accounts in a real browser: signing in, tokens, user ids, and access that an administrator gives."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Browser, Page, expect
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from moss.integrations.moss_protocol.models import ClientResult
from moss.integrations.moss_protocol.uploads import digest
from moss.integrations.webhooks.models import Delivery, Webhook
from submissions.courses import change as people
from submissions.models import Assignment, Membership, Report, Share
from submissions.shares import links as shares
from tests.conftest import PASSWORD, wait_until
from tests.moss.integrations.accounts.test_second_factor import code
from tests.support.browser import Shoot, SignIn, check_every_layout
from tests.support.campus import Campus
from tests.support.identity_provider import IdentityProvider
from tests.support.receiver import Receiver

pytestmark = pytest.mark.services


def test_alice_signs_in_with_her_password_and_lands_on_her_courses(page: Page, alice: User) -> None:
    page.goto("/")
    assert "/accounts/login/" in page.url
    page.fill("input[name=username]", "alice")
    page.fill("input[name=password]", PASSWORD)
    page.press("input[name=password]", "Enter")
    page.wait_for_url("**/")
    assert page.locator("h1").inner_text() == "Courses"


@pytest.mark.long
def test_the_pages_of_signing_in_have_no_fault(
    page: Page, campus: Campus, settings: Settings, alice: User, shoot: Shoot
) -> None:
    settings.MAIL = True
    for name, address in (("login", reverse("login")), ("forgotten", reverse("account_reset_password"))):
        page.goto(address)
        check_every_layout(page, shoot, f"page-{name}")


@pytest.mark.long
def test_the_pages_of_the_second_factor_have_no_fault(sign_in: SignIn, alice: User, shoot: Shoot) -> None:
    page = sign_in(alice)
    page.goto(reverse("mfa_index"))
    check_every_layout(page, shoot, "page-second-factor")
    page.click("text=Set up an authenticator app")
    check_every_layout(page, shoot, "page-confirm")
    page.fill("input[name=password]", PASSWORD)
    page.press("input[name=password]", "Enter")
    page.wait_for_selector("form code")
    check_every_layout(page, shoot, "page-authenticator")
    page.fill("input[name=code]", code(page.locator("form code").inner_text()))
    page.press("input[name=code]", "Enter")
    page.wait_for_selector("ul.names code")
    check_every_layout(page, shoot, "page-recovery-codes")


def test_the_admin_works_under_the_content_security_policy(sign_in: SignIn, admin: User) -> None:
    page = sign_in(admin)
    page.goto("/admin/")
    page.click("text=Users")
    page.wait_for_url("**/admin/auth/user/")
    assert page.locator("#result_list").inner_text().count("admin@example.org") == 1


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
    links = [shares.create_share(assignment, colleague, timezone.now() + timedelta(days=days)) for days in (3, 9)]
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


@pytest.mark.long
@pytest.mark.usefixtures("celery_worker_process")
def test_a_webhook_is_added_and_a_test_arrives(
    alice: User, assignment: Assignment, receiver: Receiver, sign_in: SignIn, shoot: Shoot
) -> None:
    page = sign_in(alice)
    page.goto(assignment.course.get_absolute_url())
    page.click("text=Webhooks")
    page.fill("input[name=url]", receiver.url("/a-rather-long-address/that-names/a-channel?key=0123456789abcdef"))
    page.uncheck("input[value='upload.failed']")
    page.click("text=Add the webhook")
    secret = page.input_value("#secret")
    webhook = Webhook.objects.get()
    assert secret == webhook.secret
    check_every_layout(page, shoot, "page-webhook-created")
    page.click(".rows a")
    receiver.statuses = [500, 200]
    with page.expect_navigation():
        page.click("text=Send a test")
    wait_until(lambda: webhook.deliveries.get().status == 500, what="the first attempt")
    page.reload()
    page.click("table button")
    wait_until(lambda: webhook.deliveries.get().state == Delivery.State.ARRIVED, what="the second")
    webhook.deliveries.create(event="report.ready", body="{}", attempts=2, problem="no answer")
    page.goto(reverse("webhook", args=[webhook.course_id, webhook.pk]))
    assert page.locator("tbody tr").count() == 2
    check_every_layout(page, shoot, "page-webhook-sent")


@pytest.mark.long
def test_dora_signs_in_by_saml_at_another_site_and_signs_out_there_too(
    browser: Browser, live_server: LiveServer, provider_with_sign_out: IdentityProvider
) -> None:
    provider_with_sign_out.enrol("dora")
    context = browser.new_context(base_url=live_server.url)
    page = context.new_page()
    page.goto(reverse("account"))
    page.click("text=Sign in with Example University")
    page.wait_for_url(f"{provider_with_sign_out.url}**")
    page.click("text=dora")
    page.wait_for_url("**/account/")
    assert page.locator("h1").inner_text() == "Your account"
    assert "dora" in page.locator("header").inner_text()
    page.click("text=Sign out")
    page.wait_for_url(f"{provider_with_sign_out.url}/sign-out?**")
    page.goto(reverse("account"))
    assert reverse("login") in page.url
    context.close()
