"""Tasks that pause in the middle of a ranking, so that tests can run other tasks meanwhile."""

from collections.abc import Callable, Iterator
from threading import Event, Thread

import pytest
from django.contrib.auth.models import User
from django.db import connection

from submissions.models import Assignment, Batch, Job, Report
from submissions.reports import results as ranking
from submissions.reports.shards import Prepared
from submissions.uploads.change import create_batch
from submissions.work.kinds import INTERACTIVE
from tests.support.sample_class import COPIED, RENAMED, zipped

TWO = {"ada/m.py": COPIED, "ben/m.py": RENAMED}


class PausedRanking:
    """A ranking that pauses until `resume` is set, and threads, with a connection each, that run tasks."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reached, self.resume = Event(), Event()
        real_rank = ranking.rank

        def paused_rank(report: Report, prepared: Prepared | None = None) -> None:
            self.reached.set()
            assert self.resume.wait(60)
            real_rank(report, prepared)

        monkeypatch.setattr(ranking, "rank", paused_rank)
        self.errors: list[BaseException] = []

    def start(self, work: Callable[[], object]) -> Thread:
        def run() -> None:
            try:
                work()
            except BaseException as error:  # noqa: BLE001 - the fixture asserts that there are none
                self.errors.append(error)
            finally:
                connection.close()

        thread = Thread(target=run)
        thread.start()
        return thread


@pytest.fixture
def paused_ranking(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[PausedRanking]:
    paused = PausedRanking(monkeypatch)
    yield paused
    paused.resume.set()
    assert paused.errors == []


@pytest.fixture
def ranking_batch(assignment: Assignment, alice: User, paused_ranking: PausedRanking, eager_tasks: None) -> Batch:
    """Return a batch whose report is queued; no task ranks it yet."""
    paused_ranking.resume.set()
    batch = create_batch(assignment, alice, [zipped(TWO)])
    paused_ranking.reached.clear()
    paused_ranking.resume.clear()
    Batch.objects.filter(pk=batch.pk).update(state="ranking")
    Report.objects.update(state="queued")
    # Without a message, so that no worker takes it.
    Job.objects.create(kind="rank", subject=assignment.pk, queue=INTERACTIVE)
    return batch
