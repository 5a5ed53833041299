"""Locks of different kinds never stand for one another."""

import pytest

from submissions.work.locks import Work, sessions, work_lock


def test_every_kind_of_lock_has_a_key_of_its_own() -> None:
    names = list(Work.__members__)
    assert [kind.name for kind in Work] == names, "two names of one value are one lock"


@pytest.mark.django_db
def test_a_session_is_listed_for_the_kind_of_work_that_it_locks_alone() -> None:
    with work_lock(Work.JOB, 12):
        assert [*sessions(Work.JOB)] == [12]
        assert [kind for kind in Work if sessions(kind)] == [Work.JOB]
    assert not sessions(Work.JOB)
