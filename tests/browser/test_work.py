"""Uploads and rankings in a real browser: their progress, cancelling them, and deleting their results."""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Page, expect
from pytest_django.fixtures import Settings

from submissions.models import Assignment, Batch, Course, Report
from submissions.reports import progress
from tests.conftest import wait_until
from tests.support.browser import PATIENCE, Shoot, SignIn, assert_accessible_now, check_every_layout, drop
from tests.support.sample_class import CLASS, STARTER, zipped
from tests.support.tabs import tab

pytestmark = pytest.mark.services


@pytest.fixture
def assignment(alice: User) -> Assignment:
    course = Course.objects.create(owner=alice, name="Programming 1")
    return course.assignments.create(name="Library fines")


@pytest.fixture
def ranked(
    assignment: Assignment, alice: User, celery_worker_process: Path, sign_in: SignIn
) -> tuple[Page, Assignment]:
    """Sign Alice in on the report of the small class."""
    page = sign_in(alice)
    page.goto(assignment.get_absolute_url())
    upload = zipped(CLASS)
    page.set_input_files("#upload_files", {"name": "class.zip", "mimeType": "application/zip", "buffer": upload.read()})
    page.get_by_role("button", name="Upload").click()
    page.get_by_role("button", name="Read these 3 submissions").click(timeout=PATIENCE)
    page.wait_for_url(f"**{assignment.get_absolute_url()}", timeout=PATIENCE)
    return page, assignment


def first_shares(page: Page) -> list[str]:
    page.locator("tbody tr .left_share").first.wait_for()
    return page.locator("tbody tr .left_share").all_inner_texts()


@pytest.mark.long
def test_boilerplate_changes_the_percentages(ranked: tuple[Page, Assignment]) -> None:
    page, assignment = ranked
    page.get_by_role("link", name="Pairs").click()
    before = first_shares(page)
    page.get_by_role("link", name="Ignored code").click()
    drop(page.locator("form[action$='/boilerplate/'] [data-drop]").first, "starter.py", STARTER.encode())
    with page.expect_navigation():
        page.get_by_role("button", name="Add boilerplate").click()
    wait_until(assignment.boilerplate.exists, what="the reading of the boilerplate")
    wait_until(lambda: has_newer_report(assignment), what="the ranking")
    page.goto(tab(assignment, "pairs"))
    assert first_shares(page) != before


def has_newer_report(assignment: Assignment) -> bool:
    """Return whether a report was created and finished after the boilerplate was added."""
    return assignment.reports.filter(state="done", created__gt=assignment.boilerplate.get().created).exists()


@pytest.mark.long
def test_a_new_report_is_offered_to_readers_of_the_last_one(ranked: tuple[Page, Assignment]) -> None:
    page, assignment = ranked
    newer = Report.objects.create(assignment=assignment, state="running")
    page.goto(f"{tab(assignment, 'pairs')}?q=ada")
    expect(page.get_by_role("button", name="Cancel ranking")).to_be_visible()
    last = assignment.reports.get(state="done")
    newer.submissions.set(last.submissions.all())
    Report.objects.filter(pk=newer.pk).update(state="done", parameters=last.parameters)
    page.get_by_role("link", name="show it").click()
    expect(page.get_by_text("No pair passes this filter.")).to_be_visible()
    expect(page).to_have_url(re.compile(re.escape(f"{tab(assignment, 'pairs')}?q=ada") + "$"))


def test_progress_moves_without_a_reload_and_survives_one(assignment: Assignment, alice: User, sign_in: SignIn) -> None:
    page = sign_in(alice)
    coming = assignment.batches.create(name="late.zip", state="fingerprinting", documents_total=8, documents_done=3)
    report = assignment.reports.create(state="running")
    page.goto(assignment.get_absolute_url())
    activity = page.locator("#activity")
    expect(activity).to_contain_text("3 of 8 files")
    Batch.objects.filter(pk=coming.pk).update(documents_done=5)
    progress.publish(report.pk, "Aligning pairs", 1_234, 5_000)
    expect(activity).to_contain_text("5 of 8 files")
    expect(activity).to_contain_text("Aligning pairs 1,234 of 5,000")
    page.reload()
    expect(activity).to_contain_text("Aligning pairs 1,234 of 5,000")


def test_the_focus_stays_on_its_button_while_progress_moves(
    assignment: Assignment, alice: User, sign_in: SignIn
) -> None:
    page = sign_in(alice)
    report = assignment.reports.create(state="running")
    page.goto(assignment.get_absolute_url())
    cancel = page.get_by_role("button", name="Cancel ranking")
    cancel.focus()
    progress.publish(report.pk, "Aligning pairs", 1, 10)
    expect(page.locator("#activity")).to_contain_text("1 of 10")
    expect(cancel).to_be_focused()


@pytest.mark.long
def test_a_ranking_is_cancelled_and_started_again(ranked: tuple[Page, Assignment], shoot: Shoot) -> None:
    page, assignment = ranked
    Report.objects.create(assignment=assignment, state="running")
    page.goto(assignment.get_absolute_url())
    page.get_by_role("button", name="Cancel ranking").click()
    expect(page.get_by_text("The last ranking was cancelled.")).to_be_visible()
    check_every_layout(page, shoot, "ranking-cancelled")
    page.locator("#activity").get_by_role("button", name="Rank again").click()
    expect(page.get_by_text("The last ranking was cancelled.")).to_have_count(0)
    wait_until(lambda: Report.objects.filter(state="done").count() == Report.objects.count(), what="the ranking")


