"""The list of files on the page of a pair in a real browser, and its lines with and without wrapping."""

import pytest
from playwright.sync_api import expect

from tests.conftest import wait_until
from tests.support.browser import Shoot
from tests.support.pair_page import OTHER, Open, in_view
from tests.support.sample_class import COPIED, HONEST, RENAMED, STARTER

pytestmark = pytest.mark.services

FILES_A_SIDE = 80
UNSHARED_FILES = {f"ada/lib/own_{n}/util.py": f"v{n} = {n}\nprint(v{n})\n" for n in range(FILES_A_SIDE - 2)}
MANY = {
    **UNSHARED_FILES,
    "ada/a/main.py": STARTER,
    "ada/z/main.py": OTHER + COPIED + HONEST,
    "ben/main.py": RENAMED + HONEST + STARTER,
}
LONG = "x = [" + ", ".join(str(n) for n in range(300)) + "]\n"
WIDER = "(pane) => pane.scrollWidth > pane.clientWidth"


def test_files_that_share_most_come_first_and_the_others_open_by_a_button(
    open_pair: Open, shoot: Shoot
) -> None:
    page = open_pair(MANY)
    side = page.locator(".side:has([data-side=L])")
    tabs = side.get_by_role("tab")
    expect(side.locator(".file-list > summary")).to_have_text(f"2 of {FILES_A_SIDE} files share code")
    expect(tabs.filter(visible=True)).to_have_count(2)
    names = [text.split()[0] for text in tabs.filter(visible=True).all_inner_texts()]
    assert names == ["z/main.py", "a/main.py"]
    assert page.evaluate("() => document.querySelectorAll('[data-side=L] .line').length") < 500
    button = side.get_by_role("button", name="78 files without shared code")
    shoot("pair-80-files")
    button.click()
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(tabs.filter(visible=True)).to_have_count(FILES_A_SIDE)
    tabs.filter(has_text="own_70/util.py").click()
    expect(page.locator("[data-side=L] .file:visible")).to_contain_text("print(v70)")
    button.click()
    expect(tabs.filter(visible=True)).to_have_count(3)
    side.locator(".file-list > summary").click()
    expect(tabs.filter(visible=True)).to_have_count(0)
    page.keyboard.press("n")
    wait_until(lambda: in_view(page.locator("[data-side=L] mark.current").first), what="the passage")


def test_lines_are_wrapped_until_a_button_says_otherwise_and_that_is_remembered(open_pair: Open) -> None:
    page = open_pair({"ada/m.py": LONG + COPIED, "ben/m.py": RENAMED + LONG})
    pane = page.locator("[data-side=L]")
    assert not pane.evaluate(WIDER)
    page.get_by_label("Wrap lines").uncheck()
    assert pane.evaluate(WIDER)
    page.reload()
    expect(page.get_by_label("Wrap lines")).not_to_be_checked()
    assert pane.evaluate(WIDER)


@pytest.mark.long
def test_what_is_known_of_a_pair_stands_beside_its_names(open_pair: Open) -> None:
    page = open_pair({"ada/m.py": COPIED, "ben/m.py": COPIED})
    expect(page.locator("h1 .flag")).to_have_text("identical")


@pytest.mark.long
def test_code_takes_the_full_width_of_a_large_screen(open_pair: Open) -> None:
    page = open_pair({"ada/m.py": COPIED, "ben/m.py": RENAMED})
    page.set_viewport_size({"width": 1920, "height": 1080})
    boxes = [page.locator(f".side:has([data-side={side}])").bounding_box() for side in "LR"]
    assert all(box and box["width"] > 780 for box in boxes)
    assert boxes[1] is not None
    assert boxes[1]["x"] + boxes[1]["width"] > 1880
