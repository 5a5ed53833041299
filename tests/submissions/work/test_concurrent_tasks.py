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
from submissions.uploads.change import add_boilerplate, create_batch
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


def test_two_workers_finish_a_report_once_and_a_second_report_waits_without_a_worker(
    ranking_batch: Batch, paused_ranking: PausedRanking, assignment: Assignment
) -> None:
    report = Report.objects.get()
    workers = [paused_ranking.start(lambda: work_off("rank"))]
    assert paused_ranking.reached.wait(60)
    workers.append(paused_ranking.start(lambda: work_off("rank")))
    second = enqueue_rank(assignment)
    work_off("rank")
    second.refresh_from_db()
    assert second.state == "queued"
    paused_ranking.resume.set()
    for worker in workers:
        worker.join(60)  # and then it has the second one ranked
    ranking_batch.refresh_from_db()
    second.refresh_from_db()
    assert second.pk != report.pk
    assert (second.state, ranking_batch.state, second.pairs.count()) == ("done", "done", 1)


def test_a_batch_deleted_meanwhile_goes_at_last(ranking_batch: Batch, paused_ranking: PausedRanking) -> None:
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
@pytest.mark.parametrize("unlucky", [False, True])
def test_a_worker_lost_right_after_unpacking_loses_nothing_but_what_ended_workers_each_time(
    assignment: Assignment, alice: User, eager_tasks: None, committing: Committing, *, unlucky: bool
) -> None:
    batch = create_batch(assignment, alice, [zipped(CLASS)])
    assert jobs.claim(kind_of("unpack"), INTERACTIVE)
    ingest_batch(batch)  # and here the worker is killed
    document = Document.objects.earliest("pk")
    Document.objects.filter(pk=document.pk).update(attempts=MAX_ATTEMPTS if unlucky else 0)
    Job.objects.update(touched=timezone.now() - 2 * SENDING)
    with committing(execute=True):
        maintenance.sweep()
    batch.refresh_from_db()
    assert (batch.state, batch.documents_done) == ("done", 3)
    assert not Upload.objects.exists()
    assert (f"{MAX_ATTEMPTS} times" in Document.objects.get(pk=document.pk).reason) is unlucky


def test_equal_boilerplate_is_one(assignment: Assignment, eager_tasks: None, committing: Committing) -> None:
    for _ in range(2):
        with committing(execute=True):
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


@pytest.mark.long
def test_a_failed_document_gets_a_new_chance_and_unused_sources_go(hand_in: HandIn) -> None:
    hand_in(zipped(TWO))
    Document.objects.update(state="failed", reason="the machine was restarted", attempts=9)
    hand_in(zipped(TWO))
    assert set(Document.objects.values_list("state", "reason")) == {("ready", "")}
    store_documents([(store_sources([HONEST.encode()])[0], "python")])
    Source.objects.update(created=timezone.now() - maintenance.SOURCE_GRACE_PERIOD - timedelta(minutes=1))
    maintenance.sweep()
    assert Source.objects.count() == Document.objects.count() == 2


def test_batches_left_ranking_are_swept_up_old_ones_too(hand_in: HandIn, committing: Committing) -> None:
    batches = [hand_in(zipped(TWO)) for _ in range(2)]
    Batch.objects.update(state="ranking", touched=timezone.now() - 2 * SENDING)
    Report.objects.all().delete()
    with committing(execute=True):
        maintenance.sweep()
    for batch in batches:
        batch.refresh_from_db()
        assert batch.state == "done"
