"""Files that an upload left out, on its page, and the settings that change it."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from submissions.models import Assignment, Batch
from tests.submissions.reports.test_assignment_page import fields, settings_address
from tests.support.api import api_client, problem_of, send
from tests.support.build_trees import with_build_trees
from tests.support.html import Page, get_page, page_of
from tests.support.sample_class import CLASS, zipped
from tests.support.uploads import HandIn

TARGET = "build output of Maven, sbt or Cargo"


@pytest.fixture
def batch(hand_in: HandIn) -> Batch:
    return hand_in(zipped(with_build_trees(CLASS)))


def kinds(page: Page) -> dict[str, list[str]]:
    return {row[0]: row[1:] for row in page.rows("section[aria-labelledby=left-out] tbody tr")}


def test_what_was_left_out_is_grouped_by_reason_and_counts_in_the_next_upload_after_one_click(
    alice_client: Client, bob_client: Client, batch: Batch, hand_in: HandIn
) -> None:
    page = get_page(alice_client, batch.get_absolute_url())
    assert kinds(page)[TARGET][0] == "3"
    assert kinds(page)["the wrapper script of a build tool"][0] == "6"
    assert "Not compared: not written by a student" in page.texts("h2")
    address = reverse("count_rule", args=[batch.pk])
    assert alice_client.get(address).status_code == 405
    assert alice_client.post(address, {"rule": "no rule"}).status_code == 302
    assert bob_client.post(address, {"rule": "target"}).status_code == 404
    batch.assignment.refresh_from_db()
    assert batch.assignment.include_patterns == ""
    page = page_of(alice_client.post(address, {"rule": "target"}, follow=True))
    notice = f"Counts from the next upload on: {TARGET}. To count it here, upload these files again."
    assert page.texts(".notices .notice") == [notice]
    assert kinds(page)[TARGET][2] == "counts"
    alice_client.post(address, {"rule": "target"})
    batch.assignment.refresh_from_db()
    assert batch.assignment.include_patterns == "@target"
    again = hand_in(zipped(with_build_trees(CLASS)))
    assert again.entries.filter(name__contains="/target/", accepted=True).count() == 6


def test_patterns_are_settings_that_apply_to_the_next_upload(alice_client: Client, batch: Batch) -> None:
    sent = fields(include_patterns="@target\n*.min.js", exclude_patterns="*.csv")
    page = page_of(alice_client.post(settings_address(batch.assignment), sent, follow=True))
    assert "The file patterns apply to the next upload. Upload the affected files again." in page.texts(
        ".notices .notice"
    )
    batch.assignment.refresh_from_db()
    assert batch.assignment.file_patterns.exclude == ("*.csv",)
    assert batch.assignment.file_patterns.taken_in == {"target"}


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        ({"include_patterns": "@maven"}, "There is no rule @maven."),
        (
            {"exclude_patterns": "a\n!"},
            "'!' is no pattern of the kind that .gitignore takes: it names no file.",
        ),
        ({"exclude_patterns": "*.c\n" + "*a" * 13}, "has 13 stars; the limit is 12."),
        ({"include_patterns": "a" * 201}, "has 201 characters; the limit is 200."),
        ({"exclude_patterns": "*.c\n" * 101}, "These are 101 patterns; at most 100 are taken."),
        ({"exclude_patterns": "x" * 10_001}, "at most 10000 characters"),
    ],
)
def test_a_pattern_that_is_none_is_refused_with_the_reason(
    alice_client: Client, assignment: Assignment, sent: dict[str, str], reason: str
) -> None:
    response = alice_client.post(settings_address(assignment), fields(**sent))
    assert response.status_code == 422
    assert reason in page_of(response).text(".error")
    assignment.refresh_from_db()
    assert (assignment.include_patterns, assignment.exclude_patterns) == ("", "")


def test_a_pattern_over_a_limit_is_refused_by_the_api(alice: User, assignment: Assignment) -> None:
    change = {"exclude_patterns": "*a" * 13}
    answer = send(api_client(alice), "patch", f"/assignments/{assignment.pk}", change)
    (error,) = problem_of(answer)["errors"]
    assert error["field"] == "exclude_patterns"
    assert "has 13 stars; the limit is 12." in str(error)
