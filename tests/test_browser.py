"""The whole way in a real browser, on a real worker: a class goes in, a report comes out and is read."""

from __future__ import annotations

import base64
import io
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from submissions.models import Batch, Course, Pair, Report
from tests.cast import CLASS, STARTER, zipped
from tests.conftest import wait_until

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from playwright.sync_api import Locator, Page
    from pytest_django.fixtures import Settings

    from submissions.models import Assignment
    from tests.browser import Shoot, SignIn

SAMPLE = Path(__file__).resolve().parent.parent / "moss" / "sample"
SIZES = {"wide": (1280, 900), "narrow": (390, 844)}
PATIENCE = 90_000  # milliseconds
DROP = """(zone, [name, content]) => {
  const bytes = Uint8Array.from(atob(content), (char) => char.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], name));
  for (const type of ["dragenter", "dragover", "drop"])
    zone.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }));
}"""
IN_VIEW = """(mark) => {
  const side = mark.closest("[data-side]").getBoundingClientRect();
  const box = mark.getBoundingClientRect();
  return box.top >= side.top && box.top < side.bottom;
}"""
TOP = "(part) => part.closest('.line').getBoundingClientRect().top"


def sample_zip() -> bytes:
    packed = io.BytesIO()
    folder = SAMPLE / "submissions"
    with zipfile.ZipFile(packed, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(folder))
    return packed.getvalue()


def drop(zone: Locator, name: str, content: bytes) -> None:
    zone.evaluate(DROP, [name, base64.b64encode(content).decode()])


def first_shares(page: Page) -> list[str]:
    return page.locator("tbody tr .left_share").all_inner_texts()


def shoot_everywhere(page: Page, shoot: Shoot, name: str) -> None:
    """Keep the page wide and narrow, light and dark; it never scrolls sideways."""
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            shoot(f"{name}-{size}-{scheme}")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (name, size)
    page.set_viewport_size({"width": 1280, "height": 900})
    page.emulate_media(color_scheme="light")


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
    page.set_input_files(
        "#upload_files", {"name": "class.zip", "mimeType": "application/zip", "buffer": upload.read()}
    )
    page.get_by_role("button", name="Upload").click()
    page.get_by_role("link", name="Show the report").click(timeout=PATIENCE)
    return page, assignment


def test_an_instructor_takes_a_class_from_the_upload_to_a_pair(
    page: Page, alice: User, celery_worker_process: Path, shoot: Shoot
) -> None:
    page.goto("/")
    shoot_everywhere(page, shoot, "sign-in")
    page.get_by_label("Username").fill("alice")
    page.get_by_label("Password").fill("correct horse battery staple")
    page.get_by_role("button", name="Sign in").click()
    shoot_everywhere(page, shoot, "courses-empty")
    page.get_by_label("Name").fill("Programming 1")
    page.get_by_role("button", name="Create course").click()
    page.get_by_label("Name").fill("Library fines")
    page.get_by_role("button", name="Create assignment").click()
    shoot_everywhere(page, shoot, "assignment-empty")

    drop(page.locator("[data-drop]").first, "fines.zip", sample_zip())
    expect(page.locator("[data-chosen]").first).to_contain_text("fines.zip")
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("heading", name="fines.zip")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_role("link", name="Show the report")).to_be_visible(timeout=PATIENCE)
    expect(page.get_by_role("heading", name="submissions")).to_be_visible()
    shoot_everywhere(page, shoot, "batch")
    page.get_by_role("link", name="Show the report").click()
    expect(page.locator("tbody tr").first).to_be_visible()
    shoot_everywhere(page, shoot, "report")
    assert Report.objects.get().state == Report.State.DONE

    page.locator("tbody tr .left a").first.click()
    expect(page.locator(".side mark").first).to_be_attached()
    shoot_everywhere(page, shoot, "pair")


def test_the_report_is_sorted_and_filtered(ranked: tuple[Page, Assignment]) -> None:
    page, _ = ranked
    page.get_by_role("columnheader", name="Left", exact=True).get_by_role("link").click()
    expect(page.locator("th.left[aria-sort=ascending]")).to_be_visible()
    names = page.locator("tbody .left").all_inner_texts()
    assert names == sorted(names)
    page.get_by_label("Name").fill("ben")
    best = Pair.objects.all()[0]
    page.get_by_label("Similarity from, %").fill(str(int(best.similarity * 100)))
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    assert "ada" in page.locator("tbody tr").inner_text()
    page.get_by_role("link", name="Show all").click()
    assert page.locator("tbody tr").count() > 1


