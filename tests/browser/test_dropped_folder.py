"""A real folder is dropped on the forms of an assignment, as the system's file manager drops it."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import Locator, Page, expect

from submissions.models import Assignment, Course, Submission, Upload
from tests.support.archives import zipped
from tests.support.browser import SignIn
from tests.support.sample_class import COPIED, RENAMED

pytestmark = pytest.mark.services


@pytest.fixture
def assignment(alice: User) -> Assignment:
    return Course.objects.create(owner=alice, name="Algorithms").assignments.create(name="Sorting")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a class of a folder, an archive and more files than a browser lists at a time."""
    root = tmp_path / "class"
    for path, text in {"ada/main.py": COPIED, "ada/src/util.py": RENAMED}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / "ben.zip").write_bytes(zipped({"main.py": RENAMED.encode()}))
    (root / "cleo").mkdir()
    for number in range(120):
        (root / "cleo" / f"part{number:03}.py").write_text(f"x{number} = {number}\n")
    return root


def drop_from_disk(page: Page, zone: Locator, path: Path) -> None:
    box = zone.bounding_box()
    assert box is not None
    data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    session = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "x": box["x"] + 20, "y": box["y"] + 20, "data": data})
    session.detach()


def test_the_files_of_a_dropped_folder_are_uploaded_with_their_paths(
    alice: User, assignment: Assignment, folder: Path, sign_in: SignIn
) -> None:
    page = sign_in(alice)
    page.goto(assignment.get_absolute_url())
    form = page.locator("form[data-upload]").first
    drop_from_disk(page, form.locator("[data-drop]"), folder)
    chosen = form.locator("[data-chosen] li")
    expect(chosen).to_have_count(51)
    expect(chosen.first).to_contain_text("class/ada/main.py")
    expect(chosen.last).to_have_text("and 73 more")
    form.locator("[data-send]").click()
    page.wait_for_url("**/batches/**")
    batch = assignment.batches.get()
    assert batch.name == "class"
    names = set(Upload.objects.filter(batch=batch).values_list("name", flat=True))
    assert len(names) == 123
    assert {"class/ada/main.py", "class/ada/src/util.py", "class/ben.zip", "class/cleo/part119.py"} <= names


def test_an_empty_folder_is_refused_with_what_to_do(
    alice: User, assignment: Assignment, tmp_path: Path, sign_in: SignIn
) -> None:
    (tmp_path / "nothing").mkdir()
    page = sign_in(alice)
    page.goto(assignment.get_absolute_url())
    form = page.locator("form[data-upload]").first
    drop_from_disk(page, form.locator("[data-drop]"), tmp_path / "nothing")
    expect(form.get_by_role("alert")).to_have_text("The folder has no files: drop another one.")
    assert not Submission.objects.exists()
