"""Tasks that stop in the middle of a ranking, so that somebody can meet them there."""

from __future__ import annotations

from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest
from django.db import connection

from submissions import actions
from submissions.models import Batch, Report
from submissions.ranking import rank as ranking
from tests.support.sample_class import COPIED, RENAMED, zipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from django.contrib.auth.models import User

    from submissions.models import Assignment

TWO = {"ada/m.py": COPIED, "ben/m.py": RENAMED}


class Held:
    """A task in a thread and connection of its own that stops in the middle of a ranking."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.inside, self.go_on = Event(), Event()
        real = ranking.rank

        def slow(report: Report) -> None:
            self.inside.set()
            assert self.go_on.wait(60)
            real(report)

        monkeypatch.setattr(ranking, "rank", slow)
        self.faults: list[BaseException] = []

    def start(self, work: Callable[[], object]) -> Thread:
        def run() -> None:
            try:
                work()
            except BaseException as error:  # noqa: BLE001 - told by the test
                self.faults.append(error)
            finally:
                connection.close()

        thread = Thread(target=run)
        thread.start()
        return thread


@pytest.fixture
def held(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    found = Held(monkeypatch)
    yield found
    found.go_on.set()
    assert found.faults == []


@pytest.fixture
def ranking_batch(assignment: Assignment, alice: User, held: Held, at_once: None) -> Batch:
    """Give a batch whose report waits; nobody ranks it yet."""
    held.go_on.set()
    batch = actions.create_batch(assignment, alice, [zipped(TWO)])
    held.inside.clear()
    held.go_on.clear()
    Batch.objects.filter(pk=batch.pk).update(state="ranking")
    Report.objects.update(state="queued")
    return batch
