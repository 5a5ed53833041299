"""Searching, sorting and filtering a report in a real browser, without a reload, and with the back button."""

import re

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Locator, Page, expect

from submissions.core.models import DuplicateRecord
from submissions.models import Course, Decision, Report
from tests.support.browser import Shoot, SignIn, check_every_layout
from tests.support.reports import create_report, random_similarities
from tests.support.tabs import tab

pytestmark = pytest.mark.services


@pytest.fixture
def report(transactional_db: None, alice: User) -> Report:
    course = Course.objects.create(owner=alice, name="Programming 1")
    return create_report(course.assignments.create(name="Library fines"), random_similarities(60))


@pytest.fixture
def report_page(report: Report, alice: User, sign_in: SignIn) -> Page:
    page = sign_in(alice)
    page.goto(tab(report.assignment, "pairs"))
    page.evaluate("window.stayed = true")
    return page


def names(page: Page) -> Locator:
    return page.locator(".pairs .pair .left")


def not_reloaded(page: Page) -> bool:
    return bool(page.evaluate("window.stayed === true"))


def test_typing_a_name_filters_at_each_key_and_changes_the_address(report_page: Page, report: Report) -> None:
    name = report.pairs.all()[0].left.name
    report_page.get_by_label("Name").press_sequentially(name)
    report_page.wait_for_url(re.compile(rf"\?q={name}$"))
    expect(report_page.locator(".pairs .pair").first).to_contain_text(name)
    assert not_reloaded(report_page)
    expect(report_page.get_by_label("Name")).to_be_focused()
    expect(report_page.get_by_label("Name")).to_have_value(name)


def test_the_first_pair_is_on_the_screen_of_a_small_laptop_above_the_chart(report_page: Page) -> None:
    report_page.set_viewport_size({"width": 1366, "height": 768})
    expect(report_page.get_by_role("complementary", name="Hint")).to_be_visible()
    expect(names(report_page).first).to_be_in_viewport(ratio=1)
    chart, last = report_page.locator(".pair-histogram").bounding_box(), names(report_page).last.bounding_box()
    assert chart
    assert last
    assert chart["y"] > last["y"]


@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_the_list_of_pairs_fits_every_width(report_page: Page, language: str) -> None:
    report_page.set_extra_http_headers({"Accept-Language": language})  # Of this page: others share its context.
    for width in (390, 768, 820, 961, 1024, 1199, 1201):
        report_page.set_viewport_size({"width": width, "height": 768})
        report_page.reload()
        assert report_page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_row_of_a_pair_with_the_longest_flag_is_at_most_three_lines_high(report_page: Page, report: Report) -> None:
    pair = report.pairs.all()[0]
    report.duplicates = [DuplicateRecord(sameness="layout", submissions=[pair.left_id, pair.right_id])]
    report.save()
    report_page.set_viewport_size({"width": 1366, "height": 768})
    report_page.reload()
    flag = report_page.locator(".pairs .flag.layout").bounding_box()
    assert flag
    assert flag["height"] < 70


def test_columns_are_sorted_by_keyboard_and_the_focus_stays(report_page: Page) -> None:
    heading = report_page.get_by_role("columnheader", name="Tokens").get_by_role("link")
    heading.focus()
    heading.press("Enter")
    report_page.wait_for_url(re.compile(r"\?sort=-tokens$"))
    expect(report_page.locator("th.tokens")).to_have_attribute("aria-sort", "descending")
    expect(heading).to_be_focused()
    heading.press("Enter")
    expect(report_page.locator("th.tokens")).to_have_attribute("aria-sort", "ascending")
    assert not_reloaded(report_page)


@pytest.mark.long
def test_a_filter_keeps_the_order_and_the_decision_that_were_chosen_by_links(report_page: Page, report: Report) -> None:
    pair = report.pairs.select_related("left", "right")[0]
    Decision.objects.create(assignment=report.assignment, left=pair.left.name, right=pair.right.name, state="confirmed")
    report_page.get_by_role("link", name="Tokens", exact=True).click()
    report_page.wait_for_url(re.compile("sort=-tokens"))
    report_page.get_by_role("navigation", name="Pairs by decision").get_by_text("Confirmed").click()
    report_page.wait_for_url(re.compile("decision=confirmed"))
    expect(names(report_page)).to_have_count(1)
    report_page.get_by_label("Similarity from, %").fill("1")
    report_page.wait_for_url(re.compile(r"\?threshold=1&decision=confirmed&sort=-tokens$"))
    assert not_reloaded(report_page)


def test_the_back_button_undoes_a_filter(report_page: Page, report: Report) -> None:
    count = names(report_page).count()
    report_page.get_by_label("Name").fill("nobody of that name")
    expect(report_page.get_by_text("No pair passes this filter.")).to_be_visible()
    report_page.go_back()
    report_page.wait_for_url(re.compile(r"/assignments/\d+/pairs/$"))
    expect(names(report_page)).to_have_count(count)
    expect(report_page.get_by_label("Name")).to_have_value("")


@pytest.mark.long
def test_going_back_from_a_pair_shows_the_page_with_its_filter(report_page: Page) -> None:
    report_page.get_by_label("Similarity from, %").fill("30")
    report_page.wait_for_url(re.compile("threshold=30"))
    count = names(report_page).count()
    report_page.locator(".pairs .pair").first.click()
    report_page.wait_for_url(re.compile("/pairs/"))
    report_page.go_back()
    expect(report_page.get_by_role("heading", name="Library fines")).to_be_visible()
    expect(report_page.get_by_label("Similarity from, %")).to_have_value("30")
    expect(names(report_page)).to_have_count(count)


@pytest.mark.long
def test_the_next_page_is_shown_from_its_top_without_a_reload(report_page: Page, shoot: Shoot) -> None:
    first = names(report_page).first.inner_text()
    report_page.get_by_role("link", name="Next", exact=True).click()
    report_page.wait_for_url(re.compile("page=2"))
    expect(names(report_page).first).not_to_have_text(first)
    expect(report_page.get_by_role("heading", name="Pairs", exact=True)).to_be_in_viewport()
    assert not_reloaded(report_page)
    check_every_layout(report_page, shoot, "overview")


def test_a_link_of_the_table_that_fails_shows_an_error(report_page: Page, browser: Browser) -> None:
    # Use another context of the same user, since an error in the console would fail this one.
    with browser.new_context(storage_state=report_page.context.storage_state()) as context:
        page = context.new_page()
        page.goto(report_page.url)
        context.set_offline(True)
        page.get_by_role("link", name="Tokens").press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("could not be fetched")
        context.set_offline(False)
        page.get_by_role("link", name="Lines").press("Enter")
        expect(page).to_have_url(re.compile("sort=-lines"))
        expect(page.get_by_role("alert")).to_have_count(0)
