"""Rows that go while they are read are read again; that go while they are changed, answered with 409."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse

from submissions.core.database import is_conflict
from submissions.courses.retention import delete_batch
from submissions.models import Assignment, Batch, DeletedBatch, Report, Submission
from tests.support.api import API, api_client, problem_of, secret_of

pytestmark = pytest.mark.services


@contextmanager
def meanwhile(act: Callable[[], object], table: str) -> Iterator[list[str]]:
    """Do something in another session once, after the first query for rows of a table."""
    done: list[str] = []

    def execute(execute: Any, sql: str, *rest: Any) -> Any:
        result = execute(sql, *rest)
        if sql.startswith(f'SELECT "{table}"."id"') and not done:
            done.append(sql)
            other = Thread(target=_in_another_session, args=(act,))
            other.start()
            other.join()
        return result

    with connection.execute_wrapper(execute):
        yield done


def _in_another_session(act: Callable[[], object]) -> None:
    try:
        act()
    finally:
        connection.close()


def ranked(assignment: Assignment) -> Report:
    return Report.objects.create(
        assignment=assignment, state="done", parameters={"threshold": {"value": 0.5}}
    )


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("address", ["", "students/", "ignored/"])
def test_a_page_whose_report_goes_while_it_is_read_is_the_page_without_it(
    alice: User, assignment: Assignment, address: str
) -> None:
    report = ranked(assignment)
    client = Client(raise_request_exception=False)
    client.force_login(alice)
    with meanwhile(lambda: Report.objects.filter(pk=report.pk).delete(), "submissions_report") as done:
        response = client.get(assignment.get_absolute_url() + address)
    assert done
    assert response.status_code in {200, 302, 404}


@pytest.mark.django_db(transaction=True)
def test_the_api_answers_404_for_what_goes_while_it_is_read(alice: User, assignment: Assignment) -> None:
    report = ranked(assignment)
    client = api_client(alice)
    with meanwhile(lambda: Report.objects.filter(pk=report.pk).delete(), "submissions_report") as done:
        response = client.get(f"{API}/assignments/{assignment.pk}/cases")
    assert done
    assert problem_of(response)["status"] == 404


@pytest.mark.django_db(transaction=True)
def test_what_is_sent_to_an_assignment_that_goes_meanwhile_is_answered_with_409(
    alice: User, assignment: Assignment
) -> None:
    secret = secret_of(alice)
    client = Client(headers={"Authorization": f"Bearer {secret}"}, raise_request_exception=False)
    with meanwhile(lambda: Assignment.objects.all().delete(), "submissions_report") as done:
        response = client.post(f"{API}/assignments/{assignment.pk}/report")
    assert done
    assert problem_of(response)["status"] == 409
    assert not Report.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_page_that_sends_to_what_goes_meanwhile_says_so(alice: User, assignment: Assignment) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(alice)
    with meanwhile(lambda: Assignment.objects.all().delete(), "submissions_report"):
        response = client.post(reverse("rerank", args=[assignment.pk]))
    assert response.status_code == 409
    assert "at the same moment" in response.content.decode()


@pytest.mark.django_db(transaction=True)
def test_an_upload_is_deleted_although_a_worker_stores_what_it_read_of_it(
    alice: User, assignment: Assignment
) -> None:
    batch = Batch.objects.create(
        assignment=assignment, uploaded_by=alice, name="a.zip", state="fingerprinting"
    )

    def store() -> None:
        Submission.objects.create(batch_id=batch.pk, name="late")

    with meanwhile(store, "submissions_submission") as done:
        delete_batch(batch)
    assert done
    assert not Batch.objects.exists()
    assert DeletedBatch.objects.get().batch


@pytest.mark.django_db(transaction=True)
def test_a_mistake_of_the_program_stays_one(alice: User, assignment: Assignment) -> None:
    report = ranked(assignment)
    Report.objects.filter(pk=report.pk).update(parameters={})
    client = Client(raise_request_exception=False)
    client.force_login(alice)
    assert client.get(f"{assignment.get_absolute_url()}").status_code == 500


def test_only_errors_that_others_cause_are_conflicts(alice: User) -> None:
    with pytest.raises(IntegrityError) as raised, transaction.atomic():
        type(alice).objects.create(username=alice.username)
    assert not is_conflict(raised.value)
