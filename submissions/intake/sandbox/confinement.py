"""Confine a child before it reads anything, and limit the processor time of each of its jobs."""

from __future__ import annotations

import ctypes
import math
import os
import resource
import signal
import sys

# Landlock. The numbers of its system calls are the same on every architecture that Python runs on; the flags
# are those of linux/landlock.h.
CREATE_RULESET, RESTRICT_SELF = 444, 446
VERSION_FLAG = 1
# Number of rights to files by version of the interface, the first one for version 1.
FILE_RIGHTS = (13, 14, 15, 15, 16)
TCP_VERSION, TCP_RIGHTS = 4, 0b11
SCOPES_VERSION, SCOPES = 6, 0b11
# Options of prctl, from linux/prctl.h.
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


def refuse_privileges() -> None:
    """Let no program that this process becomes have more rights than it."""
    _prctl(SET_NO_NEW_PRIVILEGES, 1)


def confine(memory: int) -> int:
    """Give up files, network, new processes and more than `memory` bytes; return the version of Landlock.

    What was opened before can still be used.
    """
    refuse_privileges()
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


class Ruleset(ctypes.Structure):
    """`struct landlock_ruleset_attr`: what is refused unless a rule allows it."""

    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


def give_up_files() -> int:
    """Refuse this process, for good, all that Landlock can refuse: files, TCP, signals, abstract sockets.

    Return the version of Landlock, 0 without it. No rule allows anything, so that two system calls are
    enough. The caller has set PR_SET_NO_NEW_PRIVS.
    """
    if not sys.platform.startswith("linux"):
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(VERSION_FLAG))
    if version < 1:
        return 0
    ruleset = _ruleset(version)
    descriptor = libc.syscall(
        CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(ctypes.sizeof(ruleset)), ctypes.c_uint32(0)
    )
    if descriptor < 0:
        return 0
    refused = libc.syscall(RESTRICT_SELF, ctypes.c_int(descriptor), ctypes.c_uint32(0))
    os.close(descriptor)
    return 0 if refused else int(version)


def _ruleset(version: int) -> Ruleset:
    files = FILE_RIGHTS[min(version, len(FILE_RIGHTS)) - 1]
    return Ruleset(
        (1 << files) - 1,
        TCP_RIGHTS if version >= TCP_VERSION else 0,
        SCOPES if version >= SCOPES_VERSION else 0,
    )
