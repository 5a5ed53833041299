"""Work that is under way for an assignment: its progress, what waits before it, and cancelling it."""

import json
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from pytest_django.fixtures import Settings
from redis import Redis

from submissions.courses.retention import delete_assignment, delete_batch
from submissions.models import Assignment, Batch, Course, DeletedBatch, Document, Report, Source, Upload
from submissions.reports import progress, results as ranking
from submissions.reports.progress import Cancelled, Progress
from submissions.uploads import lifecycle
from submissions.uploads.change import rerank
from submissions.uploads.lifecycle import cancel_ranking
from submissions.work import heartbeats, jobs
from submissions.work.kinds import HEAVY, INTERACTIVE
from tests.conftest import wait_until
from tests.support.html import Page, get_page, page_of
from tests.support.jobs import work_off
from tests.support.paused_tasks import PausedRanking
from tests.support.processes import stopped
from tests.support.sample_class import CLASS, zipped
from tests.support.uploads import Committing, CountQueries, HandIn

UNREACHABLE_CACHE = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": "redis://127.0.0.1:1/0"}
}


def test_every_stage_is_stored_as_plain_data(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
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
    redis = Redis.from_url(settings.REDIS_URL)
    (key,) = redis.keys(f"{settings.CACHES['default']['KEY_PREFIX']}*ranking:{report.pk}")
    assert json.loads(redis.get(key) or b"")["stage"]
    assert list(progress.track(7, "Aligning pairs", iter("abc"), 1_234)) == ["a", "b", "c"]
    latest = progress.latest_progress([7])
    assert latest == Progress("Aligning pairs", 0, 1_234)
    assert latest.counts == "0 of 1,234"


def test_a_ranking_needs_no_stored_progress(report: Report, settings: Settings, alice_client: Client) -> None:
    settings.CACHES = UNREACHABLE_CACHE
    ranking.rank(report)
    assert report.pairs.exists()
    Report.objects.create(assignment=report.assignment)
    page = get_page(alice_client, report.assignment.get_absolute_url())
    assert page.text("#activity .busy > p:first-child") == "Ranking. Waiting for a worker"


def test_a_cancelled_ranking_stops_at_its_next_stage(report: Report, assignment: Assignment) -> None:
    newer = Report.objects.create(assignment=assignment, state="cancelled")
    with pytest.raises(Cancelled):
        ranking.rank(newer)
    assert not newer.pairs.exists()
    assert assignment.reports.filter(state="done").get() == report
    Report.objects.update(state="cancelled")
    work_off("rank")
    assert {one.state for one in Report.objects.all()} == {"cancelled"}


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
    hand_in: HandIn, assignment: Assignment, committing: Committing
) -> None:
    batch = hand_in(zipped(CLASS))
    Batch.objects.update(state="ranking")
    Report.objects.update(state="queued")
    assert cancel_ranking(assignment)
    assert not cancel_ranking(assignment)
    with committing(execute=True):
        rerank(assignment)
    batch.refresh_from_db()
    assert (batch.state, batch.message) == ("done", "")
    assert assignment.reports.get().submissions.count() == 3


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
    kept = assignment.course.assignments.create(name="Kept")
    worker = paused_ranking.start(lambda: work_off("rank"))
    assert paused_ranking.reached.wait(60)
    person = paused_ranking.start(lambda: delete_assignment(assignment))
    paused_ranking.resume.set()
    worker.join(60)
    person.join(60)
    for table in (Batch, Upload, Report, Document, Source):
        assert not table.objects.exists(), table
    assert (Course.objects.get(), Assignment.objects.get()) == (kept.course, kept)


@pytest.fixture
def other_assignment(bob: User) -> Assignment:
    return Course.objects.create(owner=bob, name="Networks").assignments.create(name="Sockets")


def wait_in_queue(assignment: Assignment, queue: str = INTERACTIVE, **fields: object) -> Batch:
    owner = assignment.course.owner
    batch = Batch.objects.create(assignment=assignment, uploaded_by=owner, name="late.zip", **fields)
    jobs.enqueue("unpack", batch.pk, user=owner.pk, queue=queue)
    return batch


