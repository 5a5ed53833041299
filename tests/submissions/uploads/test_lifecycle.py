"""State changes of batches and reports: allowed ones are logged with ids and reason."""

import logging

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError as DatabaseAway, connection, transaction
from django.utils import timezone

from moss.operations import maintenance
from submissions.models import Assignment, Batch, Document, Job, Report
from submissions.uploads import lifecycle
from submissions.uploads.change import create_batch
from submissions.uploads.jobs import LANES
from submissions.work.jobs import TASKS
from submissions.work.running import STARTING, sweep_jobs
from tests.support.jobs import let_time_pass, work_once
from tests.support.sample_class import CLASS, zipped
from tests.support.sessions import cut
from tests.support.uploads import Committing

pytestmark = pytest.mark.usefixtures("empty_queues")


@pytest.fixture
def batch(assignment: Assignment, alice: User, eager_tasks: None) -> Batch:
    return create_batch(assignment, alice, [zipped(CLASS)])


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "submissions")
    return caplog


@pytest.mark.long
def test_every_step_of_a_batch_and_its_report_is_one_log_line(
    batch: Batch, log: pytest.LogCaptureFixture, committing: Committing
) -> None:
    with committing(execute=True):
        work_once("unpack")
    report = batch.assignment.reports.get()
    subject, of_assignment = f"batch {batch.pk}", f"of assignment {batch.assignment_id}"
    assert [message for message in log.messages if message.startswith(subject)] == [
        f"{subject} {of_assignment}: queued -> unpacking",
        f"{subject} {of_assignment}: unpacking -> fingerprinting",
        f"{subject} {of_assignment}: fingerprinting -> ranking",
        f"{subject} {of_assignment}: ranking -> done",
    ]
    assert [message for message in log.messages if message.startswith("report")] == [
        f"report {report.pk} {of_assignment}: queued",
        f"report {report.pk} {of_assignment}: queued -> running",
        f"report {report.pk} {of_assignment}: running -> done",
    ]


def test_a_failure_is_logged_and_shown_to_its_uploader(batch: Batch, log: pytest.LogCaptureFixture) -> None:
    lifecycle.fail_batch(batch.pk, "Upload it again.", "OSError: disk full")
    batch.refresh_from_db()
    assert (batch.state, batch.message) == ("failed", "Upload it again.")
    assert log.messages == [
        f"batch {batch.pk} of assignment {batch.assignment_id}: queued -> failed (OSError: disk full)"
    ]


def test_a_forbidden_change_does_and_logs_nothing(batch: Batch, log: pytest.LogCaptureFixture) -> None:
    assert lifecycle.cancel_batch(batch)
    log.clear()
    assert not lifecycle.start_unpacking(batch.pk)
    assert not lifecycle.start_ranking(batch.pk)
    assert not lifecycle.cancel_batch(batch)
    lifecycle.fail_batch(batch.pk, "too late")
    lifecycle.finish_batches([batch.pk])
    batch.refresh_from_db()
    assert (batch.state, batch.message) == ("cancelled", "Cancelled.")
    assert log.messages == []


def test_a_failed_report_fails_the_batches_that_wait_for_it_unless_another_is_coming(batch: Batch) -> None:
    Batch.objects.update(state=Batch.State.RANKING)
    running = Report.objects.create(assignment=batch.assignment, state=Report.State.RUNNING)
    with transaction.atomic():
        queued = lifecycle.queue_report(batch.assignment)
    lifecycle.fail_report(running.pk, "out of memory")
    batch.refresh_from_db()
    assert batch.state == "ranking"
    lifecycle.fail_report(queued.pk, "out of memory")
    batch.refresh_from_db()
    assert (batch.state, batch.message) == ("failed", "out of memory")


def test_sweep_logs_nothing_when_nothing_is_late(batch: Batch, log: pytest.LogCaptureFixture) -> None:
    maintenance.sweep()
    assert log.messages == []


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_a_cut_session_fails_no_upload(assignment: Assignment, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("unpack", "read_documents"):  # No other process may take part.
        monkeypatch.setattr(TASKS[kind], "apply_async", lambda *_, **__: None)
    batch = create_batch(assignment, alice, [zipped(CLASS)])
    with monkeypatch.context() as patch:
        patch.setattr("submissions.uploads.ingestion.store_sources", cut)
        with pytest.raises(DatabaseAway):
            work_once("unpack")
    connection.close()
    batch.refresh_from_db()
    assert batch.state == "unpacking"
    let_time_pass()
    Job.objects.update(touched=timezone.now() - 2 * STARTING)
    sweep_jobs()
    work_once("unpack")
    batch.refresh_from_db()
    assert batch.state == "fingerprinting"


@pytest.mark.django_db(transaction=True)
def test_a_session_that_is_cut_is_no_attempt_of_the_file(
    assignment: Assignment, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("unpack", "read_documents"):  # No other process may take part.
        monkeypatch.setattr(TASKS[kind], "apply_async", lambda *_, **__: None)
    create_batch(assignment, alice, [zipped(CLASS)])
    work_once("unpack")
    key = Document.objects.earliest("pk").pk
    Job.objects.filter(kind="read_documents").exclude(part=key % LANES).delete()
    monkeypatch.setattr("submissions.uploads.fingerprinting._save", cut)
    with pytest.raises(DatabaseAway):
        work_once("read_documents")
    connection.close()
    assert Document.objects.get(pk=key).attempts == 0
