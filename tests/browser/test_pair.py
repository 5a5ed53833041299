"""The page of a pair in a real browser."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from submissions import actions
from submissions.models import Assignment, Course, Pair, Report
from tests.conftest import wait_until
from tests.support.browser import assert_accessible_now, check_every_layout
from tests.support.sample_class import COPIED, HONEST, RENAMED, STARTER, zipped

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from django.contrib.auth.models import User
    from playwright.sync_api import Locator, Page

    from tests.support.browser import Shoot, SignIn

    Open = Callable[[dict[str, str]], Page]

IN_VIEW = """(mark) => {
  const side = mark.closest("[data-side]").getBoundingClientRect();
  const box = mark.getBoundingClientRect();
  return box.height > 0 && box.top >= side.top && box.top < side.bottom;
}"""
TOP = "(part) => part.closest('.line').getBoundingClientRect().top"
FILLER = "".join(f"print('line {n}', [{n}, {n}])\nx{n} = {n}\n" for n in range(150))
OTHER = "".join(f"y{n} = {n} + {n} * {n}\nif y{n}: pass\n" for n in range(150))
SEVERAL = {
    "ada/a.py": STARTER,
    "ada/b.py": OTHER + COPIED,
    "ada/c.py": HONEST,
    "ben/main.py": STARTER + FILLER + RENAMED + HONEST,
}

CODE_WIDTH = """(line) => {
  const style = getComputedStyle(line);
  return line.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
}"""


@pytest.fixture
def assignment(alice: User) -> Assignment:
    course = Course.objects.create(owner=alice, name="Programming 1")
    return course.assignments.create(name="Statistics")


@pytest.fixture
def open_pair(assignment: Assignment, alice: User, celery_worker_process: Path, sign_in: SignIn) -> Open:
    """Return a function that uploads two submissions and opens the page of their pair once it is ranked."""

    def upload_and_open(files: dict[str, str]) -> Page:
        actions.create_batch(assignment, alice, [zipped(files)])
        wait_until(Pair.objects.exists, what="the ranking")
        pair = Pair.objects.get()
        page = sign_in(alice)
        page.goto(reverse("pair", args=[assignment.pk, pair.left_id, pair.right_id]))
        return page

    return upload_and_open


def in_view(part: Locator) -> bool:
    return bool(part.evaluate(IN_VIEW))


def selected_file(page: Page, side: str) -> str:
    tab = page.locator(f".side:has([data-side={side}]) [role=tab][aria-selected=true]")
    return tab.inner_text().split()[0]


def test_files_are_tabs_that_arrow_keys_and_passages_switch(open_pair: Open) -> None:
    page = open_pair(SEVERAL)
    tabs = page.get_by_role("tab")
    expect(tabs).to_have_count(3)
    assert [tab.split() for tab in tabs.all_inner_texts()] == [
        ["a.py", "1", "passage"],
        ["b.py", "1", "passage"],
        ["c.py", "1", "passage"],
    ]
    first = selected_file(page, "L")
    expect(page.locator("[data-side=L] .file:visible")).to_have_count(1)
    page.locator("[role=tab][aria-selected=true]").focus()
    page.keyboard.press("Home")
    assert selected_file(page, "L") == "a.py"
    expect(page.get_by_role("tabpanel")).to_have_attribute("id", "L-f1-panel")
    page.keyboard.press("ArrowLeft")
    assert selected_file(page, "L") == "c.py"
    page.keyboard.press("n")
    assert selected_file(page, "L") != "c.py" or selected_file(page, "L") != first
    mark = page.locator("[data-side=L] mark.current").first
    wait_until(lambda: in_view(mark), what="the passage in the file that was hidden")


@pytest.mark.parametrize("anchor", ["L2-12", "R12", "L3-4", "L5"])
def test_a_link_to_a_line_opens_its_file_there(open_pair: Open, anchor: str) -> None:
    page = open_pair(SEVERAL)
    for location_hash in (anchor, "R-p1", anchor):
        page.evaluate("(hash) => { location.hash = hash; }", location_hash)
    wait_until(lambda: in_view(page.locator(f"#{anchor}")), what="the line")
    page.goto(f"{page.url.split('#')[0]}?again=1#{anchor}")
    wait_until(lambda: in_view(page.locator(f"#{anchor}")), what="the line")


def test_a_click_on_a_lines_number_puts_it_into_the_address(open_pair: Open) -> None:
    page = open_pair({"ada/m.py": COPIED, "ben/m.py": RENAMED})
    top = page.locator("#L4").evaluate(TOP)
    page.locator("#L4").click(position={"x": 30, "y": 5})
    page.wait_for_url("**#L4")
    assert page.locator("#L4").evaluate(TOP) == top
    assert page.locator("#L4").evaluate("(line) => line.matches(':target')")


def test_the_panel_lists_passages_by_weight_or_by_place(open_pair: Open) -> None:
    page = open_pair(SEVERAL)
    rows = page.locator(".passages > li")
    sizes = [int(text.split()[0]) for text in rows.locator(".size").all_inner_texts()]
    assert sizes == sorted(sizes, reverse=True)
    expect(rows.first).to_contain_text("in 2 of 2")
    page.get_by_label("Order").select_option("by place")
    files = [re.sub(r"\s.*", "", text.strip()) for text in rows.locator(".places").all_inner_texts()]
    assert files == ["a.py", "b.py", "c.py"]
    rows.nth(1).locator("a").first.click()
    expect(page.get_by_role("status").filter(has_text="Passage")).to_have_text("Passage 2 of 3")
    page.keyboard.press("p")
    assert selected_file(page, "L") == "a.py"
    page.keyboard.press("p")
    expect(page.locator("[data-status]")).to_have_text("Passage 1 of 3")


def test_a_row_of_the_panel_lists_what_was_written_differently(open_pair: Open) -> None:
    page = open_pair({"ada/m.py": COPIED, "ben/m.py": RENAMED})
    row = page.locator(".passages li.current")
    expect(row).to_contain_text("Written differently: 22 names")
    expect(row).to_contain_text("values → items")
    expect(page.locator("[data-side=L] [data-there=items]").first).to_have_text("values")


def test_tokens_and_badges_have_tooltips_for_pointer_and_keyboard(open_pair: Open) -> None:
    page = open_pair({"ada/m.py": COPIED, "ben/m.py": RENAMED})
    tip = page.get_by_role("tooltip")
    page.locator("[data-side=L] [data-there=acc]").first.hover()
    expect(tip).to_contain_text("total here, acc on the right")
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    page.locator("[data-side=R]").focus()
    page.keyboard.press("Tab")
    expect(page.locator("[data-side=R] .badge").first).to_be_focused()
    expect(tip).to_contain_text("Passage 1: ")
    expect(tip).to_contain_text("Written differently: 22 names")
    page.keyboard.press("Tab")
    expect(tip).to_be_hidden()


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


def test_ignoring_a_passage_ranks_again_and_the_page_offers_the_new_report(open_pair: Open) -> None:
    page = open_pair({"ada/m.py": COPIED + "a = 1\n" + HONEST, "ben/m.py": HONEST + RENAMED})
    before = Pair.objects.get()
    row = page.locator(".passages li.current")
    row.get_by_text("Ignore this passage").click()
    row.get_by_role("button", name="Ignore and rank again").click()
    page.get_by_role("link", name="show it").click(timeout=60_000)
    expect(page.get_by_text("Ranked without the passage: the similarity was")).to_be_visible()
    expect(page.locator(".passages > li")).to_have_count(len(before.passages) - 1)
    expect(page.locator("[data-side=L] .ignored").first).to_be_visible()
    assert Pair.objects.get(report__state=Report.State.DONE).similarity != before.similarity


def test_a_key_shows_the_list_of_keys(open_pair: Open) -> None:
    page = open_pair({"ada/m.py": COPIED, "ben/m.py": RENAMED})
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("next and previous passage")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_axe_finds_no_fault_with_files_explanations_and_keys(open_pair: Open, shoot: Shoot) -> None:
    odd_file = {"ada/odd.py": RENAMED + f"# \u202e\ns = '{'y' * 3_000}'\n"}
    page = open_pair(SEVERAL | odd_file)
    check_every_layout(page, shoot, "pair-of-files")
    row = page.locator(".passages li.current")
    row.get_by_text("Ignore this passage").click()
    page.get_by_role("tab", name="odd.py").click()
    page.get_by_text("2 remarks on odd.py").click()
    assert_accessible_now(page)
    page.locator("[data-side=R] mark.current").first.hover()
    expect(page.get_by_role("tooltip")).to_be_visible()
    assert_accessible_now(page)
    page.keyboard.press("?")
    assert_accessible_now(page)


def test_a_long_line_opens_by_a_click(open_pair: Open) -> None:
    long_line = f't = "{"y" * 100_000}"\n'
    page = open_pair({"ada/m.py": long_line + COPIED, "ben/m.py": RENAMED})
    expect(page.get_by_text("1 remark on m.py")).to_be_visible()
    more = page.get_by_text("98,006 more characters")
    page.locator("[data-side=L]").evaluate("(pane) => pane.scrollTo(0, 0)")
    assert page.locator("#L1").evaluate("(line) => line.offsetHeight") < 2000
    more.click()
    assert page.locator("#L1").evaluate("(line) => line.offsetHeight") > 10_000


def test_on_a_narrow_screen_the_panel_is_closed_and_both_sides_are_in_view(open_pair: Open) -> None:
    page = open_pair(SEVERAL)
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    expect(page.locator(".passages")).to_be_hidden()
    boxes = [page.locator(f"[data-side={side}]").bounding_box() for side in "LR"]
    assert all(box and box["height"] > 200 for box in boxes)
    page.get_by_role("button", name="Next").click()
    expect(page.locator("[data-status]")).to_have_text("Passage 2 of 3")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_text("3 shared passages").click()
    expect(page.locator(".passages")).to_be_visible()


def test_without_scripts_all_files_are_shown_below_each_other(open_pair: Open) -> None:
    page = open_pair(SEVERAL)
    assert page.context.browser is not None
    plain = page.context.browser.new_context(
        java_script_enabled=False, storage_state=page.context.storage_state()
    ).new_page()
    plain.goto(page.url)
    expect(plain.locator("[data-side=L] .file:visible")).to_have_count(3)
    expect(plain.get_by_role("tab")).to_have_count(0)
    expect(plain.locator(".map:visible")).to_have_count(0)
    expect(plain.locator(".about").last).to_be_visible()
    plain.locator(".files a").last.click()
    assert plain.url.endswith("#L-f3")
    plain.context.close()


def test_code_has_540_pixels_a_side_on_a_small_laptop(open_pair: Open) -> None:
    page = open_pair({"ada/m.py": COPIED, "ben/m.py": RENAMED})
    page.set_viewport_size({"width": 1280, "height": 800})
    for line in ("#L4", "#R4"):
        assert page.locator(line).evaluate(CODE_WIDTH) >= 540
    page.locator(".panel > summary").click()
    expect(page.locator(".passages")).not_to_be_visible()


def test_the_names_above_the_sources_lead_to_the_students(open_pair: Open) -> None:
    page = open_pair({"ada/m.py": COPIED, "ben/m.py": RENAMED})
    page.locator("#R-name a").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("ben")
