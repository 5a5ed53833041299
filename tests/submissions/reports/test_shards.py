"""Rankings in shards make the report of one task, whatever happens to shards, workers and the class."""

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
from submissions.models import Assignment, Batch, Job, RankingPlan, RankingShard, Report, Submission
from submissions.pages import views as service
from submissions.reports import cohort as kept_cohorts, jobs as ranking_jobs, progress, shards
from submissions.reports.cohort import (
    ClassTooLarge,
    LoadedCohort,
    Selection,
    check_memory,
    load_cohort,
    select_cohort,
)
from submissions.uploads import lifecycle
from submissions.uploads.change import create_batch
from submissions.uploads.lifecycle import cancel_ranking
from submissions.work import jobs, running
from submissions.work.heartbeats import Worker, delete_worker, package_version, save_worker
from submissions.work.jobs import GAVE_UP, TASKS, kind_of
from submissions.work.kinds import HEAVY, MAX_ATTEMPTS
from tests.support.jobs import carry_out, let_time_pass, work_off, work_once
from tests.support.long_rows import rest_is_long
from tests.support.planned_rankings import ONE_PAIR, SOME_PAIRS, content, score, score_all
from tests.support.sample_class import CLASS, COPIED, zipped
from tests.support.sessions import cut
from tests.support.uploads import Committing, HandIn

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


@pytest.mark.parametrize("rankings", [1, 2])
def test_only_pairs_that_may_be_in_the_report_make_a_ranking_long(
    rankings: int, varied: Assignment, rerank: Callable[[], Report], settings: Settings
) -> None:
    jobs = shards.prepare(rerank()).jobs
    first, second = map(shards._job_seconds, jobs)
    worth = np.arange(len(first)) % 2 == 0
    longest = rankings * (first[worth].sum() + second.sum())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "worth_scoring", lambda *_: worth)
        for seconds, takes_long in ((longest * 1.001, False), (longest * 0.999, True), (1e9, False)):
            settings.SHARD_SECONDS = seconds
            assert shards._takes_long(jobs, rankings) is takes_long


def test_every_candidate_is_in_a_shard(varied: Assignment, plan: Callable[[Assignment], RankingPlan]) -> None:
    planned = plan(varied)
    assert planned.shards.count() == planned.pairs > 20
    assert {shard.job for shard in planned.shards.all()} == {0, 1, 2, 3}
    assert {shard.kind for shard in planned.shards.all()} == {"scores"}
    pairs = [(shard.job, bytes(shard.sides)) for shard in planned.shards.all()]
    assert len(set(pairs)) == len(pairs)


def test_while_shards_wait_nothing_is_locked_and_pairs_are_counted(planned: RankingPlan) -> None:
    assignment = planned.report.assignment
    assert lifecycle.lock_assignment(assignment.pk, wait=False)
    last, running = assignment.reports.order_by("pk")
    assert (last.state, running.state) == ("done", "running")
    job = Job.objects.get(kind="rank")
    assert (job.state, job.queue) == ("parts", "heavy")
    for number, shard in enumerate(planned.shards.order_by("number")[:2], 1):
        score(shard)
        published = progress.latest_progress([planned.report_id])
        assert published
        assert (published.done, published.total) == (number, planned.pairs)
        assert published.stage == f"Comparing {planned.submissions} submissions with each other"
    assert not running.pairs.exists()


def test_shards_may_be_scored_twice_and_in_any_order(planned: RankingPlan, committing: Committing) -> None:
    first = planned.shards.get(number=0)
    score(first)
    first.refresh_from_db()
    before = bytes(first.result or b"")
    score(first)
    shards.compute(first)
    first.refresh_from_db()
    assert bytes(first.result or b"") == before
    score_all(planned, committing)
    report = Report.objects.get(pk=planned.report_id)
    in_shards = content(report)
    again = lifecycle.queue_report(report.assignment)
    work_off("score_shard", "rank")  # no job is left
    assert content(report) == in_shards
    assert again.pk != report.pk


