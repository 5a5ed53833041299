"""One real worker that the tests of a process share, until a test needs that there is none."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from pytest_django.plugin import DjangoDbBlocker

from moss.celery import app
from tests.conftest import running_worker
from tests.support.other_sessions import wait_for_end_of_other_processes, wait_for_other_sessions


class SharedWorker:
    """A worker that starts when it is first needed; `log` is the file with its output while it runs."""

    def __init__(self, folders: pytest.TempPathFactory) -> None:
        self._folders, self._running = folders, ExitStack()
        self._log: Path | None = None

    @property
    def log(self) -> Path:
        if self._log is None:
            log = self._folders.mktemp("worker") / "worker.log"
            self._log = self._running.enter_context(running_worker(log))
        return self._log

    def stop(self) -> None:
        self._running.close()
        self._log = None


@pytest.fixture(scope="session")
def _worker(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedWorker]:
    worker = SharedWorker(tmp_path_factory)
    yield worker
    worker.stop()


@pytest.fixture
def celery_worker_process(transactional_db: None, _worker: SharedWorker) -> Iterator[Path]:
    """Return the log file of a real worker that uses the test database and queue."""
    app.control.purge()
    yield _worker.log
    app.control.purge()
    wait_for_other_sessions(rest=0.1)


@pytest.fixture
def no_worker(_worker: SharedWorker, django_db_blocker: DjangoDbBlocker) -> None:
    """End the worker of earlier tests: it would take the messages of a test, and be counted."""
    _worker.stop()
    with django_db_blocker.unblock():
        wait_for_end_of_other_processes()
