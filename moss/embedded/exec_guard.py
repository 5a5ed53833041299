"""Become another program that cannot outlive the process which started this one.

Run as a file, before the program: `python -I -S guard.py PARENT SIGNAL USER PROGRAM [ARGUMENT]...`. On Linux
the kernel sends SIGNAL when PARENT ends, even if it was killed. A USER other than `-` is who the program runs
as: PostgreSQL refuses to be root.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import signal
import struct
import sys

PR_SET_PDEATHSIG = 1
PR_SET_KEEPCAPS = 8
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_RAISE = 2
CAP_DAC_OVERRIDE = 1
CAPABILITY_VERSION_3 = 0x20080522


def _call(name: str, *arguments: object) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if getattr(libc, name)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")


def _become(user: str) -> None:
    """Drop root, keeping only the right to pass through directories that are closed to `user`.

    The project may well lie below /root; opening that to everybody would be worse.
    """
    entry = pwd.getpwnam(user)
    on_linux = sys.platform == "linux"
    if on_linux:
        _call("prctl", PR_SET_KEEPCAPS, 1, 0, 0, 0)
    os.setgroups([])
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)
    if on_linux:
        bit = 1 << CAP_DAC_OVERRIDE
        header = struct.pack("=Ii", CAPABILITY_VERSION_3, 0)
        _call("capset", header, struct.pack("=6I", bit, bit, bit, 0, 0, 0))
        _call("prctl", PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_DAC_OVERRIDE, 0, 0)


def _heed(numbers: tuple[signal.Signals, ...]) -> None:
    """Undo what a shell does to a command that a script runs with `&`: it has both ignored, and heirs too."""
    for number in numbers:
        signal.signal(number, signal.SIG_DFL)


def _die_with(parent: int, number: int) -> None:
    if sys.platform == "linux":
        _call("prctl", PR_SET_PDEATHSIG, number, 0, 0, 0)
    # The parent may have ended before the kernel was asked.
    if os.getppid() != parent:
        sys.exit(1)


def main(arguments: list[str]) -> None:
    parent, number, user, *command = arguments
    _heed((signal.SIGINT, signal.SIGQUIT))
    if user != "-":
        _become(user)
    _die_with(int(parent), int(number))
    # The program and its arguments come from this package, not from a user.
    os.execvp(command[0], command)  # noqa: S606


if __name__ == "__main__":
    main(sys.argv[1:])
