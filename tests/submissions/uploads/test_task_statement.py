"""The statement of a task: pasted or uploaded, shown, and removed; what it dictates does not count."""

from collections.abc import Callable
from typing import Any

import pytest
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse

from submissions.models import Assignment, Boilerplate, BoilerplateUpload, Document, Pair, Report
from tests.support.html import get_page
from tests.support.kept_classes import stored
from tests.support.rewritten import ORIGINAL, REWRITTEN
from tests.support.sample_class import loose, zipped
from tests.support.tabs import tab
from tests.support.uploads import Committing, HandIn

Send = Callable[[Any], HttpResponseBase]

STATEMENT = "Write a harbour. Say *boat has overstayed its berth* of a boat that is late.\n"
MESSAGE = '"boat has overstayed its berth"'


@pytest.fixture
def report(hand_in: HandIn) -> Report:
    stored("a pair without a passage", lambda: hand_in(zipped({"ada/a.py": ORIGINAL, "ben/b.py": REWRITTEN})))
    return Report.objects.get()


@pytest.fixture
def send(alice_client: Client, assignment: Assignment, eager_tasks: None, committing: Committing) -> Send:
    def send(data: Any) -> HttpResponseBase:
        with committing(execute=True):
            return alice_client.post(reverse("add_boilerplate", args=[assignment.pk]), {"statement": "on"} | data)

    return send


def newest_pair(assignment: Assignment) -> Pair:
    return Pair.objects.filter(report__assignment=assignment).latest("pk")


def shared_terms(client: Client, pair: Pair) -> list[str]:
    page = get_page(client, reverse("pair", args=[pair.report.assignment_id, pair.left_id, pair.right_id]))
    return [row[0] for row in page.rows(".terms tbody tr")]


@pytest.mark.parametrize("sent", [{"text": STATEMENT}, {"files": [loose("task.md", STATEMENT.encode())]}])
def test_a_message_of_the_statement_does_not_count_until_the_statement_is_removed(
    alice_client: Client, report: Report, send: Send, sent: Any, committing: Committing
) -> None:
    before = newest_pair(report.assignment)
    assert MESSAGE in shared_terms(alice_client, before)
    ignored = get_page(alice_client, tab(report.assignment, "ignored"))
    assert ignored.has("form input[name=statement] ~ .field textarea[name=text]")
    send(sent)
    after = newest_pair(report.assignment)
    assert after.report_id > before.report_id
    assert 0 < after.similarity < before.similarity
    assert after.literals < before.literals
    assert MESSAGE not in shared_terms(alice_client, after)
    removal = reverse("remove_boilerplate", args=[Boilerplate.objects.get(statement=True).pk])
    assert get_page(alice_client, tab(report.assignment, "ignored")).has(f'form[action="{removal}"]')
    with committing(execute=True):
        alice_client.post(removal)
    assert newest_pair(report.assignment).similarity == before.similarity


def test_a_pasted_statement_is_read_as_prose_in_an_assignment_of_one_language(
    alice_client: Client, assignment: Assignment, send: Send
) -> None:
    assert send({"text": " "}).status_code == 422
    assert not BoilerplateUpload.objects.exists()
    assignment.language = "python"
    assignment.save()
    send({"text": STATEMENT})
    statement = Boilerplate.objects.get()
    assert (statement.name, statement.document.language) == ("statement.txt", "text")
    assert statement.document.state == Document.State.READY
    page = get_page(alice_client, assignment.get_absolute_url())
    assert "the task’s statement ·" in page.text("#boilerplate .meta")
