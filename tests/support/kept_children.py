"""Children that unpack uploads, kept for the next upload, since the start of one takes .2 processor seconds.

They are the real ones, confined as ever. The service has a new one for each upload, which it starts before
that, as have the tests of the sandbox.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from submissions.intake.sandbox import archives
from submissions.intake.sandbox.process import Child
from submissions.uploads import files

if TYPE_CHECKING:
    from collections.abc import Generator

    from submissions.intake.sandbox.child import Frame

# Children that wait for a job, by the module of their jobs and their memory.
WAITING: dict[tuple[str, int], Child] = {}


class KeptChild:
    """A child that waits for the next upload once its job has ended."""

    def __init__(self, jobs: str, memory: int) -> None:
        self._kind = jobs, memory
        child = WAITING.pop(self._kind, None)
        # It is killed when the thread that started it ends.
        if child and not child.running:
            child.end()
            child = None
        self._child = child or Child(jobs, memory)

    def do(self, *arguments: Any) -> Generator[Frame]:
        self._job = cast("Generator[Frame]", self._child.do(*arguments))
        return self._job

    def end(self) -> None:
        """Keep the child; one that is in the middle of a job is killed by the end of that job."""
        self._job.close()
        if not self._child.running or WAITING.setdefault(self._kind, self._child) is not self._child:
            self._child.end()


def pytest_configure() -> None:
    archives.Child = KeptChild  # type: ignore[attr-defined, assignment]
    files.unpacking_child = lambda: None  # type: ignore[assignment]


def pytest_unconfigure() -> None:
    _end_waiting()


def _end_waiting() -> None:
    while WAITING:
        WAITING.popitem()[1].end()


@pytest.fixture
def new_children(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unpack each upload in a child of its own, as the service does."""
    _end_waiting()
    monkeypatch.setattr(archives, "Child", Child)
