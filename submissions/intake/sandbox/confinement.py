"""Confine a child before it reads anything, and limit the processor time of each of its jobs."""

from __future__ import annotations

import ctypes
import math
import os
import resource
import signal
import sys

from submissions.intake.sandbox.landlock import give_up_files

SET_PARENT_DEATH_SIGNAL, SET_NO_NEW_PRIVILEGES = 1, 38


def end_with(parent: int) -> None:
    """End this process when its parent ends, and leave other signals for the end to the parent.

    A stop of the service sends them to every process, and the parent finishes its task first.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def confine(memory: int) -> int:
    """Give up files, network, new processes and more than `memory` bytes; return the version of Landlock.

    What was opened before can still be used.
    """
    _prctl(SET_NO_NEW_PRIVILEGES, 1)
    landlock = give_up_files()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))  # nothing is opened any more: no file and no socket
    return landlock


def allow_processor_time(seconds: float) -> None:
    """End this process once it used `seconds` more of processor time."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = math.ceil(usage.ru_utime + usage.ru_stime + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard < 0 else min(soft, hard), hard))


def _prctl(option: int, value: int) -> None:
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(ctypes.c_int(option), ctypes.c_ulong(value), 0, 0, 0)
