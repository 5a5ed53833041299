"""Execute a program that ends when the process that started it ends.

Run as a file: `python -I -S exec_guard.py PARENT SIGNAL USER PROGRAM [ARGUMENT]...`. On Linux the kernel
sends SIGNAL to the program when the process PARENT ends, even if PARENT was killed. The program runs as USER,
or as the current user if USER is `-`; PostgreSQL refuses to run as root.
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


def _change_user(user: str) -> None:
    """Change to `user`, keeping only the capability to enter folders that `user` may not enter.

    The installation may be below /root; making /root accessible to everybody would be less secure.
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


def _restore_signals(numbers: tuple[signal.Signals, ...]) -> None:
    """Restore the default handlers. A shell's background jobs ignore these signals; children inherit that."""
    for number in numbers:
        signal.signal(number, signal.SIG_DFL)


def _end_with_parent(parent: int, number: int) -> None:
    if sys.platform == "linux":
        _call("prctl", PR_SET_PDEATHSIG, number, 0, 0, 0)
    # The parent may have ended before the request reached the kernel.
    if os.getppid() != parent:
        sys.exit(1)


def main(arguments: list[str]) -> None:
    parent, number, user, *command = arguments
    _restore_signals((signal.SIGINT, signal.SIGQUIT))
    if user != "-":
        _change_user(user)
    _end_with_parent(int(parent), int(number))
    # The program and its arguments come from this package, not from a user.
    os.execvp(command[0], command)  # noqa: S606


if __name__ == "__main__":
    main(sys.argv[1:])
