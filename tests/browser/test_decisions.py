"""Searching, deciding, exporting and sharing a report in a real browser."""

import io
import re
import time
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.urls import reverse
from playwright.sync_api import Browser, Locator, Page, Request, Route, expect
from pypdf import PdfReader

from submissions.models import Change, Decision
from tests.conftest import wait_until
from tests.support.browser import Shoot, SignIn, assert_accessible_now, check_every_layout
from tests.support.every_page import World, address_of

pytestmark = pytest.mark.services


@pytest.fixture
def assignment_page(world: World, sign_in: SignIn) -> Page:
    page = sign_in(world.owner)
    page.goto(address_of(world, "pairs"))
    return page


def checked_state(page: Page) -> Locator:
    return page.locator(".states input:checked")


def wait_for_decision(state: str) -> None:
    wait_until(lambda: Decision.objects.filter(state=state).exists(), what=f"a pair that is {state}")


@pytest.mark.long
def test_pairs_are_decided_by_keys_alone(world: World, assignment_page: Page, shoot: Shoot) -> None:
    page = assignment_page
    first, second = world.report.pairs.all()[:2]
    page.keyboard.press("u")
    page.wait_for_url(f"**/pairs/{first.left_id}/{first.right_id}/")
    expect(checked_state(page)).to_have_value("undecided")
    page.keyboard.press("4")
    expect(page.locator("#decision-answer")).to_contain_text("Saved")
    expect(page.locator(".history li")).to_have_count(1)
    page.get_by_text("Notes and history").click()
    page.get_by_label("Notes").fill("1234 u: typed, not keys")
    page.get_by_role("button", name="Save notes").click()
    expect(page.locator(".history li")).to_have_count(2)
    page.get_by_label("Assignee").select_option("alice")
    expect(page.locator(".history li")).to_have_count(3)
    expect(checked_state(page)).to_have_value("confirmed")
    page.locator("h1").click()
    check_every_layout(page, shoot, "decided-pair")
    page.keyboard.press("u")
    page.wait_for_url(f"**/pairs/{second.left_id}/{second.right_id}/")
    page.keyboard.press("2")
    expect(page.locator("#decision-answer")).to_contain_text("Saved")
    states = dict(Decision.objects.values_list("left", "state"))
    assert states == {first.left.name: "confirmed", second.left.name: "clear"}
    assert Decision.objects.get(state="confirmed").notes == "1234 u: typed, not keys"
    page.goto(address_of(world, "pairs"))
    expect(page.locator("#tally-confirmed")).to_contain_text("1")


def test_keys_pressed_while_the_next_pair_loads_decide_nothing(world: World, assignment_page: Page) -> None:
    page = assignment_page
    first, second = world.report.pairs.all()[:2]
    page.keyboard.press("u")
    page.wait_for_url(f"**/pairs/{first.left_id}/{first.right_id}/")

    def slowly(route: Route) -> None:
        time.sleep(0.7)
        route.continue_()

    page.route("**/undecided/**", slowly)
    page.keyboard.press("u")
    page.keyboard.press("2")
    page.wait_for_url(f"**/pairs/{second.left_id}/{second.right_id}/")
    expect(checked_state(page)).to_have_value("undecided")
    assert not Decision.objects.exclude(state="undecided").exists()
    page.unroute("**/undecided/**")
    page.keyboard.press("2")
    expect(page.locator("#decision-answer")).to_contain_text("Saved")
    assert Decision.objects.get(state="clear").left == second.left.name


def test_a_decision_is_undone_beside_saved_and_single_keys_can_be_switched_off(
    world: World, assignment_page: Page
) -> None:
    page, answer = assignment_page, assignment_page.locator("#decision-answer")
    page.goto(address_of(world, "pair"))
    page.keyboard.press("3")
    expect(answer).to_contain_text("Saved")
    answer.get_by_role("button", name="Undo").press("Enter")
    wait_for_decision("undecided")
    expect(checked_state(page)).to_have_value("undecided")
    expect(checked_state(page)).to_be_focused()
    assert_accessible_now(page)
    page.keyboard.press("?")
    page.get_by_label("These keys work").press("Space")
    page.get_by_role("button", name="Close").press("Enter")
    page.reload()
    for key in "4n?":
        page.keyboard.press(key)
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert "#" not in page.url
    assert Decision.objects.get().state == "undecided"
    page.get_by_role("button", name="Keys").press("Enter")
    page.get_by_label("These keys work").press("Space")
    page.get_by_role("button", name="Close").press("Enter")
    page.keyboard.press("4")
    wait_for_decision("confirmed")


