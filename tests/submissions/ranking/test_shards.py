"""A ranking in shards makes the report of one task, whatever happens to its shards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from django.utils import timezone

from fingerprint import engine
from submissions import actions, lifecycle, ranking_tasks, recovery, sweeping
from submissions.models import Pair, RankingPlan, RankingShard, Report, Submission
from submissions.queues import HEAVY
from submissions.ranking import progress, shards
from tests.support.sample_class import CLASS, COPIED, HONEST, RENAMED, STARTER, zipped

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.contrib.auth.models import User
    from pytest_django.fixtures import Settings

    from submissions.models import Assignment, Batch
    from tests.support.uploads import Committing, HandIn

pytestmark = pytest.mark.usefixtures("empty_queues")

# One pair takes longer, by the estimate.
ONE_PAIR = 1e-5
SOURCES = Path(__file__).parents[3] / "bench/translations/tuned/files/class"
MIXED = {
    "hal/Bank.java": "bank_original.java",
    "ida/bank.py": "bank_translated.py",
    "jon/bank.js": "bank_honest_b.js",
    "kim/bank.py": "bank_honest_a.py",
}
TEAM_OF_TWO = {"dan/m.py": COPIED + HONEST, "eve/m.py": HONEST + RENAMED}
FIGURES = [
    field.name for field in Pair._meta.concrete_fields if field.name not in {"id", "report", "left", "right"}
]


def content(report: Report) -> dict[str, object]:
    """Return everything that a report says, to the digit."""
    report.refresh_from_db()
    assert report.state == "done"
    assert report.findings
    return {
        "pairs": list(report.pairs.order_by("pk").values_list("left__name", "right__name", *FIGURES)),
        "ignored": sorted(report.ignored.values_list("document", "spans")),
        "submissions": sorted(report.submissions.values_list("name", flat=True)),
        "duplicates": report.duplicates,
        "findings": report.findings,
        "parameters": report.parameters,
    }


@pytest.fixture
def rerank(
    assignment: Assignment, eager_tasks: None, django_capture_on_commit_callbacks: Committing
) -> Callable[[], Report]:
    """Return a function that ranks the assignment again, with all tasks in this process."""

    def rank() -> Report:
        with django_capture_on_commit_callbacks(execute=True):
            return actions.rerank(assignment)

    return rank


@pytest.fixture
def varied(
    hand_in: HandIn, assignment: Assignment, alice: User, starter: Callable[[], None],
    django_capture_on_commit_callbacks: Committing,
) -> Assignment:  # fmt: skip
    """Return an assignment with boilerplate, a team, earlier and old work, and three languages."""
    old = assignment.course.assignments.create(name="Lab")
    assignment.teams = "dan, eve"
    assignment.save()
    with django_capture_on_commit_callbacks(execute=True):
        actions.create_batch(old, alice, [zipped({"gus/m.py": COPIED, "lea/m.py": STARTER + HONEST})])
        actions.create_batch(assignment, alice, [zipped({"ada/m.py": RENAMED}, "lab.zip")], role="earlier")
        actions.compare_with(assignment, [old], course=False)
    starter()
    mixed = {path: (SOURCES / name).read_text() for path, name in MIXED.items()}
    hand_in(zipped(CLASS | TEAM_OF_TWO | mixed))
    return assignment


@pytest.fixture
def plan(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Committing
) -> Callable[[Assignment], RankingPlan]:
    """Return a function that has a ranking planned whose messages to the shards are lost."""

    def start(assignment: Assignment) -> RankingPlan:
        settings.SHARD_SECONDS = ONE_PAIR
        with monkeypatch.context() as patch, django_capture_on_commit_callbacks(execute=True):
            patch.setattr(ranking_tasks.score_shard, "apply_async", lambda *_, **__: None)
            report = actions.rerank(assignment)
        return RankingPlan.objects.get(report=report)

    return start


@pytest.fixture
def planned(
    batch: Batch, starter: Callable[[], None], plan: Callable[[Assignment], RankingPlan]
) -> RankingPlan:
    """Return the plan of a ranking of three submissions with boilerplate, scored by nobody yet."""
    starter()
    return plan(batch.assignment)


def score_all(plan: RankingPlan, committing: Committing) -> None:
    with committing(execute=True):
        for shard in plan.shards.order_by("-number"):
            ranking_tasks.score_shard(shard.pk)


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
    pairs = [(shard.job, bytes(shard.sides)) for shard in planned.shards.all()]
    assert len(set(pairs)) == len(pairs)


def test_shards_may_be_scored_twice_and_in_any_order(
    planned: RankingPlan, django_capture_on_commit_callbacks: Committing
) -> None:
    first = planned.shards.get(number=0)
    ranking_tasks.score_shard(first.pk)
    first.refresh_from_db()
    before = bytes(first.scores or b"")
    ranking_tasks.score_shard(first.pk)
    shards.score_shard(first)
    first.refresh_from_db()
    assert (bytes(first.scores or b""), first.attempts) == (before, 1)
    score_all(planned, django_capture_on_commit_callbacks)
    report = Report.objects.get(pk=planned.report_id)
    in_shards = content(report)
    again = lifecycle.queue_report(report.assignment)[0]
    ranking_tasks.merge_ranking(report.pk)  # delivered twice
    assert content(report) == in_shards
    assert again.pk != report.pk


def test_nothing_of_the_assignment_is_locked_while_shards_wait_and_the_last_report_stays(
    planned: RankingPlan, alice: User
) -> None:
    assignment = planned.report.assignment
    assert lifecycle.lock_assignment(assignment.pk, wait=False)
    last, running = assignment.reports.order_by("pk")
    assert (last.state, running.state, running.queue) == ("done", "running", "heavy")
    assert not running.pairs.exists()


def test_progress_counts_the_pairs_of_all_shards(planned: RankingPlan) -> None:
    one, two = planned.shards.order_by("number")[:2]
    for number, shard in enumerate((one, two), 1):
        ranking_tasks.score_shard(shard.pk)
        published = progress.latest([planned.report_id])
        assert published
        assert (published.done, published.total) == (number, planned.pairs)
        assert published.stage == f"Comparing {planned.submissions} submissions with each other"


def test_few_messages_wait_at_a_time_so_that_the_work_of_others_is_between(
    planned: RankingPlan, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Committing
) -> None:
    sent: list[int] = []
    monkeypatch.setattr(ranking_tasks, "SHARDS_AT_ONCE", 2)
    monkeypatch.setattr(
        ranking_tasks.score_shard, "apply_async", lambda arguments, **_: sent.append(arguments[0])
    )
    lifecycle.requeue_report(planned.report_id, "to be planned again")
    with django_capture_on_commit_callbacks(execute=True):
        ranking_tasks.rank_next(HEAVY)
    keys = list(RankingShard.objects.order_by("number").values_list("pk", flat=True))
    assert len(keys) > 3
    assert sent == keys[:2]
    ranking_tasks.score_shard(keys[1])
    assert sent == [*keys[:2], keys[3]]
    ranking_tasks.score_shard(keys[1])  # delivered twice
    assert sent == [*keys[:2], keys[3]]


def test_a_cancelled_ranking_scores_no_further_shard_and_leaves_nothing(planned: RankingPlan) -> None:
    shard = planned.shards.get(number=0)
    actions.cancel_ranking(planned.report.assignment)
    ranking_tasks.score_shard(shard.pk)
    shard.refresh_from_db()
    assert (shard.scores, shard.attempts) == (None, 0)
    with pytest.raises(progress.Cancelled):
        shards.plan_check(planned.pk)()
    sweeping.sweep()
    assert not RankingPlan.objects.exists()


def test_a_ranking_that_is_cancelled_while_it_is_merged_leaves_the_last_report(
    planned: RankingPlan, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Committing
) -> None:
    report, real_score = planned.report, engine.scored_cohorts

    def cancel(inputs: engine.RankingInput) -> object:
        actions.cancel_ranking(report.assignment)
        return real_score(inputs)

    with monkeypatch.context() as patch:
        patch.setattr(ranking_tasks.merge_ranking, "apply_async", lambda *_, **__: None)
        score_all(planned, django_capture_on_commit_callbacks)
    with monkeypatch.context() as patch:
        patch.setattr(engine, "scored_cohorts", cancel)
        ranking_tasks.merge_ranking(report.pk)
    report.refresh_from_db()
    assert report.state == "cancelled"
    assert not report.pairs.exists()
    assert report.assignment.reports.filter(state="done").exists()


def test_lost_messages_are_sent_again(planned: RankingPlan) -> None:
    assert recovery.lost_shards() == []
    long_ago = timezone.now() - 2 * recovery.SENDING
    planned.shards.update(touched=long_ago)
    assert set(recovery.lost_shards()) == set(planned.shards.values_list("pk", flat=True))
    assert recovery.lost_reports() == []
    sweeping.sweep()  # tasks are eager here: this scores all shards and merges them
    content(Report.objects.get(pk=planned.report_id))


def test_a_lost_merge_is_found(
    planned: RankingPlan, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Committing
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(ranking_tasks.merge_ranking, "apply_async", lambda *_, **__: None)
        score_all(planned, django_capture_on_commit_callbacks)
    assert recovery.unmerged_reports() == []
    RankingPlan.objects.update(touched=timezone.now() - 2 * recovery.SENDING)
    assert recovery.unmerged_reports() == [planned.report_id]
    sweeping.sweep()
    content(Report.objects.get(pk=planned.report_id))


@pytest.mark.parametrize("part", ["shard", "merge"])
def test_a_part_that_ends_its_worker_each_time_fails_the_report(part: str, planned: RankingPlan) -> None:
    if part == "shard":
        shard = planned.shards.get(number=0)
        planned.shards.update(attempts=lifecycle.MAX_ATTEMPTS)
        ranking_tasks.score_shard(shard.pk)
    else:
        planned.shards.update(scores=b"")
        RankingPlan.objects.update(merges=lifecycle.MAX_ATTEMPTS)
        ranking_tasks.merge_ranking(planned.report_id)
    report = Report.objects.get(pk=planned.report_id)
    assert (report.state, report.message) == ("failed", lifecycle.GAVE_UP)


def test_a_worker_of_another_version_scores_nothing_and_says_so(
    planned: RankingPlan, caplog: pytest.LogCaptureFixture
) -> None:
    RankingPlan.objects.update(version="0.0.1")
    shard = planned.shards.get(number=0)
    ranking_tasks.score_shard(shard.pk)
    shard.refresh_from_db()
    assert (shard.scores, shard.attempts) == (None, 0)
    assert f"report {planned.report_id} is ranked by version 0.0.1" in caplog.text


def test_a_ranking_whose_class_was_changed_meanwhile_starts_again(
    planned: RankingPlan, django_capture_on_commit_callbacks: Committing
) -> None:
    Submission.objects.filter(name="cleo").delete()
    score_all(planned, django_capture_on_commit_callbacks)
    report = Report.objects.get(pk=planned.report_id)
    assert "cleo" not in str(content(report)["submissions"])


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


def test_scores_are_packed_without_loss() -> None:
    generator = np.random.default_rng(1)
    columns: dict[str, Any] = {
        name: generator.integers(0, 2**40, 7) if name in shards.WHOLE_COLUMNS else generator.random(7)
        for name in engine.Scores._fields
    }
    unpacked = shards.unpack(shards.pack(engine.Scores(**columns)))
    for name, column in columns.items():
        assert (getattr(unpacked, name) == column).all()
        assert getattr(unpacked, name).dtype == column.dtype
