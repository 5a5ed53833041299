"""The library of compiled kernels: one file, from which a process loads the kernels that it calls.

The file begins with a line of JSON, the layouts and the place of each kernel; then the object files follow.
"""

from __future__ import annotations

import json
import mmap
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

from llvmlite import binding

from fingerprint.kernels.calls import caller
from fingerprint.kernels.files import ensure_compiled
from fingerprint.kernels.layouts import from_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fingerprint.kernels.files import StartProgress

_lock = Lock()


class Library:
    """An open library; it stays usable when its file is replaced."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._file = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._index = json.loads(self._file.readline())
        self._objects = self._file.tell()
        self._loaded: set[int] = set()
        self._engine = _engine()

    def kernel(self, name: str) -> Callable[..., Any]:
        """Return a function that calls a kernel; load the object file that has it."""
        entry = self._index[name]
        if entry["start"] not in self._loaded:
            start = self._objects + entry["start"]
            data = self._file[start : start + entry["size"]]
            self._engine.add_object_file(binding.ObjectFileRef.from_data(data))
            self._engine.finalize_object()
            self._loaded.add(entry["start"])
        address = self._engine.get_function_address(name)
        return caller(address, [*map(from_json, entry["parameters"])], from_json(entry["result"]))

    def close(self) -> None:
        """Close the file; the kernels that were loaded stay."""
        self._file.close()


def _engine() -> binding.ExecutionEngine:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine(jit=True)
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine)


@cache
def _library() -> Library:
    return Library(ensure_compiled())


def open_kernels(start_progress: StartProgress | None = None) -> None:
    """Open the library before a kernel is called; build it first where there is none.

    `start_progress` is then called with the number of functions to compile, and what it returns after each.
    """
    with _lock:
        ensure_compiled(start_progress)
        _library()


def load_kernel(name: str) -> Callable[..., Any]:
    """Return a function that calls a kernel by its name; build the library first where there is none."""
    with _lock:
        return _library().kernel(name)


def close_library() -> None:
    """Close the file of the library, for a process that keeps no files open and loads no more kernels."""
    with _lock:
        _library().close()
