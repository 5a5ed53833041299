"""Processes that a test kills: one that has ended in the meantime is as good as killed."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def kill(pids: Iterable[int]) -> None:
    """Kill the processes that still run."""
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):  # it has ended since it was listed
            os.kill(pid, signal.SIGKILL)


def kill_group(leader: int) -> None:
    """Kill what still runs of a process group."""
    with contextlib.suppress(ProcessLookupError):  # all of it has ended
        os.killpg(leader, signal.SIGKILL)
