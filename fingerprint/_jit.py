"""The one way kernels are compiled: cached on disk, without the GIL, wrapping integer arithmetic."""

from __future__ import annotations

from typing import TYPE_CHECKING, ParamSpec, TypeVar, cast

import numba

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")


def njit(kernel: Callable[P, R]) -> Callable[P, R]:
    return cast("Callable[P, R]", numba.njit(cache=True, nogil=True)(kernel))
