"""The preview of an upload in a real browser: a class is checked, a section merged, and then read."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from submissions.models import Course, Submission
from tests.support.archives import zipped
from tests.support.browser import PATIENCE, Shoot, SignIn, check_every_layout, drop
from tests.support.sample_class import HONEST, STARTER

pytestmark = pytest.mark.services

NAMES = ("Ada Byron", "Bruno Popescu", "Cleo Vance", "Dora Maar", "Émile Noether")
MOODLE = {
    f"CS101/{name}_{number}_assignsubmission_file_/main.py": HONEST.replace("total", f"sum_{number}")
    for number, name in enumerate(NAMES, 4001)
} | {
    "CS101/Ada Byron_4001_assignsubmission_onlinetext_/onlinetext.html": "<p>See my file.</p>",
    "CS101/Dora Maar_4004_assignsubmission_file_/target/classes/Main.class": "\xca\xfe",
    "CS101/Dora Maar_4004_assignsubmission_file_/target/maven-status/x.lst": "x",
    "CS101/Dora Maar_4004_assignsubmission_file_/pom.xml": "<project/>",
    "CS101/Dora Maar_4004_assignsubmission_file_/starter.py": STARTER,
}


@pytest.mark.long
def test_a_moodle_export_is_dropped_checked_changed_and_read(
    alice: User, celery_worker_process: Path, sign_in: SignIn, shoot: Shoot, tmp_path: Path
) -> None:
    page = sign_in(alice)
    assignment = Course.objects.create(owner=alice, name="CS101").assignments.create(name="Fines")
    page.goto(assignment.get_absolute_url())
    drop(
        page.locator("[data-drop]").first,
        "CS101-Fines.zip",
        zipped({path: text.encode() for path, text in MOODLE.items()}),
    )
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("heading", name="5 submissions found, read as a Moodle export")).to_be_visible(
        timeout=PATIENCE
    )
    check_every_layout(page, shoot, "preview")
    page.get_by_label("Read as", exact=True).select_option("depth 1")
    expect(page.get_by_role("heading", name="submissions found, read as a folder")).to_be_visible()
    page.get_by_label("Read as", exact=True).select_option("")
    expect(page.get_by_role("heading", name="5 submissions found, read as a Moodle export")).to_be_visible()
    page.get_by_label("Name of Cleo Vance").fill("Cleo V. Vance")
    page.get_by_label("Name of Cleo Vance").press("Tab")
    expect(page.get_by_label("Name of Cleo V. Vance")).to_be_visible()
    page.get_by_label("Choose Dora Maar").check()
    page.get_by_label("Choose Émile Noether").check()
    page.get_by_role("button", name="Merge the chosen ones").click()
    expect(page.get_by_role("heading", name="4 submissions found")).to_be_visible()
    page.get_by_text("Add a roster").click()
    roster = tmp_path / "class.csv"
    roster.write_text("Name,ID\nAda Byron,00042\nGus Roy,00043\n")
    page.get_by_label("CSV file").set_input_files(roster)
    page.get_by_role("button", name="Add the roster").click()
    page.get_by_text("1 in the roster handed in nothing here").click()
    page.get_by_text("Replace the roster").first.click()
    check_every_layout(page, shoot, "preview-changed")
    page.get_by_role("button", name="Read these 4 submissions").click()
    page.wait_for_url("**/assignments/*/", timeout=PATIENCE)
    names = set(Submission.objects.values_list("name", flat=True))
    assert names == {"Ada Byron", "Bruno Popescu", "Cleo V. Vance", "Dora Maar"}
