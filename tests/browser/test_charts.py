"""The threshold, the graph and the page of a submission in a real browser; 200 submissions."""

import re
from datetime import timedelta
from itertools import combinations, pairwise
from random import Random
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from submissions.cases.case_list import MAX_LINKS, MAX_NODES, cases
from submissions.core.names import anonymous_names
from submissions.models import Assignment, Course, Report
from submissions.pairs.read import displayed_pair
from submissions.shares import links as shares
from tests.support.browser import SIZES, Shoot, SignIn, check_every_layout, each_layout
from tests.support.reports import create_report, findings_of, random_similarities

pytestmark = pytest.mark.services
INSIDE = "document.querySelector('.canvas').clientWidth"
# Return whether the left half, and whether the right half, of the bars contains the accent colour.
COLOURS = """async (name) => {
  await new Promise(requestAnimationFrame);
  const canvas = document.querySelector(".plot canvas");
  const point = document.createElement("canvas").getContext("2d");
  point.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name);
  point.fillRect(0, 0, 1, 1);
  const colour = [...point.getImageData(0, 0, 1, 1).data].slice(0, 3);
  const halves = [false, false];
  const { data, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  for (let at = 0; at < data.length; at += 4)
    if (colour.every((value, part) => data[at + part] === value))
      halves[Number((at / 4) % width > width / 2)] = true;
  return halves;
}"""
EDGES = "(canvas) => { const box = canvas.getBoundingClientRect(); return [box.left, box.right]; }"
BOXES = """(circles) => circles.map((circle) => {
  const box = circle.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2, circle.r.baseVal.value];
})"""
NAMES = """(nodes) => nodes.map((node) => ({
  whole: node.dataset.name,
  written: [...node.querySelectorAll(".name tspan")].map((line) => line.textContent).join(""),
  lines: [...node.querySelectorAll(".name tspan")].map((line) => line.textContent),
  number: node.querySelector(".number").textContent,
  box: node.querySelector(".name").getBoundingClientRect().toJSON(),
}))"""
DRAW = """(graph) => {
  const section = document.querySelector("[data-graph]");
  section.querySelector("script").textContent = JSON.stringify(graph);
  delete section.dataset.drawn;
  document.dispatchEvent(new Event("graph:new"));
}"""
WORD = r"[^\s\-_.@]+"
LONG_NAMES = (
    "Maria de los Ángeles Fernández-Echevarría", "Chidubem Okonkwo-Nwachukwu", "Ng",
    "Donaudampfschifffahrtsgesellschaft", "Þórhallur Guðmundsson",
    "anna.katharina.schmidt-lindenberg@students.example.org",
)  # fmt: skip


@pytest.fixture
def assignment(transactional_db: None, alice: User) -> Assignment:
    course = Course.objects.create(owner=alice, name="Programming 1")
    return course.assignments.create(name="Library fines")


@pytest.fixture
def report(assignment: Assignment) -> Report:
    return create_report(assignment, random_similarities(200))


@pytest.fixture
def report_page(report: Report, alice: User, sign_in: SignIn) -> Page:
    page = sign_in(alice)
    page.goto(report.assignment.get_absolute_url())
    return page


def best_matches_above(report: Report, percent: int) -> int:
    return sum(match.similarity >= percent / 100 for match in findings_of(report).best)


def drawn_nodes(page: Page) -> int:
    return page.locator(".canvas .node").count()


def expect_threshold(page: Page, report: Report, percent: int) -> None:
    """Fail unless the counts, the table, the graph and the filter all use this threshold."""
    expect(page.locator("[data-above]")).to_have_text(str(best_matches_above(report, percent)))
    pairs = report.pairs.filter(similarity__gte=percent / 100)
    expect(page.locator("table.cases tbody tr")).to_have_count(min(15, len(cases(report, percent / 100))))
    linked = {pk for both in pairs.values_list("left_id", "right_id") for pk in both}
    expect(page.locator(".canvas .node")).to_have_count(min(len(linked), MAX_NODES))
    expect(page.locator("#id_threshold")).to_have_value(str(percent))


def drag(page: Page, start: float, end: float) -> None:
    box = page.locator(".plot .u-over").bounding_box()
    assert box
    page.mouse.move(box["x"] + start * box["width"], box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + end * box["width"], box["y"] + 40, steps=5)
    page.mouse.up()


