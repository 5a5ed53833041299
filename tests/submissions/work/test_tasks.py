import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from django.contrib.auth.models import User
from django.db.models import F, Sum
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from moss.operations import maintenance
from submissions.courses.retention import delete_batch
from submissions.models import (
    Assignment,
    Batch,
    Boilerplate,
    Document,
    Duration,
    Entry,
    Ignored,
    Job,
    Pair,
    Report,
    Source,
    Submission,
    Upload,
)
from submissions.uploads import jobs as reading, lifecycle
from submissions.uploads.change import create_batch, remove_boilerplate, rerank
from submissions.uploads.lifecycle import cancel_batch
from submissions.work import jobs
from submissions.work.running import SENDING, sweep_jobs
from tests.conftest import running_worker, wait_until
from tests.support.api import api_client
from tests.support.html import get_page
from tests.support.jobs import let_time_pass, work_off
from tests.support.processes import kill, pool_children
from tests.support.sample_class import CLASS, COPIED, HONEST, RENAMED, loose, zipped
from tests.support.uploads import Committing, HandIn

pytestmark = pytest.mark.usefixtures("empty_queues")
# In Ruby, since its lexer has a loop of its own, which no compiled rules replace.
SLOW = "x = [" + "1, " * 1_200_000 + "]\n"


def upload(assignment: Assignment, user: User, files: Mapping[str, str | bytes]) -> Batch:
    return create_batch(assignment, user, [zipped(files)])


def wait_for(batch: Batch) -> Batch:
    """Return the batch once it is no longer running."""

    def is_over() -> bool:
        batch.refresh_from_db()
        return not batch.is_running

    wait_until(is_over, what=f"batch {batch}")
    return batch


def names(pairs: list[Pair]) -> list[tuple[str, str]]:
    return [(pair.left.name, pair.right.name) for pair in pairs]


def rankings() -> int:
    """Return how many rankings were started and have ended."""
    ended = Duration.objects.filter(measure="state", name="ranking", detail="running")
    return ended.aggregate(n=Sum("count"))["n"] or 0


# With a worker in a process of its own


@pytest.mark.django_db(transaction=True)
def test_twenty_uploads_at_once_are_few_rankings_and_the_last_one_has_all(
    assignment: Assignment, alice: User, celery_worker_process: Path
) -> None:
    wait_for(upload(assignment, alice, CLASS))
    before = rankings()
    for number in range(20):
        create_batch(assignment, alice, [loose(f"student{number}.py", f"{HONEST}x{number} = {number}")])

    def are_done() -> bool:
        done = Submission.objects.filter(batch__state=Batch.State.DONE)
        assert not done.exclude(reports__state=Report.State.DONE).exists()
        return not assignment.batches.filter(state__in=Batch.RUNNING).exists()

    wait_until(are_done, what="twenty uploads")
    assert {batch.state for batch in assignment.batches.all()} == {"done"}
    assert assignment.reports.get().submissions.count() == len({name.split("/")[0] for name in CLASS}) + 20
    assert rankings() - before <= 3


