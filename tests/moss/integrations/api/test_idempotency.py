"""A request that is sent again with the same key is done once, whatever is lost between."""

from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.test import Client

from moss.integrations.api import KEY_HEADER
from submissions.models import ApiAnswer, ApiToken, Assignment, Batch, ResumableUpload
from submissions.work.locks import text_lock
from tests.support.api import API, problem_of
from tests.support.other_sessions import in_other_sessions
from tests.support.sample_class import CLASS, zipped

pytestmark = pytest.mark.services

KEY = {KEY_HEADER: "one"}


def upload(client: Client, assignment: Assignment) -> Any:
    address = f"{API}/assignments/{assignment.pk}/uploads"
    return client.post(address, {"files": zipped(CLASS)}, headers=KEY)


def begin(client: Client, assignment: Assignment, length: int = 100, name: str = "YQ==") -> Any:
    headers = {"Upload-Length": str(length), "Upload-Metadata": f"filename {name}", **KEY}
    return client.post(f"{API}/assignments/{assignment.pk}/resumable", headers=headers)


@pytest.mark.django_db(transaction=True)
def test_nobody_ever_sees_an_upload_without_its_answer(caller: Client, assignment: Assignment) -> None:
    seen = set()

    def look(execute: Any, *query: Any) -> Any:
        in_other_sessions(lambda: seen.add((Batch.objects.count(), _answered())))
        return execute(*query)

    with connection.execute_wrapper(look):
        assert upload(caller, assignment).status_code == 202
    in_other_sessions(lambda: seen.add((Batch.objects.count(), _answered())))
    assert seen == {(0, 0), (1, 1)}


def _answered() -> int:
    return ApiAnswer.objects.filter(status__gt=0).count()


@pytest.mark.django_db(transaction=True)
def test_an_upload_whose_answer_cannot_be_stored_is_not_stored(caller: Client, assignment: Assignment) -> None:
    def lose(execute: Any, sql: str, *rest: Any) -> Any:
        if "submissions_apianswer" in sql and not sql.startswith(("SELECT", "DELETE")) and Batch.objects.exists():
            raise OperationalError("the connection was lost")
        return execute(sql, *rest)

    with connection.execute_wrapper(lose):
        assert upload(caller, assignment).status_code == 503
    assert not Batch.objects.exists()
    assert [upload(caller, assignment).status_code for _ in range(2)] == [202, 202]
    assert Batch.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_request_whose_first_one_is_worked_on_is_told_to_wait(caller: Client, assignment: Assignment) -> None:
    answers = []
    with transaction.atomic():
        assert text_lock(f"{KEY_HEADER} {ApiToken.objects.get().pk} one")
        in_other_sessions(lambda: answers.append(upload(caller, assignment)))
    problem = problem_of(answers[0])
    assert (problem["status"], answers[0].headers["Retry-After"]) == (409, "5")
    assert not Batch.objects.exists()
    assert upload(caller, assignment).status_code == 202


def test_an_upload_in_parts_that_is_begun_again_is_at_the_same_address(caller: Client, assignment: Assignment) -> None:
    first, again = begin(caller, assignment), begin(caller, assignment)
    assert again.headers["Idempotency-Replayed"] == "true"
    for name in ("Location", "Tus-Resumable", "Upload-Offset", "Upload-Length", "Upload-Expires"):
        assert again.headers[name] == first.headers[name]
    assert (again.status_code, again.json()) == (201, first.json())
    assert ResumableUpload.objects.count() == 1


def test_another_length_or_name_under_the_same_key_is_refused(caller: Client, assignment: Assignment) -> None:
    assert begin(caller, assignment).status_code == 201
    assert problem_of(begin(caller, assignment, length=200))["status"] == 422
    assert problem_of(begin(caller, assignment, name="Yg=="))["status"] == 422
    assert ResumableUpload.objects.count() == 1
