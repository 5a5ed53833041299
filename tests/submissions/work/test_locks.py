"""Locks of different kinds never stand for one another."""

from time import monotonic, sleep
from types import SimpleNamespace

import pytest
from django.db import OperationalError, ProgrammingError, connection

from moss.celery import check_connection, release_locks
from submissions.work.locks import Work, sessions, work_lock
from tests.support.sessions import cut


def test_every_kind_of_lock_has_a_key_of_its_own() -> None:
    names = list(Work.__members__)
    assert [kind.name for kind in Work] == names, "two names of one value are one lock"


@pytest.mark.django_db
def test_a_session_is_listed_for_the_kind_of_work_that_it_locks_alone() -> None:
    with work_lock(Work.JOB, 12):
        assert [*sessions(Work.JOB)] == [12]
        assert [kind for kind in Work if sessions(kind)] == [Work.JOB]
    assert not sessions(Work.JOB)


@pytest.mark.django_db(transaction=True)
def test_a_task_has_the_session_of_the_one_before_without_its_locks() -> None:
    task = SimpleNamespace(request=SimpleNamespace(is_eager=False))
    check_connection(task)
    interrupted = work_lock(Work.JOB, 12)
    interrupted.__enter__()
    first = sessions(Work.JOB)[12]
    release_locks(task)
    check_connection(task)
    with work_lock(Work.JOB, 13):
        assert sessions(Work.JOB) == {13: first}


@pytest.mark.django_db(transaction=True)
def test_locks_that_cannot_be_released_end_with_their_session() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s::int, 12)", [Work.JOB])
        cursor.execute("BEGIN")
        with pytest.raises(ProgrammingError):
            cursor.execute("SELECT no_column")
    release_locks(SimpleNamespace(request=SimpleNamespace(is_eager=False)))
    deadline = monotonic() + 30
    while sessions(Work.JOB):  # Postgres ends a session soon after its connection was closed.
        assert monotonic() < deadline
        sleep(0.01)


@pytest.mark.django_db(transaction=True)
def test_a_task_has_another_session_where_that_of_the_one_before_was_lost() -> None:
    task = SimpleNamespace(request=SimpleNamespace(is_eager=False))
    connection.ensure_connection()
    with pytest.raises(OperationalError):
        cut()
    release_locks(task)
    check_connection(task)
    with work_lock(Work.JOB, 12) as mine:
        assert mine
    assert not sessions(Work.JOB)
    assert connection.is_usable()
