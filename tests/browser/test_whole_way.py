"""The whole workflow in a real browser with a real worker: from signing in to revoking a share link."""

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pypdf import PdfReader

from moss.sample import sample_zip
from submissions.models import CaseMember, Decision, Pair, Report
from tests.conftest import PASSWORD, wait_until
from tests.support.browser import PATIENCE, SIZES, assert_accessible_now, drop, save_screenshot

pytestmark = pytest.mark.services

IN_VIEW = """(mark) => {
  const pane = mark.closest("[data-side]").getBoundingClientRect();
  const box = mark.getBoundingClientRect();
  return box.bottom > pane.top && box.top < pane.bottom;
}"""
LEFT, RIGHT = "leila-farahani", "soren-madsen"


@dataclass(frozen=True, slots=True)
class Walk:
    """Page of an instructor, page of somebody without an account, and the folder for downloads."""

    page: Page
    stranger: Page
    layout: str
    folder: Path

    def check_page(self, name: str, page: Page | None = None) -> None:
        """Fail if axe finds violations or the page overflows; write a screenshot."""
        shown_page = page or self.page
        shown_page.wait_for_load_state()  # Keys are heard once the scripts are loaded.
        save_screenshot(shown_page, f"walk-{self.layout}-{name}")
        assert_accessible_now(shown_page, every_row=True)
        assert shown_page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name

    def download(self, button: str) -> Path:
        with self.page.expect_download() as download_info:
            self.page.get_by_role("button", name=button).click()
        path = self.folder / download_info.value.suggested_filename
        download_info.value.save_as(path)
        return path


@pytest.fixture(params=[("wide", "light"), ("narrow", "dark")], ids="-".join)
def walk(request: pytest.FixtureRequest, page: Page, stranger: Page, tmp_path: Path) -> Walk:
    size, scheme = request.param
    for each_page in (page, stranger):
        each_page.set_viewport_size({"width": SIZES[size][0], "height": SIZES[size][1]})
        each_page.emulate_media(color_scheme=scheme)
    return Walk(page, stranger, f"{size}-{scheme}", tmp_path)


@pytest.mark.long
def test_an_instructor_uploads_a_class_decides_a_pair_exports_and_shares_it(
    walk: Walk, alice: User, celery_worker_process: Path
) -> None:
    sign_in(walk)
    make_an_assignment(walk)
    upload_by_drag_and_drop(walk)
    check_who_handed_in_what(walk)
    watch_it_finish(walk)
    decide_a_case_and_see_its_pairs_follow(walk)
    filter_by_name(walk)
    move_the_threshold(walk)
    open_the_top_pair(walk)
    walk_its_passages_by_keyboard(walk)
    ignore_one_and_see_the_rank_change(walk)
    confirm_and_go_on(walk)
    export_and_open(walk)
    link = share(walk)
    read_what_was_shared(walk, link)
    revoke(walk, link)


def sign_in(walk: Walk) -> None:
    walk.page.goto("/")
    walk.check_page("01-sign-in")
    walk.page.get_by_label("Username").fill("alice")
    walk.page.get_by_label("Password").fill(PASSWORD)
    walk.page.get_by_role("button", name="Sign in").click()


def make_an_assignment(walk: Walk) -> None:
    walk.check_page("02-no-course")
    walk.page.get_by_label("Name").fill("Programming 1")
    walk.page.get_by_role("button", name="Create course").click()
    walk.page.get_by_label("Name").fill("Library fines")
    walk.page.get_by_role("button", name="Create assignment").click()
    walk.check_page("03-no-upload")


def upload_by_drag_and_drop(walk: Walk) -> None:
    drop(walk.page.locator("[data-drop]").first, "fines.zip", sample_zip())
    expect(walk.page.locator("[data-chosen]").first).to_contain_text("fines.zip")
    walk.page.get_by_role("button", name="Upload").click()
    expect(walk.page.get_by_role("heading", name="fines.zip")).to_be_visible(timeout=PATIENCE)


