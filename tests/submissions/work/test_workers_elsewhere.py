"""Workers on other machines: they share Postgres and Valkey with the server, and no folder."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User

from moss.celery import app
from moss.operations.maintenance import sweep
from moss.serving.supervisor import GRACE_SECONDS
from submissions.models import Assignment, Course, Document, Job, RankingShard, Report
from submissions.uploads import change as uploads
from submissions.uploads.change import create_batch
from submissions.work.locks import Work, session_names, sessions
from tests.conftest import wait_until, worker_environment
from tests.submissions.work.test_tasks import SLOW, upload, wait_for
from tests.support.planned_rankings import content
from tests.support.processes import descendants, kill_group
from tests.support.sample_class import CLASS, COPIED, HONEST, RENAMED, STARTER, zipped


@contextmanager
def worker_elsewhere(place: Path, shard_seconds: float = 20.0) -> Iterator[subprocess.Popen[bytes]]:
    """Start a worker whose home, temporary folder and working folder are in `place`, in its own session."""
    for folder in ("home", "temporary", "work"):
        (place / folder).mkdir(parents=True)
    variables = worker_environment() | {
        "REDIS_URL": settings.REDIS_URL,
        "MOSS_TEST_HOME": str(place / "home"),
        "TMPDIR": str(place / "temporary"),
        "PYTHONPATH": str(settings.BASE_DIR),
        "MOSS_SHARD_SECONDS": f"{shard_seconds:f}",
    }
    command = [sys.executable, "-m", "celery", "-A", "moss", "worker", "--concurrency=1"]
    log = place / "log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--without-gossip", "--without-mingle"],
            env=variables,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=place / "work",
            start_new_session=True,
        )
    try:
        wait_until(lambda: b" ready." in log.read_bytes() or process.poll() is not None, what="the worker")
        assert process.poll() is None, log.read_text()
        yield process
    except BaseException:
        sys.stderr.write(log.read_text())
        raise
    finally:
        process.terminate()
        process.wait(60)


def rerank(assignment: Assignment) -> Report:
    return Report.objects.get(pk=uploads.rerank(assignment).pk)


def sweep_until_done(report: Report) -> None:
    def is_over() -> bool:
        sweep()
        report.refresh_from_db()
        return report.state not in Report.UNFINISHED

    wait_until(is_over, 180, what="the report")


@pytest.fixture
def programs(alice: User) -> Assignment:
    """Return an assignment with a class of 40 programs that share some code, not yet read."""
    assignment = Course.objects.create(owner=alice, name="Algorithms").assignments.create(name="Sorting")
    parts = [COPIED, HONEST, RENAMED, STARTER]
    files = {
        f"s{number:02}/main.py": "".join(parts[number >> shift & 3] for shift in (0, 1, 3))
        + f"result_{number} = [{', '.join(map(str, range(number, 99)))}]\n"
        for number in range(40)
    }
    create_batch(assignment, alice, [zipped(files)])
    return assignment


@pytest.mark.long
def test_two_workers_that_share_nothing_make_the_report_of_one(
    separate_queues: None, programs: Assignment, tmp_path: Path
) -> None:
    with worker_elsewhere(tmp_path / "alone"):
        wait_for(programs.batches.get())
    whole = content(programs.reports.get())
    with worker_elsewhere(tmp_path / "a", 0.001) as first, worker_elsewhere(tmp_path / "b", 0.001) as second:
        report = rerank(programs)
        seen: set[str] = set()

        def have_both_worked() -> bool:
            shards = set(Job.objects.filter(kind="score_shard").values_list("pk", flat=True))
            seen.update(name for name, kind, pk in session_names() if kind == Work.JOB and pk in shards)
            report.refresh_from_db()
            return report.state == "done"

        wait_until(have_both_worked, what="the report")
    assert {name.rpartition(" ")[2] for name in seen} == {str(first.pid), str(second.pid)}
    assert content(report) == whole
    assert "shards" in (tmp_path / "a" / "log").read_text() + (tmp_path / "b" / "log").read_text()


@pytest.mark.long
def test_a_killed_worker_loses_nothing(separate_queues: None, programs: Assignment, tmp_path: Path) -> None:
    with worker_elsewhere(tmp_path / "alone"):
        wait_for(programs.batches.get())
    whole = content(programs.reports.get())
    with worker_elsewhere(tmp_path / "a", 0.001) as killed:
        report = rerank(programs)
        wait_until(lambda: RankingShard.objects.exclude(result=None).count() > 2, what="some shards")
        kill_group(killed.pid)
        killed.wait(60)
        assert RankingShard.objects.filter(result=None).exists()
        app.control.purge()  # and the messages are lost with it, as with a Valkey that lost its data
    with worker_elsewhere(tmp_path / "b", 0.001):
        sweep_until_done(report)
    assert content(report) == whole


@contextmanager
def worker(log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a worker of the queues of this test alone; yield it when it is ready."""
    command = [sys.executable, "-m", "celery", "-A", "moss", "worker", "--concurrency=1"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--without-gossip", "--without-mingle"],
            env=worker_environment(),
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=settings.BASE_DIR,
        )
    try:
        wait_until(lambda: b" ready." in log.read_bytes() or process.poll() is not None, what="the worker")
        assert process.poll() is None, log.read_text()
        yield process
    finally:
        process.terminate()
        process.wait(60)


def is_reading_slowly() -> bool:
    pending = Document.objects.filter(state="pending", attempts=1)
    return pending.filter(pk__in=sessions(Work.DOCUMENT), source__size__gt=1_000_000).exists()


@pytest.mark.long
def test_a_worker_with_a_busy_reader_ends_in_time(alice: User, separate_queues: None, tmp_path: Path) -> None:
    assignment = Course.objects.create(owner=alice, name="Algorithms").assignments.create(name="Sorting")
    with worker(tmp_path / "first.log") as first:
        batch = upload(assignment, alice, {**CLASS, "zoe/main.rb": SLOW})
        wait_until(is_reading_slowly, what="the slow file")
        children = descendants(first.pid, "submissions.intake.sandbox.child")
        assert children
        started = time.monotonic()
        first.terminate()
        assert first.wait(GRACE_SECONDS) == 0
        assert time.monotonic() - started < GRACE_SECONDS
    wait_until(lambda: not any(child.is_running() for child in children), what="the end of the readers")
    wait_until(lambda: not sessions(Work.DOCUMENT), what="the end of its sessions")
    with worker(tmp_path / "second.log"):
        assert wait_for(batch).state == "done"
    read_once = sorted(Document.objects.values_list("state", "attempts"))
    assert read_once == [("failed", 1), *[("ready", 1)] * len(CLASS)]
    assert assignment.reports.get().pairs.exists()