def test_few_messages_wait_at_a_time_so_that_the_work_of_others_is_between(
    planned: RankingPlan, monkeypatch: pytest.MonkeyPatch, committing: Committing
) -> None:
    monkeypatch.setattr(ranking_jobs, "SHARDS_AT_ONCE", 2)
    monkeypatch.setattr(TASKS["score_shard"], "apply_async", lambda *_, **__: None)
    ranking_jobs._start_again(planned)
    with committing(execute=True):
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
    committing: Committing,
) -> RankingPlan:
    """Return a plan whose pairs are scored, and whose listed pairs are in shards whose messages are lost."""
    planned = plan(varied)
    with monkeypatch.context() as patch:
        patch.setattr(TASKS["score_shard"], "apply_async", lambda *_, **__: None)
        score_all(planned, committing)
    return planned


@pytest.mark.long
def test_listed_pairs_are_aligned_in_any_order_and_twice(scored: RankingPlan, committing: Committing) -> None:
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
    score_all(scored, committing)
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


def test_a_worker_forgets_rankings_that_ended(planned: RankingPlan, rerank: Callable[[], Report]) -> None:
    shard = planned.shards.get(number=0)
    assert kept_cohorts._kept[0].plan == planned.pk
    cancel_ranking(planned.report.assignment)
    ranking_jobs._enqueue_later(shard)
    assert kept_cohorts._kept == []
    content(rerank())
    assert kept_cohorts._kept == []


def test_a_ranking_that_is_cancelled_while_it_is_merged_leaves_the_last_report(
    scored: RankingPlan, monkeypatch: pytest.MonkeyPatch, committing: Committing
) -> None:
    report, real_rank = scored.report, engine.rank_for_report

    def cancel(*arguments: Any, **options: Any) -> engine.Ranking:
        cancel_ranking(report.assignment)
        return real_rank(*arguments, **options)

    monkeypatch.setattr(engine, "rank_for_report", cancel)
    score_all(scored, committing)
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


def test_a_ranking_that_nobody_has_go_on_after_its_last_part_goes_on(
    planned: RankingPlan, monkeypatch: pytest.MonkeyPatch, committing: Committing
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(running, "_go_on", lambda *_: None)  # its worker was killed before that
        score_all(planned, committing)
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
    planned: RankingPlan, settings: Settings, committing: Committing
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
    with committing(execute=True):
        maintenance.sweep()
        let_time_pass("rank")
        maintenance.sweep()
    delete_worker(worker.name)
    content(Report.objects.get(pk=planned.report_id))


@pytest.mark.parametrize("is_loaded_again", [False, True])
def test_a_ranking_whose_class_was_changed_meanwhile_starts_again(
    is_loaded_again: bool,  # noqa: FBT001 - a parameter of the test
    planned: RankingPlan,
    committing: Committing,
) -> None:
    Submission.objects.filter(name="cleo").delete()
    if is_loaded_again:
        kept_cohorts.forget()
    score_all(planned, committing)
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


def test_a_plan_deleted_before_its_pairs_are_cut_counts_as_cancelled(planned: RankingPlan) -> None:
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
    committing: Committing,
) -> None:
    planned = plan(varied, SOME_PAIRS)
    assert planned.selection["old"]
    with committing(execute=True):
        delete_assignment(varied.course.assignments.get(name="Lab"))
    if is_loaded_again:
        kept_cohorts.forget()
    score_all(planned, committing)
    report = Report.objects.get(pk=planned.report_id)
    assert "Lab" not in str(content(report)["pairs"])


@pytest.mark.long
def test_work_that_is_uploaded_meanwhile_waits_for_the_next_ranking(
    planned: RankingPlan, alice: User, hand_in: HandIn, committing: Committing
) -> None:
    assignment = planned.report.assignment
    later = hand_in(zipped({"zoe/m.py": COPIED}))
    assert later.state == "ranking"
    score_all(planned, committing)
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


def test_scores_and_parts_are_packed_without_loss() -> None:
    for parts in ([], [b""], [b"abc", b"", b"d" * 1_000]):
        assert shards.unpack_parts(shards.pack_parts(parts)) == parts
    generator = np.random.default_rng(1)
    columns: dict[str, Any] = {
        name: generator.integers(0, 2**40, 7) if name in shards.WHOLE_COLUMNS else generator.random(7)
        for name in engine.Scores._fields
    }
    unpacked = shards.unpack_scores(shards.pack_scores(engine.Scores(**columns)))
    for name, column in columns.items():
        assert (getattr(unpacked, name) == column).all()
        assert getattr(unpacked, name).dtype == column.dtype