def check_who_handed_in_what(walk: Walk) -> None:
    expect(walk.page.get_by_role("heading", name="30 submissions found")).to_be_visible(timeout=PATIENCE)
    walk.check_page("04-preview")
    with walk.page.expect_navigation():
        walk.page.get_by_role("button", name="Read these 30 submissions").click()


def watch_it_finish(walk: Walk) -> None:
    walk.page.reload()
    upload = walk.page.url
    walk.page.wait_for_url("**/assignments/*/", timeout=PATIENCE)
    walk.page.goto(upload)
    expect(walk.page.get_by_role("heading", name="30 submissions")).to_be_visible()
    walk.check_page("04-uploaded")
    walk.page.get_by_role("link", name="Show the report").click()
    expect(walk.page.get_by_role("heading", name=re.compile(r"^\d+ cases"))).to_be_visible()
    walk.check_page("05-report")
    assert Report.objects.get().state == Report.State.DONE


def decide_a_case_and_see_its_pairs_follow(walk: Walk) -> None:
    walk.page.keyboard.press("u")
    expect(walk.page.get_by_role("heading", level=1)).to_contain_text("Case 1")
    walk.check_page("05-case")
    case = walk.page.url
    members = CaseMember.objects.values_list("name", flat=True)
    walk.page.keyboard.press("3")
    expect(walk.page.locator("#decision-answer")).to_contain_text("Saved")
    walk.page.get_by_role("link", name="Library fines").click()
    expect(walk.page.locator("table.cases .decided.suspicious")).to_have_count(1)
    walk.page.get_by_role("link", name="Pairs", exact=True).click()
    row = walk.page.locator("tr.pair", has_text=members[0]).first
    expect(row.locator(".decided")).to_have_text("suspicious")
    assert not Decision.objects.exists()
    walk.page.goto(case)
    walk.page.keyboard.press("1")
    expect(walk.page.locator("#decision-answer")).to_contain_text("Saved")


def filter_by_name(walk: Walk) -> None:
    walk.page.get_by_role("link", name="Library fines").click()
    walk.page.get_by_role("link", name="Pairs", exact=True).click()
    rows = walk.page.locator("tr.pair")
    expect(rows).to_have_count(30)
    walk.page.get_by_label("Name").fill(LEFT)
    walk.page.get_by_role("button", name="Filter").click()
    expect(walk.page).to_have_url(re.compile(f"q={LEFT}"))
    expect(rows.filter(has_not_text=LEFT)).to_have_count(0)
    expect(rows.first).to_be_visible()


def move_the_threshold(walk: Walk) -> None:
    walk.page.get_by_label("Similarity from, %").fill("40")
    expect(walk.page).to_have_url(re.compile(r"threshold=\d\d"))
    expect(walk.page.locator("tr.pair")).to_have_count(1)
    expect(walk.page.locator("#headline, h2").first).to_be_visible()
    walk.check_page("06-line-moved")


def open_the_top_pair(walk: Walk) -> None:
    walk.page.locator("tr.pair .left a").first.click()
    expect(walk.page.get_by_role("heading", level=1)).to_contain_text(LEFT)
    expect(walk.page.get_by_role("heading", level=1)).to_contain_text(RIGHT)
    walk.check_page("07-pair")


def walk_its_passages_by_keyboard(walk: Walk) -> None:
    status = walk.page.locator("[data-status]")
    passages = walk.page.locator(".passages > li").count()
    assert len(_top_pair().passages) > passages > 2
    for key, number in (("n", 2), ("n", 3), ("p", 2)):
        walk.page.keyboard.press(key)
        expect(status).to_contain_text(f"Passage {number} of {passages}")
        for side in "LR":
            mark = walk.page.locator(f"[data-side={side}] mark.current").first
            wait_until(partial(mark.evaluate, IN_VIEW), what=f"passage {number}")


def _top_pair() -> Pair:
    return Pair.objects.get(report__state=Report.State.DONE, left__name=LEFT, right__name=RIGHT)


