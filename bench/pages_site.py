"""Run the service with a ranked class and measure the response times of its pages."""

from __future__ import annotations

import http.client
import shutil
import time
from contextlib import contextmanager
from statistics import median
from typing import TYPE_CHECKING, NamedTuple, TextIO
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, sync_playwright

from bench.pages_class import zipped_class
from moss.embedded.client import wait_until_stopped
from moss.embedded.paths import installation_paths
from moss.serving.supervisor import Supervisor
from submissions import actions
from submissions.models import Batch, Course, Report

if TYPE_CHECKING:
    from collections.abc import Iterator

    from submissions.models import Assignment

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OVERVIEW_TARGET, PAIR_TARGET = 500.0, 1_000.0  # milliseconds until the page is loaded
PORT = 8_900
# Returns [first paint, loaded] in milliseconds: null before the first paint, 0 until the page is loaded.
TIMES_SCRIPT = """() => [
  performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null,
  performance.getEntriesByType("navigation")[0].loadEventEnd,
]"""


class PageTiming(NamedTuple):
    """Median times of one page in milliseconds, and its size; browser times are None without a browser."""

    page: str
    server: float
    kilobytes: float
    first_paint: float | None
    loaded: float | None
    target: float


class TimedPage(NamedTuple):
    """A page to measure, and the milliseconds within which it has to be loaded."""

    name: str
    path: str
    target: float


class Session(NamedTuple):
    """The address of the site, and the session cookie of a signed-in user."""

    site: str
    cookie: str


def page_timings(pairs: int, lines: int, repeat: int, log: TextIO) -> list[PageTiming]:
    """Serve a class with at least `pairs` pairs and measure each page `repeat` times."""
    with _served(log) as supervisor:
        teacher = User.objects.create_user("teacher")
        assignment = _ranked_assignment(supervisor, teacher, zipped_class(pairs, lines), log)
        session = Session(supervisor.address, _session_cookie(teacher))
        pages = _pages(assignment)
        # Start the browser last: while its event loop runs, Django refuses to query the database.
        with _browser() as browser:
            return [_timing(session, browser, page, repeat) for page in pages]


@contextmanager
def _served(log: TextIO) -> Iterator[Supervisor]:
    with Supervisor("127.0.0.1", PORT, workers=1, log=log) as supervisor:
        supervisor.start()
        yield supervisor
    wait_until_stopped(installation_paths())


@contextmanager
def _browser() -> Iterator[Browser | None]:
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not path:
        yield None
        return
    with sync_playwright() as playwright:
        quiet = ["--no-sandbox", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=path, args=quiet)
        yield browser
        browser.close()


def _ranked_assignment(supervisor: Supervisor, teacher: User, archive: bytes, log: TextIO) -> Assignment:
    """Upload a class and wait until the worker has ranked it."""
    course = Course.objects.create(owner=teacher, name="Programming 1")
    # The limit is so high that nothing is common code, although many submissions share each function.
    assignment = course.assignments.create(name="Generated", common_limit=100_000)
    start = time.perf_counter()
    batch = actions.create_batch(assignment, teacher, [SimpleUploadedFile("class.zip", archive)])
    while batch.is_running:
        supervisor.tick()
        time.sleep(0.2)
        batch.refresh_from_db()
    if batch.state != Batch.State.DONE:
        raise RuntimeError(f"The class was not ranked: {batch.message}")
    report = assignment.reports.get(state=Report.State.DONE)
    seconds = time.perf_counter() - start
    log.write(f"{batch.submissions.count()} submissions, {report.pairs.count()} pairs in {seconds:.0f} s\n")
    return assignment


def _session_cookie(teacher: User) -> str:
    client = Client()
    client.force_login(teacher)
    return str(client.cookies[settings.SESSION_COOKIE_NAME].value)


def _pages(assignment: Assignment) -> list[TimedPage]:
    overview = assignment.get_absolute_url()
    report = assignment.reports.get(state=Report.State.DONE)
    long_pair = report.pairs.get(left__name="long-a", right__name="long-b")
    pair = reverse("pair", args=[assignment.pk, long_pair.left_id, long_pair.right_id])
    return [
        TimedPage("overview", overview, OVERVIEW_TARGET),
        TimedPage("overview, sorted by tokens", f"{overview}?sort=-tokens", OVERVIEW_TARGET),
        TimedPage("overview, searched by name", f"{overview}?q=student-00", OVERVIEW_TARGET),
        TimedPage("overview, from 50 %", f"{overview}?threshold=50", OVERVIEW_TARGET),
        TimedPage("overview, page 3", f"{overview}?page=3", OVERVIEW_TARGET),
        TimedPage("pair of the long files", pair, PAIR_TARGET),
    ]


def _timing(session: Session, browser: Browser | None, page: TimedPage, repeat: int) -> PageTiming:
    # Not measured: the first request includes work that a server process does once.
    _fetch(session, page.path)
    responses = [_fetch(session, page.path) for _ in range(repeat)]
    loads = [_load_in_browser(session, browser, page.path) for _ in range(repeat)] if browser else []
    return PageTiming(
        page.name,
        median(milliseconds for milliseconds, _ in responses),
        responses[0][1] / 1_000,
        median(first_paint for first_paint, _ in loads) if loads else None,
        median(loaded for _, loaded in loads) if loads else None,
        page.target,
    )


def _fetch(session: Session, path: str) -> tuple[float, int]:
    """Return the milliseconds until the last byte of the response, and its number of bytes."""
    connection = http.client.HTTPConnection(urlsplit(session.site).netloc)
    start = time.perf_counter()
    connection.request("GET", path, headers={"Cookie": f"{settings.SESSION_COOKIE_NAME}={session.cookie}"})
    response = connection.getresponse()
    body = response.read()
    milliseconds = (time.perf_counter() - start) * 1_000
    connection.close()
    if response.status != http.HTTPStatus.OK:
        raise RuntimeError(f"{path} has status {response.status}")
    return milliseconds, len(body)


def _load_in_browser(session: Session, browser: Browser, path: str) -> tuple[float, float]:
    """Return the milliseconds until the first paint and until the page is loaded, with an empty cache."""
    context = browser.new_context(base_url=session.site, viewport={"width": 1280, "height": 900})
    context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": session.cookie, "url": session.site}]
    )
    page = context.new_page()
    page.goto(path)
    # Poll from here: the pages' content security policy forbids scripts that would wait in the page.
    first_paint, loaded = page.evaluate(TIMES_SCRIPT)
    while first_paint is None or not loaded:
        page.wait_for_timeout(10)
        first_paint, loaded = page.evaluate(TIMES_SCRIPT)
    context.close()
    return first_paint, loaded
