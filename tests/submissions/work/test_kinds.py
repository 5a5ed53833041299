"""Every row of the registry: its work survives a killed worker and an emptied broker, and ends."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import nullcontext

import psycopg
import pytest
from django.conf import settings
from django.utils import timezone
from django.utils.module_loading import import_string

from moss.celery import app
from submissions.models import Job, Submission
from submissions.work import jobs, running as stuck
from submissions.work.heartbeats import package_version
from submissions.work.jobs import TASKS, queue_lengths
from submissions.work.kinds import HEAVY, INTERACTIVE, Kind
from submissions.work.locks import Work, end_session, sessions
from submissions.work.running import carry_out, sweep_jobs
from tests.conftest import wait_until, worker_environment
from tests.support.jobs import let_time_pass
from tests.support.long_rows import rest_is_long
from tests.support.uploads import Committing

pytestmark = pytest.mark.usefixtures("empty_queues")
KINDS: dict[str, Kind] = settings.WORK_KINDS
each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
# What becomes of a lost job depends on nothing else of its kind.
UNLIKE = {(kind.gives_up, bool(kind.part_of)): kind for kind in KINDS.values()}.values()
unlike_kinds = pytest.mark.parametrize(
    "kind",
    rest_is_long([*UNLIKE, *(kind for kind in KINDS.values() if kind not in UNLIKE)], first=len(UNLIKE)),
)
# No row has this key: to work on it does nothing.
NOTHING = 987_654_321
# A worker as it is while it works: it has started and locked a job of each kind, and does not go on.
WORKER = """
import django, time
django.setup()
from django.conf import settings
from submissions.work import jobs
from submissions.work.heartbeats import package_version
from submissions.work.locks import Work, work_locks
started = [jobs.claim(kind, "interactive") for kind in settings.WORK_KINDS.values()]
with work_locks(Work.JOB, [job.pk for job in started]):
    print("ready", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def sent(no_worker: None) -> Iterator[None]:
    """Discard the messages that a test sends, which nobody takes meanwhile."""
    yield
    app.control.purge()


def queued(kind: Kind) -> Job:
    jobs.enqueue(kind.name, NOTHING)
    return Job.objects.get(kind=kind.name)


def state_of(job: Job) -> str:
    """Return the state of a job; a job that is done is gone."""
    return str(Job.objects.filter(pk=job.pk).values_list("state", flat=True).first() or "done")


@each_kind
def test_a_kind_names_functions_that_are_there_and_limits_that_its_task_has(kind: Kind) -> None:
    for name in filter(None, (kind.name, kind.failed, kind.on_change)):
        assert callable(import_string(f"{kind.module}.{name}"))
    assert {*filter(None, (kind.followed_by, kind.part_of))} <= KINDS.keys()
    task = app.tasks[kind.task]
    assert (task.soft_time_limit, task.time_limit) == (kind.seconds, kind.seconds + kind.grace)
    assert app.conf.task_routes[kind.task] == {"queue": INTERACTIVE, "priority": kind.priority}
    assert TASKS[kind.name].name == task.name


@each_kind
@pytest.mark.django_db
def test_what_is_enqueued_twice_is_one_job(kind: Kind, sent: None, committing: Committing) -> None:
    with committing(execute=True):
        job, again = queued(kind), queued(kind)
    assert job == again
    assert queue_lengths()[INTERACTIVE] == 2


@each_kind
@pytest.mark.django_db
def test_a_job_whose_message_was_lost_is_carried_out_later(kind: Kind, eager_tasks: None) -> None:
    job = queued(kind)
    sweep_jobs()
    assert state_of(job) == "queued", "its message may still come"
    let_time_pass()
    sweep_jobs()
    assert state_of(job) == "done"


@unlike_kinds
@pytest.mark.django_db
def test_a_started_job_is_lost_without_a_lock_and_not_with_one(
    kind: Kind, eager_tasks: None, other_session: psycopg.Connection
) -> None:
    job = queued(kind)
    assert jobs.claim(kind, INTERACTIVE) == job
    lock(other_session, job)
    Job.objects.update(touched=job.touched - 2 * jobs.ROOM_INTERVAL)
    sweep_jobs()
    assert state_of(job) == "running"
    other_session.close()
    wait_until(lambda: not sessions(Work.JOB), what="the end of the session")
    sweep_jobs()
    assert state_of(job) == "done"


@unlike_kinds
@pytest.mark.django_db
def test_a_job_that_does_not_go_on_fails_and_its_session_ends(
    kind: Kind, other_session: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = queued(kind)
    assert jobs.claim(kind, INTERACTIVE)
    lock(other_session, job)
    let_time_pass()
    monkeypatch.setattr(stuck, "end_session", lambda work, pk, _idle: end_session(work, pk))
    sweep_jobs()
    assert (state_of(job) == "failed") == (kind.gives_up and not kind.part_of)
    wait_until(lambda: not sessions(Work.JOB), what="the end of the session")


@each_kind
@pytest.mark.django_db
def test_what_ends_its_worker_each_time_is_not_tried_for_ever_unless_its_parts_count(kind: Kind) -> None:
    queued(kind)
    for _ in range(kind.attempts):
        assert jobs.claim(kind, INTERACTIVE)
        assert jobs.requeue_lost(Job.objects.get())
    assert (jobs.claim(kind, INTERACTIVE) is None) == kind.gives_up
    assert Job.objects.get().reason == (jobs.GAVE_UP if kind.gives_up else "")


@unlike_kinds
@pytest.mark.django_db
def test_a_job_of_which_a_row_goes_meanwhile_is_tried_again_and_a_mistake_ends_it(
    kind: Kind, sent: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_its_row(_job: Job) -> None:
        Submission.objects.get(pk=NOTHING)

    monkeypatch.setattr(f"{kind.module}.{kind.name}", without_its_row)
    waiting = queued(kind)
    for attempt in range(1, kind.attempts + 1):
        job = jobs.claim(kind, INTERACTIVE) or jobs.claim(kind, HEAVY)
        assert job
        last = kind.gives_up and attempt == kind.attempts
        with pytest.raises(Submission.DoesNotExist) if last else nullcontext():
            carry_out(kind, job)
        let_time_pass()
    assert state_of(waiting) == ("failed" if kind.gives_up else "queued")


@each_kind
@pytest.mark.django_db
def test_what_was_cancelled_is_gone_and_is_not_brought_back_by_its_worker(kind: Kind) -> None:
    queued(kind)
    job = jobs.claim(kind, INTERACTIVE)
    assert job
    jobs.cancel(kind.name, [NOTHING])
    for end in (jobs.finish, jobs.wait_for_room, jobs.requeue_lost):
        end(job)
    assert not jobs.fail(job, "too late")
    assert not Job.objects.exists()


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_the_work_of_a_worker_that_is_killed_is_done_by_another_one(eager_tasks: None) -> None:
    for kind in KINDS.values():
        Job.objects.create(kind=kind.name, subject=NOTHING, queue=INTERACTIVE, version=package_version())
    command = [sys.executable, "-c", WORKER]
    with subprocess.Popen(command, env=worker_environment(), stdout=subprocess.PIPE) as worker:
        assert worker.stdout
        assert worker.stdout.readline() == b"ready\n"
        let_time_pass()
        Job.objects.update(touched=timezone.now() - 2 * jobs.ROOM_INTERVAL)
        sweep_jobs()
        assert set(Job.objects.values_list("state", flat=True)) == {"running"}
        worker.kill()
    wait_until(lambda: not sessions(Work.JOB), what="the end of its sessions")
    sweep_jobs()
    assert not Job.objects.exists()


def lock(session: psycopg.Connection, job: Job) -> None:
    row = session.execute("SELECT pg_try_advisory_lock(%s::int, %s::int)", [Work.JOB, job.pk]).fetchone()
    assert row == (True,)
