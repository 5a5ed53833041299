"""The progress of a running ranking, and how a ranking is cancelled."""

import json

import pytest
from django.conf import settings
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings
from redis import Redis

from submissions.courses.retention import delete_assignment, delete_batch, delete_course
from submissions.models import Assignment, Batch, Course, DeletedBatch, Document, Report, Source, Upload
from submissions.reports import progress, results as ranking
from submissions.reports.progress import Cancelled, Progress
from submissions.uploads.change import rerank
from submissions.uploads.lifecycle import cancel_ranking
from tests.conftest import wait_until
from tests.support.html import get_page
from tests.support.jobs import work_off
from tests.support.paused_tasks import PausedRanking
from tests.support.sample_class import CLASS, HONEST, zipped
from tests.support.uploads import Committing, HandIn

pytestmark = pytest.mark.services

UNREACHABLE_CACHE = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": "redis://127.0.0.1:1/0",
    }
}


def test_every_stage_of_a_ranking_is_stored(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    stages = []
    real_set = cache.set

    def recording_set(key: str, value: dict[str, object], timeout: int) -> None:
        stages.append((value["stage"], value["total"]))
        real_set(key, value, timeout)

    monkeypatch.setattr(cache, "set", recording_set)
    ranking.rank(report)
    assert stages[1] == ("Comparing 3 submissions with each other", 0)
    assert ("Aligning pairs", report.pairs.count()) in stages
    assert progress.latest_progress([0, report.pk]) == Progress(str(stages[-1][0]))


def test_progress_is_stored_as_plain_data_and_no_pickle(report: Report) -> None:
    ranking.rank(report)
    redis = Redis.from_url(settings.REDIS_URL)
    (key,) = redis.keys(f"{settings.CACHES['default']['KEY_PREFIX']}*ranking:{report.pk}")
    assert json.loads(redis.get(key) or b"")["stage"]


@pytest.mark.usefixtures("db")
def test_a_loop_stores_how_many_are_done_of_how_many() -> None:
    items = []
    for item in progress.track(7, "Aligning pairs", iter("abc"), 1_234):
        items.append(item)
        latest = progress.latest_progress([7])
    assert items == ["a", "b", "c"]
    assert latest == Progress("Aligning pairs", 0, 1_234)
    assert latest.counts == "0 of 1,234"


def test_a_ranking_goes_on_where_its_progress_cannot_be_stored(
    report: Report, settings: Settings, alice_client: Client
) -> None:
    settings.CACHES = UNREACHABLE_CACHE
    ranking.rank(report)
    assert report.pairs.exists()
    Report.objects.create(assignment=report.assignment)
    page = get_page(alice_client, report.assignment.get_absolute_url())
    assert page.text("#activity .busy > p:first-child") == "Ranking. Waiting for a worker"


def test_a_cancelled_ranking_stops_at_its_next_stage_and_leaves_the_last_report(
    report: Report, assignment: Assignment
) -> None:
    newer = Report.objects.create(assignment=assignment, state="cancelled")
    with pytest.raises(Cancelled):
        ranking.rank(newer)
    assert not newer.pairs.exists()
    assert assignment.reports.filter(state="done").get() == report


def test_a_ranking_is_cancelled_while_a_worker_is_at_it(
    ranking_batch: Batch, paused_ranking: PausedRanking, assignment: Assignment, alice_client: Client
) -> None:
    report = Report.objects.get()
    worker = paused_ranking.start(lambda: work_off("rank"))
    assert paused_ranking.reached.wait(60)
    alice_client.post(reverse("cancel_ranking", args=[assignment.pk]))
    paused_ranking.resume.set()
    worker.join(60)
    report.refresh_from_db()
    ranking_batch.refresh_from_db()
    assert (report.state, ranking_batch.state) == ("cancelled", "done")
    assert "ranking was cancelled" in ranking_batch.message
    page = get_page(alice_client, assignment.get_absolute_url())
    assert page.text("#activity strong") == "The last ranking was cancelled."
    assert page.text("#activity form button") == "Rank again"


def test_a_ranking_cancelled_after_its_last_stage_is_not_finished(
    ranking_batch: Batch,
    paused_ranking: PausedRanking,
    assignment: Assignment,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def cancelled_meanwhile(_report: Report, _batches: list[int] | None = None) -> bool:
        person = paused_ranking.start(lambda: cancel_ranking(assignment))
        person.join(60)
        return True

    monkeypatch.setattr(ranking, "rank", cancelled_meanwhile)
    work_off("rank")
    assert Report.objects.get().state == "cancelled"


@pytest.mark.long
def test_what_a_cancelled_ranking_left_out_is_ranked_with_the_next_one(
    hand_in: HandIn, assignment: Assignment, django_capture_on_commit_callbacks: Committing
) -> None:
    batch = hand_in(zipped(CLASS))
    Batch.objects.update(state="ranking")
    Report.objects.update(state="queued")
    assert cancel_ranking(assignment)
    assert not cancel_ranking(assignment)
    with django_capture_on_commit_callbacks(execute=True):
        rerank(assignment)
    batch.refresh_from_db()
    assert (batch.state, batch.message) == ("done", "")
    assert assignment.reports.get().submissions.count() == 3


def test_a_redelivered_task_of_a_cancelled_ranking_does_nothing(report: Report) -> None:
    Report.objects.update(state="cancelled")
    work_off("rank")
    report.refresh_from_db()
    assert report.state == "cancelled"


@pytest.mark.long
def test_deleting_an_upload_cancels_a_running_ranking(
    ranking_batch: Batch, paused_ranking: PausedRanking, assignment: Assignment
) -> None:
    report = Report.objects.get()
    worker = paused_ranking.start(lambda: work_off("rank"))
    assert paused_ranking.reached.wait(60)
    person = paused_ranking.start(lambda: delete_batch(ranking_batch))
    cancelled = Report.objects.filter(pk=report.pk, state="cancelled")
    wait_until(cancelled.exists, what="the ranking to be cancelled while it runs")
    paused_ranking.resume.set()
    worker.join(60)
    person.join(60)
    assert not Report.objects.exists()
    assert DeletedBatch.objects.get().assignment == assignment


def test_deleting_an_assignment_ends_the_work_on_it_and_leaves_nothing(
    ranking_batch: Batch, paused_ranking: PausedRanking, assignment: Assignment
) -> None:
    worker = paused_ranking.start(lambda: work_off("rank"))
    assert paused_ranking.reached.wait(60)
    person = paused_ranking.start(lambda: delete_assignment(assignment))
    paused_ranking.resume.set()
    worker.join(60)
    person.join(60)
    for table in (Batch, Upload, Report, Document, Source):
        assert not table.objects.exists(), table
    assert Course.objects.exists()


@pytest.mark.long
def test_deleting_a_course_takes_its_assignments_and_no_others(
    hand_in: HandIn,
    assignment: Assignment,
    django_capture_on_commit_callbacks: Committing,
) -> None:
    hand_in(zipped({"ada/m.py": HONEST}))
    other_course = Course.objects.create(owner=assignment.course.owner, name="Networks")
    other_assignment = other_course.assignments.create(name="Sockets")
    with django_capture_on_commit_callbacks(execute=True):
        delete_course(assignment.course)
    assert Course.objects.get() == other_course
    assert other_course.assignments.get() == other_assignment
    for table in (Batch, Upload, Report, Document, Source):
        assert not table.objects.exists(), table
