"""A real Chromium on the live server; a page that logs an error or calls another host fails its test."""

import base64
import os
import shutil
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Locator,
    Page,
    Request,
    TimeoutError as PlaywrightTimeout,
    ViewportSize,
    WebError,
    expect,
    sync_playwright,
)
from pytest_django.live_server_helper import LiveServer

from tests.support.page_faults import faults_of
from tests.support.paths import ROOT

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
# One process draws all pages, and asks no graphics card: a new one for each visit took a sixth of the time.
OPTIONS = [
    "--no-sandbox", "--disable-background-networking", "--disable-gpu",
    "--process-per-site", "--renderer-process-limit=1", "--disable-site-isolation-trials",
]  # fmt: skip
ARTIFACTS = ROOT / "artifacts"
PATIENCE = 90_000  # milliseconds that a worker may take
READING = 30_000  # milliseconds that a page may take, which shows what it was asked for
SIZES = {"wide": (1280, 900), "narrow": (390, 844)}
SCHEMES = ("light", "dark")
LAYOUTS = tuple(f"{size}-{scheme}" for size in SIZES for scheme in SCHEMES)
AXE = {
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]},
    "rules": {
        rule: {"enabled": True} for rule in ("label-content-name-mismatch", "landmark-unique", "aria-allowed-role")
    },
    "resultTypes": ["violations"],
}
# Rows of a table from the fifth on, and what their cells have: axe takes seconds for hundreds of rows alike.
ROWS_ALIKE = {"exclude": [["tbody tr:nth-child(n+5)"]]}
DROP = """(zone, [name, content]) => {
  const bytes = Uint8Array.from(atob(content), (char) => char.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], name));
  for (const type of ["dragenter", "dragover", "drop"])
    zone.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
}"""
DRAW_ALL = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { content-visibility: visible !important }");
  document.adoptedStyleSheets.push(sheet);
}"""
SignIn = Callable[[User], Page]
Shoot = Callable[[str], Path]


def _chromium() -> str:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path:
        return path
    reason = "Chromium is not on the PATH; on Debian it is the package `chromium`"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    path = _chromium()
    expect.set_options(timeout=READING)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        yield chromium
        chromium.close()


# What htmx logs of a request that ends because its page is left; of one that fails it also logs `sendError`.
ABORTED = ("htmx:afterRequest", "htmx:sendAbort")


@contextmanager
def _watched(context: BrowserContext, home: str) -> Iterator[list[str]]:
    """Yield a list that collects the errors of a context's pages and their requests to other hosts."""
    faults: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        # Chromium also logs an error status of the page's own address; tests assert those themselves.
        is_status_of_page = message.page is not None and message.location["url"] == message.page.url
        if message.type == "error" and not is_status_of_page and not message.text.startswith(ABORTED):
            faults.append(f"console: {message.text}")

    def on_request(request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme in {"http", "https", "ws", "wss"} and address.netloc != home:
            faults.append(f"request to another host: {request.url}")

    def on_error(error: WebError) -> None:
        faults.append(f"uncaught: {error.error}")

    context.on("console", on_console)
    context.on("weberror", on_error)
    context.on("request", on_request)
    yield faults
    context.remove_listener("console", on_console)
    context.remove_listener("weberror", on_error)
    context.remove_listener("request", on_request)


@pytest.fixture(scope="session")
def kept_pages() -> dict[str, Page]:
    """Pages that tests are done with, by fixture: a new one takes half a second of processor time.

    A test that leaves more behind than `_empty` takes away, as listeners or scripts, closes the context.
    """
    return {}


@contextmanager
def visit(browser: Browser, kept: dict[str, Page], name: str, address: str) -> Iterator[Page]:
    """Yield the page that is kept under a name, or a new one; empty and keep it afterwards."""
    width, height = SIZES["wide"]
    size: ViewportSize = {"width": width, "height": height}
    page = kept.pop(name, None) or browser.new_context(base_url=address, viewport=size).new_page()
    with _watched(page.context, urlsplit(address).netloc) as faults:
        yield page
        if not page.is_closed():
            _empty(page, address, size)
            kept[name] = page
    assert not faults, "\n".join(faults)


def _empty(page: Page, address: str, size: ViewportSize) -> None:
    """Leave the page, and forget what it and its context know of a site: cookies, storage, files, layout."""
    session = page.context.new_cdp_session(page)
    page.goto("about:blank")
    session.send("Storage.clearDataForOrigin", {"origin": address, "storageTypes": "all"})
    session.send("Network.clearBrowserCache")
    session.detach()
    for other in page.context.pages:
        if other != page:
            other.close()
    page.context.clear_cookies()
    page.set_viewport_size(size)
    page.emulate_media(media="null", color_scheme="null")
    page.set_extra_http_headers({})


@pytest.fixture
def page(browser: Browser, kept_pages: dict[str, Page], live_server: LiveServer) -> Iterator[Page]:
    """Return an empty page whose relative addresses are those of the live server."""
    with visit(browser, kept_pages, "page", live_server.url) as page:
        yield page


@pytest.fixture
def stranger(browser: Browser, kept_pages: dict[str, Page], live_server: LiveServer) -> Iterator[Page]:
    """Return a page like `page` in another context, which has no cookies of the first."""
    with visit(browser, kept_pages, "stranger", live_server.url) as page:
        yield page


@pytest.fixture
def sign_in(page: Page, live_server: LiveServer) -> SignIn:
    """Return a function that signs a user in without the form and returns the page."""

    def enter(user: User) -> Page:
        client = Client()
        client.force_login(user)
        name = settings.SESSION_COOKIE_NAME
        page.context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])
        return page

    return enter