@pytest.mark.usefixtures("no_worker")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("hand_ins", [12, pytest.param(100, marks=pytest.mark.long)])
def test_hand_ins_one_by_one_are_two_rankings_a_minute_and_the_last_one_has_all(
    assignment: Assignment, alice: User, tmp_path: Path, hand_ins: int
) -> None:
    """Each is read before the next one comes, so that no ranking waits for an upload."""
    client, started = api_client(alice), time.monotonic()
    with running_worker(tmp_path / "worker.log", MOSS_RANKINGS_A_MINUTE="2"):
        for number in range(hand_ins):
            files = {"files": loose(f"student{number}.py", f"{HONEST}x{number} = {number}")}
            answer = client.post(f"/api/v1/assignments/{assignment.pk}/uploads", files)
            unread = Batch.objects.filter(pk=answer.json()["id"], state__in=Batch.UNREAD)
            wait_until(lambda unread=unread: not unread.exists(), what="reading")  # type: ignore[misc]
        assert rankings() <= 2 * (1 + (time.monotonic() - started) // 60)
        before = rankings()
        Batch.objects.update(since=F("since") - lifecycle.MINUTE)
        let_time_pass("rank")
        maintenance.sweep()
        wait_until(lambda: not assignment.batches.filter(state__in=Batch.RUNNING).exists(), what="the last ranking")
    assert {batch.state for batch in assignment.batches.all()} == {"done"}
    assert assignment.reports.get().submissions.count() == hand_ins
    assert rankings() <= before + 2


def test_a_class_becomes_a_report(assignment: Assignment, alice: User, celery_worker_process: Path) -> None:
    batch = wait_for(upload(assignment, alice, CLASS))
    assert (batch.state, batch.documents_done, batch.documents_total) == ("done", 3, 3)
    report = assignment.reports.get()
    top = report.pairs.first()
    assert top is not None
    assert names([top]) == [("ada", "ben")]
    assert top.similarity > 1 / 1.2
    assert (report.state, report.parameters["guarantee"]) == ("done", 12)


@pytest.mark.long
def test_a_killed_worker_process_loses_no_batch(
    assignment: Assignment, alice: User, celery_worker_process: Path
) -> None:
    batch = upload(assignment, alice, {**CLASS, "slow/main.rb": SLOW})

    def is_reading() -> bool:
        return Document.objects.filter(state="pending", attempts=1).exists()

    wait_until(is_reading, what="the worker to start reading")
    kill(pool_children(celery_worker_process))

    def is_over() -> bool:
        maintenance.sweep()  # as maintenance does, which finds the job that was killed
        batch.refresh_from_db()
        return not batch.is_running

    wait_until(is_over, what="the end of the upload")
    assert batch.state == "done"
    assert Document.objects.filter(state="ready").count() == 3


# In the test's own process


def read(batch: Batch) -> None:
    Batch.objects.filter(pk=batch.pk).update(state="ranking")
    lifecycle.enqueue_rank(batch.assignment, waits=True)


ENDS: dict[str, Callable[[Batch], object]] = {
    "read": read,
    "failed": lambda batch: lifecycle.fail_batch(batch.pk, "damaged"),
    "cancelled": lifecycle.cancel_batch,
    "listed": lambda batch: lifecycle.list_batch(batch.pk),
}


@pytest.mark.parametrize("seed", range(6))
def test_a_ranking_waits_for_uploads_that_are_read_and_never_longer_than_since_the_first(
    assignment: Assignment, no_worker: None, committing: Committing, seed: int
) -> None:
    random = Random(seed)
    unread: list[Batch] = []
    due = None
    for _ in range(20):
        if not unread or random.random() < 0.5:
            unread.append(Batch.objects.create(assignment=assignment, state="unpacking"))
            continue
        batch, end = unread.pop(random.randrange(len(unread))), random.choice(sorted(ENDS))
        with committing(execute=True):
            ENDS[end](batch)
        job = Job.objects.filter(kind="rank").first()
        if not unread or not job:
            assert not job or job.due <= timezone.now()
            Job.objects.all().delete()  # as a worker does
            due = None
            continue
        due = due or job.due
        assert job.due == due
        assert job.due < job.since + lifecycle.LONGEST_WAIT + timedelta(seconds=1)


def test_what_is_waited_for_is_said_and_a_ranking_that_has_waited_is_done_without_it(
    hand_in: HandIn, assignment: Assignment, alice_client: Client, committing: Committing
) -> None:
    Batch.objects.create(assignment=assignment, name="large.zip", state="unpacking")
    batch = hand_in(zipped(CLASS))
    page = get_page(alice_client, assignment.get_absolute_url())
    said = "Waiting until 1 other upload is read, at most 40 seconds"
    assert page.texts("#activity .busy > p:first-child")[-1] == f"Ranking. {said}"
    answer = api_client(assignment.course.owner).get(f"/api/v1/uploads/{batch.pk}").json()
    assert (answer["state"], answer["ranking"]["stage"]) == ("ranking", said)
    assert lifecycle.cancel_ranking(assignment)
    later = hand_in(loose("eve.py", HONEST))
    assert (wait_for(batch).message, later.state) == (lifecycle.NOT_RANKED, "ranking")
    let_time_pass("rank")
    with committing(execute=True):
        sweep_jobs()
    assert (wait_for(later).state, assignment.reports.get().submissions.count()) == ("done", 4)


def test_a_ranking_that_waits_for_more_hand_ins_says_so(
    hand_in: HandIn, assignment: Assignment, alice_client: Client, settings: Settings
) -> None:
    settings.RANKINGS_A_MINUTE = 1
    hand_in(zipped(CLASS))
    hand_in(loose("eve.py", HONEST))
    for _ in range(2):
        page = get_page(alice_client, assignment.get_absolute_url())
        said = "Ranking. Waiting at most 70 seconds for more hand-ins, to rank them together"
        assert page.texts("#activity .busy > p:first-child")[-1] == said
        Batch.objects.create(assignment=assignment, name="large.zip", state="unpacking")


def test_every_step_may_run_twice(batch: Batch, report: Report) -> None:
    pairs = list(report.pairs.values_list("left", "right", "similarity", "passages"))
    jobs.enqueue("unpack", batch.pk)
    for lane in range(reading.LANES):
        jobs.enqueue("read_documents", batch.pk, lane)
    work_off("unpack", "read_documents")
    work_off("rank")
    assert list(report.pairs.values_list("left", "right", "similarity", "passages")) == pairs
    assert Document.objects.filter(attempts=1).count() == Document.objects.count()


@pytest.mark.long
def test_a_later_upload_of_a_name_takes_the_place_of_the_earlier_and_equal_sources_are_read_once(
    hand_in: HandIn, assignment: Assignment
) -> None:
    hand_in(zipped({"ada.py/m.py": COPIED, "ben.py/m.py": COPIED, "ben.py/n.py": HONEST}))
    assert Source.objects.count() == Document.objects.filter(attempts=1).count() == 2
    hand_in(loose("ben.py", RENAMED), loose("cleo.py", HONEST))
    report = assignment.reports.get()
    assert [one.name for one in report.submissions.all()] == ["ada.py", "ben.py", "cleo.py"]
    pair = report.pairs.get(left__name="ada.py", right__name="ben.py")
    assert pair.similarity > 1 / 1.2


@pytest.mark.long
def test_boilerplate_re_ranks_without_reading_a_submission_again_until_it_is_removed(
    report: Report, assignment: Assignment, starter: Callable[[], None], committing: Committing
) -> None:
    before = report.pairs.get(left__name="ada", right__name="ben")
    Document.objects.update(attempts=0)
    starter()
    after = assignment.reports.get().pairs.get(left__name="ada", right__name="ben")
    assert after.tokens < before.tokens
    assert (after.left_share, after.right_share) == (1, 1)
    assert Document.objects.filter(attempts__gt=0).count() == Boilerplate.objects.count() == 1
    ignored = Ignored.objects.filter(report=assignment.reports.get())
    assert ignored.count() == 3
    assert all(row.spans[0][0] == 0 for row in ignored)
    with committing(execute=True):
        remove_boilerplate(assignment.boilerplate.get())
    again = assignment.reports.get().pairs.get(left__name="ada", right__name="ben")
    assert again.tokens == before.tokens


def test_deleting_a_batch_deletes_all_of_it(batch: Batch, report: Report, committing: Committing) -> None:
    with committing(execute=True):
        delete_batch(batch)
    for table in (Batch, Upload, Entry, Source, Document, Report, Pair, Ignored):
        assert not table.objects.exists(), table


@pytest.mark.long
@pytest.mark.parametrize("end", ["deleted", "cancelled"])
def test_a_batch_that_is_deleted_or_cancelled_while_it_is_ranked_is_not_in_the_report(
    hand_in: HandIn, assignment: Assignment, committing: Committing, end: str
) -> None:
    hand_in(zipped({"ada/m.py": COPIED, "ben/m.py": RENAMED}))
    late = hand_in(zipped({"cleo/m.py": COPIED}))
    assert assignment.reports.get().pairs.count() == 3
    with committing(execute=True):
        if end == "deleted":
            delete_batch(late)
        else:
            Batch.objects.filter(pk=late.pk).update(state="ranking")
            cancel_batch(late)
            rerank(assignment)
    assert names(list(assignment.reports.get().pairs.all())) == [("ada", "ben")]
    assert Source.objects.count() == 2


def test_a_cancelled_batch_is_left_alone_by_its_workers(
    assignment: Assignment, alice: User, eager_tasks: None, committing: Committing
) -> None:
    with committing(execute=True):
        batch = upload(assignment, alice, CLASS)
        assert cancel_batch(batch)
    batch.refresh_from_db()
    assert batch.state == "cancelled"
    assert not Document.objects.exists()
    assert not cancel_batch(batch)


def test_a_running_batch_is_not_swept(assignment: Assignment, alice: User, eager_tasks: None) -> None:
    batch = upload(assignment, alice, CLASS)
    Job.objects.update(sent=timezone.now() - SENDING / 2, due=timezone.now() - SENDING)
    Job.objects.update(due=F("sent"))
    maintenance.sweep()
    batch.refresh_from_db()
    assert batch.state == "queued"


ACCENTED = COPIED + "\n# größer, schöner: für Müller\n"


@pytest.mark.parametrize(
    "data",
    [
        ACCENTED.encode("utf-16"),
        ACCENTED.encode("utf-8-sig"),
        ACCENTED.encode("latin-1"),
        COPIED.encode() + b"\n# \xff\xfe\xfa\n",
    ],
    ids=["utf-16", "utf-8-sig", "latin-1", "invalid"],
)
def test_a_copy_in_another_or_in_an_invalid_encoding_is_found(hand_in: HandIn, data: bytes) -> None:
    batch = hand_in(zipped({"ada/m.py": COPIED, "ben/m.py": data}))
    assert batch.assignment.reports.get().pairs.get().left_share == 1


@pytest.mark.long
def test_what_a_lost_worker_left_is_taken_up(assignment: Assignment, alice: User, eager_tasks: None) -> None:
    batch = upload(assignment, alice, CLASS)  # never committed, so no task was sent
    states = []
    for _ in range(3):
        let_time_pass()
        maintenance.sweep()
        batch.refresh_from_db()
        states.append(batch.state)
    assert states == ["fingerprinting", "ranking", "done"]