def progress_of(client: Client, batch: Batch) -> str:
    return get_page(client, reverse("batch_progress", args=[batch.pk])).text(".meta")


def test_a_waiting_upload_shows_how_many_are_before_it(
    assignment: Assignment, other_assignment: Assignment, alice_client: Client
) -> None:
    first = [wait_in_queue(other_assignment), wait_in_queue(assignment)]
    batch = wait_in_queue(assignment)
    wait_in_queue(assignment, queue=HEAVY)
    assert progress_of(alice_client, batch).startswith("Waiting; 2 uploads are before this one.")
    address = get_page(alice_client, batch.get_absolute_url()).values(".now[hx-get]", "hx-get")[0]
    jobs.cancel("unpack", [first[0].pk])
    assert alice_client.get(address).status_code == 200  # the fragment has changed
    assert progress_of(alice_client, batch).startswith("Waiting; 1 upload is before this one.")
    jobs.cancel("unpack", [first[1].pk])
    assert progress_of(alice_client, batch).startswith("Waiting; this one is next.")
    Batch.objects.filter(pk=batch.pk).update(state="unpacking")
    assert progress_of(alice_client, batch).startswith("Unpacking.")


def test_the_overview_shows_how_many_are_before_a_waiting_upload_and_report(
    assignment: Assignment, other_assignment: Assignment, alice_client: Client
) -> None:
    address = reverse("activity", args=[assignment.pk])
    for waiting in (other_assignment, assignment):
        lifecycle.enqueue_rank(waiting)
    page = get_page(alice_client, address)
    assert page.text(".notice.busy p") == "Ranking. Waiting: 1 ranking is before this one"
    lifecycle.cancel_reports(other_assignment)
    assert get_page(alice_client, address).text(".notice.busy p") == "Ranking. Waiting for a worker"
    lifecycle.cancel_reports(assignment)
    for waiting in (other_assignment, assignment):
        wait_in_queue(waiting)
    said = get_page(alice_client, address).texts(".notice.busy p")
    assert said[0] == "late.zip · waiting; 1 upload is before this one"


HTMX = {"HX-Request": "true"}


# What asks the server for news every second.
POLLING = '.now[hx-get^="/assignments/"][hx-trigger="every 1s"]'


def get_assignment(client: Client, assignment: Assignment) -> Page:
    return get_page(client, assignment.get_absolute_url())


def polled_address(client: Client, assignment: Assignment) -> str:
    """Return the address that the page asks every second."""
    [address] = get_assignment(client, assignment).values(POLLING, "hx-get")
    assert address.startswith(f"{reverse('activity', args=[assignment.pk])}?")
    return address


def get_fragment(client: Client, address: str, current_url: str = "") -> Page:
    """Return what htmx gets at an address, from the page at `current_url`."""
    headers = {**HTMX, "HX-Current-URL": current_url} if current_url else HTMX
    response = client.get(address, headers=headers)
    assert response.status_code == 200
    assert "HX-Refresh" not in response.headers
    return page_of(response)


def start_upload(assignment: Assignment) -> Batch:
    return assignment.batches.create(name="late.zip", state="fingerprinting", documents_total=8, documents_done=3)


def test_polling_gets_a_fragment_only_when_something_changed_in_as_many_queries(
    alice_client: Client, report: Report, django_assert_num_queries: CountQueries
) -> None:
    assert not get_assignment(alice_client, report.assignment).has(POLLING)
    upload = start_upload(report.assignment)
    address = polled_address(alice_client, report.assignment)
    assert alice_client.get(address, headers=HTMX).status_code == 204
    Batch.objects.filter(pk=upload.pk).update(documents_done=4)
    fragment = get_fragment(alice_client, address)
    assert fragment.text(".notice.busy p") == "late.zip · reading 4 of 8 files"
    assert fragment.has(POLLING)
    for _ in range(9):
        start_upload(report.assignment)
    activity = reverse("activity", args=[report.assignment_id])
    # session, user, assignment, report, uploads, boilerplate that is read, a change of the language
    with django_assert_num_queries(7):
        alice_client.get(activity)
    for nonsense in ({"seen": "x" * 5_000}, {"was": "\x00"}, {"seen": ["1", "2"]}):
        assert alice_client.get(activity, nonsense).status_code == 200


