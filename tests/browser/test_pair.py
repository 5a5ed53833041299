"""The page of a pair in a real browser: passages, files, lines, keys, layout and moving about."""

import re
from collections import Counter

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect

from submissions.core.models import Commits
from submissions.models import Pair, Report, Submission, SubmissionFile
from submissions.pages.rendered import RENDERED
from tests.conftest import wait_until
from tests.submissions.courses.test_source_retention import let_them_go
from tests.support.browser import Shoot, SignIn, assert_accessible_now, check_every_layout
from tests.support.every_page import World
from tests.support.long_rows import rest_is_long
from tests.support.pair_page import FILLER, OTHER, SEVERAL, Open, in_view, selected_file
from tests.support.sample_class import COPIED, HONEST, RENAMED, STARTER

pytestmark = pytest.mark.services

CODE_WIDTH = """(line) => {
  const style = getComputedStyle(line);
  const hanging = parseFloat(style.textIndent);
  return line.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - hanging;
}"""


def test_the_panel_lists_passages_by_weight_or_by_place(open_pair: Open) -> None:
    page = open_pair(SEVERAL)
    rows = page.locator(".passages > li")
    tokens: Counter[int] = Counter()
    for record in Pair.objects.get().passages:
        tokens[record.left_file] += record.tokens
    names = dict(SubmissionFile.objects.filter(pk__in=tokens).values_list("pk", "path"))
    by_weight = [names[file] for file, _ in tokens.most_common()]
    for order, expected in (("by weight", by_weight), ("by place", sorted(by_weight))):
        page.get_by_label("Order").select_option(order)
        files = [re.sub(r"\s.*", "", text.strip()) for text in rows.locator(".places").all_inner_texts()]
        assert files == expected != []
    expect(rows.first).to_contain_text("in at most 2 of 2")
    rows.nth(1).locator("a").first.click()
    expect(page.get_by_role("status").filter(has_text="Passage")).to_have_text("Passage 2 of 3")
    page.keyboard.press("p")
    assert selected_file(page, "L") == "a.py"
    number = page.locator(".passages li.current").get_attribute("data-passage")
    assert page.url.endswith(f"#L-p{number}")
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
    page.get_by_role("button", name="Deutsch").click()
    expect(page.locator("[data-status]")).to_have_text("Stelle 1 von 1; danach das nächste Paar")
    height, steps = "(one) => one.offsetHeight", page.locator(".steps-of")
    longest = steps.evaluate(height)
    page.locator("[data-status]").evaluate("(one) => { one.textContent = '1'; }")
    assert steps.evaluate(height) == longest
    page.locator(".pane .badge").first.hover()
    expect(tip).to_contain_text("Stelle 1:")
    page.get_by_text("Verdächtig").first.click()
    expect(page.locator("#decision-answer")).to_contain_text("Gespeichert")


def test_a_map_of_names_goes_through_their_places_and_shows_the_right_side_with_the_left_names(
    open_pair: Open,
) -> None:
    page = open_pair({"ada/m.py": COPIED, "ben/m.py": RENAMED})
    right = page.locator("[data-side=R]")
    handed_in = right.inner_text()
    page.locator(".names > summary").press("Enter")
    row = page.locator(".renamings button").filter(has_text="total → acc")
    expect(row).to_have_text(re.compile(r"^\s*total → acc\s+all \d\s*$"))
    count = page.locator("[data-side=L] i[data-there=acc]").count()
    for place in (*range(1, count + 1), 1):
        row.press("Enter")
        expect(page.locator("[data-status]")).to_have_text(f"Place {place} of {count}")
        expect(page.locator("[data-side=L] .now")).to_have_text("total")
        assert in_view(page.locator("[data-side=L] .now"))
    assert_accessible_now(page)
    page.locator("[data-left-names]").press("Space")
    expect(page.get_by_text("passages with the left names, not as handed in")).to_be_visible()
    expect(right).to_contain_text("total")
    assert "acc" not in right.inner_text()
    right.locator("[data-there=total]").first.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("acc here, total on the left")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert right.inner_text() == handed_in
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert_accessible_now(page)
    page.locator("[data-left-names]").press("Space")
    assert right.inner_text() == handed_in


def test_colours_mean_the_same_beside_each_other_and_line_by_line(open_pair: Open) -> None:
    page = open_pair({"ada/m.py": COPIED + "a = 1\n", "ben/m.py": RENAMED})
    colour = "(part) => getComputedStyle(part).backgroundColor"
    shared = page.locator("mark.c1:not(.gap)").first.evaluate(colour)
    page.get_by_role("link", name="Line by line").press("Enter")
    rows = {kind: page.locator(f".lines tr.{kind}").first for kind in ("same", "renamed", "left")}
    renamed = page.locator(".lines tr.renamed").filter(has_text="total").first
    expect(renamed.locator("i")).to_have_text(["total", "acc"])
    assert rows["same"].evaluate(colour) == rows["renamed"].evaluate(colour) == shared
    assert rows["left"].evaluate(colour) != shared
    expect(page.locator(".kinds-of-lines .renamed")).to_contain_text("in both, with other words")
    assert_accessible_now(page)
    page.emulate_media(color_scheme="dark")
    assert_accessible_now(page)
    page.emulate_media(color_scheme=None)


