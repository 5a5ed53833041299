"""Searching, sorting and filtering a report in a real browser, without a reload and back again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from submissions.models import Course, Decision
from tests.support.browser import look_everywhere
from tests.support.reports import made_class, made_report

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from playwright.sync_api import Browser, Locator, Page

    from submissions.models import Report
    from tests.support.browser import Shoot, SignIn


@pytest.fixture
def report(transactional_db: None, alice: User) -> Report:
    course = Course.objects.create(owner=alice, name="Programming 1")
    return made_report(course.assignments.create(name="Library fines"), made_class(60))


@pytest.fixture
def opened(report: Report, alice: User, sign_in: SignIn) -> Page:
    page = sign_in(alice)
    page.goto(report.assignment.get_absolute_url())
    page.evaluate("window.stayed = true")
    return page


def names(page: Page) -> Locator:
    return page.locator(".pairs .pair .left")


def stayed(page: Page) -> bool:
    return bool(page.evaluate("window.stayed === true"))


def test_typing_a_name_filters_while_one_types_and_goes_into_the_address(
    opened: Page, report: Report
) -> None:
    name = report.pairs.all()[0].left.name
    opened.get_by_label("Name").press_sequentially(name)
    opened.wait_for_url(re.compile(rf"\?q={name}$"))
    expect(opened.locator(".pairs .pair").first).to_contain_text(name)
    assert stayed(opened)
    expect(opened.get_by_label("Name")).to_be_focused()
    expect(opened.get_by_label("Name")).to_have_value(name)


def test_columns_are_sorted_by_keyboard_and_the_focus_stays(opened: Page) -> None:
    heading = opened.get_by_role("columnheader", name="Tokens").get_by_role("link")
    heading.focus()
    heading.press("Enter")
    opened.wait_for_url(re.compile(r"\?sort=-tokens$"))
    expect(opened.locator("th.tokens")).to_have_attribute("aria-sort", "descending")
    expect(heading).to_be_focused()
    heading.press("Enter")
    expect(opened.locator("th.tokens")).to_have_attribute("aria-sort", "ascending")
    assert stayed(opened)


def test_a_filter_keeps_the_order_and_the_decision_that_were_chosen_by_links(
    opened: Page, report: Report
) -> None:
    pair = report.pairs.select_related("left", "right")[0]
    Decision.objects.create(
        assignment=report.assignment, left=pair.left.name, right=pair.right.name, state="confirmed"
    )
    opened.get_by_role("link", name="Tokens", exact=True).click()
    opened.wait_for_url(re.compile("sort=-tokens"))
    opened.get_by_role("navigation", name="Pairs by decision").get_by_text("Confirmed").click()
    opened.wait_for_url(re.compile("decision=confirmed"))
    expect(names(opened)).to_have_count(1)
    opened.get_by_label("Similarity from, %").fill("1")
    opened.wait_for_url(re.compile(r"\?threshold=1&decision=confirmed&sort=-tokens$"))
    assert stayed(opened)


def test_the_back_button_undoes_a_filter(opened: Page, report: Report) -> None:
    every = names(opened).count()
    opened.get_by_label("Name").fill("nobody of that name")
    expect(opened.get_by_text("No pair passes this filter.")).to_be_visible()
    opened.go_back()
    opened.wait_for_url(re.compile(r"/assignments/\d+/$"))
    expect(names(opened)).to_have_count(every)
    expect(opened.get_by_label("Name")).to_have_value("")


def test_coming_back_from_a_pair_shows_the_whole_page_as_it_was_filtered(opened: Page) -> None:
    opened.get_by_label("Similarity from, %").fill("30")
    opened.wait_for_url(re.compile("threshold=30"))
    shown = names(opened).count()
    opened.locator(".pairs .pair").first.click()
    opened.wait_for_url(re.compile("/pairs/"))
    opened.go_back()
    expect(opened.get_by_role("heading", name="Library fines")).to_be_visible()
    expect(opened.get_by_label("Similarity from, %")).to_have_value("30")
    expect(names(opened)).to_have_count(shown)


def test_the_next_page_comes_without_a_reload_from_its_top(opened: Page) -> None:
    first = names(opened).first.inner_text()
    opened.get_by_role("link", name="Next", exact=True).click()
    opened.wait_for_url(re.compile("page=2"))
    expect(names(opened).first).not_to_have_text(first)
    expect(opened.get_by_role("heading", name="Pairs", exact=True)).to_be_in_viewport()
    assert stayed(opened)


def test_a_link_of_the_table_that_could_not_be_followed_says_so(opened: Page, browser: Browser) -> None:
    # Another visit of the same person, as this one's console tells of the fault.
    with browser.new_context(storage_state=opened.context.storage_state()) as context:
        page = context.new_page()
        page.goto(opened.url)
        context.set_offline(True)
        page.get_by_role("link", name="Tokens").press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("could not be fetched")
        context.set_offline(False)
        page.get_by_role("link", name="Lines").press("Enter")
        expect(page).to_have_url(re.compile("sort=-lines"))
        expect(page.get_by_role("alert")).to_have_count(0)


def test_the_overview_fits_every_width_in_every_scheme(opened: Page, shoot: Shoot) -> None:
    look_everywhere(opened, shoot, "overview")