def test_a_click_on_a_passage_scrolls_the_other_side_to_it(
    assignment: Assignment, alice: User, celery_worker_process: Path, sign_in: SignIn
) -> None:
    page = sign_in(alice)
    page.goto(assignment.get_absolute_url())
    filler = "".join(f"print('line {n}', [{n}, {n}])\nx{n} = {n}\n" for n in range(300))
    copied = CLASS["ada/main.py"]
    files = {"ada/main.py": copied, "ben/main.py": filler + copied + filler.replace("x", "y")}
    buffer = zipped(files).read()
    drop(page.locator("[data-drop]").first, "c.zip", buffer)
    page.get_by_role("button", name="Upload").click()
    page.get_by_role("link", name="Show the report").click(timeout=PATIENCE)
    page.locator("tbody tr .left a").first.click()

    there = page.locator("[data-side=R] .badge").first
    wait_until(lambda: bool(there.evaluate(IN_VIEW)), what="the passage")
    page.locator("[data-side=R]").evaluate("(side) => side.scrollTo(0, 0)")
    assert not there.evaluate(IN_VIEW)
    here = page.locator("[data-side=L] mark").first
    here.click()
    wait_until(lambda: bool(there.evaluate(IN_VIEW)), what="the passage")
    wait_until(lambda: bool(abs(here.evaluate(TOP) - there.evaluate(TOP)) < 3), what="both sides to agree")
    assert "current" in (there.get_attribute("class") or "")

    page.locator("[data-side=R]").evaluate("(side) => side.scrollTo(0, 0)")
    page.keyboard.press("p")
    wait_until(lambda: bool(there.evaluate(IN_VIEW)), what="the passage")


def test_boilerplate_changes_the_percentages(ranked: tuple[Page, Assignment]) -> None:
    page, _ = ranked
    before = first_shares(page)
    drop(page.locator("[data-drop]").last, "starter.py", STARTER.encode())
    page.get_by_role("button", name="Add boilerplate").click()
    expect(page.get_by_role("button", name="Remove starter.py")).to_be_visible()
    # The page shows the new report by itself when it is ready.
    expect(page.locator("tbody tr .left_share")).not_to_have_text(before, timeout=PATIENCE)


def test_deleting_a_batch_leaves_nothing_of_it(ranked: tuple[Page, Assignment], shoot: Shoot) -> None:
    page, _ = ranked
    page.get_by_role("link", name="class.zip").click()
    page.get_by_role("link", name="Delete").click()
    shoot_everywhere(page, shoot, "delete")
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("was deleted with everything that came from it")).to_be_visible()
    expect(page.get_by_role("heading", name="Upload what was handed in")).to_be_visible()
    assert not Batch.objects.exists()


def test_too_large_an_upload_is_refused_before_it_is_sent(
    assignment: Assignment, alice: User, sign_in: SignIn, settings: Settings
) -> None:
    settings.MAX_UPLOAD_BYTES = 2_000
    page = sign_in(alice)
    page.goto(assignment.get_absolute_url())
    drop(page.locator("[data-drop]").first, "big.py", b"x" * 3_000)
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("alert")).to_have_text("These are 3.0 kB; at most 2.0 kB can be sent at once.")
    assert not Batch.objects.exists()


def test_everything_up_to_the_pair_works_without_scripts(
    ranked: tuple[Page, Assignment],
) -> None:
    page, of = ranked
    assert page.context.browser is not None
    plain = page.context.browser.new_context(
        java_script_enabled=False, storage_state=page.context.storage_state(), base_url=page.url
    ).new_page()
    plain.goto(of.get_absolute_url())
    plain.locator("tbody tr .left a").first.click()
    badge = plain.locator("[data-side=L] .badge").first
    badge.click()
    assert plain.url.endswith("#R-p" + badge.inner_text())
    plain.context.close()