@pytest.mark.long
def test_n_after_the_last_passage_opens_the_next_pair(world: World, assignment_page: Page) -> None:
    page, status = assignment_page, assignment_page.locator("[data-status]")
    first, second = world.report.pairs.all()[:2]
    page.goto(reverse("pair", args=[world.assignment.pk, first.left_id, first.right_id]))
    for number in range(1, page.locator(".passages > li").count() + 1):
        page.keyboard.press("n") if number > 1 else None
        expect(status).to_contain_text(f"Passage {number} of")
    expect(status).to_contain_text("; then the next pair")
    page.keyboard.press("n")
    page.wait_for_url(f"**/pairs/{second.left_id}/{second.right_id}/")


def test_a_decision_that_was_not_stored_says_so_and_is_not_selected(
    world: World, assignment_page: Page, browser: Browser
) -> None:
    # Use another context of the same user, since an error in the console would fail this one.
    with browser.new_context(
        storage_state=assignment_page.context.storage_state(), base_url=assignment_page.url
    ) as context:
        page = context.new_page()
        page.goto(address_of(world, "pair"))
        context.set_offline(True)
        page.keyboard.press("3")
        expect(page.locator("#decision-answer [role=alert]")).to_contain_text("Not saved")
        expect(checked_state(page)).to_have_value("undecided")
        context.set_offline(False)
        page.keyboard.press("3")
        expect(page.locator("#decision-answer")).to_contain_text("Saved")
        expect(page.locator("#decision-answer [role=alert]")).to_have_count(0)
        page.evaluate("document.querySelector('[name=decided_on]').value = '1-2'")
        page.keyboard.press("4")
        expect(page.locator("#decision-answer [role=alert]")).to_contain_text("with another pair")
        expect(checked_state(page)).to_have_value("suspicious")
    assert Decision.objects.get().state == "suspicious"


@pytest.mark.long
def test_changes_that_somebody_else_made_meanwhile_are_shown(
    assigned_meanwhile: Decision, assignment_page: Page, colleague: User
) -> None:
    page = assignment_page
    page.keyboard.press("3")
    expect(page.locator(".meanwhile")).to_have_text("Meanwhile colin assigned it to themselves.")
    expect(page.get_by_label("Assignee")).to_have_value(str(colleague.pk))
    expect(checked_state(page)).to_have_value("suspicious")
    page.keyboard.press("2")
    expect(page.locator("#decision-answer")).to_have_text(re.compile(r"^\s*Saved\s*Undo\s*$"))
    wait_for_decision("clear")
    assigned_meanwhile.refresh_from_db()
    assert assigned_meanwhile.assignee == colleague


CLEAR_AS_SOON_AS_THE_FORM_IS_REPLACED = """
new MutationObserver((_, observer) => {
  if (!document.querySelector(".meanwhile")) return;
  observer.disconnect();
  document.querySelector("[data-key='2']").click();
}).observe(document.body, {childList: true, subtree: true})
"""


@pytest.mark.long
def test_a_decision_made_as_soon_as_the_form_is_replaced_is_saved(
    assigned_meanwhile: Decision, assignment_page: Page
) -> None:
    assignment_page.evaluate(CLEAR_AS_SOON_AS_THE_FORM_IS_REPLACED)
    assignment_page.keyboard.press("3")
    wait_for_decision("clear")


@pytest.mark.long
def test_names_are_hidden_by_one_button_and_shown_again(world: World, assignment_page: Page, shoot: Shoot) -> None:
    page = assignment_page
    name = world.pair.left.name
    expect(page.locator("main")).to_contain_text(name)
    page.get_by_role("button", name="Hide names").click()
    expect(page.locator("main")).not_to_contain_text(name)
    expect(page).to_have_url(re.compile(re.escape(address_of(world, "pairs")) + "$"))
    check_every_layout(page, shoot, "anonymous-assignment")
    page.get_by_role("button", name="Show real names").click()
    expect(page.locator("main")).to_contain_text(name)