def test_what_was_done_filters_the_passages(open_pair: Open) -> None:
    page = open_pair(SEVERAL)
    rows = page.locator(".passages > li")
    button = page.get_by_role("group", name="Written differently").get_by_role("button", name="4 names")
    button.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(rows.filter(visible=True)).to_have_count(1)
    expect(rows.filter(visible=True)).to_contain_text("4 names differ")
    expect(page.locator("[data-status]")).to_contain_text("of 3")
    assert_accessible_now(page)
    button.press("Enter")
    expect(rows.filter(visible=True)).to_have_count(3)


@pytest.mark.long
def test_ignoring_a_passage_ranks_again_and_the_page_offers_the_new_report(open_pair_of_worker: Open) -> None:
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
    option = page.locator("[data-files] option").filter(has_text="odd.py")
    page.locator("[data-files]").select_option(option.get_attribute("value"))
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
    flag = "<span class=flag>identical except layout, comments, punctuation and modifiers</span>"
    flags = f"<span class=pair-flags>{flag}</span>"
    page.locator("h1.both").evaluate("(names, flags) => names.insertAdjacentHTML('afterend', flags)", flags)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
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
    expect(plain.locator(".map:visible")).to_have_count(0)
    expect(plain.locator(".about").last).to_be_visible()
    plain.context.close()


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


def test_files_that_share_most_come_first_in_the_list_and_the_matrix(open_pair: Open, shoot: Shoot) -> None:
    page = open_pair(MANY)
    side = page.locator(".side:has([data-side=L])")
    expect(side.locator(".choice .meta")).to_have_text(f"2 of {FILES_A_SIDE} files share code")
    options = [text.split()[0] for text in side.locator("option").all_text_contents()]
    assert (len(options), options[:2]) == (FILES_A_SIDE, ["z/main.py", "a/main.py"])
    assert page.evaluate("() => document.querySelectorAll('[data-side=L] .line').length") < 500
    assert selected_file(page, "L") == "z/main.py"
    shoot("pair-80-files")
    side.locator("[data-files]").select_option(f"L-f{[*sorted(UNSHARED_FILES)].index('ada/lib/own_70/util.py') + 2}")
    expect(page.locator("[data-side=L] .file:visible")).to_contain_text("print(v70)")
    page.locator(".matrix > summary").press("Enter")
    rows = page.locator(".matrix tbody tr")
    expect(rows).to_have_count(2)
    assert_accessible_now(page)
    rows.nth(1).locator("a").press("Enter")
    page.wait_for_url("**#L-p*")
    assert selected_file(page, "L") == "a/main.py"
    expect(rows.nth(1).locator("a")).to_have_class(re.compile("current"))
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


TOP = "(part) => part.closest('.line').getBoundingClientRect().top"


def test_a_file_is_chosen_by_keys_and_passages_switch_files(open_pair: Open) -> None:
    page = open_pair(SEVERAL)
    first, choice = selected_file(page, "L"), page.locator("[data-files]")
    expect(choice).to_have_count(1)
    expect(page.locator("[data-side=L] .file:visible")).to_have_count(1)
    choice.focus()
    page.keyboard.press("End")
    last = selected_file(page, "L")
    expect(page.locator("[data-side=L] .file:visible h3")).to_contain_text(last)
    page.locator("[data-side=L]").focus()
    page.keyboard.press("n")
    assert selected_file(page, "L") != last or selected_file(page, "L") != first
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
    tops = [page.locator(f"[data-side={side}]").evaluate("(pane) => pane.getBoundingClientRect().top") for side in "LR"]
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


@pytest.mark.long
def test_a_pair_without_sources_has_no_fault(world: World, sign_in: SignIn, shoot: Shoot) -> None:
    let_them_go(world.assignment)
    page = sign_in(world.owner)
    page.goto(reverse("pair", args=[world.assignment.pk, world.pair.left_id, world.pair.right_id]))
    assert page.locator("text=were deleted on").count() == 2
    check_every_layout(page, shoot, "page-pair-without-sources")


@pytest.mark.long
def test_code_takes_the_width_of_a_small_laptop_and_of_a_large_screen(open_pair: Open) -> None:
    page = open_pair({"ada/m.py": COPIED, "ben/m.py": RENAMED})
    page.set_viewport_size({"width": 1920, "height": 1080})
    boxes = [page.locator(f".side:has([data-side={side}])").bounding_box() for side in "LR"]
    assert all(box and box["width"] > 780 for box in boxes)
    assert boxes[1] is not None
    assert boxes[1]["x"] + boxes[1]["width"] > 1880
    page.set_viewport_size({"width": 1280, "height": 800})
    assert all(page.locator(line).evaluate(CODE_WIDTH) >= 440 for line in ("#L4", "#R4"))
    page.locator(".panel > summary").click()
    expect(page.locator(".passages")).not_to_be_visible()
    assert all(page.locator(line).evaluate(CODE_WIDTH) >= 540 for line in ("#L4", "#R4"))
    page.locator("#R-name a").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("ben")
