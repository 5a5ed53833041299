from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.urls import reverse

from submissions.models import Assignment

if TYPE_CHECKING:
    from django.test import Client

    from submissions.models import Report


def settings_of(assignment: Assignment) -> str:
    return reverse("assignment_settings", args=[assignment.pk])


def fields(**given: str) -> dict[str, str]:
    return {"name": "Statistics", "common_limit": "", "due": "", "teams": ""} | given


def test_due_date_and_teams_are_kept_and_rank_nothing_again(alice_client: Client, report: Report) -> None:
    assignment = report.assignment
    alice_client.post(settings_of(assignment), fields(due="2026-11-21T18:00", teams="ada, ben"))
    assignment.refresh_from_db()
    assert assignment.due is not None
    assert assignment.due.isoformat() == "2026-11-21T18:00:00+00:00"
    assert assignment.teams == "ada, ben"
    assert assignment.reports.count() == 1
    page = alice_client.get(settings_of(assignment)).content.decode()
    assert 'type="datetime-local" name="due" value="2026-11-21T18:00"' in page.replace(' value="', ' value="')
    assert "Time zone: UTC." in page


def test_names_in_teams_that_no_submission_has_are_told(alice_client: Client, report: Report) -> None:
    sent = fields(teams="ada, ben\ncleo, dan\n<b>eve</b>, frank")
    answer = alice_client.post(settings_of(report.assignment), sent, follow=True)
    page = answer.content.decode()
    assert "In the teams, but no submission&#x27;s name: dan, &lt;b&gt;eve&lt;/b&gt;, frank." in page


def test_names_may_be_given_before_anything_was_uploaded(
    alice_client: Client, assignment: Assignment
) -> None:
    answer = alice_client.post(settings_of(assignment), fields(teams="ada, ben"), follow=True)
    assert b"In the teams" not in answer.content
    assignment.refresh_from_db()
    assert assignment.teams == "ada, ben"


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        ({"teams": "ada, ben\ncleo"}, "Line 2 names only cleo; a team has two members or more."),
        ({"teams": "ada, ben\n" * 12_000}, "at most 100000 characters (it has 107999)"),
        ({"teams": "ada, \x00"}, "Null characters are not allowed."),
        ({"due": "tomorrow"}, "Give a date and a time, as in 2026-11-21 18:00."),
        ({"due": "2026-02-30T10:00"}, "Give a date and a time, as in 2026-11-21 18:00."),
        ({"due": "9999-12-31T23:59"}, "Give a year from 1970 to 9998."),
        ({"due": "0001-01-01T00:00"}, "Give a year from 1970 to 9998."),
        ({"common_limit": "1"}, "greater than or equal to 2"),
        ({"name": ""}, "This field is required."),
    ],
)
def test_what_will_not_do_is_named_and_nothing_is_kept(
    alice_client: Client, report: Report, sent: dict[str, str], reason: str
) -> None:
    answer = alice_client.post(settings_of(report.assignment), fields(**sent))
    assert answer.status_code == 422
    assert reason in answer.content.decode()
    kept = Assignment.objects.get(pk=report.assignment_id)
    assert (kept.name, kept.teams, kept.due, kept.common_limit) == ("Statistics", "", None, None)


def test_charlie_may_not_see_alices_settings(charlie_client: Client, report: Report) -> None:
    assert charlie_client.get(settings_of(report.assignment)).status_code == 404
    answer = charlie_client.post(settings_of(report.assignment), fields(teams="ada, ben"))
    assert answer.status_code == 404
    report.assignment.refresh_from_db()
    assert report.assignment.teams == ""