def test_dragging_the_threshold_with_the_mouse_filters_everything_else(report_page: Page, report: Report) -> None:
    expect(report_page.locator("[data-at]")).to_have_text("50\u202f%")
    nodes = drawn_nodes(report_page)
    drag(report_page, 0.5, 0.8)
    expect(report_page).to_have_url(re.compile(r"threshold=80"))
    expect_threshold(report_page, report, 80)
    assert 0 < drawn_nodes(report_page) < nodes
    report_page.get_by_role("button", name="Back to 50").click()
    expect(report_page.locator(".canvas .node")).to_have_count(nodes)
    expect(report_page).not_to_have_url(re.compile(r"threshold=\d"))


@pytest.mark.long
def test_bars_of_each_band_have_a_colour_in_light_and_dark(report_page: Page) -> None:
    def halves(name: str) -> list[bool]:
        return list(report_page.evaluate(COLOURS, name))

    assert (halves("--look"), halves("--accent")) == ([False, False], [False, True])
    report_page.locator("#line").press("Home")
    assert (halves("--look"), halves("--accent")) == ([True, False], [False, True])
    report_page.locator("#line").press("End")
    report_page.emulate_media(color_scheme="dark")
    assert (halves("--look"), halves("--accent")) == ([False, False], [False, False])
    report_page.get_by_role("button", name="Back to").click()
    assert (halves("--look"), halves("--accent")) == ([False, False], [False, True])


def test_the_threshold_is_moved_by_keyboard_and_announces_its_value(report_page: Page, report: Report) -> None:
    slider = report_page.get_by_role("slider", name="Threshold")
    slider.focus()
    for _ in range(20):
        slider.press("ArrowRight")
    expect(slider).to_have_value("70")
    expect(slider).to_have_attribute(
        "aria-valuetext", re.compile(f"^{best_matches_above(report, 70)} of 200 submissions .* 70")
    )
    expect_threshold(report_page, report, 70)
    slider.press("End")
    expect(report_page.get_by_text("No two submissions are 100")).to_be_visible()
    expect(report_page.locator(".canvas")).to_have_count(0)
    slider.press("Home")
    expect(slider).to_have_value("1")
    expect_threshold(report_page, report, 1)
    expect(slider).to_be_focused()


@pytest.mark.long
def test_typing_a_threshold_into_the_filter_and_going_back_both_move_the_slider(
    report_page: Page, report: Report
) -> None:
    report_page.locator("#id_threshold").fill("60")
    expect(report_page.get_by_role("slider", name="Threshold")).to_have_value("60")
    expect_threshold(report_page, report, 60)
    report_page.locator("#id_threshold").fill("75")
    expect_threshold(report_page, report, 75)
    report_page.go_back()
    expect(report_page).to_have_url(re.compile(r"threshold=60"))
    expect_threshold(report_page, report, 60)
    expect(report_page.get_by_role("slider", name="Threshold")).to_have_value("60")


def test_a_circle_opens_its_submission_and_an_edge_its_pair(report_page: Page, report: Report) -> None:
    best = report.pairs.all()[0]
    assignment_id = report.assignment_id
    mine = reverse("submission", args=[assignment_id, best.left_id])
    report_page.locator(f".node[href='{mine}']").click()
    expect(report_page).to_have_url(re.compile(mine))
    expect(report_page.get_by_role("heading", level=1)).to_have_text(best.left.name)
    expect(report_page.locator(".plot canvas")).to_be_visible()
    report_page.go_back()
    both = reverse("pair", args=[assignment_id, best.left_id, best.right_id])
    report_page.locator(f".edge[href='{both}'] .reach").click(force=True)
    expect(report_page).to_have_url(re.compile(both))


def test_the_graph_is_one_tab_stop_and_arrow_keys_move_within_it(report_page: Page, report: Report) -> None:
    stops = report_page.locator(".canvas a")
    assert stops.evaluate_all("(all) => all.filter((one) => one.tabIndex === 0).length") == 1
    nodes = report_page.locator(".canvas a.node")
    report_page.get_by_role("link", name="As a table").press("Tab")
    expect(nodes.first).to_be_focused()
    report_page.keyboard.press("ArrowRight")
    expect(nodes.nth(1)).to_be_focused()
    report_page.keyboard.press("ArrowLeft")
    report_page.keyboard.press("ArrowDown")
    address = nodes.nth(1).get_attribute("href")
    assert address
    report_page.keyboard.press("Enter")
    expect(report_page).to_have_url(re.compile(address))


