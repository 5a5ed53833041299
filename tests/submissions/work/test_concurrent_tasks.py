"""Workers and users that change the same batch or report at the same time."""

from datetime import datetime, timedelta
from types import SimpleNamespace

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from moss.operations import maintenance
from submissions.courses.retention import delete_batch
from submissions.models import Assignment, Batch, Boilerplate, Document, Job, Report, Source, Upload
from submissions.reports import results as ranking
from submissions.uploads import lifecycle
from submissions.uploads.change import add_boilerplate, create_batch, rerank
from submissions.uploads.fingerprinting import MAX_ATTEMPTS
from submissions.uploads.ingestion import ingest_batch, store_documents, store_sources
from submissions.uploads.lifecycle import enqueue_rank
from submissions.work import jobs, running
from submissions.work.jobs import TASKS, kind_of
from submissions.work.kinds import INTERACTIVE
from submissions.work.running import SENDING
from tests.support.jobs import carry_out, work_off, work_once
from tests.support.paused_tasks import TWO, PausedRanking
from tests.support.sample_class import CLASS, COPIED, HONEST, STARTER, loose, zipped
from tests.support.uploads import Committing, HandIn

pytestmark = pytest.mark.services


@pytest.mark.long
def test_two_workers_with_one_report_finish_it_once(
    ranking_batch: Batch, paused_ranking: PausedRanking
) -> None:
    report = Report.objects.get()
    first = paused_ranking.start(lambda: work_off("rank"))
    assert paused_ranking.reached.wait(60)
    second = paused_ranking.start(lambda: work_off("rank"))
    paused_ranking.resume.set()
    first.join(60)
    second.join(60)
    report.refresh_from_db()
    ranking_batch.refresh_from_db()
    assert (report.state, ranking_batch.state, report.pairs.count()) == ("done", "done", 1)


def test_a_batch_deleted_while_it_is_ranked_is_deleted_afterwards(
    ranking_batch: Batch, paused_ranking: PausedRanking
) -> None:
    worker = paused_ranking.start(lambda: work_off("rank"))
    assert paused_ranking.reached.wait(60)
    person = paused_ranking.start(lambda: delete_batch(ranking_batch))
    paused_ranking.resume.set()
    worker.join(60)
    person.join(60)
    assert not Batch.objects.exists()
    assert not Report.objects.exists()
    assert not Source.objects.exists()


