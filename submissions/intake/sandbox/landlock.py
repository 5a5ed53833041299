"""Landlock: a process gives up files, TCP, signals to others and abstract sockets, for good.

No rule allows anything, so that two system calls are enough. Their numbers are the same on every architecture
that Python runs on; the flags are those of linux/landlock.h.
"""

from __future__ import annotations

import ctypes
import os
import sys

CREATE_RULESET, RESTRICT_SELF = 444, 446
VERSION_FLAG = 1
# Number of rights to files by version of the interface, the first one for version 1.
FILE_RIGHTS = (13, 14, 15, 15, 16)
TCP_VERSION, TCP_RIGHTS = 4, 0b11
SCOPES_VERSION, SCOPES = 6, 0b11


class Ruleset(ctypes.Structure):
    """`struct landlock_ruleset_attr`: what is refused unless a rule allows it."""

    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


def give_up_files() -> int:
    """Refuse this process all that the kernel can refuse it; return the version of Landlock, 0 without it.

    The caller has set PR_SET_NO_NEW_PRIVS.
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