@pytest.mark.long
def test_a_first_report_opens_by_itself_unless_files_are_chosen_for_upload(
    assignment: Assignment, alice: User, sign_in: SignIn
) -> None:
    page = sign_in(alice)
    assignment.batches.create(name="class.zip", state="done")
    report = assignment.reports.create(state="running")
    page.goto(assignment.get_absolute_url())
    drop(page.locator("[data-drop]").last, "starter.py", STARTER.encode())
    threshold = {"value": 0.5, "reason": "there are no pairs"}
    Report.objects.filter(pk=report.pk).update(state="done", parameters={"threshold": threshold})
    expect(page.get_by_role("link", name="show it")).to_be_visible()
    expect(page.locator("[data-chosen]").last).to_contain_text("starter.py")
    Report.objects.filter(pk=report.pk).update(state="running")
    page.reload()
    Report.objects.filter(pk=report.pk).update(state="done")
    expect(page.get_by_text("Nothing to compare yet")).to_be_visible()


def test_an_upload_leads_to_its_report_unless_there_is_something_to_read_or_the_user_types(
    assignment: Assignment, alice: User, sign_in: SignIn
) -> None:
    page = sign_in(alice)
    threshold = {"value": 0.5, "reason": "there are no pairs"}
    assignment.reports.create(state="done", parameters={"threshold": threshold})
    batch = assignment.batches.create(name="class.zip", state="ranking")
    running = Batch.objects.filter(pk=batch.pk)

    page.goto(batch.get_absolute_url())
    running.update(state="done", message="2 files could not be read.")
    expect(page.get_by_role("link", name="Go to the assignment")).to_be_visible()

    running.update(state="ranking", message="")
    page.reload()
    page.evaluate("() => document.body.append(document.createElement('textarea'))")
    page.locator("textarea").focus()
    running.update(state="done")
    expect(page.get_by_role("link", name="Show the report")).to_be_visible()

    running.update(state="ranking")
    page.reload()
    running.update(state="done")
    page.wait_for_url(f"**{assignment.get_absolute_url()}")


def test_a_user_who_signed_out_elsewhere_is_asked_to_sign_in_again(
    assignment: Assignment, alice: User, sign_in: SignIn
) -> None:
    page = sign_in(alice)
    assignment.reports.create(state="running")
    page.goto(assignment.get_absolute_url())
    page.context.clear_cookies()
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert page.url.endswith(f"?next={assignment.get_absolute_url()}")


@pytest.mark.long
def test_deleting_a_batch_leaves_nothing_of_it(ranked: tuple[Page, Assignment], shoot: Shoot) -> None:
    page, _ = ranked
    page.get_by_role("link", name="Uploads").click()
    page.get_by_role("link", name="class.zip").click()
    page.get_by_role("link", name="Delete").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("was deleted with everything that came from it")).to_be_visible()
    expect(page.get_by_role("heading", name="Upload the submissions")).to_be_visible()
    assert not Batch.objects.exists()
    response = page.go_back()
    assert response
    assert response.status == 410
    check_every_layout(page, shoot, "page-gone")


def test_too_large_an_upload_is_refused_before_it_is_sent(
    assignment: Assignment, alice: User, sign_in: SignIn, settings: Settings
) -> None:
    settings.MAX_UPLOAD_BYTES = 2_000
    page = sign_in(alice)
    page.goto(assignment.get_absolute_url())
    drop(page.locator("[data-drop]").first, "big.py", b"x" * 3_000)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("alert").filter(has_text="at most")).to_have_text(
        "These are 3.0 kB; at most 2.0 kB can be sent at once."
    )
    assert not Batch.objects.exists()


@pytest.mark.long
def test_everything_up_to_the_pair_works_without_scripts(ranked: tuple[Page, Assignment]) -> None:
    page, assignment = ranked
    assert page.context.browser is not None
    page_without_scripts = page.context.browser.new_context(
        java_script_enabled=False, storage_state=page.context.storage_state(), base_url=page.url
    ).new_page()
    page_without_scripts.goto(assignment.get_absolute_url())
    page_without_scripts.get_by_role("link", name="Pairs").click()
    page_without_scripts.locator("tbody tr .left a").first.click()
    badge = page_without_scripts.locator("[data-side=L] .badge").first
    badge.click()
    page_without_scripts.wait_for_url(f"**#R-p{badge.inner_text()}")
    page_without_scripts.context.close()


def test_sending_shows_a_progress_bar_and_can_be_cancelled(
    assignment: Assignment, alice: User, sign_in: SignIn
) -> None:
    page = sign_in(alice)
    page.goto(assignment.get_absolute_url())
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    conditions = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 20_000}
    session.send("Network.emulateNetworkConditions", conditions)
    drop(page.locator("[data-drop]").first, "class.zip", b"x" * 4_000_000)
    page.get_by_role("button", name="Upload").click()
    expect(page.locator("[data-sent]").first).to_contain_text("of 4.0 MB sent")
    assert_accessible_now(page)
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("alert").filter(has_text="Cancelled")).to_have_text("Cancelled. Nothing was kept.")
    expect(page.get_by_role("button", name="Upload")).to_be_enabled()
    assert not Batch.objects.exists()
    session.detach()