def test_a_bar_lists_its_students_by_keyboard_and_by_mouse(report_page: Page, report: Report) -> None:
    slider = report_page.get_by_role("slider", name="Threshold")
    slider.focus()
    report_page.keyboard.press("Shift+Tab")
    report_page.keyboard.press("End")
    highest = report_page.locator(".bar-of").last
    expect(highest).to_be_focused()
    report_page.keyboard.press("Enter")
    listed = report_page.locator("[data-bar] a")
    best = sorted(findings_of(report).best, key=lambda match: -match.similarity)
    low = int(str(highest.get_attribute("aria-label")).split()[0])
    in_bar = [match.submission for match in best if match.similarity * 100 >= low]
    hrefs = listed.evaluate_all("(all) => all.map((one) => one.getAttribute('href'))")
    assert set(hrefs) == {reverse("submission", args=[report.assignment_id, pk]) for pk in in_bar}
    report_page.keyboard.press("Escape")
    expect(listed.first).to_be_hidden()
    expect(highest).to_be_focused()
    report_page.locator(".bar-of").first.click()
    expect(listed.first).to_be_visible()
    expect(report_page.locator("[data-at]")).to_have_text("50\u202f%")


@pytest.mark.parametrize("stops", [False, True])
def test_the_line_is_played_from_the_keyboard_and_names_who_joins(
    assignment: Assignment, alice: User, sign_in: SignIn, *, stops: bool
) -> None:
    report = create_report(assignment, {("ada", "ben"): 0.9, ("ben", "cleo"): 0.6, ("dora", "emil"): 0.3})
    page = sign_in(alice)
    page.emulate_media(reduced_motion="reduce")
    page.goto(assignment.get_absolute_url())
    if stops:
        page.get_by_label("stop at 50").press("Space")
    page.get_by_role("button", name="Play the line").press("Enter")
    joined = page.locator("[data-newcomers]")
    drawn = page.locator(".canvas .node:not(.ahead)")
    for at, names, count in (("90", "ada, ben", 2), ("60", "cleo", 3), ("30", "dora, emil", 5))[: 3 - stops]:
        expect(joined).to_have_text(f"At {at}\u202f%: {names}")
        expect(drawn).to_have_count(count)
    expect(page.get_by_role("button", name="Play the line")).to_be_focused()
    if stops:
        expect(page.locator("#id_threshold")).to_have_value("")
        expect(page.locator(".canvas .node")).to_have_count(3)
    else:
        expect_threshold(page, report, 20)


def test_the_best_lines_of_a_line_or_row_are_kept_by_enter_and_closed_by_escape(
    report_page: Page, report: Report
) -> None:
    best = report.pairs.all()[0]
    address = reverse("pair", args=[report.assignment_id, best.left_id, best.right_id])
    lines = report_page.get_by_role("region", name="The best lines of both")
    for place in (f".edge[href='{address}']", f".strongest a[href='{address}']"):
        report_page.locator(place).focus()
        expect(lines).to_contain_text("No lines of it can be shown here.")
        report_page.keyboard.press("Enter")
        expect(lines.get_by_role("link")).to_be_focused()
        report_page.mouse.move(5, 5)
        expect(lines).to_be_visible()
        report_page.keyboard.press("Escape")
        expect(lines).to_be_hidden()
        expect(report_page.locator(place)).to_be_focused()
    report_page.locator(".cases tbody .members").nth(1).hover()
    expect(lines).to_be_visible()
    report_page.locator("h1").hover()
    expect(lines).to_be_hidden()
    report_page.evaluate("document.activeElement.blur()")
    report_page.locator(".cases tbody .members").nth(1).hover()
    expect(lines).to_be_visible()
    report_page.keyboard.press("Enter")
    expect(lines.get_by_role("link")).to_be_focused()


def test_arrow_keys_go_from_pair_to_pair_of_the_table_of_a_case(
    assignment: Assignment, alice: User, sign_in: SignIn
) -> None:
    report = create_report(assignment, {("ada", "ben"): 0.6, ("ada", "cleo"): 0.9})
    page = sign_in(alice)
    page.goto(reverse("case", args=[assignment.pk, cases(report)[0].key]))
    table = page.locator("[data-grid]")
    rows = table.locator("tbody th").all_inner_texts()
    assert [row.split()[1] for row in rows] in (["ben", "ada", "cleo"], ["cleo", "ada", "ben"])
    assert table.locator("[tabindex='0']").count() == 1
    table.locator("td").nth(1).locator("a").focus()
    page.keyboard.press("ArrowDown")
    expect(table.locator("td").nth(4)).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(table.locator("td").nth(5).locator("a")).to_be_focused()


def test_names_and_numbers_of_the_table_of_a_class_stay_while_it_scrolls(report_page: Page, report: Report) -> None:
    report_page.goto(reverse("matrix", args=[report.assignment_id]))
    table = report_page.locator("[data-grid]")
    expect(table.locator("tbody td").last).not_to_be_in_viewport()
    report_page.get_by_role("region").evaluate("(region) => region.scrollTo(9999, 9999)")
    expect(table.locator("tbody td").last).to_be_in_viewport()
    for heading in (table.locator("tbody th").last, table.locator("thead th").last):
        expect(heading).to_be_in_viewport()
    expect(table).to_have_css("border-collapse", "separate")  # A collapsed border would scroll away from its heading.


