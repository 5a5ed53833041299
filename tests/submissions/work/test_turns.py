"""Two queues, and turns among users: nobody's small upload waits for a stranger's work."""

from collections import defaultdict
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import TestCase

from moss.celery import app
from submissions.models import Assignment, Batch, Course, Job, Report
from submissions.reports import progress
from submissions.uploads import fingerprinting as documents, ingestion as sources, jobs as reading, lifecycle
from submissions.uploads.change import create_batch
from submissions.uploads.lifecycle import cancel_batch
from submissions.work import jobs, running
from submissions.work.jobs import announce_blocked, kind_of, places, startable, turns
from submissions.work.kinds import HEAVY, INTERACTIVE, Kind
from tests.conftest import wait_until
from tests.hostile.slow_texts import slowest_texts
from tests.support.jobs import work_off, work_once
from tests.support.sample_class import CLASS, zipped
from tests.support.uploads import MANY, HandIn

UNPACK = kind_of("unpack")
STARTED_A_USER = UNPACK.at_once or 0


@pytest.fixture
def other_assignment(bob: User) -> Assignment:
    return Course.objects.create(owner=bob, name="Networks").assignments.create(name="Sockets")


def upload(assignment: Assignment, count: int = 1, queue: str = INTERACTIVE, **fields: object) -> list[Batch]:
    owner = assignment.course.owner
    batches = [
        Batch.objects.create(assignment=assignment, uploaded_by=owner, name=f"{n}.zip", **fields) for n in range(count)
    ]
    for batch in batches:
        kind = "unpack" if batch.state in {"queued", "unpacking"} else "read_documents"
        jobs.enqueue(kind, batch.pk, user=owner.pk, queue=queue)
        if batch.state != "queued":
            assert jobs.start(Job.objects.get(kind=kind, subject=batch.pk))
    return batches


def startable_subjects(queue: str, kind: str = "unpack") -> list[int]:
    return [job.subject for job in startable(kind_of(kind), queue)]


def pks(rows: list[Batch] | list[Report]) -> list[int]:
    return [row.pk for row in rows]


def test_users_take_turns_in_order(assignment: Assignment, other_assignment: Assignment) -> None:
    first = upload(assignment, 3)
    second = upload(other_assignment, 2)
    expected = [first[0], second[0], first[1], second[1], first[2]]
    assert [job.subject for _, job in turns(UNPACK, INTERACTIVE)] == pks(expected)
    assert places("unpack", pks(first)) == dict(zip(pks(first), [0, 2, 4], strict=True))


def test_who_has_work_under_way_comes_later(assignment: Assignment, other_assignment: Assignment) -> None:
    upload(assignment, state="fingerprinting")
    first, second = upload(assignment), upload(other_assignment)
    assert startable_subjects(INTERACTIVE) == pks(second + first)


def test_a_user_has_a_limited_number_of_batches_started_in_each_queue(assignment: Assignment) -> None:
    upload(assignment, STARTED_A_USER, state="unpacking")
    upload(assignment, 2)
    heavy = upload(assignment, queue=HEAVY)
    work_once("unpack")
    assert Batch.objects.filter(state="queued").count() == 3
    assert startable_subjects(HEAVY) == pks(heavy)


def test_rankings_of_different_users_take_turns(assignment: Assignment, other_assignment: Assignment) -> None:
    third = assignment.course.assignments.create(name="Third")
    lifecycle.enqueue_rank(assignment)
    assert jobs.start(Job.objects.get())
    for waiting in (third, other_assignment, assignment):  # the last one waits for the running one
        lifecycle.enqueue_rank(waiting)
    assert startable_subjects(INTERACTIVE, "rank") == [other_assignment.pk, third.pk]
    assert startable_subjects(HEAVY, "rank") == []


@pytest.mark.long
def test_a_message_of_one_upload_starts_the_upload_whose_turn_it_is(
    assignment: Assignment, other_assignment: Assignment, alice: User, bob: User, eager_tasks: None
) -> None:
    upload(assignment.course.assignments.create(name="Loops"), state="fingerprinting")
    waiting = create_batch(assignment, alice, [zipped(CLASS)])
    later = create_batch(other_assignment, bob, [zipped(CLASS)])
    with TestCase.captureOnCommitCallbacks(execute=True):
        work_once("unpack")
    in_order = Batch.objects.filter(state="done").order_by("assignment__reports__pk")
    assert list(in_order) == [later, waiting]


@pytest.mark.long
@pytest.mark.parametrize("end", ["read", "cancelled"])
def test_what_waited_for_its_user_is_started_when_an_upload_was_read_or_cancelled(
    assignment: Assignment, alice: User, eager_tasks: None, end: str
) -> None:
    elsewhere = assignment.course.assignments.create(name="Loops")
    started = upload(elsewhere, STARTED_A_USER, state="fingerprinting")
    waiting = create_batch(assignment, alice, [zipped(CLASS)])
    [job, _] = Job.objects.filter(kind="read_documents", state="running")
    with TestCase.captureOnCommitCallbacks(execute=True):
        if end == "read":
            running.carry_out(kind_of("read_documents"), job)  # the last documents of it
            announce_blocked(kind_of("read_documents"))
        else:
            cancel_batch(started[0])
    waiting.refresh_from_db()
    assert waiting.state == "done"


