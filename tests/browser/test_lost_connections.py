"""A large file is sent from the upload page over connections that are lost."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect
from pytest_django.live_server_helper import LiveServer

from submissions.models import Assignment, Batch, Course, ResumableUpload, Upload
from tests.support.browser import PATIENCE
from tests.support.cutting_proxy import CuttingProxy, cutting_proxy

pytestmark = pytest.mark.services

MB = 1_000_000
SIZE = 20 * MB


@pytest.fixture
def assignment(alice: User) -> Assignment:
    return Course.objects.create(owner=alice, name="Algorithms").assignments.create(name="Sorting")


@pytest.fixture
def proxy(live_server: LiveServer) -> Iterator[CuttingProxy]:
    with cutting_proxy(live_server.thread.port) as proxy:
        proxy.stays_down = True
        yield proxy


@pytest.fixture
def context(browser: Browser, proxy: CuttingProxy, alice: User) -> Iterator[BrowserContext]:
    """Return a context of a signed-in user behind the proxy; it logs the requests that fail, on purpose."""
    address = f"http://localhost:{proxy.port}"
    context = browser.new_context(base_url=address)
    client = Client()
    client.force_login(alice)
    name = settings.SESSION_COOKIE_NAME
    context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": address}])
    yield context
    context.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "class.zip"
    path.write_bytes(os.urandom(SIZE))
    return path


def choose(context: BrowserContext, assignment: Assignment, file: Path) -> Page:
    """Open the page of an assignment, choose a file and return the page."""
    page = context.new_page()
    page.goto(assignment.get_absolute_url())
    page.locator("[data-parts] input[type=file]").set_input_files(file)
    return page


def send(page: Page) -> None:
    page.locator("[data-parts] [data-send]").click()


def wait_until_lost(page: Page, proxy: CuttingProxy) -> None:
    """Wait until the connection is lost and the page says so; then there is one again."""
    deadline = time.monotonic() + PATIENCE / 1000
    while not proxy.is_down and time.monotonic() < deadline:
        time.sleep(0.02)
    expect(page.locator("[data-parts] [data-sent]")).to_contain_text("Trying again", timeout=PATIENCE)
    proxy.is_down = False


def test_a_file_arrives_whole_although_the_connection_is_lost_twice(
    context: BrowserContext, proxy: CuttingProxy, assignment: Assignment, file: Path
) -> None:
    page = choose(context, assignment, file)
    proxy.limits.append(5 * MB)
    send(page)
    wait_until_lost(page, proxy)
    proxy.limits.append(9 * MB)
    wait_until_lost(page, proxy)
    page.wait_for_url("**/batches/*/", timeout=PATIENCE)
    batch = Batch.objects.get()
    assert (batch.name, batch.assignment) == ("class.zip", assignment)
    with default_storage.open(Upload.objects.get().file.name) as stored:
        assert stored.read() == file.read_bytes()
    assert not proxy.limits


@pytest.mark.long
def test_a_page_that_was_closed_goes_on_where_it_ended(
    context: BrowserContext, proxy: CuttingProxy, assignment: Assignment, file: Path
) -> None:
    page = choose(context, assignment, file)
    proxy.limits.append(12 * MB)
    send(page)
    wait_until_lost(page, proxy)
    page.close()
    page = choose(context, assignment, file)
    expect(page.locator(".unfinished li")).to_contain_text("class.zip")
    arrived, before = ResumableUpload.objects.get().offset, proxy.sent
    assert arrived > 8 * MB
    send(page)
    page.wait_for_url("**/batches/*/", timeout=PATIENCE)
    assert SIZE - arrived < proxy.sent - before < SIZE - arrived + MB
    with default_storage.open(Upload.objects.get().file.name) as stored:
        assert stored.read() == file.read_bytes()


def test_a_refusal_is_shown_with_its_reason(
    context: BrowserContext, assignment: Assignment, file: Path, settings: object
) -> None:
    page = choose(context, assignment, file)
    settings.STORAGE_BYTES = 10 * MB  # type: ignore[attr-defined]
    send(page)
    expect(page.locator("[data-parts] [role=alert]")).to_contain_text("MB", timeout=PATIENCE)
    assert not ResumableUpload.objects.exists()


@pytest.mark.long
@pytest.mark.parametrize("by", ["cancelling", "deleting"])
def test_nothing_is_kept_of_a_file_that_is_cancelled_or_deleted(
    by: str, context: BrowserContext, proxy: CuttingProxy, assignment: Assignment, file: Path
) -> None:
    page = choose(context, assignment, file)
    proxy.limits.append(9 * MB)
    send(page)
    wait_until_lost(page, proxy)
    if by == "cancelling":
        page.locator("[data-parts] [data-stop]").click()
        expect(page.locator("[data-parts] [role=alert]")).to_have_text("Cancelled. Nothing was kept.")
        assert page.evaluate("localStorage.length") == 0
    else:
        page.reload()
        page.get_by_role("button", name="Delete what arrived of class.zip").click()
        expect(page.get_by_text("What had arrived of class.zip was deleted.")).to_be_visible()
    assert not ResumableUpload.objects.exists()
