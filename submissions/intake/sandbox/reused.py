"""A child that does many jobs, and is replaced when it ends or did enough."""

from __future__ import annotations

import atexit
import os
from threading import Lock

from submissions.intake.sandbox.process import Child


class ReusedChild:
    """A child with the jobs of a module; it is started when it is needed, and does about `max_jobs`.

    Whoever has it do a job holds `lock`, and adds one to `jobs_done`.
    """

    def __init__(self, memory: int, jobs: str, max_jobs: int) -> None:
        self.memory = memory
        self.lock = Lock()
        self.max_jobs, self._jobs = max_jobs, jobs
        self._child: Child | None = None
        self._owner, self.jobs_done = os.getpid(), 0
        atexit.register(self.close)

    def start(self) -> Child:
        """Return the child; start one if there is none. It loads what it needs while this process goes on."""
        if self._owner != os.getpid():  # A fork of the owner, whose child is not ours.
            self._owner, self._child, self.lock = os.getpid(), None, Lock()
        if self._child and (self.jobs_done >= self.max_jobs or not self._child.running):
            self.close()
        if self._child is None:
            self._child, self.jobs_done = Child(self._jobs, self.memory), 0
        return self._child

    def close(self) -> None:
        """End the child; the next job starts another one."""
        if self._child and self._owner == os.getpid():
            self._child.end()
        self._child = None
