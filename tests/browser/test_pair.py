"""The page of a pair in a real browser: its passages, explanations, keys and layout."""

import re

import pytest
from playwright.sync_api import Page, expect

from submissions.core.models import Commits
from submissions.models import Pair, Report, Submission
from submissions.pages.rendered import RENDERED
from tests.support.browser import Shoot, assert_accessible_now, check_every_layout
from tests.support.pair_page import SEVERAL, Open, selected_file
from tests.support.sample_class import COPIED, HONEST, RENAMED

pytestmark = pytest.mark.services

CODE_WIDTH = """(line) => {
  const style = getComputedStyle(line);
  return line.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
}"""


def test_the_panel_lists_passages_by_weight_or_by_place(open_pair: Open) -> None:
    page = open_pair(SEVERAL)
    rows = page.locator(".passages > li")
    sizes = [int(text.split()[0]) for text in rows.locator(".size").all_inner_texts()]
    assert sizes == sorted(sizes, reverse=True)
    expect(rows.first).to_contain_text("in at most 2 of 2")
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
    expect(row).to_contain_text("Written differently: 4 names")
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
    expect(tip).to_contain_text("Written differently: 4 names")
    page.keyboard.press("Tab")
    expect(tip).to_be_hidden()


@pytest.mark.long
def test_ignoring_a_passage_ranks_again_and_the_page_offers_the_new_report(
    open_pair_of_worker: Open,
) -> None:
    page = open_pair_of_worker({"ada/m.py": COPIED + "a = 1\n" + HONEST, "ben/m.py": HONEST + RENAMED})
    before = Pair.objects.get()
    row = page.locator(".passages li.current")
    row.get_by_role("button", name="Ignore lines of it").click()
    expect(page.get_by_text("falls below the threshold").or_(page.get_by_text("fall below"))).to_be_visible(
        timeout=60_000
    )
    page.get_by_role("button", name="Ignore these lines and rank again").click()
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


@pytest.mark.long
def test_axe_finds_no_fault_with_files_explanations_and_keys(open_pair: Open, shoot: Shoot) -> None:
    odd_file = {"ada/odd.py": RENAMED + f"# \u202e\ns = '{'y' * 3_000}'\n"}
    page = open_pair(SEVERAL | odd_file)
    check_every_layout(page, shoot, "pair-of-files")
    row = page.locator(".passages li.current")
    expect(row.get_by_role("button", name="Ignore lines of it")).to_be_visible()
    if not page.get_by_role("tab", name="odd.py").is_visible():
        page.get_by_role("button", name="without shared code").click()
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


@pytest.mark.long
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


@pytest.mark.long
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
    plain.locator(".files a[href='#L-f3']").click()
    plain.wait_for_url("**#L-f3")
    plain.context.close()


@pytest.mark.long
def test_code_has_540_pixels_a_side_on_a_small_laptop(open_pair: Open) -> None:
    page = open_pair({"ada/m.py": COPIED, "ben/m.py": RENAMED})
    page.set_viewport_size({"width": 1280, "height": 800})
    for line in ("#L4", "#R4"):
        assert page.locator(line).evaluate(CODE_WIDTH) >= 540
    page.locator(".panel > summary").click()
    expect(page.locator(".passages")).not_to_be_visible()


@pytest.mark.long
def test_code_has_two_thirds_of_the_height_of_a_small_laptop(open_pair: Open) -> None:
    page = open_pair({"ada/m.py": COPIED + HONEST * 3, "ben/m.py": RENAMED + HONEST * 3})
    page.set_viewport_size({"width": 1280, "height": 800})
    hint = page.get_by_role("complementary", name="Hint")
    expect(hint).to_contain_text("Equal colours and numbers")
    assert all(height >= 800 * 2 / 3 for height in heights_of_code(page))
    # A commit of each is one sentence more.
    Submission.objects.update(commits=Commits(first=1_780_000_000, last=1_790_000_000, number=12))
    RENDERED.clear()
    page.reload()
    expect(page.get_by_text("Anybody can set the times of commits.")).to_be_visible()
    assert all(height >= 800 * 2 / 3 for height in heights_of_code(page))
    page.get_by_role("button", name="Do not show this again").click()
    expect(hint).to_have_count(0)
    assert all(height >= 800 * 2 / 3 for height in heights_of_code(page))


def heights_of_code(page: Page) -> list[float]:
    """Return how many pixels of each side of the code are on the screen, which has 800."""
    panes = (page.locator(f"[data-side={side}].pane, [data-side={side}] .pane").first for side in "LR")
    boxes = [pane.bounding_box() for pane in panes]
    return [min(box["y"] + box["height"], 800) - box["y"] for box in boxes if box]


@pytest.mark.long
def test_the_names_above_the_sources_lead_to_the_students(open_pair: Open) -> None:
    page = open_pair({"ada/m.py": COPIED, "ben/m.py": RENAMED})
    page.locator("#R-name a").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("ben")


@pytest.mark.long
def test_a_fact_beside_the_names_is_as_wide_as_its_words(open_pair: Open) -> None:
    page = open_pair({"ada/m.py": COPIED, "ben/m.py": RENAMED})
    flag = page.locator(".pair-flags .flag")
    expect(flag).to_have_text("identical except names")
    words = flag.evaluate("""(flag) => {
      const range = document.createRange();
      range.selectNodeContents(flag);
      return range.getBoundingClientRect().width;
    }""")
    box = flag.bounding_box()
    assert box
    assert 0 < words <= box["width"] < words + 20
