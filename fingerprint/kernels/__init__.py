"""Functions that are compiled to machine code before they are called: one library for all processes.

registry  the decorators of functions that are compiled
types     array types, each with one dtype and one number of dimensions
library   the file of the library: where it is, how it is built, how Python loads and calls its kernels
compiler  compiles a group of kernels with numba, in a process of its own
"""

from __future__ import annotations

import os
from typing import Any

# All functions that were decorated in this process, as objects of the registry: the library asks for them.
DECORATED: list[Any] = []


def usable_cores() -> int:
    """Return the number of cores that this process may use, which may be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