def test_no_heading_of_the_table_of_a_class_is_above_the_focus(report_page: Page, report: Report) -> None:
    report_page.goto(reverse("matrix", args=[report.assignment_id]))
    rows = report_page.locator("[data-grid] tbody tr")
    rows.last.locator("td").last.evaluate("(cell) => (cell.querySelector('a') ?? cell).focus()")
    covered = """() => {
      const { x, y, width, height } = document.activeElement.getBoundingClientRect();
      return document.elementFromPoint(x + width / 2, y + height / 2).matches("th");
    }"""
    for key in ["ArrowUp"] * (rows.count() - 1) + ["ArrowLeft"] * (rows.count() - 1):
        report_page.keyboard.press(key)
        assert not report_page.evaluate(covered)


def test_the_assignments_of_a_student_fit_a_telephone(report: Report, alice: User, sign_in: SignIn) -> None:
    later = report.assignment.course.assignments.create(name="Programming-2-Sheet-04-Stock-Submissions-2026-27")
    again = create_report(later, random_similarities(20))
    page = sign_in(alice)
    page.set_viewport_size({"width": SIZES["narrow"][0], "height": SIZES["narrow"][1]})
    page.goto(reverse("submission", args=[later.pk, again.submissions.all()[0].pk]))
    expect(page.locator(".over-course tbody tr")).to_have_count(2)
    assert page.evaluate("document.documentElement.scrollWidth") <= SIZES["narrow"][0]


@pytest.mark.long
def test_a_reload_draws_the_same_graph(report_page: Page, shoot: Shoot) -> None:
    places = "(all) => all.map((one) => one.getAttribute('transform'))"
    before = report_page.locator(".canvas .node").evaluate_all(places)
    report_page.reload()
    expect(report_page.locator(".canvas .node")).to_have_count(len(before))
    assert report_page.locator(".canvas .node").evaluate_all(places) == before
    check_every_layout(report_page, shoot, "charts-assignment")


@pytest.mark.long
def test_circles_lie_within_the_picture_and_do_not_overlap_at_any_width(report_page: Page) -> None:
    for width, height in SIZES.values():
        report_page.set_viewport_size({"width": width, "height": height})
        expect(report_page.locator(".canvas svg")).to_have_attribute("width", str(report_page.evaluate(INSIDE)))
        boxes = report_page.locator(".canvas circle").evaluate_all(BOXES)
        left, right = report_page.locator(".canvas").evaluate(EDGES)
        assert all(left <= x - r and x + r <= right for x, _, r in boxes)
        for at, (x, y, r) in enumerate(boxes):
            for other_x, other_y, _ in boxes[at + 1 :]:
                assert (x - other_x) ** 2 + (y - other_y) ** 2 >= (2 * r) ** 2


@pytest.mark.long
def test_cases_that_do_not_fit_the_picture_can_be_shown_by_a_button(report_page: Page) -> None:
    canvas = report_page.locator(".canvas")
    cut = "(canvas) => canvas.scrollHeight > canvas.clientHeight"
    assert canvas.evaluate(cut)
    report_page.get_by_role("button", name=re.compile(r"Show all \d+ cases")).press("Enter")
    assert not canvas.evaluate(cut)
    report_page.get_by_role("button", name="Show fewer").click()
    assert canvas.evaluate(cut)
    report_page.locator("#id_threshold").fill("99")
    expect(report_page.locator(".canvas .node")).to_have_count(0)
    expect(report_page.get_by_role("button", name="cases")).to_have_count(0)


@pytest.mark.long
def test_of_two_thousand_submissions_a_part_is_drawn_and_the_page_says_so(
    assignment: Assignment, alice: User, sign_in: SignIn
) -> None:
    create_report(assignment, random_similarities(2000), threshold=0.3)
    page = sign_in(alice)
    page.goto(f"{assignment.get_absolute_url()}?threshold=20")
    assert 0 < drawn_nodes(page) <= MAX_NODES
    assert 0 < page.locator(".canvas .edge").count() <= MAX_LINKS
    expect(page.locator("#graph-hint")).to_contain_text("more are only in the table")