# Brightness of an element's background, in [0, 1].
BRIGHTNESS = """(element) => {
  const parts = getComputedStyle(element).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number);
  return parts.reduce((sum, part) => sum + part) / 765;
}"""


@pytest.fixture
def confirmed(world: World) -> World:
    """Confirm the two pairs that are most alike."""
    for pair in world.report.pairs.all()[:2]:
        decision = Decision.objects.create(
            assignment=world.assignment, left=pair.left.name, right=pair.right.name, state="confirmed"
        )
        decision.changes.create(who="alice", field="state", before="undecided", after="confirmed")
    return world


def download_by(page: Page, button: str, folder: Path) -> Path:
    """Press a button and return the path of the file that it downloads."""
    with page.expect_download() as download:
        page.get_by_role("button", name=button).click()
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def text_of(pdf: bytes) -> str:
    return "\n".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages)


@pytest.mark.long
def test_confirmed_pairs_are_exported_as_a_file_that_opens_without_a_server(
    confirmed: World, sign_in: SignIn, shoot: Shoot, tmp_path: Path
) -> None:
    page = sign_in(confirmed.owner)
    page.goto(confirmed.assignment.get_absolute_url())
    page.get_by_role("link", name="Export").click()
    check_every_layout(page, shoot, "exports")
    path = download_by(page, "HTML file", tmp_path)
    requested: list[str] = []

    def note(request: Request) -> None:
        requested.append(request.url)

    page.on("request", note)
    page.goto(path.as_uri())
    check_every_layout(page, shoot, "taken-confirmed")
    assert requested == [path.as_uri()]
    page.remove_listener("request", note)
    page.get_by_role("link", name=f"2. {confirmed.report.pairs.all()[1].left.name}").click()
    page.wait_for_url("**#pair-2")


@pytest.mark.long
def test_a_pair_is_exported_from_its_page_for_one_student(
    confirmed: World, sign_in: SignIn, shoot: Shoot, tmp_path: Path
) -> None:
    page, pair = sign_in(confirmed.owner), confirmed.pair
    page.goto(reverse("pair", args=[confirmed.assignment.pk, pair.left_id, pair.right_id]))
    page.get_by_role("link", name="Export").click()
    check_every_layout(page, shoot, "takeaway-pair")
    page.get_by_label(f"A copy for {pair.left.name}").check()
    page.get_by_label("The whole sources").check()
    copied = download_by(page, "PDF", tmp_path)
    assert pair.left.name in copied.name
    assert pair.right.name not in copied.name
    assert pair.left.name in text_of(copied.read_bytes())
    page.goto(download_by(page, "HTML file", tmp_path).as_uri())
    check_every_layout(page, shoot, "taken-pair")


@pytest.mark.long
def test_the_printed_html_file_has_the_content_and_size_of_the_pdf(
    confirmed: World, sign_in: SignIn, tmp_path: Path
) -> None:
    page, pair = sign_in(confirmed.owner), confirmed.pair
    page.goto(reverse("export_pair", args=[confirmed.assignment.pk, pair.left_id, pair.right_id]))
    exported = PdfReader(download_by(page, "PDF", tmp_path))
    page.goto(download_by(page, "HTML file", tmp_path).as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator(".lines mark").first.evaluate(BRIGHTNESS) > 0.8
    printed = PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True, path=tmp_path / "chromium.pdf")))
    words = [
        {word for pdf_page in pdf.pages for word in pdf_page.extract_text().split()} for pdf in (exported, printed)
    ]
    assert len(words[0] & words[1]) / len(words[0] | words[1]) > 0.9
    assert abs(len(exported.pages) - len(printed.pages)) <= 1
    assert f"Page 1 of {len(printed.pages)}" in printed.pages[0].extract_text()
    assert exported.pages[0].mediabox.width == pytest.approx(printed.pages[0].mediabox.width, abs=2)


@pytest.fixture
def assigned_meanwhile(world: World, assignment_page: Page, colleague: User) -> Decision:
    """A decision that somebody else changed while the page of its pair was open."""
    assignment_page.goto(address_of(world, "pair"))
    decision = Decision.objects.create(
        assignment=world.assignment,
        left=world.pair.left.name,
        right=world.pair.right.name,
        assignee=colleague,
    )
    Change.objects.create(decision=decision, who="colin", field="assignee", before="", after="colin")
    return decision
