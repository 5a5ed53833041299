"""A real worker and a real server of the MOSS protocol that tests share, until one needs that there is none."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import Generic, TypeVar

import pytest
from pytest_django.plugin import DjangoDbBlocker

from moss.celery import app
from tests.conftest import running_worker
from tests.support.moss_clients import Listening, listening_with_pages
from tests.support.other_sessions import wait_for_end_of_other_processes, wait_for_other_sessions

T = TypeVar("T")


class SharedProcess(Generic[T]):
    """A process that starts when it is first needed, and runs until a test needs that there is none.

    `start` runs it within a context; `running` is what that gives, such as the file with its output.
    """

    def __init__(self, start: Callable[[], AbstractContextManager[T]]) -> None:
        self._start, self._context = start, ExitStack()
        self._running: list[T] = []

    @property
    def running(self) -> T:
        if not self._running:
            self._running.append(self._context.enter_context(self._start()))
        return self._running[0]

    def stop(self) -> None:
        self._context.close()
        self._running.clear()


@pytest.fixture(scope="session")
def _worker(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedProcess[Path]]:
    worker = SharedProcess(lambda: running_worker(tmp_path_factory.mktemp("worker") / "worker.log"))
    yield worker
    worker.stop()


@pytest.fixture(scope="session")
def shared_listening(
    django_db_setup: None, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SharedProcess[Listening]]:
    listening = SharedProcess(
        lambda: listening_with_pages(tmp_path_factory.mktemp("listening"), MOSS_MAX_UPLOAD_MB="8")
    )
    yield listening
    listening.stop()


@pytest.fixture
def celery_worker_process(transactional_db: None, _worker: SharedProcess[Path]) -> Iterator[Path]:
    """Return the log file of a real worker that uses the test database and queue."""
    app.control.purge()
    yield _worker.running
    app.control.purge()
    wait_for_other_sessions(rest=0.1)


@pytest.fixture
def listening_server(transactional_db: None, shared_listening: SharedProcess[Listening]) -> Listening:
    """Return a real server with the test database; uploads have at most 8 MB."""
    return shared_listening.running


@pytest.fixture
def no_worker(
    _worker: SharedProcess[Path], shared_listening: SharedProcess[Listening], django_db_blocker: DjangoDbBlocker
) -> None:
    """End the processes of earlier tests: a worker would take the messages of a test, and all are counted."""
    _worker.stop()
    shared_listening.stop()
    with django_db_blocker.unblock():
        wait_for_end_of_other_processes()
