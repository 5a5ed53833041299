"""The library of compiled kernels: one file, from which a process loads the kernels that it calls.

The file begins with a line of JSON, the layouts and the place of each kernel, and the places of what is
stored beside them; then the object files and the stored bytes follow.

A compiled function takes the address for its result, the address for the description of an error, and the
address of its arguments; it returns a status.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import pickle
import struct
import weakref
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import binding

from fingerprint.kernels.files import ensure_compiled
from fingerprint.kernels.layouts import Array, Layout, Parts, from_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fingerprint.kernels.files import StartProgress

    Append = Callable[[Any, list[Any]], None]
    Read = Callable[[Iterator[int]], Any]

_lock = Lock()


class Library:
    """An open library; it stays usable when its file is replaced."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._file = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._index, self._stored = json.loads(self._file.readline())
        self._objects = self._file.tell()
        self._loaded: set[int] = set()
        self._kept: dict[str, bytes] = {}
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

    def stored(self, name: str) -> bytes | None:
        """Return the bytes that are stored by a name; None where there are none."""
        if name not in self._stored:
            return None
        start, size = self._stored[name]
        return self._kept.get(name) or self._file[self._objects + start : self._objects + start + size]

    def close(self) -> None:
        """Close the file; the kernels that were loaded and the stored bytes stay."""
        self._kept = {name: self.stored(name) or b"" for name in self._stored}
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


def stored_data(name: str) -> bytes | None:
    """Return the bytes that the library has stored by a name; None where it has none."""
    with _lock:
        return _library().stored(name)


def close_library() -> None:
    """Close the file of the library, for a process that keeps no files open and loads no more kernels."""
    with _lock:
        _library().close()


# The statuses of success, with and without a result; see numba.core.callconv.
SUCCESS = (0, -2)
NUMBERS = {"int64": "q", "uint64": "Q", "float64": "d"}
NO_BYTES = ctypes.c_char * 0
_free = ctypes.CDLL(None).free
_free.argtypes = [ctypes.c_void_p]


def caller(address: int, parameters: list[Layout], result: Layout) -> Callable[..., Any]:
    """Return a Python function that calls the machine code at an address; it releases the GIL."""
    pack = struct.Struct("".join(map(_format, parameters))).pack
    pointers = ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p
    function = ctypes.CFUNCTYPE(ctypes.c_int32, *pointers)(address)
    appends = [_append(layout) for layout in parameters]
    read, words = _reader(result), _words(result)
    returned_words = ctypes.c_int64 * (words + 1)

    def call(*arguments: Any) -> Any:
        values: list[Any] = []
        for append, argument in zip(appends, arguments, strict=True):
            append(argument, values)
        returned = returned_words()
        at = ctypes.addressof(returned)
        if function(at, at + 8 * words, pack(*values)) not in SUCCESS:
            raise _exception(returned[words])
        return read(iter(returned))

    return call


def _format(layout: Layout) -> str:
    """Return the format of the words of an argument, see `entries`."""
    if isinstance(layout, Parts):
        return "".join(map(_format, layout.of))
    return "q" * (1 + layout.dimensions) if isinstance(layout, Array) else NUMBERS[layout]


def _append(layout: Layout) -> Append:
    """Return a function that appends the C values of an argument to a list."""
    if isinstance(layout, Parts):
        return _append_parts([_append(part) for part in layout.of])
    if isinstance(layout, Array):
        return _append_array(np.dtype(layout.dtype), layout.dimensions)
    return lambda value, values: values.append(value)


def _append_parts(appends: list[Append]) -> Append:
    def append(value: Any, values: list[Any]) -> None:
        for append_part, part in zip(appends, value, strict=True):
            append_part(part, values)

    return append


def _append_array(dtype: np.dtype[Any], dimensions: int) -> Append:
    def append(array: Any, values: list[Any]) -> None:
        flags = array.flags
        if array.dtype != dtype or array.ndim != dimensions or not (flags.c_contiguous and flags.aligned):
            wanted = f"a contiguous array of {dimensions} dimension{'s' if dimensions > 1 else ''} of {dtype}"
            raise TypeError(f"a kernel takes {wanted}, not one of {array.ndim} of {array.dtype}")
        # `array.ctypes` takes seven times as long, but reads what cannot be written too.
        data = ctypes.addressof(NO_BYTES.from_buffer(array)) if flags.writeable else array.ctypes.data
        values += (data, *array.shape)

    return append


def _words(layout: Layout) -> int:
    """Return the number of 64-bit words of a result."""
    if isinstance(layout, Parts):
        return sum(map(_words, layout.of))
    return 5 + 2 * layout.dimensions if isinstance(layout, Array) else 1


def _reader(layout: Layout) -> Read:
    """Return a function that makes the Python object of the words of a result."""
    if isinstance(layout, Parts):
        readers = [_reader(part) for part in layout.of]
        return lambda words: tuple(read(words) for read in readers)
    if isinstance(layout, Array):
        return lambda words: _array(words, np.dtype(layout.dtype), layout.dimensions)
    return {"none": lambda _words: None, "int64": next, "float64": _float}[layout]


def _float(words: Iterator[int]) -> float:
    return ctypes.c_double.from_buffer(ctypes.c_int64(next(words))).value


def _array(words: Iterator[int], dtype: np.dtype[Any], dimensions: int) -> Any:
    """Return the array of a result; its memory is freed with it."""
    owner, _, size, _, data, *shape_and_strides = (next(words) for _ in range(5 + 2 * dimensions))
    shape = shape_and_strides[:dimensions]
    buffer = (ctypes.c_uint8 * (size * dtype.itemsize)).from_address(data)
    array: Any = np.ndarray(shape, dtype, buffer=memoryview(buffer))
    if not owner:
        return array.copy()  # A part of an argument, which may be freed before.
    weakref.finalize(buffer, _release, owner).atexit = False
    return array


def _release(owner: int) -> None:
    """Count one user less of the memory of a result, and free it after the last."""
    users = ctypes.c_int64.from_address(owner)
    users.value -= 1
    if users.value == 0:
        _free(owner)


def _exception(address: int) -> Exception:
    """Return the exception that machine code describes: a pickle, and its number of bytes."""
    if not address:
        return RuntimeError("a kernel failed")
    data = ctypes.c_void_p.from_address(address).value
    size = ctypes.c_int32.from_address(address + ctypes.sizeof(ctypes.c_void_p)).value
    # Part of the library, which is as trustworthy as the code of this package.
    kind, arguments, _ = pickle.loads(ctypes.string_at(data or 0, size))  # noqa: S301
    exception = kind(*(arguments or ()))
    assert isinstance(exception, Exception)
    return exception