def test_a_class_that_is_too_large_fails_with_the_figure_before_it_is_loaded(
    hand_in: HandIn, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.RANKING_MEMORY = kept_cohorts.WORKER_BYTES
    monkeypatch.setattr("submissions.reports.shards.load_cohort", None)
    batch = hand_in(zipped(CLASS))
    report = Report.objects.get()
    assert (batch.state, report.state, batch.message) == ("failed", "failed", report.message)
    tokens = kept_cohorts.token_count(_selection(batch.assignment))
    assert tokens > 100
    assert report.message == (
        f"Ranking this class takes about 0.4 GB of memory ({tokens} tokens); a worker may use 0.3 GB. Leave "
        "out files that nobody in the class wrote, or ask whoever runs this server for workers with more "
        "memory (MOSS_RANKING_MEMORY)."
    )
    assert service.failure_reason(report) == report.message


def _selection(assignment: Assignment) -> Selection:
    Batch.objects.update(state="done")
    return select_cohort(assignment)


def test_too_many_pairs_are_refused_before_they_are_scored(
    batch: Batch, eager_tasks: None, settings: Settings, rerank: Callable[[], Report]
) -> None:
    settings.SHARD_SECONDS = 1e-5
    tokens = kept_cohorts.token_count(_selection(batch.assignment))
    of_tokens = kept_cohorts.WORKER_BYTES + tokens * kept_cohorts.TOKEN_BYTES
    settings.RANKING_MEMORY = of_tokens + kept_cohorts.PAIR_BYTES // 2
    report = rerank()
    report.refresh_from_db()
    assert report.state == "failed"
    assert f"({tokens:,} tokens and " in report.message
    assert not RankingPlan.objects.exists()


@pytest.mark.parametrize("has_room", [True, False])
def test_a_class_that_is_kept_in_memory_stays_there_only_where_another_one_fits_beside_it(
    has_room: bool,  # noqa: FBT001 - a parameter of the test
    planned: RankingPlan,
    alice: User,
    settings: Settings,
    committing: Committing,
) -> None:
    tokens = kept_cohorts.token_count(Selection.from_json(planned.selection))
    other = planned.report.assignment.course.assignments.create(name="Lab")
    if not has_room:
        settings.RANKING_MEMORY = kept_cohorts.WORKER_BYTES + tokens * kept_cohorts.TOKEN_BYTES * 3 // 2
    settings.SHARD_SECONDS = 60
    with committing(execute=True):
        create_batch(other, alice, [zipped(CLASS)])
    assert other.reports.get().state == "done"
    assert [kept.plan for kept in kept_cohorts._kept] == ([planned.pk] if has_room else [])


def test_the_limit_is_that_of_the_container_or_of_the_machine(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    limit = tmp_path_factory.mktemp("cgroup") / "memory.max"
    monkeypatch.setattr(kept_cohorts, "CONTAINER_LIMIT", limit)
    machine = kept_cohorts.memory_limit()
    assert machine > 10**9
    limit.write_text("max\n")
    assert kept_cohorts.memory_limit() == machine
    limit.write_text("600000000\n")
    assert kept_cohorts.memory_limit() == 600_000_000
    settings.RANKING_MEMORY = 5 * 10**9
    assert kept_cohorts.memory_limit() == 5 * 10**9
    check_memory(30_000_000)
    with pytest.raises(ClassTooLarge, match=r"about 6\.3 GB of memory \(40,000,000 tokens\); .* 5\.0 GB"):
        check_memory(40_000_000)


@pytest.mark.long
def test_lost_messages_are_sent_again(planned: RankingPlan) -> None:
    maintenance.sweep()
    assert not planned.shards.exclude(result=None).exists(), "its messages may still come"
    let_time_pass("score_shard")
    with TestCase.captureOnCommitCallbacks(execute=True):
        maintenance.sweep()  # tasks are eager here: this scores all shards and merges them
    content(Report.objects.get(pk=planned.report_id))
