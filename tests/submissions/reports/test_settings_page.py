import pytest
from django.test import Client
from django.urls import reverse

from submissions.models import Assignment, Report
from tests.support.html import get_page, page_of
from tests.support.sample_class import CLASS, zipped
from tests.support.uploads import HandIn

pytestmark = pytest.mark.services


def settings_address(assignment: Assignment) -> str:
    return reverse("assignment_settings", args=[assignment.pk])


def fields(**changed: str) -> dict[str, str]:
    return {"name": "Statistics", "common_limit": "", "due": "", "teams": ""} | changed


@pytest.mark.long
@pytest.mark.parametrize("changed", [{"teams": "ada, ben"}, {"compare_mates": "True"}])
def test_teams_and_the_choice_for_their_pairs_rank_again(
    alice_client: Client, report: Report, changed: dict[str, str]
) -> None:
    alice_client.post(settings_address(report.assignment), fields(**changed))
    assert report.assignment.reports.count() == 2


def test_the_choice_for_pairs_of_a_team_is_kept(alice_client: Client, assignment: Assignment) -> None:
    address = settings_address(assignment)
    assert get_page(alice_client, address).texts("#id_compare_mates [selected]") == ["Do not compare"]
    alice_client.post(address, fields(compare_mates="True"))
    assert get_page(alice_client, address).texts("#id_compare_mates [selected]") == ["Compare and flag"]


def test_the_due_date_is_saved_without_another_ranking(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    alice_client.post(settings_address(assignment), fields(due="2026-11-21T18:00"))
    assignment.refresh_from_db()
    assert assignment.due is not None
    assert assignment.due.isoformat() == "2026-11-21T18:00:00+00:00"
    assert assignment.reports.count() == 1
    page = get_page(alice_client, settings_address(assignment))
    assert page.values("input[type=datetime-local][name=due]", "value") == ["2026-11-21T18:00"]
    assert "Time zone: UTC." in page.text("#id_due_helptext")


def test_names_in_teams_that_no_submission_has_are_listed(alice_client: Client, report: Report) -> None:
    sent = fields(teams="ada, ben\ncleo, dan\n<b>eve</b>, frank")
    page = page_of(alice_client.post(settings_address(report.assignment), sent, follow=True))
    warning = "In the teams, but no submission's name: dan, <b>eve</b>, frank."
    assert warning in page.texts(".notices .notice")
    assert not page.has(".notices b")


def test_names_may_be_given_before_anything_was_uploaded(
    alice_client: Client, assignment: Assignment
) -> None:
    page = page_of(alice_client.post(settings_address(assignment), fields(teams="ada, ben"), follow=True))
    assert "In the teams" not in page.html
    assignment.refresh_from_db()
    assert assignment.teams == "ada, ben"


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        ({"teams": "ada, ben\ncleo"}, "Line 2 names only cleo; a team has two members or more."),
        ({"teams": "ada, ben\n" * 12_000}, "at most 100000 characters (it has 107999)"),
        ({"teams": "ada, \x00"}, "Null characters are not allowed."),
        ({"due": "tomorrow"}, "Write a date and a time, as in 2026-11-21 18:00."),
        ({"due": "2026-02-30T10:00"}, "Write a date and a time, as in 2026-11-21 18:00."),
        ({"due": "9999-12-31T23:59"}, "Write a year from 1970 to 9998."),
        ({"due": "0001-01-01T00:00"}, "Write a year from 1970 to 9998."),
        ({"common_limit": "1"}, "greater than or equal to 2"),
        ({"name": ""}, "This field is required."),
    ],
)
def test_invalid_settings_are_refused_with_the_reason_and_not_saved(
    alice_client: Client, report: Report, sent: dict[str, str], reason: str
) -> None:
    response = alice_client.post(settings_address(report.assignment), fields(**sent))
    assert response.status_code == 422
    assert reason in page_of(response).text(".error")
    assignment = Assignment.objects.get(pk=report.assignment_id)
    saved = (assignment.name, assignment.teams, assignment.due, assignment.common_limit)
    assert saved == ("Statistics", "", None, None)


def test_charlie_may_not_see_alices_settings(charlie_client: Client, report: Report) -> None:
    assert charlie_client.get(settings_address(report.assignment)).status_code == 404
    response = charlie_client.post(settings_address(report.assignment), fields(teams="ada, ben"))
    assert response.status_code == 404
    report.assignment.refresh_from_db()
    assert report.assignment.teams == ""


JAVA = "class Count { int count(int[] all) { int n = 0; for (int x : all) { n += x; } return n; } }\n"


@pytest.mark.long
def test_a_change_of_the_language_says_first_what_is_read_again(
    alice_client: Client, hand_in: HandIn, assignment: Assignment
) -> None:
    hand_in(zipped(CLASS | {"ada/Count.java": JAVA}))
    address = settings_address(assignment)
    response = alice_client.post(address, fields(language="java", due="2026-11-21T18:00", teams="ada, ben"))
    page = page_of(response)
    assert page.texts(".lost li") == [
        "2 files of 1 upload are read again",
        "1 file can still be read, but is no longer compared",
    ]
    assignment.refresh_from_db()
    assert (assignment.language, assignment.teams, assignment.reports.count()) == ("", "", 1)
    sent = {one.attributes["name"]: one.attributes.get("value") for one in page.all("form.card input[name]")}
    alice_client.post(address, {name: value or "" for name, value in sent.items()})
    assignment.refresh_from_db()
    assert (assignment.language, assignment.teams, str(assignment.due)) == (
        "java", "ada, ben", "2026-11-21 18:00:00+00:00"
    )  # fmt: skip
    change = assignment.language_changes.get()
    assert (change.before, change.after, change.state) == ("", "java", "queued")
    notice = get_page(alice_client, assignment.get_absolute_url()).texts("#activity .notice.busy")[0]
    assert notice.startswith("Read again as Java. Waiting for a worker")
    assert "made before the language was changed" in notice
    assert "that of each file → Java" in get_page(alice_client, address).text("main")


def test_a_language_that_changes_nothing_is_saved_without_a_question(
    alice_client: Client, assignment: Assignment
) -> None:
    response = alice_client.post(settings_address(assignment), fields(language="java"))
    assert response.status_code == 302
    assignment.refresh_from_db()
    assert assignment.language == "java"


def test_an_unknown_language_is_refused(alice_client: Client, report: Report) -> None:
    response = alice_client.post(settings_address(report.assignment), fields(language="klingon"))
    assert response.status_code == 422
    assert not report.assignment.language_changes.exists()


def test_a_failed_change_can_be_tried_again(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    assignment.language_changes.create(after="java", state="failed", message="No room.")
    page = get_page(alice_client, assignment.get_absolute_url())
    assert "The files were not read again after the language was changed. No room." in page.text("#activity")
    alice_client.post(reverse("read_again", args=[assignment.pk]))
    assert [change.state for change in assignment.language_changes.all()] == ["queued", "failed"]


def test_charlie_may_not_have_alices_files_read_again(charlie_client: Client, report: Report) -> None:
    assert charlie_client.post(reverse("read_again", args=[report.assignment_id])).status_code == 404
    sent = fields(language="java", confirmed="java")
    assert charlie_client.post(settings_address(report.assignment), sent).status_code == 404
    assert not report.assignment.language_changes.exists()
