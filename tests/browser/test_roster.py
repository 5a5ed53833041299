"""A roster, team mates and earlier work in a real browser."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from submissions.models import Assignment
from submissions.uploads.change import create_batch, rerank
from tests.support.browser import Shoot, SignIn, check_every_layout
from tests.support.sample_class import COPIED, RENAMED, zipped
from tests.support.tabs import tab
from tests.support.uploads import Committing, HandIn

pytestmark = pytest.mark.services

ROSTER = (
    "Name,Student ID,Login,E-mail,Section,Team,Shoe size\n"
    "Amara Okafor,00042,aokafor,amara.okafor@example.edu,Lab A,\n"
    '"Popescu, Bruno",00043,bpopescu,bruno.popescu@example.edu,Lab A,Red\n'
    "Chen Wei,00044,cwei,chen.wei@example.edu,Lab A,Red\n"
    ",,,,Lab B,\n"
    "Dmitri Volkov,00045,dvolkov,dmitri.volkov@example.edu,Lab B,\n"
)
CLASS = {"aokafor/m.py": COPIED, "bpopescu/m.py": COPIED, "cwei/m.py": RENAMED, "erika/m.py": RENAMED}


@pytest.mark.long
def test_a_roster_names_the_students_and_its_teams_are_not_compared(  # noqa: PLR0917 - fixtures
    alice: User,
    assignment: Assignment,
    hand_in: HandIn,
    sign_in: SignIn,
    shoot: Shoot,
    tmp_path: Path,
    django_capture_on_commit_callbacks: Committing,
) -> None:
    old = zipped({"gus/m.py": COPIED, "hal/m.py": RENAMED}, "lab1-2024.zip")
    with django_capture_on_commit_callbacks(execute=True):
        create_batch(assignment, alice, [old], role="earlier")
    hand_in(zipped(CLASS))
    file = tmp_path / "class.csv"
    file.write_text(ROSTER)
    page = sign_in(alice)
    page.goto(assignment.course.get_absolute_url())
    page.get_by_role("link", name="Add a roster").click()
    check_every_layout(page, shoot, "roster-none")
    page.get_by_label("CSV file").set_input_files(file)
    with django_capture_on_commit_callbacks(execute=True):
        page.get_by_role("button", name="Add the roster").click()
        page.get_by_text("4 students were read from class.csv.").wait_for()
    for summary in page.locator("summary").all():
        summary.click()
    check_every_layout(page, shoot, "roster")
    with django_capture_on_commit_callbacks(execute=True):
        rerank(assignment)
    page.goto(tab(assignment, "pairs"))
    page.get_by_text("1 pair of team mates was not compared").click()
    expect(page.get_by_role("row", name="Bruno Popescu and Chen Wei one team")).to_have_count(1)
    check_every_layout(page, shoot, "roster-report")
