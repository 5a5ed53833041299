"""Shards and merges that are lost, end their worker, or find a class that was changed."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.db import OperationalError as DatabaseAway, connection
from django.test import TestCase
from django.utils import timezone
from pytest_django.fixtures import Settings

from fingerprint import engine
from moss.operations import maintenance
from submissions.courses.retention import delete_assignment
from submissions.models import Assignment, Job, RankingPlan, RankingShard, Report, Submission
from submissions.reports import cohort as kept_cohorts, jobs as ranking_jobs, progress, shards
from submissions.work import jobs, running
from submissions.work.heartbeats import Worker, delete_worker, package_version, save_worker
from submissions.work.jobs import GAVE_UP, TASKS, kind_of
from submissions.work.kinds import HEAVY, MAX_ATTEMPTS
from tests.support.jobs import let_time_pass, work_off, work_once
from tests.support.long_rows import rest_is_long
from tests.support.planned_rankings import (
    SOME_PAIRS,
    content,
    score,
    score_all,
)
from tests.support.sample_class import COPIED, zipped
from tests.support.sessions import cut
from tests.support.uploads import Committing, HandIn

pytestmark = pytest.mark.usefixtures("empty_queues")


@pytest.mark.long
def test_lost_messages_are_sent_again(planned: RankingPlan) -> None:
    maintenance.sweep()
    assert not planned.shards.exclude(result=None).exists(), "its messages may still come"
    let_time_pass("score_shard")
    with TestCase.captureOnCommitCallbacks(execute=True):
        maintenance.sweep()  # tasks are eager here: this scores all shards and merges them
    content(Report.objects.get(pk=planned.report_id))


def test_a_ranking_that_nobody_has_go_on_after_its_last_part_goes_on(
    planned: RankingPlan, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Committing
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(running, "_go_on", lambda *_: None)  # its worker was killed before that
        score_all(planned, django_capture_on_commit_callbacks)
    assert Job.objects.get(kind="rank").state == "parts"
    let_time_pass("rank")
    with TestCase.captureOnCommitCallbacks(execute=True):
        maintenance.sweep()
    content(Report.objects.get(pk=planned.report_id))


@pytest.mark.parametrize("part", ["shard", "merge"])
def test_a_part_that_ends_its_worker_each_time_fails_the_report(part: str, planned: RankingPlan) -> None:
    if part == "shard":
        Job.objects.filter(kind="score_shard").update(attempts=MAX_ATTEMPTS)
        work_once("score_shard", HEAVY)
    else:
        Job.objects.filter(kind="score_shard").delete()
        job = jobs.resume("rank", planned.report.assignment_id)
        for _ in range(MAX_ATTEMPTS):
            assert job
            assert jobs.requeue_lost(job)
            job = jobs.claim(kind_of("rank"), HEAVY)
    report = Report.objects.get(pk=planned.report_id)
    assert (report.state, report.message) == ("failed", GAVE_UP)
    assert not Job.objects.exclude(state="failed").exclude(kind="merge_postings").exists()


def test_a_shard_is_left_to_workers_of_its_version(planned: RankingPlan) -> None:
    Job.objects.filter(kind="score_shard").update(version="0.0.1")
    work_off("score_shard")
    assert not planned.shards.exclude(result=None).exists()


@pytest.mark.long
def test_a_ranking_of_a_version_without_workers_begins_again_with_this_one(
    planned: RankingPlan, settings: Settings, django_capture_on_commit_callbacks: Committing
) -> None:
    cache = settings.CACHES["default"]
    settings.CACHES = {"default": cache | {"KEY_PREFIX": f"{cache['KEY_PREFIX']}outdated-"}}
    RankingPlan.objects.update(version="0.0.1")
    Job.objects.filter(kind="score_shard").update(version="0.0.1")
    let_time_pass("score_shard")
    maintenance.sweep()
    assert RankingPlan.objects.get().version == "0.0.1"
    worker = Worker("new@host", 1, [HEAVY], 1, package_version(), "new", timezone.now().isoformat())
    save_worker(worker)
    with django_capture_on_commit_callbacks(execute=True):
        maintenance.sweep()
        let_time_pass("rank")
        maintenance.sweep()
    delete_worker(worker.name)
    content(Report.objects.get(pk=planned.report_id))


@pytest.mark.parametrize("is_loaded_again", [False, True])
def test_a_ranking_whose_class_was_changed_meanwhile_starts_again(
    is_loaded_again: bool,  # noqa: FBT001 - a parameter of the test
    planned: RankingPlan,
    django_capture_on_commit_callbacks: Committing,
) -> None:
    Submission.objects.filter(name="cleo").delete()
    if is_loaded_again:
        kept_cohorts.forget()
    score_all(planned, django_capture_on_commit_callbacks)
    report = Report.objects.get(pk=planned.report_id)
    assert "cleo" not in str(content(report)["submissions"])


def test_a_slow_shard_of_an_earlier_plan_does_not_end_the_newer_one(
    planned: RankingPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    shard, real_compute = planned.shards.get(number=0), shards.compute
    kept_cohorts.forget()
    newer: list[RankingPlan] = []

    def compute(late: RankingShard) -> None:
        Submission.objects.filter(name="cleo").delete()
        ranking_jobs._start_again(planned)  # as another worker did that found the change first
        running._go_on("rank", planned.report.assignment_id)
        newer.append(RankingPlan.objects.get(report=planned.report_id))
        real_compute(late)

    monkeypatch.setattr(shards, "compute", compute)
    monkeypatch.setattr(TASKS["score_shard"], "apply_async", lambda *_, **__: None)
    score(shard)
    assert newer[0].pk != planned.pk
    assert newer == [RankingPlan.objects.get(report__state="running")]


def test_a_plan_that_is_deleted_before_its_listed_pairs_are_cut_counts_as_cancelled(
    planned: RankingPlan,
) -> None:
    listed = engine.rank_for_report(kept_cohorts.planned(planned).cohort.inputs, 10)
    RankingPlan.objects.all().delete()
    with pytest.raises(progress.Cancelled):
        shards.cut_listed(planned, listed)


@pytest.mark.long
@pytest.mark.parametrize("is_loaded_again", rest_is_long([False, True]))
def test_an_earlier_assignment_that_is_deleted_meanwhile_is_in_no_pair(
    is_loaded_again: bool,  # noqa: FBT001 - a parameter of the test
    varied: Assignment,
    plan: Callable[..., RankingPlan],
    django_capture_on_commit_callbacks: Committing,
) -> None:
    planned = plan(varied, SOME_PAIRS)
    assert planned.selection["old"]
    with django_capture_on_commit_callbacks(execute=True):
        delete_assignment(varied.course.assignments.get(name="Lab"))
    if is_loaded_again:
        kept_cohorts.forget()
    score_all(planned, django_capture_on_commit_callbacks)
    report = Report.objects.get(pk=planned.report_id)
    assert "Lab" not in str(content(report)["pairs"])


@pytest.mark.long
def test_work_that_is_uploaded_meanwhile_waits_for_the_next_ranking(
    planned: RankingPlan, alice: User, hand_in: HandIn, django_capture_on_commit_callbacks: Committing
) -> None:
    assignment = planned.report.assignment
    later = hand_in(zipped({"zoe/m.py": COPIED}))
    assert later.state == "ranking"
    score_all(planned, django_capture_on_commit_callbacks)
    later.refresh_from_db()
    assert later.state == "done"
    newest = assignment.reports.get()
    assert newest.pk > planned.report_id
    assert "zoe" in str(content(newest)["submissions"])


@pytest.mark.django_db(transaction=True)
def test_a_session_that_is_cut_loses_a_shard_and_fails_no_report(
    planned: RankingPlan, monkeypatch: pytest.MonkeyPatch, eager_tasks: None
) -> None:
    shard = planned.shards.get(number=0)
    with monkeypatch.context() as patch:
        patch.setattr("submissions.reports.shards.pack_scores", cut)
        with pytest.raises(DatabaseAway):
            score(shard)
    connection.close()
    shard.refresh_from_db()
    assert (shard.result, shard.plan.report.state) == (None, "running")
    for _ in range(2):  # The message of what is queued again starts another shard first.
        let_time_pass("score_shard")
        maintenance.sweep()
    content(Report.objects.get(pk=planned.report_id))


def test_no_shard_is_estimated_to_take_longer_than_it_may(settings: Settings) -> None:
    seconds = np.random.default_rng(2).exponential(0.5, 1_000)
    columns = np.arange(2_000).reshape(2, -1)
    for total_shards, most in ((shards.LEAST_SHARDS, 10**6), (100, seconds.sum() / 100)):
        settings.SHARD_SECONDS = most
        parts = list(shards._parts(columns, seconds, shards._most_seconds([seconds])))
        assert (np.concatenate(parts, axis=1) == columns).all()
        assert total_shards <= len(parts) <= 1.2 * total_shards
        assert max(seconds[part[0]].sum() for part in parts) <= min(most, seconds.sum() / shards.LEAST_SHARDS)


def test_packed_parts_are_unpacked_as_they_were() -> None:
    for parts in ([], [b""], [b"abc", b"", b"d" * 1_000]):
        assert shards.unpack_parts(shards.pack_parts(parts)) == parts


def test_scores_are_packed_without_loss() -> None:
    generator = np.random.default_rng(1)
    columns: dict[str, Any] = {
        name: generator.integers(0, 2**40, 7) if name in shards.WHOLE_COLUMNS else generator.random(7)
        for name in engine.Scores._fields
    }
    unpacked = shards.unpack_scores(shards.pack_scores(engine.Scores(**columns)))
    for name, column in columns.items():
        assert (getattr(unpacked, name) == column).all()
        assert getattr(unpacked, name).dtype == column.dtype
