"""The page of `moss check --format html` in a real browser: reachable by keyboard, in every layout."""

import pytest
from playwright.sync_api import Page, expect

from moss.sample import SAMPLE
from tests.moss.check.test_check import check
from tests.support.browser import Shoot, check_every_layout

pytestmark = pytest.mark.services

TOP = """(note) => {
  note.textContent = "--top N ranks more";
  const range = document.createRange();
  range.selectNodeContents(note);
  return ["", "9", "99", "999", "9,999", "99,999"].map((count) => {
    note.previousSibling.data = `At least ${count} pairs to read `;
    return range.getClientRects().length;
  });
}"""


def test_enter_on_a_pair_to_read_unfolds_it_and_a_link_leads_back(page: Page, shoot: Shoot) -> None:
    page.set_content(check(SAMPLE / "submissions", "--format", "html").stdout)
    expect(page.locator("h2").first).to_contain_text("10 pairs to read")
    expect(page.locator(".lines").first).to_be_hidden()
    for number in (1, 2):
        page.locator(f'.to-read a[href="#pair-{number}"]').focus()
        page.keyboard.press("Enter")
        expect(page.locator(f"#pair-{number} ~ .lines").first).to_be_in_viewport()
        page.keyboard.press("Tab")
        expect(page.locator(f"#pair-{number} a")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("#answer")).to_be_in_viewport()
    check_every_layout(page, shoot, "standalone")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.locator("#report-heading .soft").evaluate(TOP) == [1] * 6
