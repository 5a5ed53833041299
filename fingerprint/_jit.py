"""The one way kernels are compiled: cached on disk, without the GIL, wrapping integer arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def njit(kernel: Callable[P, R]) -> Callable[P, R]:
    return cast("Callable[P, R]", numba.njit(cache=True, nogil=True)(kernel))
