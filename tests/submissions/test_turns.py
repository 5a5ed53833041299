"""Two queues, and turns among users: nobody's small upload waits for a stranger's work."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from moss.celery import app
from submissions import actions, tasks, turns
from submissions.ingest import contents, documents
from submissions.models import Assignment, Batch, Course, Report
from submissions.ranking import progress
from submissions.work import queues
from submissions.work.queues import HEAVY, INTERACTIVE
from tests.support.sample_class import CLASS, zipped
from tests.support.uploads import MANY

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.contrib.auth.models import User

    from tests.support.uploads import HandIn


@pytest.fixture
def other_assignment(bob: User) -> Assignment:
    return Course.objects.create(owner=bob, name="Networks").assignments.create(name="Sockets")


def upload(assignment: Assignment, count: int = 1, **fields: object) -> list[Batch]:
    owner = assignment.course.owner
    return [
        Batch.objects.create(assignment=assignment, uploaded_by=owner, name=f"{n}.zip", **fields)
        for n in range(count)
    ]


def pks(rows: list[Batch] | list[Report]) -> list[int]:
    return [row.pk for row in rows]


def test_users_take_turns_and_each_ones_uploads_keep_their_order(
    assignment: Assignment, other_assignment: Assignment
) -> None:
    first = upload(assignment, 3)
    second = upload(other_assignment, 2)
    expected = [first[0], second[0], first[1], second[1], first[2]]
    order = turns.batch_turns(INTERACTIVE)
    assert [turn.pk for turn in order] == pks(expected)
    assert [turns.place(order, batch.pk) for batch in first] == [0, 2, 4]


def test_who_has_work_under_way_comes_after_who_has_none(
    assignment: Assignment, other_assignment: Assignment
) -> None:
    upload(assignment, state="fingerprinting")
    first, second = upload(assignment), upload(other_assignment)
    assert turns.startable_batches(INTERACTIVE) == pks(second + first)


def test_a_user_has_a_limited_number_of_batches_started_in_each_queue(assignment: Assignment) -> None:
    upload(assignment, turns.STARTED_A_USER, state="unpacking")
    upload(assignment, 2)
    heavy = upload(assignment, queue=HEAVY)
    tasks.unpack_next(INTERACTIVE)
    assert Batch.objects.filter(state="queued").count() == 3
    assert turns.startable_batches(HEAVY) == pks(heavy)


def test_reports_of_different_users_take_turns(assignment: Assignment, other_assignment: Assignment) -> None:
    third = assignment.course.assignments.create(name="Third")
    running = Report.objects.create(assignment=assignment, state="running")
    first = Report.objects.create(assignment=third)
    second = Report.objects.create(assignment=other_assignment)
    Report.objects.create(assignment=assignment)  # it waits for the running one
    assert turns.startable_reports(INTERACTIVE) == pks([second, first])
    assert turns.startable_reports(HEAVY) == []
    assert running.pk not in [turn.pk for turn in turns.report_turns(INTERACTIVE)]


def test_a_message_of_one_upload_starts_the_upload_whose_turn_it_is(
    assignment: Assignment, other_assignment: Assignment, alice: User, bob: User, eager_tasks: None
) -> None:
    upload(assignment, state="fingerprinting")
    waiting = actions.create_batch(assignment, alice, [zipped(CLASS)])
    later = actions.create_batch(other_assignment, bob, [zipped(CLASS)])
    tasks.unpack_next(waiting.queue)
    in_order = Batch.objects.filter(state="ranking").order_by("assignment__reports__pk")
    assert list(in_order) == [later, waiting]


def test_what_waited_for_its_user_is_started_when_an_upload_was_read(
    assignment: Assignment, alice: User, eager_tasks: None
) -> None:
    started = upload(assignment, turns.STARTED_A_USER, state="fingerprinting")
    waiting = actions.create_batch(assignment, alice, [zipped(CLASS)])
    tasks.fingerprint(started[0].pk, [])  # the last chunk of it
    waiting.refresh_from_db()
    assert waiting.state == "ranking"


def test_what_waited_for_its_user_is_started_when_an_upload_was_cancelled(
    assignment: Assignment, alice: User, eager_tasks: None
) -> None:
    started = upload(assignment, turns.STARTED_A_USER, state="fingerprinting")
    waiting = actions.create_batch(assignment, alice, [zipped(CLASS)])
    actions.cancel_batch(started[0])
    tasks.fingerprint(started[0].pk, [1])
    waiting.refresh_from_db()
    assert waiting.state == "ranking"


def test_a_large_upload_and_a_large_cohort_are_heavy_work(
    assignment: Assignment, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = actions.create_batch(assignment, alice, [zipped(CLASS)])
    monkeypatch.setattr(queues, "SMALL_UPLOAD_BYTES", 100)
    large = actions.create_batch(assignment, alice, [zipped(CLASS)])
    assert (small.queue, large.queue) == (INTERACTIVE, HEAVY)
    assert queues.cohort_queue(100, 200_000) == INTERACTIVE
    assert queues.cohort_queue(1_500, 200_000) == queues.cohort_queue(100, 5_000_000) == HEAVY


def test_an_upload_of_many_files_is_read_in_the_heavy_queue(
    hand_in: HandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "SMALL_BATCH_FILES", 2)
    monkeypatch.setattr(queues, "SMALL_COHORT_FILES", 2)
    batch = hand_in(zipped(CLASS))
    assert (batch.state, batch.queue) == ("done", HEAVY)
    assert batch.assignment.reports.get().queue == HEAVY


def test_unpacking_that_takes_long_goes_on_in_the_heavy_queue(
    hand_in: HandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contents, "INTERACTIVE_SECONDS", -1)
    batch = hand_in(zipped(CLASS))
    assert (batch.state, batch.queue, batch.attempts) == ("done", HEAVY, 1)


def test_reading_that_takes_long_goes_on_in_the_heavy_queue(
    hand_in: HandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "SLICE_SECONDS", -1)
    monkeypatch.setattr(documents, "GROUP_SECONDS", -1)
    batch = hand_in(zipped(CLASS))
    assert (batch.state, batch.queue, batch.documents_done) == ("done", HEAVY, 3)


def test_ranking_that_takes_long_goes_on_in_the_heavy_queue(
    hand_in: HandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "LONGEST_INTERACTIVE", timedelta(seconds=-1))
    report = hand_in(zipped(CLASS)).assignment.reports.get()
    assert (report.state, report.queue, report.attempts) == ("done", HEAVY, 1)


def test_two_long_uploads_are_read_by_turns(
    assignment: Assignment,
    other_assignment: Assignment,
    alice: User,
    bob: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    messages: list[tuple[Callable[..., object], tuple[object, ...]]] = []
    monkeypatch.setattr(tasks, "send", lambda task, _queue, *arguments: messages.append((task, arguments)))
    monkeypatch.setattr(tasks, "CHUNK", 2)
    sources = {path: f"{source}\nx = {n}\n" for n, (path, source) in enumerate(MANY.items())}
    uploads = [
        actions.create_batch(assignment, alice, [zipped(sources)]),
        actions.create_batch(other_assignment, bob, [zipped({k: f"{v}y = 2" for k, v in sources.items()})]),
    ]
    progress_of_both = []
    messages += [(tasks.unpack_next, (INTERACTIVE,)) for _ in uploads]
    while messages:  # As one worker does that takes the messages in their order.
        task, arguments = messages.pop(0)
        task(*arguments)
        progress_of_both.append([Batch.objects.get(pk=upload.pk).documents_done for upload in uploads])
    assert progress_of_both[-1] == [len(MANY), len(MANY)]
    largest_lead = max(abs(first - second) for first, second in progress_of_both)
    assert largest_lead <= tasks.LANES * 2


def test_every_task_has_its_queue_and_its_priority_in_one_table() -> None:
    app.loader.import_default_modules()
    names = {name for name in app.tasks if name.startswith("submissions.")}
    assert names == queues.ROUTES.keys()