@pytest.mark.long
def test_behind_a_share_link_the_threshold_moves_and_only_pairs_open(page: Page, report: Report, alice: User) -> None:
    share = shares.create_share(report.assignment, alice, timezone.now() + timedelta(days=1), anonymous=True)
    token = shares.share_token(share)
    page.goto(reverse("shared", args=[token]))
    drag(page, 0.5, 0.8)
    expect(page).to_have_url(re.compile(r"threshold=80"))
    expect_threshold(page, report, 80)
    expect(page.locator(".canvas a.node")).to_have_count(0)
    expect(page.get_by_text("student-")).to_have_count(0)
    expect(page.locator("#graph-hint")).not_to_contain_text("circle")
    best = report.pairs.all()[0]
    displayed = displayed_pair(best, anonymous_names(report.assignment))
    both = reverse("shared_pair", args=[token, displayed.left_id, displayed.right_id])
    expect(page.locator(f".edge[href='{both}']")).to_have_count(1)


@pytest.mark.long
def test_a_large_case_is_drawn_alone_with_whole_names_and_a_list(
    assignment: Assignment, alice: User, sign_in: SignIn, shoot: Shoot
) -> None:
    long = "a-rather-long-family-name-of-student"
    ring = {(f"{long}-{n:03}", f"{long}-{(n + 1) % 500:03}"): 0.5 + n / 1_000 for n in range(500)}
    report = create_report(assignment, ring)
    page = sign_in(alice)
    page.goto(reverse("case", args=[assignment.pk, cases(report)[0].key]))
    expect(page.locator(".canvas .node")).to_have_count(500)
    page.locator(".canvas .node").first.hover(force=True)
    expect(page.locator(".whole-name")).to_have_text(re.compile(rf"^{long}-\d+$"))
    page.locator(".drawn li").nth(3).hover()
    expect(page.locator(".whole-name")).to_have_text(page.locator(".drawn li").nth(3).inner_text())
    expect(page.locator(".node.pointed")).to_have_count(1)
    check_every_layout(page, shoot, "large-case")


@pytest.mark.long
def test_every_name_of_the_graph_is_whole_and_every_circle_has_the_number_of_its_case(
    assignment: Assignment, alice: User, sign_in: SignIn, shoot: Shoot
) -> None:
    first, second = dict.fromkeys(pairwise(LONG_NAMES[:4]), 0.8), {LONG_NAMES[4:]: 0.7}
    report = create_report(assignment, first | second)
    numbers = {name: str(case.number) for case in cases(report) for name in case.names}
    page = sign_in(alice)
    page.goto(assignment.get_absolute_url())
    for layout in each_layout(page):
        page.locator("[data-canvas]").scroll_into_view_if_needed()
        nodes = page.locator(".canvas .node").evaluate_all(NAMES)
        shoot(f"graph-names-{layout}")
        assert {node["whole"]: node["number"] for node in nodes} == numbers
        for node in nodes:
            assert re.sub(r"\s", "", node["written"]) == re.sub(r"\s", "", node["whole"])
            assert re.findall(WORD, " ".join(node["lines"])) == re.findall(WORD, node["whole"])
        assert [both for both in combinations(nodes, 2) if overlap(*both)] == []


@pytest.mark.long
def test_no_name_of_the_graph_covers_another_one_however_long_they_are(report_page: Page) -> None:
    for width, _ in SIZES.values():
        report_page.set_viewport_size({"width": width, "height": 900})
        for seed in range(25):
            report_page.evaluate(DRAW, random_graph(Random(seed)))
            nodes = report_page.locator(".canvas .node").evaluate_all(NAMES)
            assert [both for both in combinations(nodes, 2) if overlap(*both)] == [], (width, seed)


def random_graph(random: Random) -> dict[str, Any]:
    """Return a graph of cases of two to twelve submissions, whose words have up to thirty letters."""
    nodes, links = list[dict[str, Any]](), list[dict[str, Any]]()
    for case in range(1, 5):
        first, size = len(nodes), random.randint(2, 12)
        for at in range(first, first + size):
            words = ("".join(random.choices("iWmé", k=random.randint(1, 30))) for _ in range(random.randint(1, 3)))
            nodes.append({"name": " ".join(words), "case": case, "colour": case, "url": ""})
            partners = random.sample(range(first, at), random.randint(1, at - first)) if at > first else []
            links += [
                {"source": other, "target": at, "similarity": random.random(), "percent": "", "url": ""}
                for other in partners
            ]
    return {"nodes": nodes, "links": links, "far": 0.5}


def overlap(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether the names of two circles are drawn over each other."""
    a, b = one["box"], other["box"]
    beside = a["right"] <= b["left"] + 1 or b["right"] <= a["left"] + 1
    return not beside and a["top"] < b["bottom"] - 1 and b["top"] < a["bottom"] - 1
