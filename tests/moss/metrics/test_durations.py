"""Durations of tasks and of states: counted once, in the right class, whichever process counts them."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from celery import shared_task
from django.db import connection, transaction
from django.db.models import Q, QuerySet
from django.test import Client
from django.utils import timezone

from submissions.models import Assignment, Batch, Duration
from submissions.uploads import lifecycle
from submissions.uploads.change import retry_batch
from submissions.work.jobs import count_duration
from tests.moss.metrics.test_metrics import BEARER, open_metrics, samples

pytestmark = pytest.mark.services

__all__ = ["open_metrics"]
TASK = Duration.Measure.TASK


@shared_task(name="tests.ends", autoretry_for=(TimeoutError,), max_retries=1, retry_backoff=False)
def ends(how: str) -> None:
    """End as one of the tasks of the service may."""
    if how == "failed":
        raise ValueError(how)
    if how == "retried":
        raise TimeoutError(how)


@pytest.fixture
def batch(transactional_db: None, assignment: Assignment) -> Batch:
    ago = timezone.now() - timedelta(seconds=100)
    return Batch.objects.create(assignment=assignment, name="class.zip", since=ago)


def durations() -> QuerySet[Duration]:
    """Return what was counted, without a task of an earlier test that a worker only ends now."""
    return Duration.objects.exclude(Q(measure=TASK) & ~Q(name="ends"))


def counted() -> dict[tuple[str, str], int]:
    """Return how many durations were counted, by name and detail."""
    totals: dict[tuple[str, str], int] = {}
    for row in durations():
        totals[row.name, row.detail] = totals.get((row.name, row.detail), 0) + row.count
    return totals


def test_every_task_that_ends_is_counted_with_its_outcome(transactional_db: None) -> None:
    for how in ("done", "failed"):
        ends.apply((how,))
    # Tried twice; the second time is the last one.
    ends.apply(("retried",))
    assert counted() == {("ends", "done"): 1, ("ends", "failed"): 2, ("ends", "retried"): 1}
    assert {row.measure for row in durations()} == {"task"}


def test_processes_that_count_at_the_same_time_lose_nothing(transactional_db: None) -> None:
    def count(number: int) -> None:
        for _ in range(number):
            count_duration(TASK, "ends", "done", 0.25)
        connection.close()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(count, [25] * 4))
    (row,) = durations()
    assert (row.count, row.seconds, row.at_most) == (100, 25.0, 0.5)


def test_each_class_has_those_that_took_at_most_so_long(client: Client, db: None, open_metrics: None) -> None:
    for seconds in (0.1, 0.11, 40_000.0):
        count_duration(TASK, "ends", "done", seconds)
    figures = samples(client.get("/metrics", headers=BEARER).content.decode())
    classes = {
        limit: figures[f"moss_task_seconds_bucket{{le={limit},outcome=done,task=ends}}"]
        for limit in ("0.1", "0.5", "7200.0", "+Inf")
    }
    assert classes == {"0.1": 1, "0.5": 2, "7200.0": 2, "+Inf": 3}
    assert figures["moss_task_seconds_count{outcome=done,task=ends}"] == 3
    assert figures["moss_task_seconds_sum{outcome=done,task=ends}"] == pytest.approx(40_000.21)


def test_the_time_in_a_state_is_counted_when_it_is_left(batch: Batch) -> None:
    assert lifecycle.start_unpacking(batch.pk)
    (row,) = durations()
    assert (row.measure, row.name, row.detail, row.at_most) == ("state", "upload", "queued", 300.0)
    assert 100 <= row.seconds < 300
    assert lifecycle.start_fingerprinting(batch.pk)
    assert counted() == {("upload", "queued"): 1, ("upload", "unpacking"): 1}


def test_work_that_stays_in_its_state_is_in_it_since_the_same_time(batch: Batch) -> None:
    assert lifecycle.requeue_batch(batch.pk, "its message was lost")
    assert counted() == {}
    assert lifecycle.start_unpacking(batch.pk)
    assert durations().get().seconds >= 100


def test_a_change_is_counted_once_it_is_committed_and_not_if_it_is_rolled_back(batch: Batch) -> None:
    with transaction.atomic():
        assert lifecycle.start_unpacking(batch.pk)
        assert counted() == {}  # so it holds no lock on the counts, however long it still takes
        transaction.set_rollback(True)
    with transaction.atomic():
        assert lifecycle.start_unpacking(batch.pk)
        assert counted() == {}
    assert counted() == {("upload", "queued"): 1}


def test_the_time_after_the_end_of_work_is_not_counted(batch: Batch) -> None:
    lifecycle.fail_batch(batch.pk, "Upload it again.")
    assert counted() == {("upload", "queued"): 1}
    batch.submissions.create(name="ada")
    assert retry_batch(batch)
    assert ("upload", "failed") not in counted()
