"""A ranking in shards makes the report of one task, whatever happens to its shards."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from pytest_django.fixtures import Settings

from fingerprint import engine
from moss.operations import maintenance
from submissions.models import Assignment, Batch, Job, RankingPlan, RankingShard, Report
from submissions.reports import cohort as kept_cohorts, jobs as ranking_jobs, progress, shards
from submissions.reports.cohort import LoadedCohort, Selection, load_cohort
from submissions.uploads import lifecycle
from submissions.uploads.lifecycle import cancel_ranking
from submissions.work import running
from submissions.work.jobs import TASKS
from tests.support.jobs import carry_out, work_off
from tests.support.planned_rankings import (
    ONE_PAIR,
    SOME_PAIRS,
    content,
    score,
    score_all,
)
from tests.support.uploads import Committing

pytestmark = pytest.mark.usefixtures("empty_queues")


def test_shards_make_the_report_of_one_task_to_the_digit(
    varied: Assignment, rerank: Callable[[], Report], settings: Settings
) -> None:
    whole = content(rerank())
    newest = varied.reports.get()
    assert newest.findings
    assert newest.findings.effect
    assert newest.findings.effect.boilerplate
    assert newest.findings.not_compared.teams == 1
    assert newest.pairs.filter(translated=True).exists()
    assert newest.pairs.filter(right__name__contains="Lab").exists()
    settings.SHARD_SECONDS = ONE_PAIR
    assert content(rerank()) == whole
    assert not RankingPlan.objects.exists()
    assert not RankingShard.objects.exists()


def test_every_candidate_pair_is_in_one_shard(
    varied: Assignment, plan: Callable[[Assignment], RankingPlan]
) -> None:
    planned = plan(varied)
    assert planned.shards.count() == planned.pairs > 20
    assert {shard.job for shard in planned.shards.all()} == {0, 1, 2, 3}
    assert {shard.kind for shard in planned.shards.all()} == {"scores"}
    pairs = [(shard.job, bytes(shard.sides)) for shard in planned.shards.all()]
    assert len(set(pairs)) == len(pairs)


def test_shards_may_be_scored_twice_and_in_any_order(
    planned: RankingPlan, django_capture_on_commit_callbacks: Committing
) -> None:
    first = planned.shards.get(number=0)
    score(first)
    first.refresh_from_db()
    before = bytes(first.result or b"")
    score(first)
    shards.compute(first)
    first.refresh_from_db()
    assert bytes(first.result or b"") == before
    score_all(planned, django_capture_on_commit_callbacks)
    report = Report.objects.get(pk=planned.report_id)
    in_shards = content(report)
    again = lifecycle.queue_report(report.assignment)
    work_off("score_shard", "rank")  # no job is left
    assert content(report) == in_shards
    assert again.pk != report.pk


def test_nothing_of_the_assignment_is_locked_while_shards_wait_and_the_last_report_stays(
    planned: RankingPlan, alice: User
) -> None:
    assignment = planned.report.assignment
    assert lifecycle.lock_assignment(assignment.pk, wait=False)
    last, running = assignment.reports.order_by("pk")
    assert (last.state, running.state) == ("done", "running")
    job = Job.objects.get(kind="rank")
    assert (job.state, job.queue) == ("parts", "heavy")
    assert not running.pairs.exists()


def test_progress_counts_the_pairs_of_all_shards(planned: RankingPlan) -> None:
    one, two = planned.shards.order_by("number")[:2]
    for number, shard in enumerate((one, two), 1):
        score(shard)
        published = progress.latest_progress([planned.report_id])
        assert published
        assert (published.done, published.total) == (number, planned.pairs)
        assert published.stage == f"Comparing {planned.submissions} submissions with each other"


def test_few_messages_wait_at_a_time_so_that_the_work_of_others_is_between(
    planned: RankingPlan, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Committing
) -> None:
    monkeypatch.setattr(ranking_jobs, "SHARDS_AT_ONCE", 2)
    monkeypatch.setattr(TASKS["score_shard"], "apply_async", lambda *_, **__: None)
    ranking_jobs._start_again(planned)
    with django_capture_on_commit_callbacks(execute=True):
        running._go_on("rank", planned.report.assignment_id)
    keys = list(RankingShard.objects.order_by("number").values_list("pk", flat=True))
    waiting = Job.objects.filter(kind="score_shard").order_by("subject").values_list("subject", flat=True)
    assert len(keys) > 3
    assert list(waiting.all()) == keys[:2]
    carry_out("score_shard", keys[1])
    assert list(waiting.all()) == [keys[0], keys[3]]


def test_a_cancelled_ranking_scores_no_further_shard_and_leaves_nothing(planned: RankingPlan) -> None:
    shard = planned.shards.get(number=0)
    cancel_ranking(planned.report.assignment)
    score(shard)
    shard.refresh_from_db()
    assert shard.result is None
    with pytest.raises(progress.Cancelled):
        shards.plan_check(planned.pk)()
    maintenance.sweep()
    assert not RankingPlan.objects.exists()


@pytest.fixture
def scored(
    varied: Assignment,
    plan: Callable[[Assignment], RankingPlan],
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Committing,
) -> RankingPlan:
    """Return a plan whose pairs are scored, and whose listed pairs are in shards whose messages are lost."""
    planned = plan(varied)
    with monkeypatch.context() as patch:
        patch.setattr(TASKS["score_shard"], "apply_async", lambda *_, **__: None)
        score_all(planned, django_capture_on_commit_callbacks)
    return planned


@pytest.mark.long
def test_the_listed_pairs_are_aligned_in_shards_in_any_order_and_perhaps_twice(
    scored: RankingPlan, django_capture_on_commit_callbacks: Committing
) -> None:
    aligning = scored.shards.filter(kind="passages").order_by("-number")
    listed = aligning.count()
    assert listed > 1
    assert not scored.report.pairs.exists()
    for shard in aligning[:1]:
        shards.compute(shard)
        stored = bytes(aligning.get(pk=shard.pk).result or b"")
        shards.compute(shard)
        assert bytes(aligning.get(pk=shard.pk).result or b"") == stored
        published = progress.latest_progress([scored.report_id])
        assert published
        assert (published.stage, published.done, published.total) == ("Aligning pairs", 1, listed)
    work_off("rank")  # a second message does not cut them again
    assert aligning.count() == listed
    score_all(scored, django_capture_on_commit_callbacks)
    report = Report.objects.get(pk=scored.report_id)
    content(report)
    assert report.pairs.count() == listed


def test_a_worker_that_has_nothing_in_memory_makes_the_same_report(
    varied: Assignment, rerank: Callable[[], Report], settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SHARD_SECONDS = SOME_PAIRS
    kept = content(rerank())
    real_compute = shards.compute

    computed = set()

    def compute(shard: RankingShard) -> None:
        kept_cohorts.forget()
        real_compute(shard)
        computed.add(shard.pk)
        kept_cohorts.forget()

    monkeypatch.setattr(shards, "compute", compute)
    assert content(rerank()) == kept
    assert len(computed) > 5


def test_a_worker_keeps_nothing_of_a_ranking_that_is_done_or_cancelled(
    planned: RankingPlan, rerank: Callable[[], Report]
) -> None:
    shard = planned.shards.get(number=0)
    assert kept_cohorts._kept[0].plan == planned.pk
    cancel_ranking(planned.report.assignment)
    ranking_jobs._enqueue_later(shard)
    assert kept_cohorts._kept == []
    content(rerank())
    assert kept_cohorts._kept == []


def test_a_ranking_that_is_cancelled_while_it_is_merged_leaves_the_last_report(
    scored: RankingPlan, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Committing
) -> None:
    report, real_rank = scored.report, engine.rank_for_report

    def cancel(*arguments: Any, **options: Any) -> engine.Ranking:
        cancel_ranking(report.assignment)
        return real_rank(*arguments, **options)

    monkeypatch.setattr(engine, "rank_for_report", cancel)
    score_all(scored, django_capture_on_commit_callbacks)
    report.refresh_from_db()
    assert report.state == "cancelled"
    assert not report.pairs.exists()
    assert report.assignment.reports.filter(state="done").exists()


def test_a_class_is_loaded_outside_of_the_transaction_that_locks_its_assignment(
    batch: Batch, rerank: Callable[[], Report], monkeypatch: pytest.MonkeyPatch
) -> None:
    outside, seen = len(connection.savepoint_ids), []

    def load(assignment: Assignment, selection: Selection) -> LoadedCohort:
        seen.append(len(connection.savepoint_ids))
        return load_cohort(assignment, selection)

    monkeypatch.setattr("submissions.reports.shards.load_cohort", load)
    content(rerank())
    assert seen == [outside]
