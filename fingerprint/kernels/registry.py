"""The decorators of the functions that are compiled to machine code."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Generic, ParamSpec, TypeVar, cast

from fingerprint.kernels import DECORATED

P = ParamSpec("P")
R = TypeVar("R")

# The variable of numba that lets Python interpret the functions, to debug them.
INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") == "1"


class Kernel(Generic[P, R]):
    """A function that is compiled to machine code, without the GIL and with integer arithmetic that wraps.

    `py_func` is the function itself. Only a kernel with `is_exported` can be called from Python; other
    kernels are compiled into their callers. Arguments are passed by position.

    A kernel that `is_bare` makes no arrays and returns none. The users of its arrays are not counted, since
    counting takes most of the time of functions that are called for each character.
    """

    def __init__(self, py_func: Callable[P, R], *, is_exported: bool, is_bare: bool = False) -> None:
        self.py_func = py_func
        self.is_exported = is_exported
        self.is_bare = is_bare
        self.__doc__ = py_func.__doc__
        self._call: Callable[P, R] | None = py_func if INTERPRETED else None
        DECORATED.append(self)

    @property
    def name(self) -> str:
        return f"{self.py_func.__module__}.{self.py_func.__name__}"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return (self._call or self.load())(*args, **kwargs)

    def load(self) -> Callable[P, R]:
        """Load the machine code, which the first call does otherwise."""
        if self._call is None:
            # Imported here, so that a process that calls no kernel does not load the library.
            from fingerprint.kernels.library import load_kernel  # noqa: PLC0415

            self._call = cast("Callable[P, R]", load_kernel(self.name))
        return self._call

    @property
    def is_ready(self) -> bool:
        """True if it can be called as machine code, without building the library first."""
        if INTERPRETED or self._call is not None:
            return not INTERPRETED
        from fingerprint.kernels.library import compiled_library  # noqa: PLC0415 - as above

        return compiled_library() is not None


def kernel(py_func: Callable[P, R]) -> Kernel[P, R]:
    """Compile a function that Python calls; its annotations determine the types of its arguments."""
    return Kernel(py_func, is_exported=True)


def njit(py_func: Callable[P, R]) -> Kernel[P, R]:
    """Compile a function into the kernels that call it; numba infers the types of its arguments."""
    return Kernel(py_func, is_exported=False)


def bare_kernel(py_func: Callable[P, R]) -> Kernel[P, R]:
    """Compile a function that Python calls and that makes no arrays."""
    return Kernel(py_func, is_exported=True, is_bare=True)


def bare_njit(py_func: Callable[P, R]) -> Kernel[P, R]:
    """Compile a function that makes no arrays into the bare kernels that call it."""
    return Kernel(py_func, is_exported=False, is_bare=True)
