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
from playwright.sync_api import Browser, CDPSession, sync_playwright

from bench.pages_class import zipped_class
from bench.pages_report import invented_report
from moss.embedded.client import installation_paths, wait_until_stopped
from moss.serving.supervisor import Supervisor
from submissions.cases.read import report_cases
from submissions.models import Batch, Course, Report
from submissions.uploads.change import create_batch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from submissions.models import Assignment

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
TARGET = 1_000.0  # milliseconds until a page is loaded
PORT = 8_900
# Returns [first paint, loaded] in milliseconds, null before the first paint, 0 until the page is loaded; and
# the number of its elements.
TIMES_SCRIPT = """() => [
  performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null,
  performance.getEntriesByType("navigation")[0].loadEventEnd,
  document.querySelectorAll("*").length,
]"""


class Sizes(NamedTuple):
    """Pairs and submissions of the invented report, lines of a long file, and files of a side."""

    pairs: int
    submissions: int
    lines: int
    files: int


class PageLoad(NamedTuple):
    """Times of a page in the browser in milliseconds, and its elements; `busy` is processor time."""

    first_paint: float
    loaded: float
    busy: float
    elements: float


class PageTiming(NamedTuple):
    """Median times of one page in milliseconds, and its size; `load` is None without a browser."""

    page: str
    server: float
    kilobytes: float
    load: PageLoad | None
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


def page_timings(sizes: Sizes, repeat: int, log: TextIO) -> list[PageTiming]:
    """Serve classes of these sizes and measure each page `repeat` times."""
    with _served(log) as supervisor:
        teacher = User.objects.create_user("teacher")
        course = Course.objects.create(owner=teacher, name="Programming 1")
        invented = invented_report(course, sizes.submissions, sizes.pairs)
        archive = zipped_class(sizes.lines, sizes.files)
        ranked = _ranked_assignment(supervisor, course, archive, log)
        session = Session(supervisor.address, _session_cookie(teacher))
        pages = [*_report_pages(invented), *_pair_pages(ranked)]
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


def _ranked_assignment(supervisor: Supervisor, course: Course, archive: bytes, log: TextIO) -> Assignment:
    """Upload a class and wait until the worker has ranked it."""
    assignment: Assignment = course.assignments.create(name="Generated")
    start = time.perf_counter()
    batch = create_batch(assignment, course.owner, [SimpleUploadedFile("class.zip", archive)])
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


def _report_pages(assignment: Assignment) -> list[TimedPage]:
    tabs = {name: reverse(name, args=[assignment.pk]) for name in ("pairs", "students", "ignored", "uploads")}
    cases, pairs = assignment.get_absolute_url(), tabs["pairs"]
    first_case = report_cases(assignment.reports.get())[0].ids[0]
    paths = {
        "cases": cases,
        "cases, searched by name": f"{cases}?q=student-00",
        "cases, from 70 %": f"{cases}?threshold=70",
        "one case": reverse("case", args=[assignment.pk, first_case]),
        "pairs": pairs,
        "pairs, sorted by tokens": f"{pairs}?sort=-tokens",
        "pairs, searched by name": f"{pairs}?q=student-00",
        "pairs, page 3": f"{pairs}?page=3",
        **{name: tabs[name] for name in ("students", "ignored", "uploads")},
    }
    return [TimedPage(name, path, TARGET) for name, path in paths.items()]


def _pair_pages(assignment: Assignment) -> list[TimedPage]:
    report = assignment.reports.get(state=Report.State.DONE)
    pages = []
    for kind in ("long", "many"):
        pair = report.pairs.get(left__name=f"{kind}-a", right__name=f"{kind}-b")
        path = reverse("pair", args=[assignment.pk, pair.left_id, pair.right_id])
        pages.append(TimedPage(f"pair of {kind} files", path, TARGET))
    return pages


def _timing(session: Session, browser: Browser | None, page: TimedPage, repeat: int) -> PageTiming:
    # Not measured: the first request includes work that a server process does once.
    _fetch(session, page.path)
    responses = [_fetch(session, page.path) for _ in range(repeat)]
    loads = [_load_in_browser(session, browser, page.path) for _ in range(repeat)] if browser else []
    return PageTiming(
        page.name,
        median(milliseconds for milliseconds, _ in responses),
        responses[0][1] / 1_000,
        PageLoad(*map(median, zip(*loads, strict=True))) if loads else None,
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


def _load_in_browser(session: Session, browser: Browser, path: str) -> PageLoad:
    """Load a page with an empty cache."""
    context = browser.new_context(base_url=session.site, viewport={"width": 1280, "height": 900})
    context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": session.cookie, "url": session.site}])
    page = context.new_page()
    metrics = context.new_cdp_session(page)
    metrics.send("Performance.setTimeDomain", {"timeDomain": "threadTicks"})
    metrics.send("Performance.enable")
    page.goto(path)
    # Poll from here: the pages' content security policy forbids scripts that would wait in the page.
    first_paint, loaded, elements = page.evaluate(TIMES_SCRIPT)
    busy = _busy_milliseconds(metrics)
    while first_paint is None or not loaded:
        page.wait_for_timeout(10)
        first_paint, loaded, elements = page.evaluate(TIMES_SCRIPT)
    context.close()
    return PageLoad(first_paint, loaded, busy, elements)


def _busy_milliseconds(metrics: CDPSession) -> float:
    values = {metric["name"]: metric["value"] for metric in metrics.send("Performance.getMetrics")["metrics"]}
    return float(values["TaskDuration"]) * 1_000