def test_files_read_and_pairs_aligned_so_far_are_counted(alice_client: Client, report: Report) -> None:
    start_upload(report.assignment)
    newer = Report.objects.create(assignment=report.assignment, state="running")
    progress.publish(newer.pk, "Aligning pairs", 1_234, 5_000)
    page = get_assignment(alice_client, report.assignment)
    reading, ranking, _ = page.texts("#activity .notice.busy p")
    assert reading == "late.zip · reading 3 of 8 files"
    assert ranking == "Ranking. Aligning pairs 1,234 of 5,000"
    assert page.has('progress[aria-label="Files read of late.zip"][max="8"][value="3"]')
    assert page.has('progress[aria-label="Ranking"][max="5000"][value="1234"]')
    assert page.has(f'form[method=post][action="{reverse("cancel_ranking", args=[report.assignment_id])}"]')


def test_a_new_report_is_offered_under_the_address_being_read(alice_client: Client, report: Report) -> None:
    newer = Report.objects.create(assignment=report.assignment, state="running")
    address = polled_address(alice_client, report.assignment)
    Report.objects.filter(pk=newer.pk).update(state="done")
    reading = f"{report.assignment.get_absolute_url()}?q=ada&sort=left"
    fragment = get_fragment(alice_client, address, f"http://testserver{reading}")
    assert fragment.text(".notice.good") == "The new report is ready: show it"
    assert fragment.links() == [reading]
    assert not fragment.has("[data-show]")
    assert not fragment.has(POLLING)
    fragment = get_fragment(alice_client, address, "https://evil.example/x")
    assert fragment.text(".notice.good a") == "show it"
    assert fragment.links() == [report.assignment.get_absolute_url()]


@pytest.mark.long
def test_a_page_without_a_report_announces_a_failed_upload_and_shows_the_first_report_by_itself(
    alice_client: Client, assignment: Assignment, hand_in: HandIn
) -> None:
    upload = start_upload(assignment)
    address = polled_address(alice_client, assignment)
    Batch.objects.filter(pk=upload.pk).update(state="failed")
    notice = get_fragment(alice_client, address).text(".notice")
    assert notice == "The upload has ended: see the result"
    upload.delete()
    hand_in(zipped({"ada/main.py": "x = 1\n"}))
    assert get_fragment(alice_client, address).has(".notice.good[data-show]")


def test_refused_boilerplate_is_linked_to_where_its_reasons_are(alice_client: Client, report: Report) -> None:
    report.assignment.boilerplate_uploads.create(name="starter.zip", state="failed", message="It is empty.")
    [link] = get_assignment(alice_client, report.assignment).values("#activity .notice.bad a", "href")
    address, _, anchor = link.partition("#")
    assert "It is empty." in get_page(alice_client, address).text(f":has(> #{anchor})")


@pytest.mark.long
def test_an_upload_waits_while_the_worker_is_stopped_and_goes_on_with_it(
    assignment: Assignment,
    other_assignment: Assignment,
    alice_client: Client,
    bob_client: Client,
    celery_worker_process: Path,
) -> None:
    wait_until(lambda: bool(heartbeats.workers()), what="the worker")
    [worker] = heartbeats.workers()
    with stopped([worker.pid]):
        for client, where in ((bob_client, other_assignment), (alice_client, assignment)):
            client.post(reverse("upload", args=[where.pk]), {"files": zipped(CLASS)})
        batch = assignment.batches.get()
        assert progress_of(alice_client, batch).startswith("Waiting; 1 upload is before this one.")

    def is_done() -> bool:
        batch.refresh_from_db()
        return batch.state == Batch.State.DONE

    wait_until(is_done, what="the report")
