"""The bars of both histograms have the heights of the logarithms of what was counted, in a real browser."""

from collections import Counter
from collections.abc import Iterable
from math import log2

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Page, expect

from submissions.models import Course, Report
from tests.support.browser import SignIn
from tests.support.reports import create_report, findings_of, random_similarities

pytestmark = pytest.mark.services

WIDTH = 2  # of a bar, in percent
# The height in pixels of each bar of the canvas, by the percentage in which it begins.
HEIGHTS = """async (width) => {
  await new Promise(requestAnimationFrame);
  const canvas = document.querySelector(".plot canvas");
  const over = document.querySelector(".plot .u-over").getBoundingClientRect();
  const box = canvas.getBoundingClientRect();
  const scale = canvas.width / box.width;
  const context = canvas.getContext("2d");
  const style = getComputedStyle(document.documentElement);
  const fills = ["--bar", "--accent"].map((name) => {
    const text = style.getPropertyValue(name).trim();
    return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  });
  const heights = {};
  for (let low = 0; low < 100; low += width) {
    const x = Math.round((over.left - box.left + over.width * (low + width / 2) / 100) * scale);
    const { data } = context.getImageData(x, 0, 1, canvas.height);
    let height = 0;
    for (let at = 0; at < data.length; at += 4)
      height += fills.some((fill) => fill.every((value, part) => Math.abs(data[at + part] - value) < 6));
    if (height) heights[low] = height / scale;
  }
  return heights;
}"""


@pytest.fixture
def report(transactional_db: None, alice: User) -> Report:
    course = Course.objects.create(owner=alice, name="Programming 1")
    return create_report(course.assignments.create(name="Library fines"), random_similarities(120))


@pytest.fixture
def report_page(report: Report, alice: User, sign_in: SignIn) -> Page:
    page = sign_in(alice)
    page.goto(report.assignment.get_absolute_url())
    return page


def counted(similarities: Iterable[float]) -> Counter[int]:
    """Return how many similarities are in each bar, by its lower end in percent; 100 % is in the last one."""
    return Counter(min(int(one * 100 + 1e-9) // WIDTH * WIDTH, 100 - WIDTH) for one in similarities)


def check_logarithmic(heights: dict[int, float], counts: Counter[int], tolerance: float) -> None:
    assert heights.keys() == counts.keys()
    highest, most = max(heights.values()), max(counts.values())
    assert most > 8 * min(counts.values()), "a linear scale would have to fail"
    for low, count in counts.items():
        assert abs(heights[low] / highest - log2(count + 1) / log2(most + 1)) < tolerance, (low, count)


def test_the_bars_of_the_best_matches_are_logarithms_of_their_numbers(report_page: Page, report: Report) -> None:
    expect(
        report_page.get_by_role("heading", name="Best match of every submission (logarithmic heights)")
    ).to_be_visible()
    heights = {int(low): height for low, height in report_page.evaluate(HEIGHTS, WIDTH).items()}
    counts = counted(match.similarity for match in findings_of(report).best)
    check_logarithmic(heights, counts, 2 / max(heights.values()))


@pytest.mark.long
def test_the_bars_of_the_pairs_are_logarithms_of_their_numbers(report_page: Page, report: Report) -> None:
    report_page.goto(reverse("pairs", args=[report.assignment_id]))
    bars = report_page.locator(".pair-histogram rect")
    boxes = bars.evaluate_all("(all) => all.map((bar) => [bar.x.baseVal.value, bar.getBoundingClientRect().height])")
    counts = counted(report.pairs.values_list("similarity", flat=True))
    check_logarithmic({int(x): height for x, height in boxes}, counts, 0.01)
