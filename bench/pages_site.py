"""The service with a ranked class in it, and its pages timed as a browser gets them."""

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
OVERVIEW_TARGET, PAIR_TARGET = 500.0, 1_000.0  # milliseconds until a page is loaded
PORT = 8_900
# [None, ...] until there was a paint, [..., 0] until the page is loaded.
TIMES = """() => [
  performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null,
  performance.getEntriesByType("navigation")[0].loadEventEnd,
]"""


class Timing(NamedTuple):
    """Medians in milliseconds; what only a browser can tell is None without one."""

    page: str
    server: float
    kilobytes: float
    first_paint: float | None
    loaded: float | None
    target: float


class Wanted(NamedTuple):
    """A page to time, and the milliseconds within which it has to be loaded."""

    name: str
    path: str
    target: float


class Visitor(NamedTuple):
    """Somebody who is signed in: where, and with which cookie."""

    site: str
    cookie: str


def timings(pairs: int, lines: int, repeat: int, said: TextIO) -> list[Timing]:
    """Serve a class of so many pairs and time every page `repeat` times."""
    with _served(said) as supervisor:
        teacher = User.objects.create_user("teacher")
        of = _ranked(supervisor, teacher, zipped_class(pairs, lines), said)
        visitor = Visitor(supervisor.address, _cookie(teacher))
        wanted = _pages(of)
        # Last: Django lets nobody ask the database where a browser's event loop runs.
        with _browser() as browser:
            return [_timing(visitor, browser, page, repeat) for page in wanted]


@contextmanager
def _served(said: TextIO) -> Iterator[Supervisor]:
    with Supervisor("127.0.0.1", PORT, workers=1, log=said) as supervisor:
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


def _ranked(supervisor: Supervisor, teacher: User, packed: bytes, said: TextIO) -> Assignment:
    """Upload a class and wait until the worker has ranked it."""
    course = Course.objects.create(owner=teacher, name="Programming 1")
    # Nothing is too common here: every two share something.
    of = course.assignments.create(name="Made up", common_limit=100_000)
    began = time.perf_counter()
    batch = actions.create_batch(of, teacher, [SimpleUploadedFile("class.zip", packed)])
    while batch.is_running:
        supervisor.tick()
        time.sleep(0.2)
        batch.refresh_from_db()
    if batch.state != Batch.State.DONE:
        raise RuntimeError(f"The class was not ranked: {batch.message}")
    report = of.reports.get(state=Report.State.DONE)
    seconds = time.perf_counter() - began
    said.write(f"{batch.submissions.count()} submissions, {report.pairs.count()} pairs in {seconds:.0f} s\n")
    return of


def _cookie(teacher: User) -> str:
    client = Client()
    client.force_login(teacher)
    return str(client.cookies[settings.SESSION_COOKIE_NAME].value)


def _pages(of: Assignment) -> list[Wanted]:
    overview = of.get_absolute_url()
    long = of.reports.get(state=Report.State.DONE).pairs.get(left__name="long-a", right__name="long-b")
    pair = reverse("pair", args=[of.pk, long.left_id, long.right_id])
    return [
        Wanted("overview", overview, OVERVIEW_TARGET),
        Wanted("overview, sorted by tokens", f"{overview}?sort=-tokens", OVERVIEW_TARGET),
        Wanted("overview, searched by name", f"{overview}?q=student-00", OVERVIEW_TARGET),
        Wanted("overview, from 50 %", f"{overview}?minimum=50", OVERVIEW_TARGET),
        Wanted("overview, page 3", f"{overview}?page=3", OVERVIEW_TARGET),
        Wanted("pair of the long files", pair, PAIR_TARGET),
    ]


def _timing(visitor: Visitor, browser: Browser | None, page: Wanted, repeat: int) -> Timing:
    _fetch(visitor, page.path)  # what a server process does once, it has done
    answers = [_fetch(visitor, page.path) for _ in range(repeat)]
    seen = [_open(visitor, browser, page.path) for _ in range(repeat)] if browser else []
    return Timing(
        page.name,
        median(milliseconds for milliseconds, _ in answers),
        answers[0][1] / 1_000,
        median(paint for paint, _ in seen) if seen else None,
        median(loaded for _, loaded in seen) if seen else None,
        page.target,
    )


def _fetch(visitor: Visitor, path: str) -> tuple[float, int]:
    """Give milliseconds until the last byte, and the number of bytes."""
    link = http.client.HTTPConnection(urlsplit(visitor.site).netloc)
    began = time.perf_counter()
    link.request("GET", path, headers={"Cookie": f"{settings.SESSION_COOKIE_NAME}={visitor.cookie}"})
    answer = link.getresponse()
    body = answer.read()
    took = (time.perf_counter() - began) * 1_000
    link.close()
    if answer.status != http.HTTPStatus.OK:
        raise RuntimeError(f"{path} answered {answer.status}")
    return took, len(body)


def _open(visitor: Visitor, browser: Browser, path: str) -> tuple[float, float]:
    """Give milliseconds until the first paint and until a fresh browser has loaded the page."""
    context = browser.new_context(base_url=visitor.site, viewport={"width": 1280, "height": 900})
    context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": visitor.cookie, "url": visitor.site}]
    )
    page = context.new_page()
    page.goto(path)
    # The pages' security policy lets nobody evaluate text in them, so that this cannot be waited for there.
    first_paint, loaded = page.evaluate(TIMES)
    while first_paint is None or not loaded:
        page.wait_for_timeout(10)
        first_paint, loaded = page.evaluate(TIMES)
    context.close()
    return first_paint, loaded
