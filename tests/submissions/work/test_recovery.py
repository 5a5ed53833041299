"""Lost work is re-enqueued, stuck work ends with a reason, and nothing is tried for ever."""

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection, transaction
from django.test import Client, TestCase
from django.urls import reverse
from django.utils import timezone
from kombu.exceptions import OperationalError

from moss.celery import app
from moss.operations import maintenance
from submissions.intake.sandbox.process import NotStarted
from submissions.models import Assignment, Batch, Course, Document, Job, Report
from submissions.uploads import lifecycle
from submissions.uploads.change import create_batch
from submissions.uploads.files import UPLOADS_FOLDER, delete_orphans
from submissions.uploads.fingerprinting import MAX_ATTEMPTS
from submissions.work import jobs, running as stuck
from submissions.work.jobs import TASKS, kind_of
from submissions.work.kinds import INTERACTIVE, OUT_OF_TIME
from submissions.work.locks import Work, end_session, sessions, work_lock
from tests.conftest import wait_until
from tests.submissions.work.test_tasks import SLOW
from tests.support.jobs import let_time_pass, work_off, work_once
from tests.support.processes import pool_children, stopped
from tests.support.sample_class import CLASS, zipped

pytestmark = pytest.mark.usefixtures("empty_queues")


@pytest.fixture
def batch(assignment: Assignment, alice: User, eager_tasks: None) -> Batch:
    return create_batch(assignment, alice, [zipped(CLASS)])


def lock(session: psycopg.Connection, work: Work, pk: int) -> None:
    row = session.execute("SELECT pg_try_advisory_lock(%s::int, %s::int)", [work, pk]).fetchone()
    assert row == (True,)


def change(item: Batch, **fields: object) -> None:
    type(item).objects.filter(pk=item.pk).update(**fields)


def test_a_lock_is_held_by_one_session_and_ends_with_it(other_session: psycopg.Connection) -> None:
    lock(other_session, Work.DOCUMENT, 7)
    with work_lock(Work.DOCUMENT, 7) as mine, work_lock(Work.JOB, 7) as other_kind:
        assert (mine, other_kind) == (False, True)
    assert sessions(Work.DOCUMENT) == {7: other_session.info.backend_pid}
    assert not end_session(Work.DOCUMENT, 7, timedelta(minutes=10))  # it sent a query just now
    assert end_session(Work.DOCUMENT, 7)
    with pytest.raises(psycopg.OperationalError):
        other_session.execute("SELECT 1")
    wait_until(lambda: not sessions(Work.DOCUMENT), what="the end of the session")
    assert not end_session(Work.DOCUMENT, 7)
    with work_lock(Work.DOCUMENT, 7) as mine:
        assert mine


def test_a_report_whose_cancelled_predecessor_has_not_ended_yet_is_tried_again(
    batch: Batch, other_session: psycopg.Connection
) -> None:
    with transaction.atomic():
        report = lifecycle.enqueue_rank(batch.assignment)
    lock(other_session, Work.RANKING, report.assignment_id)
    work_once("rank")
    report.refresh_from_db()
    job = Job.objects.get(kind="rank")
    assert (report.state, job.state, job.attempts) == ("queued", "queued", 0)


@pytest.mark.parametrize(("kind", "running"), [("unpack", "unpacking"), ("rank", "running")])
def test_uploads_and_rankings_show_what_becomes_of_a_job(batch: Batch, kind: str, running: str) -> None:
    shown: Batch | Report = batch
    if kind == "rank":
        change(batch, state="ranking")
        shown = lifecycle.enqueue_rank(batch.assignment)
    job = jobs.claim(kind_of(kind), INTERACTIVE)
    assert job
    shown.refresh_from_db()
    assert shown.state == running
    assert jobs.requeue_lost(job)
    shown.refresh_from_db()
    assert shown.state == "queued"
    assert jobs.fail(Job.objects.get(kind=kind), OUT_OF_TIME)
    for one in (shown, batch):
        one.refresh_from_db()
        assert (one.state, one.message) == ("failed", OUT_OF_TIME)


def test_a_ranking_whose_session_sends_queries_goes_on_however_long_it_takes(
    batch: Batch, other_session: psycopg.Connection
) -> None:
    lifecycle.enqueue_rank(batch.assignment)
    job = jobs.claim(kind_of("rank"), INTERACTIVE)
    assert job
    lock(other_session, Work.JOB, job.pk)
    let_time_pass("rank")
    maintenance.sweep()
    assert Job.objects.get(kind="rank").state == "running"


@pytest.mark.long
def test_an_upload_is_accepted_while_the_broker_is_away_and_read_when_it_is_back(
    assignment: Assignment, alice_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object, **__: object) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(TASKS["unpack"], "apply_async", away)
    with TestCase.captureOnCommitCallbacks(execute=True):
        address = reverse("upload", args=[assignment.pk])
        response = alice_client.post(address, {"files": [zipped(CLASS)]})
    batch = assignment.batches.get()
    assert (response.status_code, response.headers["Location"]) == (302, batch.get_absolute_url())
    monkeypatch.undo()
    let_time_pass()
    app.conf.task_always_eager = True
    with TestCase.captureOnCommitCallbacks(execute=True):
        maintenance.sweep()
    app.conf.task_always_eager = False
    batch.refresh_from_db()
    assert batch.state == "done"


@pytest.mark.parametrize("storage", ["database", "folder"])
def test_a_file_whose_upload_was_never_stored_is_deleted(
    storage: str, assignment: Assignment, alice: User, request: pytest.FixtureRequest
) -> None:
    if storage == "folder":
        request.getfixturevalue("folder_storage")
    batch = create_batch(assignment, alice, [zipped(CLASS)])
    name = default_storage.save(f"{UPLOADS_FOLDER}/orphan", ContentFile(b"x"))
    maintenance.sweep()
    assert default_storage.exists(name)  # its upload may be stored just now
    delete_orphans(timezone.now() + timedelta(seconds=1))
    assert not default_storage.exists(name)
    assert default_storage.exists(batch.uploads.get().file.name)


def test_a_reader_that_is_killed_while_it_starts_fails_no_upload(
    assignment: Assignment, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(*_: object) -> None:
        raise NotStarted("killed")

    batch = create_batch(assignment, alice, [zipped(CLASS)])
    with monkeypatch.context() as patch:
        patch.setattr("submissions.uploads.ingestion.identify", start)
        with pytest.raises(NotStarted):
            work_once("unpack")
    assert Job.objects.get().state == "running"  # It has no lock: maintenance finds it.
    batch.refresh_from_db()
    assert batch.state == "unpacking"


def test_documents_that_others_read_are_waited_for(batch: Batch, other_session: psycopg.Connection) -> None:
    work_once("unpack")
    for document in Document.objects.all():
        lock(other_session, Work.DOCUMENT, document.pk)
    waiting = Job.objects.filter(kind="read_documents")
    lanes = waiting.count()
    work_off("read_documents")
    assert waiting.filter(state="queued", due__gt=timezone.now()).count() == lanes
    other_session.close()
    wait_until(lambda: not sessions(Work.DOCUMENT), what="the end of the session")
    let_time_pass()
    work_off("read_documents")
    batch.refresh_from_db()
    assert batch.state == "ranking"


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
def test_workers_start_different_uploads_once(assignment: Assignment, bob: User, alice: User) -> None:
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
