"""Deciding pairs by keys, sharing them, and reading shared reports without an account, in a browser."""

import re
import time

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Browser, Locator, Page, Route, expect

from submissions.models import Change, Decision, Share
from tests.conftest import wait_until
from tests.support.browser import Shoot, SignIn, check_every_layout
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
    world: World, assignment_page: Page, colleague: User
) -> None:
    page = assignment_page
    page.goto(address_of(world, "pair"))
    pair = world.pair
    decision = Decision.objects.create(
        assignment=world.assignment, left=pair.left.name, right=pair.right.name, assignee=colleague
    )
    Change.objects.create(decision=decision, who="colin", field="assignee", before="", after="colin")
    page.keyboard.press("3")
    expect(page.locator(".meanwhile")).to_have_text("Meanwhile colin assigned it to themselves.")
    expect(page.get_by_label("Assignee")).to_have_value(str(colleague.pk))
    expect(checked_state(page)).to_have_value("suspicious")
    page.keyboard.press("2")
    expect(page.locator("#decision-answer")).to_have_text(re.compile(r"^\s*Saved\s*$"))
    wait_for_decision("clear")
    decision.refresh_from_db()
    assert decision.assignee == colleague


CLEAR_AS_SOON_AS_THE_FORM_IS_REPLACED = """
new MutationObserver((_, observer) => {
  if (!document.querySelector(".meanwhile")) return;
  observer.disconnect();
  document.querySelector("[data-key='2']").click();
}).observe(document.body, {childList: true, subtree: true})
"""


@pytest.mark.long
def test_a_decision_made_as_soon_as_the_form_is_replaced_is_saved(
    world: World, assignment_page: Page, colleague: User
) -> None:
    page, pair = assignment_page, world.pair
    page.goto(address_of(world, "pair"))
    decision = Decision.objects.create(
        assignment=world.assignment, left=pair.left.name, right=pair.right.name, assignee=colleague
    )
    Change.objects.create(decision=decision, who="colin", field="assignee", before="", after="colin")
    page.evaluate(CLEAR_AS_SOON_AS_THE_FORM_IS_REPLACED)
    page.keyboard.press("3")
    wait_for_decision("clear")


@pytest.mark.long
def test_a_link_is_copied_opened_by_a_stranger_and_revoked(
    world: World, assignment_page: Page, stranger: Page, shoot: Shoot
) -> None:
    page = assignment_page
    Share.objects.all().delete()
    page.goto(address_of(world, "pair"))
    page.get_by_role("link", name="Share").click()
    page.get_by_label("1 day").check()
    page.get_by_role("button", name="Create the link").click()
    link = page.get_by_label("Address of the link").input_value()
    page.get_by_role("button", name="Copy").click()
    expect(page.locator("[data-copied]")).to_have_text(re.compile("Copied|Ctrl"))
    check_every_layout(page, shoot, "shares")
    assert stranger.context.cookies() == []
    stranger.goto(link)
    expect(stranger.get_by_text("Names are made up")).to_be_visible()
    heading = stranger.locator("h1").inner_text()
    assert world.pair.left.name not in heading
    stranger.keyboard.press("n")
    assert stranger.locator("main form[method=post]").count() == 0
    page.get_by_role("button", name="Revoke").click()
    expect(page.locator(".notices")).to_contain_text("The link was revoked")
    # Request it without a page, whose console would log the status as an error.
    response = stranger.request.get(link)
    assert response.status == 410
    assert "This link no longer works" in response.text()


@pytest.mark.long
def test_names_are_hidden_by_one_button_and_shown_again(
    world: World, assignment_page: Page, shoot: Shoot
) -> None:
    page = assignment_page
    name = world.pair.left.name
    expect(page.locator("main")).to_contain_text(name)
    page.get_by_role("button", name="Hide names").click()
    expect(page.locator("main")).not_to_contain_text(name)
    expect(page).to_have_url(re.compile(re.escape(address_of(world, "pairs")) + "$"))
    check_every_layout(page, shoot, "anonymous-assignment")
    page.get_by_role("button", name="Show real names").click()
    expect(page.locator("main")).to_contain_text(name)
