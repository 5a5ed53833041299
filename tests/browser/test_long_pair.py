"""The page of a pair of two long files in a real browser: its lines become elements when they are needed."""

from collections.abc import Iterator
from functools import partial

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.conftest import wait_until
from tests.support.pair_page import Open, in_view, long_pair

pytestmark = pytest.mark.services

LINES = 3_000
# The browser calls itself idle only when the test says so.
NEVER_IDLE = "window.requestIdleCallback = (callback) => { window.idle = callback; };"
COUNT = "(panes) => panes.reduce((sum, pane) => sum + pane.querySelectorAll('*').length, 0)"
TOP = "(part) => part.getBoundingClientRect().top"
SHOWS_A_LINE = """(pane) => {
  const box = pane.getBoundingClientRect();
  return Boolean(document.elementFromPoint(box.left + box.width / 2, box.top + 100)?.closest(".line"));
}"""


@pytest.fixture
def page(open_pair: Open) -> Iterator[Page]:
    """Open a pair of two long files, in a browser that is never idle."""
    page = open_pair(long_pair(LINES))
    page.add_init_script(NEVER_IDLE)
    page.reload()
    yield page
    page.context.close()


def elements(page: Page) -> int:
    return int(page.locator("[data-side]").evaluate_all(COUNT))


def top(part: Locator) -> float:
    return float(part.evaluate(TOP))


@pytest.mark.long
def test_a_long_pair_opens_with_few_elements_and_has_every_line_once_the_browser_is_idle(page: Page) -> None:
    opened = elements(page)
    while page.locator("[data-deferred]").count():
        page.evaluate("() => window.idle()")
    assert elements(page) > max(5 * LINES, 6 * opened)
    for side in "LR":
        lines = page.locator(f"[data-side={side}] .line")
        numbers = lines.evaluate_all("(all) => all.map((line) => Number(line.dataset.n))")
        assert numbers == list(range(1, LINES + 1))


@pytest.mark.long
def test_what_is_far_down_in_a_long_file_is_opened_by_addresses_passages_and_scrolling(page: Page) -> None:
    for anchor in ("L2321", "R1500"):
        page.goto(f"{page.url.split('?')[0]}?side={anchor[0]}#{anchor}")
        line = page.locator(f"#{anchor}")
        wait_until(partial(in_view, line), what="the line")
        assert line.evaluate("(line) => line.matches(':target')")
    page.locator("[data-order]").select_option("place")
    page.locator(".passages > li .size").last.click()
    left, right = (page.locator(f"[data-side={side}] mark.current").first for side in "LR")
    wait_until(lambda: in_view(left) and in_view(right), what="the passage")
    wait_until(lambda: abs(top(left) - top(right)) < 3, what="one height")
    pane = page.locator("[data-side=L]")
    for share in (0.3, 0.9, 0.6, 1):
        pane.evaluate("(pane, share) => pane.scrollTo(0, pane.scrollHeight * share)", share)
        wait_until(lambda: bool(pane.evaluate(SHOWS_A_LINE)), what="a line near the top of the pane")


@pytest.mark.long
def test_without_scripts_every_line_of_a_long_file_is_on_the_page(page: Page) -> None:
    assert page.context.browser is not None
    plain = page.context.browser.new_context(
        java_script_enabled=False, storage_state=page.context.storage_state()
    ).new_page()
    plain.goto(page.url)
    expect(plain.locator("[data-side=L] .line")).to_have_count(LINES)
    plain.context.close()
