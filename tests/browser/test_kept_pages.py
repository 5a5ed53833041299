"""A page of the browser that a test gets is as a new one, although an earlier test used it."""

import pytest
from django.conf import settings
from playwright.sync_api import Browser, Page
from pytest_django.live_server_helper import LiveServer

from tests.support.browser import SIZES, visit

pytestmark = pytest.mark.services

SIGN_IN = "/accounts/login/"


@pytest.mark.long
def test_it_is_used_again_and_knows_nothing_of_the_test_before(
    browser: Browser, live_server: LiveServer
) -> None:
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