def test_a_large_upload_and_a_large_cohort_are_heavy_work(
    assignment: Assignment, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = create_batch(assignment, alice, [zipped(CLASS)])
    monkeypatch.setattr(reading, "SMALL_UPLOAD_BYTES", 100)
    large = create_batch(assignment, alice, [zipped(CLASS)])
    queued = dict(Job.objects.values_list("subject", "queue"))
    assert (queued[small.pk], queued[large.pk]) == (INTERACTIVE, HEAVY)
    assert lifecycle.cohort_queue(100, 200_000) == INTERACTIVE
    assert lifecycle.cohort_queue(1_500, 200_000) == lifecycle.cohort_queue(100, 5_000_000) == HEAVY


def test_a_large_upload_is_read_in_the_heavy_queue(hand_in: HandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "SMALL_BATCH_FILES", 2)
    monkeypatch.setattr(lifecycle, "SMALL_COHORT_FILES", 2)
    queues_of = queues_in_order(monkeypatch)
    batch = hand_in(zipped(CLASS))
    assert batch.state == "done"
    assert queues_of["read_documents"][0] == HEAVY
    assert queues_of["rank"] == [HEAVY]


@pytest.mark.parametrize(
    ("kind", "limits"),
    [
        ("unpack", [(sources, "INTERACTIVE_SECONDS", -1)]),
        (
            "read_documents",
            [
                (reading, "SLICE_SECONDS", -1),
                (reading, "LANES", 1),
                (documents, "GROUP_SECONDS", -1),
                (documents, "BATCH_DOCUMENTS", 1),
            ],
        ),
        ("rank", [(progress, "LONGEST_INTERACTIVE", timedelta(seconds=-1))]),
    ],
    ids=["unpacking", "reading", "ranking"],
)
def test_what_takes_long_goes_on_in_the_heavy_queue(
    hand_in: HandIn, monkeypatch: pytest.MonkeyPatch, kind: str, limits: list[tuple[object, str, object]]
) -> None:
    for module, name, limit in limits:
        monkeypatch.setattr(module, name, limit)
    queues_of = queues_in_order(monkeypatch)
    batch = hand_in(zipped(CLASS))
    assert (batch.state, batch.documents_done) == ("done", 3)
    assert batch.assignment.reports.get().state == "done"
    assert queues_of[kind][:2] == [INTERACTIVE, HEAVY]
    assert kind == "read_documents" or len(queues_of[kind]) == 2


@pytest.mark.long
def test_two_long_uploads_are_read_by_turns(
    assignment: Assignment,
    other_assignment: Assignment,
    alice: User,
    bob: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "CHUNK", 2)
    sources = {path: f"{source}\nx = {n}\n" for n, (path, source) in enumerate(MANY.items())}
    uploads = [
        create_batch(assignment, alice, [zipped(sources)]),
        create_batch(other_assignment, bob, [zipped({k: f"{v}y = 2" for k, v in sources.items()})]),
    ]
    work_off("unpack")
    progress_of_both = []
    while Job.objects.filter(kind="read_documents").exists():
        work_once("read_documents")
        progress_of_both.append([Batch.objects.get(pk=upload.pk).documents_done for upload in uploads])
    assert progress_of_both[-1] == [len(MANY), len(MANY)]
    largest_lead = max(abs(first - second) for first, second in progress_of_both)
    assert largest_lead <= reading.LANES * 2


@pytest.mark.long
def test_one_worker_reads_a_small_class_of_another_user_before_the_rest_of_a_long_one(
    celery_worker_process: Path, assignment: Assignment, other_assignment: Assignment, alice: User, bob: User
) -> None:
    slow = next(text for text in slowest_texts() if text.target.startswith("r by"))
    files = {f"student-{n:03}/a.r": f"{slow.text(16_000)}\n# {n}\n" for n in range(200)}
    long = create_batch(assignment, alice, [zipped(files)])

    def has(batch: Batch, state: str) -> bool:
        return Batch.objects.filter(pk=batch.pk, state=state).exists()

    wait_until(lambda: has(long, "fingerprinting"), 60, what="the long class")
    small = create_batch(other_assignment, bob, [zipped(CLASS)])
    wait_until(lambda: has(small, "done"), 120, what="the small class")
    long.refresh_from_db()
    assert long.state == "fingerprinting"
    assert long.documents_done < len(files) // 2
    cancel_batch(long)


def queues_in_order(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Return the queues in which jobs of each kind are started from now on."""
    started: dict[str, list[str]] = defaultdict(list)
    carry_out = running.carry_out

    def note(kind: Kind, job: Job) -> None:
        started[kind.name].append(job.queue)
        carry_out(kind, job)

    monkeypatch.setattr(running, "carry_out", note)
    return started


def test_every_task_has_its_queue_and_its_priority_in_one_table() -> None:
    app.loader.import_default_modules()
    names = {name for name in app.tasks if name.startswith(("submissions.", "work."))}
    assert names == app.conf.task_routes.keys()
