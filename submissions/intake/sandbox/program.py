"""Limit this process, then become another program: `python -P -m submissions.intake.sandbox.program …`.

The arguments are the bytes of address space, the bytes of a file that it may write, the seconds of processor
time, the id of the parent, and the program with its arguments. What the program starts has the same limits.
"""

from __future__ import annotations

import os
import resource
import sys

from submissions.intake.sandbox.child import end_with, refuse_privileges

OPEN_FILES = 256


def main(memory: int, file_bytes: int, seconds: int, program: list[str]) -> None:
    """Give up privileges, limit this process, and become the program."""
    refuse_privileges()
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_AS: memory,
        resource.RLIMIT_FSIZE: file_bytes,
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_NOFILE: OPEN_FILES,
    }
    for kind, limit in limits.items():
        resource.setrlimit(kind, (limit, limit))
    os.execv(program[0], program)  # noqa: S606 - a program without a shell is the purpose


if __name__ == "__main__":
    end_with(int(sys.argv[4]))
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[5:])
