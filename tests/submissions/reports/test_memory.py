"""A class that would take more memory than a worker may use is refused before that, with the figure."""

import pytest
from django.contrib.auth.models import User
from pytest_django.fixtures import Settings

from submissions.models import Assignment, Batch, RankingPlan, Report
from submissions.pages import views as service
from submissions.reports import cohort as kept_cohorts
from submissions.reports.cohort import ClassTooLarge, Selection, check_memory, select_cohort
from submissions.uploads.change import create_batch, rerank
from tests.support.sample_class import CLASS, zipped
from tests.support.uploads import Committing, HandIn

pytestmark = pytest.mark.usefixtures("empty_queues")


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
        f"Ranking this class takes about 0.3 GB of memory ({tokens} tokens); a worker may use 0.2 GB. Leave "
        "out files that nobody in the class wrote, or ask whoever runs this server for workers with more "
        "memory (MOSS_RANKING_MEMORY)."
    )
    assert service.failure_reason(report) == report.message


def _selection(assignment: Assignment) -> Selection:
    Batch.objects.update(state="done")
    return select_cohort(assignment)


def test_too_many_pairs_are_refused_before_they_are_scored(
    batch: Batch, eager_tasks: None, settings: Settings, django_capture_on_commit_callbacks: Committing
) -> None:
    settings.SHARD_SECONDS = 1e-5
    tokens = kept_cohorts.token_count(_selection(batch.assignment))
    settings.RANKING_MEMORY = (
        kept_cohorts.WORKER_BYTES + tokens * kept_cohorts.TOKEN_BYTES + kept_cohorts.PAIR_BYTES // 2
    )
    with django_capture_on_commit_callbacks(execute=True):
        report = rerank(batch.assignment)
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
    django_capture_on_commit_callbacks: Committing,
) -> None:
    tokens = kept_cohorts.token_count(Selection.from_json(planned.selection))
    other = planned.report.assignment.course.assignments.create(name="Lab")
    if not has_room:
        settings.RANKING_MEMORY = kept_cohorts.WORKER_BYTES + tokens * kept_cohorts.TOKEN_BYTES * 3 // 2
    settings.SHARD_SECONDS = 60
    with django_capture_on_commit_callbacks(execute=True):
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
    with pytest.raises(ClassTooLarge, match=r"about 6\.2 GB of memory \(40,000,000 tokens\); .* 5\.0 GB"):
        check_memory(40_000_000)
