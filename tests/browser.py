"""A real Chromium on the live server; a page that logs an error or calls another host fails its test."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

if TYPE_CHECKING:
    from pytest_django.live_server_helper import LiveServer

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARTIFACTS = Path(__file__).resolve().parent.parent / "artifacts"
SignIn = Callable[[User], Page]
Shoot = Callable[[str], Path]


def _chromium() -> str:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found:
        return found
    reason = "Chromium is not on the PATH; on Debian it is the package `chromium`"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = _chromium()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox", "--disable-background-networking"]
        )
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser, live_server: LiveServer) -> Iterator[Page]:
    """Give an empty page whose relative addresses are the live server's."""
    faults: list[str] = []
    home = urlsplit(live_server.url).netloc

    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error":
            faults.append(f"console: {message.text}")

    def on_request(request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme in {"http", "https", "ws", "wss"} and address.netloc != home:
            faults.append(f"request to another host: {request.url}")

    context = browser.new_context(base_url=live_server.url, viewport={"width": 1280, "height": 900})
    context.on("console", on_console)
    context.on("weberror", lambda error: faults.append(f"uncaught: {error.error}"))
    context.on("request", on_request)
    yield context.new_page()
    context.close()
    assert not faults, "\n".join(faults)


@pytest.fixture
def sign_in(page: Page, live_server: LiveServer) -> SignIn:
    """Sign a user in without the form; gives the page."""

    def enter(user: User) -> Page:
        client = Client()
        client.force_login(user)
        name = settings.SESSION_COOKIE_NAME
        page.context.add_cookies(
            [{"name": name, "value": client.cookies[name].value, "url": live_server.url}]
        )
        return page

    return enter


@pytest.fixture
def shoot(page: Page) -> Shoot:
    """Keep a screenshot of the whole page in `artifacts/`."""

    def take(name: str) -> Path:
        path = ARTIFACTS / f"{name}.png"
        page.screenshot(path=path, full_page=True)
        return path

    return take