def test_boilerplate_added_while_a_cohort_is_ranked_counts_and_no_worker_waits(
    ranking_batch: Batch,
    paused_ranking: PausedRanking,
    assignment: Assignment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(TASKS["fingerprint_boilerplate"], "apply_async", lambda *_, **__: None)
    worker = paused_ranking.start(lambda: work_off("rank"))
    assert paused_ranking.reached.wait(60)
    add_boilerplate(assignment, [loose("starter.py", COPIED)])
    work_once("fingerprint_boilerplate")
    job = Job.objects.get(kind="fingerprint_boilerplate")
    assert (job.state, job.due > timezone.now()) == ("queued", True)  # a worker tries it again later
    paused_ranking.resume.set()
    worker.join(60)
    carry_out("fingerprint_boilerplate", assignment.pk)
    last_report = assignment.reports.get()
    assert (last_report.state, last_report.pairs.count()) == ("done", 0)


@pytest.mark.long
def test_a_second_report_of_an_assignment_waits_without_a_worker(
    ranking_batch: Batch, paused_ranking: PausedRanking, assignment: Assignment
) -> None:
    worker = paused_ranking.start(lambda: work_off("rank"))
    assert paused_ranking.reached.wait(60)
    second = enqueue_rank(assignment)
    work_off("rank")
    second.refresh_from_db()
    assert second.state == "queued"
    paused_ranking.resume.set()
    worker.join(60)  # and then it has the second one ranked
    second.refresh_from_db()
    assert second.state == "done"


def test_a_report_is_enqueued_once(assignment: Assignment, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TASKS["rank"], "apply_async", lambda *_, **__: None)
    reports = {enqueue_rank(assignment) for _ in range(3)}
    assert len(reports) == Job.objects.filter(kind="rank").count() == 1


def test_a_waiting_report_is_not_taken_up_before_its_worker_can_see_what_is_new(
    assignment: Assignment, paused_ranking: PausedRanking, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = Report.objects.create(assignment=assignment)
    waiting = Report.objects.filter(pk=report.pk, state="queued")
    workers = []

    def meanwhile() -> datetime:
        workers.append(paused_ranking.start(lambda: waiting.update(state="running")))
        workers[-1].join(1)
        return timezone.now()

    monkeypatch.setattr(lifecycle, "timezone", SimpleNamespace(now=meanwhile))
    with transaction.atomic():
        assert enqueue_rank(assignment) == report
        assert waiting.exists()
        transaction.set_rollback(True)
    workers[0].join(60)
    assert not waiting.exists()


@pytest.mark.long
def test_a_batch_that_a_newer_one_supersedes_is_done_with_it(
    hand_in: HandIn, assignment: Assignment, django_capture_on_commit_callbacks: Committing
) -> None:
    older = hand_in(zipped(TWO))
    newer = hand_in(zipped(TWO))
    Batch.objects.update(state="ranking")
    with django_capture_on_commit_callbacks(execute=True):
        rerank(assignment)
    for batch in (older, newer):
        batch.refresh_from_db()
        assert batch.state == "done"


@pytest.mark.long
def test_a_worker_lost_right_after_unpacking_loses_nothing(
    assignment: Assignment, alice: User, eager_tasks: None, django_capture_on_commit_callbacks: Committing
) -> None:
    batch = create_batch(assignment, alice, [zipped(CLASS)])
    assert jobs.claim(kind_of("unpack"), INTERACTIVE)
    ingest_batch(batch)  # and here the worker is killed
    Job.objects.update(touched=timezone.now() - 2 * SENDING)
    with django_capture_on_commit_callbacks(execute=True):
        maintenance.sweep()
    batch.refresh_from_db()
    assert (batch.state, batch.documents_done) == ("done", 3)
    assert not Upload.objects.exists()


def test_the_same_boilerplate_twice_is_registered_once(
    assignment: Assignment, eager_tasks: None, django_capture_on_commit_callbacks: Committing
) -> None:
    for _ in range(2):
        with django_capture_on_commit_callbacks(execute=True):
            add_boilerplate(assignment, [loose("starter.py", STARTER)])
    assert Boilerplate.objects.count() == 1


@pytest.mark.long
def test_a_failed_report_fails_no_batch_for_which_another_report_is_queued(
    hand_in: HandIn, assignment: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = hand_in(zipped(TWO))
    Batch.objects.update(state="ranking")
    broken = enqueue_rank(assignment)
    job = jobs.claim(kind_of("rank"), INTERACTIVE)
    assert job
    assert enqueue_rank(assignment) != broken
    monkeypatch.setattr(ranking, "rank", None)
    with pytest.raises(TypeError):
        running.carry_out(kind_of("rank"), job)
    batch.refresh_from_db()
    broken.refresh_from_db()
    assert (broken.state, batch.state) == ("failed", "ranking")
    monkeypatch.undo()
    work_off("rank")
    batch.refresh_from_db()
    assert batch.state == "done"


def test_a_batch_left_ranking_is_swept_up(
    hand_in: HandIn, django_capture_on_commit_callbacks: Committing
) -> None:
    batch = hand_in(zipped(TWO))
    long_ago = timezone.now() - 2 * SENDING
    Batch.objects.update(state="ranking", touched=long_ago)
    Report.objects.all().delete()
    with django_capture_on_commit_callbacks(execute=True):
        maintenance.sweep()
    batch.refresh_from_db()
    assert batch.state == "done"


@pytest.mark.long
def test_sources_without_a_submission_are_deleted_and_others_are_kept(hand_in: HandIn) -> None:
    hand_in(zipped(TWO))
    store_documents([(store_sources([HONEST.encode()])[0], "python")])
    Source.objects.update(created=timezone.now() - maintenance.SOURCE_GRACE_PERIOD - timedelta(minutes=1))
    maintenance.sweep()
    assert Source.objects.count() == Document.objects.count() == 2


@pytest.mark.long
def test_a_document_that_failed_gets_a_new_chance_with_a_new_upload(hand_in: HandIn) -> None:
    hand_in(zipped(TWO))
    Document.objects.update(state="failed", reason="the machine was restarted", attempts=9)
    hand_in(zipped(TWO))
    assert set(Document.objects.values_list("state", "reason")) == {("ready", "")}


@pytest.mark.long
def test_a_source_that_ended_its_worker_each_time_is_not_tried_again(
    assignment: Assignment, alice: User, eager_tasks: None, django_capture_on_commit_callbacks: Committing
) -> None:
    batch = create_batch(assignment, alice, [zipped(CLASS)])
    assert jobs.claim(kind_of("unpack"), INTERACTIVE)
    ingest_batch(batch)
    unlucky = Document.objects.earliest("pk")
    Document.objects.filter(pk=unlucky.pk).update(attempts=MAX_ATTEMPTS)
    Job.objects.update(touched=timezone.now() - 2 * SENDING)
    with django_capture_on_commit_callbacks(execute=True):
        maintenance.sweep()
    assert f"{MAX_ATTEMPTS} times" in Document.objects.get(pk=unlucky.pk).reason
    batch.refresh_from_db()
    assert batch.state == "done"