def _rank_of(pair: Pair) -> int:
    return list(pair.report.pairs.values_list("pk", flat=True)).index(pair.pk)


def ignore_one_and_see_the_rank_change(walk: Walk) -> None:
    before = _top_pair()
    rank = _rank_of(before)
    panel = walk.page.locator("details.panel")
    if panel.get_attribute("open") is None:
        panel.locator("> summary").click()
    row = walk.page.locator(".passages li.current")
    row.get_by_role("button", name="Ignore lines of it").click()
    confirm = walk.page.get_by_role("button", name="Ignore these lines and rank again")
    expect(confirm).to_be_visible(timeout=PATIENCE)
    confirm.click()
    ranked = walk.page.get_by_text("Ranked without the passage")
    link = walk.page.get_by_role("link", name="show it")
    # The worker may finish before the page asks.
    expect(ranked.or_(link).first).to_be_visible(timeout=PATIENCE)
    if link.is_visible():
        link.click()
    expect(ranked).to_be_visible()
    walk.check_page("08-passage-ignored")
    after = _top_pair()
    assert after.similarity < before.similarity
    assert _rank_of(after) >= rank


def confirm_and_go_on(walk: Walk) -> None:
    walk.page.locator("h1").click()
    walk.page.keyboard.press("4")
    expect(walk.page.locator("#decision-answer")).to_contain_text("Saved")
    walk.check_page("09-confirmed")
    walk.page.keyboard.press("u")
    expect(walk.page.get_by_role("heading", level=1)).not_to_contain_text(LEFT)
    decision = Decision.objects.get()
    assert (decision.left, decision.right, decision.state) == (LEFT, RIGHT, "confirmed")


def export_and_open(walk: Walk) -> None:
    walk.page.get_by_role("link", name="Library fines").click()
    walk.page.get_by_role("link", name="Pairs", exact=True).click()
    expect(walk.page.locator("#tally-confirmed")).to_contain_text("1")
    walk.page.get_by_role("link", name="Export").click()
    walk.check_page("10-take-away")
    html, pdf = walk.download("HTML file"), walk.download("PDF")
    printed = PdfReader(pdf).pages
    assert LEFT in printed[0].extract_text()
    previous = walk.page.url
    walk.page.goto(html.as_uri())
    expect(walk.page.get_by_text(RIGHT).first).to_be_visible()
    walk.check_page("11-taken")
    walk.page.goto(previous)


def share(walk: Walk) -> str:
    walk.page.get_by_role("link", name="Library fines").click()
    walk.page.get_by_role("link", name="Share", exact=True).click()
    walk.page.get_by_label("1 day").check()
    walk.page.get_by_role("button", name="Create the link").click()
    walk.page.get_by_role("button", name="Copy").click()
    expect(walk.page.locator("[data-copied]")).to_have_text(re.compile("Copied|Ctrl"))
    walk.check_page("12-shared")
    return walk.page.get_by_label("Address of the link").input_value()


def read_what_was_shared(walk: Walk, link: str) -> None:
    page = walk.stranger
    assert page.context.cookies() == []
    page.goto(link)
    expect(page.get_by_role("heading", name=re.compile(r"^\d+ cases"))).to_be_visible()
    expect(page.get_by_text("Names are made up")).to_be_visible()
    assert LEFT not in page.content()
    walk.check_page("13-shared-report", page)
    page.locator("table.cases th a").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Case 1")
    walk.check_page("13-shared-case", page)
    page.goto(link)
    page.get_by_role("link", name="Pairs", exact=True).click()
    page.locator("tr.pair .left a").first.click()
    expect(page.locator("[data-side=L] mark").first).to_be_attached()
    assert page.locator("main form[method=post]").count() == 0
    walk.check_page("14-shared-pair", page)


def revoke(walk: Walk, link: str) -> None:
    walk.page.get_by_role("button", name="Revoke").click()
    expect(walk.page.get_by_text("The link was revoked")).to_be_visible()
    response = walk.stranger.goto(link)
    assert response
    assert response.status == 410
    walk.check_page("15-revoked", walk.stranger)
