"""Signing in and out in a real browser, and a real worker that answers."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Browser, Page
from pytest_django.fixtures import Settings
from pytest_django.live_server_helper import LiveServer

from moss.celery import app
from tests.conftest import PASSWORD
from tests.moss.integrations.accounts.test_second_factor import code
from tests.support.browser import Shoot, SignIn, check_every_layout
from tests.support.campus import Campus
from tests.support.identity_provider import IdentityProvider

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
def test_dora_signs_in_by_saml_at_another_site(
    browser: Browser, live_server: LiveServer, identity_provider: IdentityProvider
) -> None:
    identity_provider.enrol("dora")
    context = browser.new_context(base_url=live_server.url)
    page = context.new_page()
    page.goto(reverse("account"))
    page.click("text=Sign in with Example University")
    page.wait_for_url(f"{identity_provider.url}**")
    page.click("text=dora")
    page.wait_for_url("**/account/")
    assert page.locator("h1").inner_text() == "Your account"
    assert "dora" in page.locator("header").inner_text()
    context.close()


@pytest.mark.long
def test_dora_signs_out_at_the_other_site_too(
    browser: Browser, live_server: LiveServer, provider_with_sign_out: IdentityProvider
) -> None:
    provider_with_sign_out.enrol("dora")
    context = browser.new_context(base_url=live_server.url)
    page = context.new_page()
    page.goto(reverse("account"))
    page.click("text=Sign in with Example University")
    page.click("text=dora")
    page.wait_for_url("**/account/")
    page.click("text=Sign out")
    page.wait_for_url(f"{provider_with_sign_out.url}/sign-out?**")
    page.goto(reverse("account"))
    assert reverse("login") in page.url
    context.close()


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


def test_a_real_worker_answers_on_the_queue_of_the_tests(celery_worker_process: Path) -> None:
    answers = app.control.ping(timeout=60, limit=1) or []
    assert [list(answer.values()) for answer in answers] == [[{"ok": "pong"}]]
    registered = app.control.inspect(timeout=60, limit=1).registered() or {}
    assert [name for names in registered.values() for name in names if name.startswith("work.")]
