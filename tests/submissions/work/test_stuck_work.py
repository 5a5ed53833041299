"""Work that does not go on is ended in time, tried again a few times, and never done twice at once."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection

from moss.operations import maintenance
from submissions.models import Assignment, Batch, Course, Document, Job
from submissions.uploads.change import create_batch
from submissions.uploads.fingerprinting import MAX_ATTEMPTS
from submissions.work import jobs, running as stuck
from submissions.work.jobs import kind_of
from submissions.work.kinds import INTERACTIVE
from submissions.work.locks import Work, sessions
from tests.conftest import wait_until
from tests.submissions.work.test_tasks import SLOW
from tests.support.processes import pool_children, stopped
from tests.support.sample_class import CLASS, zipped

pytestmark = pytest.mark.usefixtures("empty_queues")


def test_stuck_work_is_ended_within_a_minute_of_the_limit_of_a_task() -> None:
    for kind in settings.WORK_KINDS.values():
        limit = timedelta(seconds=kind.quiet or kind.seconds + kind.grace)
        found_after = limit + stuck.SENDING + timedelta(seconds=maintenance.EVERY_SECONDS)
        assert limit < found_after <= limit + timedelta(seconds=60)


@pytest.mark.long
def test_a_worker_that_is_stopped_while_it_reads_delays_the_rest_only_until_its_limit(
    assignment: Assignment, alice: User, celery_worker_process: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = {name: replace(kind, seconds=0, grace=0) for name, kind in settings.WORK_KINDS.items()}
    monkeypatch.setattr(settings, "WORK_KINDS", kinds)
    monkeypatch.setattr(stuck, "SENDING", timedelta(seconds=1))
    batch = create_batch(assignment, alice, [zipped({**CLASS, "slow/main.rb": SLOW})])
    wait_until(lambda: bool(sessions(Work.DOCUMENT)), what="the worker to start reading")

    def reads_no_more() -> bool:
        maintenance.sweep()
        return not sessions(Work.DOCUMENT)

    with stopped(pool_children(celery_worker_process)):
        wait_until(reads_no_more, what="the end of the session")
    monkeypatch.undo()  # What follows may take the time that it takes on a busy machine.

    def has_ended() -> bool:
        maintenance.sweep()
        batch.refresh_from_db()
        return not batch.is_running

    wait_until(has_ended, 120, what="the end of the upload")
    assert batch.state == "done"
    assert max(Document.objects.values_list("attempts", flat=True)) <= MAX_ATTEMPTS


@pytest.mark.django_db(transaction=True)
def test_workers_that_start_at_the_same_time_start_different_uploads_once(
    assignment: Assignment, bob: User, alice: User
) -> None:
    other = Course.objects.create(owner=bob, name="Networks").assignments.create(name="Sockets")
    uploads = [  # without a message, so that no other worker takes them
        Batch.objects.create(assignment=where, uploaded_by=user, name="class.zip")
        for where, user in ((assignment, alice), (other, bob))
    ]
    Job.objects.bulk_create(
        Job(kind="unpack", subject=one.pk, user=one.uploaded_by, queue=INTERACTIVE) for one in uploads
    )
    barrier = threading.Barrier(4)

    def start() -> int | None:
        barrier.wait(60)
        try:
            job = jobs.claim(kind_of("unpack"), INTERACTIVE)
            return job.subject if job else None
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as workers:
        started = [worker.result(60) for worker in [workers.submit(start) for _ in range(4)]]
    assert sorted(pk for pk in started if pk) == [upload.pk for upload in uploads]
    assert set(Batch.objects.values_list("state", flat=True)) == {"unpacking"}
    assert set(Job.objects.values_list("state", "attempts")) == {("running", 1)}
