"""The decorator that compiles every kernel of the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING, ParamSpec, TypeVar, cast

import numba

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")


def njit(kernel: Callable[P, R]) -> Callable[P, R]:
    """Compile a function with numba: cached on disk, without the GIL, with integer arithmetic that wraps."""
    return cast("Callable[P, R]", numba.njit(cache=True, nogil=True)(kernel))
