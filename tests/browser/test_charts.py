"""The line, the graph and a submission's page in a real browser, on a made-up report of 200 submissions."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from submissions.actions import shares
from submissions.models import Course
from submissions.pages.report.charts import MAX_LINKS, MAX_NODES
from tests.support.browser import SIZES, look_everywhere
from tests.support.reports import findings_of, made_class, made_report

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from playwright.sync_api import Page

    from submissions.models import Assignment, Report
    from tests.support.browser import Shoot, SignIn

INSIDE = "document.querySelector('.canvas').clientWidth"
# Whether any bar left of the middle, and any right of it, has the page's accent.
COLOURS = """async () => {
  await new Promise(requestAnimationFrame);
  const canvas = document.querySelector(".plot canvas");
  const accent = getComputedStyle(document.documentElement).getPropertyValue("--accent");
  const wanted = [1, 3, 5].map((at) => parseInt(accent.trim().slice(at, at + 2), 16));
  const found = [false, false];
  const { data, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  for (let at = 0; at < data.length; at += 4)
    if (wanted.every((value, part) => data[at + part] === value))
      found[Number((at / 4) % width > width / 2)] = true;
  return found;
}"""
EDGES = "(place) => { const box = place.getBoundingClientRect(); return [box.left, box.right]; }"
BOXES = """(circles) => circles.map((circle) => {
  const box = circle.getBoundingClientRect();
  return [box.x + box.width / 2, box.y + box.height / 2, circle.r.baseVal.value];
})"""


@pytest.fixture
def assignment(transactional_db: None, alice: User) -> Assignment:
    course = Course.objects.create(owner=alice, name="Programming 1")
    return course.assignments.create(name="Library fines")


@pytest.fixture
def report(assignment: Assignment) -> Report:
    return made_report(assignment, made_class(200))


@pytest.fixture
def opened(report: Report, alice: User, sign_in: SignIn) -> Page:
    page = sign_in(alice)
    page.goto(report.assignment.get_absolute_url())
    return page


def above(report: Report, percent: int) -> int:
    return sum(match.similarity >= percent / 100 for match in findings_of(report).best)


def drawn(page: Page) -> int:
    return page.locator(".canvas .node").count()


def expect_line(page: Page, report: Report, percent: int) -> None:
    """Everything beside the chart is filtered by the line as well."""
    expect(page.locator("[data-above]")).to_have_text(str(above(report, percent)))
    pairs = report.pairs.filter(similarity__gte=percent / 100)
    expect(page.locator("table.pairs tbody tr:has(.similarity)")).to_have_count(min(50, pairs.count()))
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


def test_the_line_is_dragged_with_the_mouse_and_filters_everything_else(opened: Page, report: Report) -> None:
    expect(opened.locator("[data-at]")).to_have_text("50\u202f%")
    rows, nodes = opened.locator("table.pairs tbody tr").count(), drawn(opened)
    drag(opened, 0.5, 0.8)
    expect(opened).to_have_url(re.compile(r"threshold=80"))
    expect_line(opened, report, 80)
    assert opened.locator("table.pairs tbody tr").count() < rows
    assert 0 < drawn(opened) < nodes
    opened.get_by_role("button", name="Back to the suggested 50").click()
    expect(opened.locator(".canvas .node")).to_have_count(nodes)
    expect(opened).not_to_have_url(re.compile(r"threshold=\d"))


def test_bars_right_of_the_line_and_a_dark_page_have_their_own_colours(opened: Page) -> None:
    assert opened.evaluate(COLOURS) == [False, True]
    opened.locator("#line").press("Home")
    assert opened.evaluate(COLOURS) == [True, True]
    opened.locator("#line").press("End")
    opened.emulate_media(color_scheme="dark")
    assert opened.evaluate(COLOURS) == [False, False]
    opened.get_by_role("button", name="Back to the suggested").click()
    assert opened.evaluate(COLOURS) == [False, True]


def test_the_line_is_moved_by_keyboard_and_says_where_it_is(opened: Page, report: Report) -> None:
    line = opened.get_by_role("slider", name="The line")
    line.focus()
    for _ in range(20):
        line.press("ArrowRight")
    expect(line).to_have_value("70")
    expect(line).to_have_attribute(
        "aria-valuetext", re.compile(f"70.*{above(report, 70)} of 200 submissions")
    )
    expect_line(opened, report, 70)
    line.press("End")
    expect(opened.get_by_text("No pair passes this filter.")).to_be_visible()
    expect(opened.locator(".canvas")).to_have_count(0)
    line.press("Home")
    expect(line).to_have_value("1")
    expect_line(opened, report, 1)
    expect(line).to_be_focused()


def test_a_figure_typed_into_the_filter_moves_the_line_and_so_does_going_back(
    opened: Page, report: Report
) -> None:
    opened.locator("#id_threshold").fill("60")
    expect(opened.get_by_role("slider", name="The line")).to_have_value("60")
    expect_line(opened, report, 60)
    opened.locator("#id_threshold").fill("75")
    expect_line(opened, report, 75)
    opened.go_back()
    expect(opened).to_have_url(re.compile(r"threshold=60"))
    expect_line(opened, report, 60)
    expect(opened.get_by_role("slider", name="The line")).to_have_value("60")


def test_a_circle_opens_its_submission_and_a_line_its_pair(opened: Page, report: Report) -> None:
    best = report.pairs.all()[0]
    assignment_id = report.assignment_id
    mine = reverse("submission", args=[assignment_id, best.left_id])
    opened.locator(f".node[href='{mine}']").click()
    expect(opened).to_have_url(re.compile(mine))
    expect(opened.get_by_role("heading", level=1)).to_have_text(best.left.name)
    expect(opened.locator(".plot canvas")).to_be_visible()
    opened.go_back()
    both = reverse("pair", args=[assignment_id, best.left_id, best.right_id])
    opened.locator(f".edge[href='{both}'] .reach").click(force=True)
    expect(opened).to_have_url(re.compile(both))


def test_the_graph_is_one_stop_from_which_the_arrows_walk(opened: Page, report: Report) -> None:
    stops = opened.locator(".canvas a")
    assert stops.evaluate_all("(all) => all.filter((one) => one.tabIndex === 0).length") == 1
    nodes = opened.locator(".canvas a.node")
    opened.get_by_role("button", name="Filter").press("Tab")
    expect(nodes.first).to_be_focused()
    opened.keyboard.press("ArrowRight")
    expect(nodes.nth(1)).to_be_focused()
    opened.keyboard.press("ArrowLeft")
    opened.keyboard.press("ArrowDown")
    address = nodes.nth(1).get_attribute("href")
    assert address
    opened.keyboard.press("Enter")
    expect(opened).to_have_url(re.compile(address))


def test_a_reload_draws_the_same_graph(opened: Page) -> None:
    places = "(all) => all.map((one) => one.getAttribute('transform'))"
    before = opened.locator(".canvas .node").evaluate_all(places)
    opened.reload()
    expect(opened.locator(".canvas .node")).to_have_count(len(before))
    assert opened.locator(".canvas .node").evaluate_all(places) == before


def test_circles_stand_within_the_picture_and_apart_at_any_width(opened: Page) -> None:
    for width, height in SIZES.values():
        opened.set_viewport_size({"width": width, "height": height})
        expect(opened.locator(".canvas svg")).to_have_attribute("width", str(opened.evaluate(INSIDE)))
        boxes = opened.locator(".canvas circle").evaluate_all(BOXES)
        left, right = opened.locator(".canvas").evaluate(EDGES)
        assert all(left <= x - r and x + r <= right for x, _, r in boxes)
        for at, (x, y, r) in enumerate(boxes):
            for other_x, other_y, _ in boxes[at + 1 :]:
                assert (x - other_x) ** 2 + (y - other_y) ** 2 >= (2 * r) ** 2


def test_what_does_not_fit_the_picture_is_said_and_can_be_shown(opened: Page) -> None:
    canvas = opened.locator(".canvas")
    cut = "(place) => place.scrollHeight > place.clientHeight"
    assert canvas.evaluate(cut)
    opened.get_by_role("button", name=re.compile(r"Show all \d+ clusters")).press("Enter")
    assert not canvas.evaluate(cut)
    opened.get_by_role("button", name="Show fewer").click()
    assert canvas.evaluate(cut)
    opened.locator("#id_threshold").fill("99")
    expect(opened.locator(".canvas .node")).to_have_count(0)
    expect(opened.get_by_role("button", name="clusters")).to_have_count(0)


def test_a_class_of_two_thousand_is_drawn_in_part_and_says_so(
    assignment: Assignment, alice: User, sign_in: SignIn
) -> None:
    made_report(assignment, made_class(2000), threshold=0.3)
    page = sign_in(alice)
    page.goto(f"{assignment.get_absolute_url()}?threshold=20")
    assert 0 < drawn(page) <= MAX_NODES
    assert 0 < page.locator(".canvas .edge").count() <= MAX_LINKS
    expect(page.locator("#graph-hint")).to_contain_text("more stand in the table only")


def test_behind_a_shared_link_the_line_works_and_only_pairs_open(
    page: Page, report: Report, alice: User
) -> None:
    made = shares.create_share(report.assignment, alice, timezone.now() + timedelta(days=1), anonymous=True)
    token = shares.share_token(made)
    page.goto(reverse("shared", args=[token]))
    drag(page, 0.5, 0.8)
    expect(page).to_have_url(re.compile(r"threshold=80"))
    expect_line(page, report, 80)
    expect(page.locator(".canvas a.node")).to_have_count(0)
    expect(page.get_by_text("student-")).to_have_count(0)
    expect(page.locator("#graph-hint")).not_to_contain_text("circle")
    best = report.pairs.all()[0]
    both = reverse("shared_pair", args=[token, best.left_id, best.right_id])
    expect(page.locator(f".edge[href='{both}']")).to_have_count(1)


def test_the_charts_and_a_submission_s_page_look_right(opened: Page, report: Report, shoot: Shoot) -> None:
    expect(opened.locator(".canvas svg")).to_be_visible()
    look_everywhere(opened, shoot, "charts-assignment")
    best = report.pairs.all()[0]
    opened.goto(reverse("submission", args=[report.assignment_id, best.left_id]))
    look_everywhere(opened, shoot, "charts-submission")
