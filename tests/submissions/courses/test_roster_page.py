"""The roster of a course: adding, replacing and removing it, and the names that submissions then have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from submissions.models import Course, CourseRoster, EnrolledStudent, Submission, SubmissionStudent
from tests.support.html import get_page, page_of
from tests.support.sample_class import COPIED, RENAMED, zipped
from tests.support.shares import decided_on
from tests.support.tabs import tab

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.test import Client
    from django.test.client import _MonkeyPatchedWSGIResponse as Response

    from submissions.models import Assignment
    from tests.support.uploads import Committing, HandIn

    Add = Callable[..., Response]

ROSTER = (
    "Name,Student ID,Login,E-mail,Team\n"
    "Amara Okafor,00042,aokafor,amara.okafor@example.edu,\n"
    '"Popescu, Bruno",00043,bpopescu,bp@example.edu,Red\n'
    "Chen Wei,00044,cwei,cw@example.edu,Red\n"
    "Dmitri Volkov,00045,dvolkov,dv@example.edu,\n"
)
SOURCE = "# Amara Okafor, with help of Dmitri Volkov\n" + COPIED
CLASS = {"aokafor/m.py": SOURCE, "bpopescu/m.py": COPIED, "cwei/m.py": RENAMED, "erika/m.py": RENAMED}


def address(course: Course) -> str:
    return reverse("roster", args=[course.pk])


@pytest.fixture
def add(assignment: Assignment, alice_client: Client, committing: Committing) -> Add:
    """Return a function that sends a roster as Alice does."""

    def send(text: str = ROSTER, name: str = "class.csv") -> Response:
        file = SimpleUploadedFile(name, text.encode())
        with committing(execute=True):
            return alice_client.post(address(assignment.course), {"file": file})

    return send


def text_of(client: Client, address: str) -> str:
    response = client.get(address, follow=True)
    assert response.status_code == 200
    return response.getvalue().decode()


def names_on(client: Client, assignment: Assignment) -> list[str]:
    page = get_page(client, assignment.batches.get().get_absolute_url())
    return page.texts("[aria-labelledby=submissions] li")


def test_submissions_have_the_names_of_a_roster_that_is_added_later_until_it_is_removed(
    hand_in: HandIn, add: Add, alice_client: Client, assignment: Assignment
) -> None:
    hand_in(zipped(CLASS))
    assert names_on(alice_client, assignment)[0] == "aokafor 1 file"
    add()
    known = ("Amara Okafor 00042", "Bruno Popescu 00043", "Chen Wei 00044")
    assert names_on(alice_client, assignment) == [*(f"{name} · 1 file" for name in known), "erika 1 file"]
    fits, lists = get_page(alice_client, address(assignment.course)), "[aria-labelledby=fits-heading]"
    assert fits.text(".lead").startswith("4 students, 1 team · from class.csv")
    assert fits.texts(f"{lists} summary") == ["1 is not in the roster", "1 handed in nothing"]
    assert fits.texts(f"{lists} li") == ["erika", "Dmitri Volkov"]
    assert not fits.has(f"{lists} .hint"), "all names are listed"
    students = fits.texts("[aria-labelledby=students-heading] tbody th")
    assert students == ["Amara Okafor", "Bruno Popescu", "Chen Wei", "Dmitri Volkov"]
    page = get_page(alice_client, tab(assignment, "pairs"))
    assert "Amara Okafor" in page.text("table.pairs")
    assert "aokafor" not in page.text("main")
    table = text_of(alice_client, reverse("table", args=[assignment.pk, "submissions", "csv"]))
    assert "Amara Okafor" in table
    assert "aokafor" not in table
    alice_client.post(reverse("remove_roster", args=[assignment.course.pk]))
    assert names_on(alice_client, assignment)[0] == "aokafor 1 file"
    assert not EnrolledStudent.objects.exists()
    assert SubmissionStudent.objects.count() == Submission.objects.count() == 4


@pytest.mark.long
def test_a_team_of_the_roster_is_not_compared(hand_in: HandIn, add: Add, assignment: Assignment) -> None:
    hand_in(zipped(CLASS))
    team = {"left__name": "bpopescu", "right__name": "cwei"}
    first = assignment.reports.get()
    assert first.pairs.filter(**team).exists()
    add(ROSTER.replace("Red", ""))
    assert assignment.reports.get() == first  # No team has changed.
    add()
    assert not assignment.reports.latest("pk").pairs.filter(**team).exists()
    add(ROSTER.replace("Red", ""))
    assert assignment.reports.latest("pk").pairs.filter(**team).exists()


@pytest.mark.long
def test_submissions_have_the_names_of_a_roster_that_is_added_before_to_their_course(
    hand_in: HandIn, add: Add, alice_client: Client, assignment: Assignment
) -> None:
    add()
    hand_in(zipped(CLASS))
    assert names_on(alice_client, assignment)[0] == "Amara Okafor 00042 · 1 file"
    other = Course.objects.create(owner=assignment.course.owner, name="Another")
    assert get_page(alice_client, address(other)).text(".empty strong") == "No roster yet."
    assignment.batches.all().delete()
    assignment.course = other
    assignment.save()
    hand_in(zipped(CLASS))
    assert names_on(alice_client, assignment)[0] == "aokafor 1 file"


@pytest.mark.long
def test_decisions_stay_when_names_change(
    hand_in: HandIn, add: Add, alice_client: Client, assignment: Assignment
) -> None:
    hand_in(zipped(CLASS))
    pair = assignment.reports.get().pairs.get(left__name="aokafor", right__name="erika")
    arguments = [assignment.pk, pair.left_id, pair.right_id]
    sent = {"state": "confirmed", "assignee": "", "notes": "", "seen": 0, "decided_on": decided_on(pair)}
    alice_client.post(reverse("decide", args=arguments), sent)
    add(ROSTER.replace("Red", ""))
    page = get_page(alice_client, tab(assignment, "pairs") + "?decision=confirmed")
    [row] = page.texts("tr.pair")
    assert "Amara Okafor" in row


@pytest.mark.long
def test_hidden_names_hide_everybody_in_the_roster_and_in_sources(
    hand_in: HandIn, add: Add, alice_client: Client, assignment: Assignment
) -> None:
    hand_in(zipped(CLASS))
    add(ROSTER.replace("Red", ""))
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    pair = assignment.reports.get().pairs.get(left__name="aokafor", right__name="erika")
    of_pair = reverse("pair", args=[assignment.pk, pair.left_id, pair.right_id])
    addresses = [
        assignment.get_absolute_url(),
        assignment.batches.get().get_absolute_url(),
        address(assignment.course),
        of_pair,
        reverse("submission", args=[assignment.pk, pair.left_id]),
        reverse("table", args=[assignment.pk, "pairs", "csv"]),
        reverse("table", args=[assignment.pk, "submissions", "json"]),
    ]
    for page in addresses:
        content = text_of(alice_client, page).casefold()
        for word in ("okafor", "amara", "00042", "bpopescu", "popescu", "volkov"):
            assert word not in content, (page, word)
    alias = assignment.aliases.get(name="aokafor").alias
    shown = page_of(alice_client.get(of_pair, follow=True)).text("main")
    assert f"# {alias}, with help of [name]" in shown


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Add a first row"),
        ("Name,ID\n", "No row of it has a student"),
        ("foo,bar\n1,2\n", "No column says who the students are"),
        ("PK\x03\x04....", "Save the roster as CSV"),
        ("x" * 5_000_001, "5,000,001 bytes; a roster has at most 5,000,000"),
    ],
)
def test_what_is_no_roster_is_refused_and_the_old_one_stays(add: Add, text: str, reason: str) -> None:
    add()
    response = add(text)
    assert response.status_code == 422
    assert reason in page_of(response).text(".error")
    assert EnrolledStudent.objects.count() == 4


def test_problems_of_rows_are_listed_as_text(add: Add, alice_client: Client, assignment: Assignment) -> None:
    add("Name,ID,Shoe\n<b>Eve</b>,7,<i>\n,,44\nMallory,7,\n=cmd(),8,\n")
    page = get_page(alice_client, address(assignment.course))
    assert page.texts(".problems li") == [
        "Not used: the columns “Shoe”.",
        "Line 2: the id “7” is also in line 4; nobody is found by it",
        "Line 3: no name and no id; the row is left out",
    ]
    assert "<b>Eve</b>" in page.texts("tbody th")
    assert not page.has("main b")


def test_deleting_a_course_deletes_its_roster(add: Add, alice_client: Client, assignment: Assignment) -> None:
    add()
    address = reverse("delete_course", args=[assignment.course.pk])
    assert "4 students in the roster" in get_page(alice_client, address).text("main")
    alice_client.post(address)
    assert not CourseRoster.objects.exists()
    assert not EnrolledStudent.objects.exists()


def test_names_of_rosters_are_not_logged(add: Add, caplog: pytest.LogCaptureFixture, hand_in: HandIn) -> None:
    hand_in(zipped(CLASS))
    caplog.set_level("DEBUG")
    caplog.clear()
    add()
    add("foo,Amara Okafor\n")
    ours = [record.getMessage() for record in caplog.records if not record.name.startswith("django.db")]
    assert not any("Okafor" in message or "00042" in message for message in ours)


@pytest.mark.long
def test_teams_may_use_the_names_and_ids_of_the_roster(
    hand_in: HandIn, add: Add, alice_client: Client, assignment: Assignment
) -> None:
    hand_in(zipped(CLASS))
    add(ROSTER.replace("Red", ""))
    fields = {"name": "Statistics", "common_limit": "", "due": "", "teams": "Amara Okafor, 00043, Erika, Zoe"}
    address = reverse("assignment_settings", args=[assignment.pk])
    page = page_of(alice_client.post(address, fields, follow=True))
    assert page.texts(".notices .notice")[-1] == "In the teams, but no submission's name: Zoe."
    assert assignment.reports.count() == 2


@pytest.mark.long
def test_the_copy_for_a_student_names_only_that_student(
    hand_in: HandIn,
    add: Add,
    alice_client: Client,
    assignment: Assignment,
) -> None:
    hand_in(zipped(CLASS))
    add(ROSTER.replace("Red", ""))
    pair = assignment.reports.get().pairs.get(left__name="aokafor", right__name="bpopescu")
    address = reverse("export_pair", args=[assignment.pk, pair.left_id, pair.right_id])
    assert "A copy for Bruno Popescu" in get_page(alice_client, address).text("main")
    sent = f"{address}?format=html&names={pair.right_id}&sources=on"
    copy = text_of(alice_client, sent)
    assert "Copy for Bruno Popescu." in copy
    assert 'with help of <span class="made-up">[name]</span>' in copy
    assert not any(word in copy.casefold() for word in ("okafor", "amara", "volkov", "00042"))