def save_screenshot(page: Page, name: str) -> Path:
    """Write a screenshot of the whole page to `artifacts/`, with parts that are only drawn when in view."""
    path = ARTIFACTS / f"{name}.png"
    page.evaluate(DRAW_ALL)
    page.screenshot(path=path, full_page=True)
    page.evaluate("() => void document.adoptedStyleSheets.pop()")
    return path


@pytest.fixture
def shoot(page: Page) -> Shoot:
    """Return a function that writes a screenshot of the test's page and returns its path."""

    def take(name: str) -> Path:
        return save_screenshot(page, name)

    return take


def drop(zone: Locator, name: str, content: bytes) -> None:
    """Drop a file on an element, as if it was dragged in from a folder."""
    zone.page.wait_for_load_state()  # Nobody listens before.
    zone.evaluate(DROP, [name, base64.b64encode(content).decode()])


def each_layout(page: Page, layouts: Collection[str] = LAYOUTS) -> Iterator[str]:
    """Show a page in each of some layouts and yield its name: wide or narrow, light or dark.

    Fails if the page scrolls sideways, cuts off a text, or has one control on top of another.
    """
    for size, (width, height) in SIZES.items():
        schemes = [scheme for scheme in SCHEMES if f"{size}-{scheme}" in layouts]
        if not schemes:
            continue
        page.set_viewport_size({"width": width, "height": height})
        for scheme in schemes:
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            yield f"{size}-{scheme}"
        assert _fits(page), (page.url, size)
        assert not (faults := faults_of(page)), (page.url, size, *faults)
    page.set_viewport_size({"width": SIZES["wide"][0], "height": SIZES["wide"][1]})
    page.emulate_media(color_scheme="light")


def _fits(page: Page) -> bool:
    """Return whether the page needs no scrolling sideways; charts are drawn again a moment after a resize."""
    try:
        page.wait_for_function("document.documentElement.scrollWidth <= innerWidth", timeout=READING)
    except PlaywrightTimeout:
        return False
    return True


def assert_accessible_now(page: Page, *, every_row: bool = False) -> None:
    """Fail if axe finds violations of WCAG A or AA in the page as it is shown now, with four rows a table."""
    context = None if every_row else ROWS_ALIKE
    violations = Axe().run(page, context, AXE).response["violations"]
    messages = [
        f"{violation['id']}: {violation['help']}, {len(violation['nodes'])} times, as at"
        f" {node['target']} {node['html']}"
        f" {[check['message'] for check in node['any'] + node['all'] + node['none']]}"
        for violation in violations
        for node in violation["nodes"][:2]
        # A name under a circle of the graph is broken and cut; the name for readers of screens has all of it.
        if violation["id"] != "label-content-name-mismatch" or 'class="node ' not in node["html"]
    ]
    assert not messages, "\n".join([page.url, *messages])


def check_every_layout(page: Page, shoot: Shoot, name: str) -> None:
    """Check the page with axe, wide and narrow, light and dark, and write screenshots."""
    for layout in each_layout(page):
        shoot(f"{name}-{layout}")
        assert_accessible_now(page, every_row=True)
