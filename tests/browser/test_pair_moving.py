"""Moving about on the page of a pair in a real browser: files, lines, passages, maps and scrolling."""

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import wait_until
from tests.support.long_rows import rest_is_long
from tests.support.pair_page import FILLER, OTHER, SEVERAL, Open, in_view, selected_file
from tests.support.sample_class import COPIED, HONEST, RENAMED

pytestmark = pytest.mark.services

TOP = "(part) => part.closest('.line').getBoundingClientRect().top"


def test_files_are_tabs_that_arrow_keys_and_passages_switch(open_pair: Open) -> None:
    page = open_pair(SEVERAL)
    tabs = page.get_by_role("tab")
    expect(tabs).to_have_count(3)
    names = [tab.split() for tab in tabs.all_inner_texts()]
    assert sorted(names) == [[name, "1", "passage"] for name in ("a.py", "b.py", "c.py")]
    first = selected_file(page, "L")
    expect(page.locator("[data-side=L] .file:visible")).to_have_count(1)
    page.locator("[role=tab][aria-selected=true]").focus()
    page.keyboard.press("Home")
    assert selected_file(page, "L") == names[0][0]
    panel = f"L-f{'abc'.index(names[0][0][0]) + 1}-panel"
    expect(page.get_by_role("tabpanel")).to_have_attribute("id", panel)
    page.keyboard.press("ArrowLeft")
    assert selected_file(page, "L") == names[-1][0]
    page.keyboard.press("n")
    assert selected_file(page, "L") != names[-1][0] or selected_file(page, "L") != first
    mark = page.locator("[data-side=L] mark.current").first
    wait_until(lambda: in_view(mark), what="the passage in the file that was hidden")


@pytest.mark.parametrize("anchor", rest_is_long(["L2-12", "R12", "L3-4", "L5"], first=2))
def test_a_link_to_a_line_opens_its_file_there(open_pair: Open, anchor: str) -> None:
    page = open_pair(SEVERAL)
    for location_hash in (anchor, "R-p1", anchor):
        page.evaluate("(hash) => { location.hash = hash; }", location_hash)
    wait_until(lambda: in_view(page.locator(f"#{anchor}")), what="the line")
    page.goto(f"{page.url.split('#')[0]}?again=1#{anchor}")
    wait_until(lambda: in_view(page.locator(f"#{anchor}")), what="the line")
    for nowhere in ("L-p999", "R9-1", "L99999", "L-f9"):
        page.evaluate("(hash) => { location.hash = hash; }", nowhere)
    expect(page.locator("[data-side=L] .file:visible")).to_have_count(1)


def test_a_click_on_a_lines_number_puts_it_into_the_address(open_pair: Open) -> None:
    page = open_pair({"ada/m.py": COPIED, "ben/m.py": RENAMED})
    top = page.locator("#L4").evaluate(TOP)
    page.locator("#L4").click(position={"x": 30, "y": 5})
    page.wait_for_url("**#L4")
    assert page.locator("#L4").evaluate(TOP) == top
    assert page.locator("#L4").evaluate("(line) => line.matches(':target')")


@pytest.mark.long
def test_a_passage_is_at_one_height_on_both_sides_below_heads_of_different_heights(open_pair: Open) -> None:
    page = open_pair(SEVERAL)
    tops = [
        page.locator(f"[data-side={side}]").evaluate("(pane) => pane.getBoundingClientRect().top")
        for side in "LR"
    ]
    assert tops[0] > tops[1]
    left, right = (page.locator(f"[data-side={side}] .badge.current") for side in "LR")
    for number in "123":
        expect(left).to_have_text(number)
        wait_until(lambda: in_view(left) and in_view(right), what="the passage")
        wait_until(lambda: abs(left.evaluate(TOP) - right.evaluate(TOP)) < 3, what="one height")
        page.keyboard.press("n")


def test_a_click_on_the_map_goes_to_the_passage_or_the_place(open_pair: Open) -> None:
    page = open_pair({"ada/m.py": OTHER + COPIED, "ben/m.py": RENAMED + HONEST})
    side = page.locator("[data-side=L]")
    overview_map = page.locator("[data-map=L-f1]")
    overview_map.click(position={"x": 5, "y": 5})
    wait_until(lambda: in_view(page.locator("#L5")), what="the first lines")
    height = "() => Number(document.querySelector('[data-map=L-f1] .view').getAttribute('y'))"
    wait_until(lambda: page.evaluate(height) < 2, what="the map to follow")
    overview_map.locator("rect[data-passage='1']").click()
    wait_until(lambda: in_view(side.locator("mark[data-passage='1']").first), what="the passage")
    wait_until(lambda: page.evaluate(height) > 200, what="the map to follow")


def scroll(page: Page, side: str, pixels: int) -> None:
    page.locator(f"[data-side={side}]").hover()
    page.mouse.wheel(0, pixels)


def test_scrolling_is_linked_by_the_passages_until_it_is_switched_off(open_pair: Open) -> None:
    files = {"ada/m.py": OTHER + COPIED + HONEST * 3, "ben/m.py": FILLER + COPIED + FILLER[:3000]}
    page = open_pair(files)
    left, right = (page.locator(f"[data-side={side}] mark[data-passage='1']").first for side in "LR")
    wait_until(lambda: in_view(left) and in_view(right), what="the passage")
    scroll(page, "L", 60)
    wait_until(lambda: abs(left.evaluate(TOP) - right.evaluate(TOP)) < 3, what="both sides to agree")
    page.keyboard.press("s")
    expect(page.get_by_label("Scroll together")).not_to_be_checked()
    before = right.evaluate(TOP)
    scroll(page, "L", 200)
    wait_until(lambda: not in_view(left) or left.evaluate(TOP) < before - 100, what="the left to scroll")
    assert right.evaluate(TOP) == before
    page.reload()
    expect(page.get_by_label("Scroll together")).not_to_be_checked()
