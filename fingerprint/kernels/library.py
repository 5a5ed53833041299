"""The library of compiled kernels: one file, which is built once, and from which a process loads kernels.

The file is part of a wheel that was built for this platform. Elsewhere the first process that needs it
builds it, and the others wait. Its name has a digest of the sources and the level of the processor.

Its kernels are compiled in as many processes as there are cores. It begins with a line of JSON: the layout
and the place of each kernel, and the places of the bytes that are stored beside the kernels; then the
object files and the stored bytes follow. A layout describes the arguments and the result of a kernel. On
Linux on x86-64, object files are loaded without LLVM, which is larger than most packages together.

A compiled function takes the address for its result, the address for the description of an error, and the
address of its arguments; it returns a status.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import mmap
import os
import pickle
import stat
import struct
import subprocess
import sys
import tempfile
import weakref
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from hashlib import blake2b
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, Protocol

import numpy as np

from fingerprint.kernels import DECORATED, usable_cores

# Called with the number of functions to compile; returns a function to call after each of them.
StartProgress = Callable[[int], Callable[[], None]]

Append = Callable[[Any, list[Any]], None]
Read = Callable[[Iterator[int]], Any]

Json = str | list["Json"]


class Decorated(Protocol):
    """A function of the registry, as the library sees it."""

    py_func: Any
    is_exported: bool

    @property
    def name(self) -> str: ...


PACKAGE = Path(__file__).resolve().parent.parent
COMPILED = PACKAGE / "kernels" / "compiled"
# The level of x86-64 that wheels are built for, and features that tell whether a processor has it. The next
# level gains no processor time.
LEVEL = "x86-64-v2"
FEATURES = {"cx16", "popcnt", "sse4_2", "ssse3"}
PROCESSOR = Path("/proc/cpuinfo")

NO_COMPILER = "No compiled engine for this processor is installed: run `pip install 'moss-server[compiler]'`."


# The modules that write what is stored beside the kernels into the folder that they are called with.
STORED = ("fingerprint.storing",)

# One process compiles the kernels that call the same functions, so that it compiles these functions once.
Group = tuple[set[str], set[str]]  # names of kernels, names of all functions compiled for them

_lock = Lock()

# The statuses of success, with and without a result; see numba.core.callconv.
SUCCESS = (0, -2)
NUMBERS = {"int64": "q", "uint64": "Q", "float64": "d"}
NO_BYTES = ctypes.c_char * 0
_free = ctypes.CDLL(None).free
_free.argtypes = [ctypes.c_void_p]

IS_READ_HERE = sys.platform == "linux" and os.uname().machine == "x86_64"
# Of the Executable and Linking Format, and of its supplement for x86-64.
SECTION, SYMBOL, RELOCATION = struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IBBHQQ"), struct.Struct("<QQq")
PROGRAM, SYMBOLS, RELOCATIONS, WITHOUT_DATA = 1, 2, 4, 8
IN_MEMORY = 2
WHOLE_ADDRESS = 1
Section = namedtuple("Section", "name kind flags address start size link applies_to alignment item_size")  # noqa: PYI024

_process = ctypes.CDLL(None, use_errno=True)
_process.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
# Never freed: functions of Python hold addresses in it.
_loaded: list[mmap.mmap] = []


class Array(NamedTuple):
    """A C-contiguous array of one dtype."""

    dtype: str
    dimensions: int


class Parts(NamedTuple):
    """A tuple; `python_class` is its class where it is a named tuple and its kernel is being compiled."""

    of: tuple[Layout, ...]
    python_class: type | None = None


# A scalar is the name of its dtype; `none` is no result.
Layout = str | Array | Parts


def to_json(layout: Layout) -> Json:
    """Return what `from_json` reads: `int64`, `["array", "int64", "2"]` or `["tuple", ...]`."""
    if isinstance(layout, Array):
        return ["array", layout.dtype, str(layout.dimensions)]
    if isinstance(layout, Parts):
        return ["tuple", *map(to_json, layout.of)]
    return layout


def from_json(value: Json) -> Layout:
    """Return the layout that `to_json` made a value of."""
    if isinstance(value, str):
        return value
    kind, *rest = value
    if kind == "array":
        dtype, dimensions = map(str, rest)
        return Array(dtype, int(dimensions))
    return Parts(tuple(map(from_json, rest)))


def ensure_compiled(start_progress: StartProgress | None = None, level: str = "") -> Path:
    """Return the library's file; if there is none, build it or wait for the process that builds it.

    `level` is a level of processors, by default this processor's. `start_progress` is called with the number
    of functions to compile, and returns a function that is called after each of them.
    """
    level = level or processor_level()
    if path := compiled_library(level):
        return path
    path = _writable_folder() / file_name(level)
    with (path.parent / f"{level}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            build(path, level, start_progress)
            _delete_older(path, level)
    return path


def compiled_library(level: str = "") -> Path | None:
    """Return the library's file for a level, by default this processor's; None if it is not built."""
    name = file_name(level or processor_level())
    if (path := COMPILED / name).exists():
        return path
    folder = private_folder()
    return folder / name if (folder / name).exists() and is_private(folder) else None


@cache
def processor_level() -> str:
    """Return the level of this processor: LEVEL, or what all processors of its kind have."""
    lines = PROCESSOR.read_text().splitlines() if PROCESSOR.exists() else []
    features = next(({*line.split()} for line in lines if line.startswith("flags")), set())
    machine = os.uname().machine
    return LEVEL if machine == "x86_64" and features >= FEATURES else f"generic-{machine}"


@cache
def file_name(level: str) -> str:
    """Return the name of the library of these sources for a level of processors."""
    digest = blake2b(digest_size=8)
    for source in sorted(PACKAGE.rglob("*.py")):
        digest.update(source.read_bytes())
    return f"{digest.hexdigest()}-{level}.kernels"


def private_folder() -> Path:
    """Return the folder of this user's libraries where the package is read-only; it may be missing.

    It is in MOSS_HOME, where that is set: temporary folders are empty at each start of a systemd unit.
    """
    return Path(os.environ.get("MOSS_HOME") or tempfile.gettempdir()) / f"moss-kernels-{os.getuid()}"


def is_private(folder: Path) -> bool:
    """Return whether nobody else can have put a library into a folder."""
    state = folder.lstat()
    return stat.S_ISDIR(state.st_mode) and state.st_uid == os.getuid() and not state.st_mode & 0o022


def _writable_folder() -> Path:
    """Return the folder of libraries in the package, or a private one where the package is read-only."""
    if os.access(COMPILED if COMPILED.exists() else COMPILED.parent, os.W_OK):
        COMPILED.mkdir(exist_ok=True)
        return COMPILED
    folder = private_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not is_private(folder):
        raise PermissionError(f"Other users may write to {folder}: delete it, or set MOSS_HOME.")
    return folder


def _delete_older(path: Path, level: str) -> None:
    """Delete the libraries of other sources; a process that has opened one can still use it."""
    for other in path.parent.glob(f"*-{level}.kernels"):
        if other != path:
            other.unlink(missing_ok=True)


def build(path: Path, level: str, start_progress: StartProgress | None = None) -> None:
    """Compile all kernels for a level of processors, and write the library.

    Raises RuntimeError when a kernel cannot be compiled; the compiler's error is on the error stream.
    """
    if not find_spec("numba"):
        raise RuntimeError(NO_COMPILER)
    groups = group_kernels(exported_kernels())
    functions = set().union(*(names for _, names in groups))
    advance = start_progress(len(functions)) if start_progress else lambda: None
    with tempfile.TemporaryDirectory(prefix=".kernels-", dir=path.parent) as folder:
        for function in _compile(Path(folder), level, groups):
            if function in functions:
                functions.remove(function)
                advance()
        for module in STORED:
            subprocess.run([sys.executable, "-m", module, folder], cwd=PACKAGE.parent, check=True)  # noqa: S603 - a constant
        library = Path(folder) / "library"
        _write_library(library, Path(folder))
        library.replace(path)


def exported_kernels() -> list[Decorated]:
    """Return the kernels of this package that Python calls."""
    modules = {*modules_with_kernels()}
    for name in modules:
        import_module(name)
    kernels: list[Decorated] = [one for one in DECORATED if one.is_exported and one.py_func.__module__ in modules]
    return sorted(kernels, key=lambda one: one.name)


def modules_with_kernels() -> Iterator[str]:
    for source in sorted(PACKAGE.rglob("*.py")):
        if b"from fingerprint.kernels.registry import" in source.read_bytes():
            yield ".".join(source.relative_to(PACKAGE.parent).with_suffix("").parts)


def group_kernels(kernels: Iterable[Decorated]) -> list[Group]:
    """Return the kernels in groups that have no function in common, the largest group first."""
    groups: list[Group] = []
    for kernel in kernels:
        names, functions = {kernel.name}, set(_functions(kernel))
        for other in [group for group in groups if group[1] & functions]:
            groups.remove(other)
            names, functions = names | other[0], functions | other[1]
        groups.append((names, functions))
    return sorted(groups, key=lambda group: len(group[1]), reverse=True)


def _functions(kernel: Decorated) -> Iterator[str]:
    """Yield the names of a kernel and of the functions that it calls."""
    yield kernel.name
    for name in kernel.py_func.__code__.co_names:
        called = kernel.py_func.__globals__.get(name)
        if isinstance(called, type(kernel)):
            yield from _functions(called)


def _compile(folder: Path, level: str, groups: list[Group]) -> Iterator[str]:
    """Compile groups of kernels into a folder; yield the name of each function that was compiled."""
    shares: list[list[Group]] = [[] for _ in range(min(usable_cores(), len(groups)))]
    for group in groups:
        min(shares, key=lambda share: sum(len(functions) for _, functions in share)).append(group)
    reading, writing = os.pipe()
    compilers = [_start_compiler(folder, level, share, writing) for share in shares]
    os.close(writing)
    try:
        with open(reading) as lines:  # noqa: PTH123 - a descriptor
            for line in lines:
                yield line.rstrip("\n")
        if any([compiler.wait() for compiler in compilers]):  # noqa: C419 - waits for each
            raise RuntimeError("The engine could not be compiled; the error is printed above.")
    finally:
        for compiler in compilers:
            compiler.kill()
            compiler.wait()


def _start_compiler(folder: Path, level: str, groups: list[Group], output: int) -> subprocess.Popen[bytes]:
    """Start a process that compiles groups of kernels and writes the names of the functions to a pipe."""
    arguments = [",".join(sorted(names)) for names, _ in groups]
    processor = level if level.startswith("x86-64") else "generic"
    variables = {
        "NUMBA_CPU_NAME": processor,
        "NUMBA_CPU_FEATURES": "",
        "NUMBA_DISABLE_INTEL_SVML": "1",  # other machines may not have its functions
        "NUMBA_DISABLE_JIT": "0",
        "NUMBA_OPT": "0",  # all that is linked is optimised at once
    }
    return subprocess.Popen(  # noqa: S603 - a constant
        [sys.executable, "-m", "fingerprint.kernels.compiler", str(folder), *arguments],
        cwd=PACKAGE.parent,
        env={**os.environ, **variables},
        stdout=output,
    )


def _write_library(path: Path, folder: Path) -> None:
    """Write the layouts of all kernels, their object files and what is stored, from the files of a folder."""
    kernels: dict[str, object] = {}
    stored: dict[str, tuple[int, int]] = {}
    parts, start = list[bytes](), 0
    for description in sorted(folder.glob("*.json")):
        parts.append(description.with_suffix(".o").read_bytes())
        place = {"start": start, "size": len(parts[-1])}
        kernels |= {name: kernel | place for name, kernel in json.loads(description.read_text()).items()}
        start += len(parts[-1])
    for data in sorted(folder.glob("*.data")):
        parts.append(data.read_bytes())
        stored[data.stem] = start, len(parts[-1])
        start += len(parts[-1])
    with path.open("wb") as library:
        library.writelines([json.dumps((kernels, stored)).encode(), b"\n", *parts])


class Library:
    """An open library; it stays usable when its file is replaced."""

    def __init__(self, path: Path) -> None:
        with path.open("rb") as file:
            self._file = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self._index, self._stored = json.loads(self._file.readline())
        self._objects = self._file.tell()
        self._addresses: dict[str, int] = {}
        self._kept: dict[str, bytes] = {}

    def kernel(self, name: str) -> Callable[..., Any]:
        """Return a function that calls a kernel; load the object file that has it."""
        entry = self._index[name]
        if name not in self._addresses:
            start = self._objects + entry["start"]
            names = [other for other, place in self._index.items() if place["start"] == entry["start"]]
            self._addresses |= load_object_file(self._file[start : start + entry["size"]], names)
        address = self._addresses[name]
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


@cache
def _library() -> Library:
    return Library(ensure_compiled())


def open_kernels(start_progress: StartProgress | None = None) -> None:
    """Open the library before a kernel is called; build it first if there is none.

    `start_progress` is then called with the number of functions to compile, and the function that it returns
    after each of them.
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


def load_object_file(data: bytes, names: Sequence[str]) -> dict[str, int]:
    """Load an object file; return the addresses of some of its functions."""
    if not IS_READ_HERE:
        return _load_by_llvm(data, names)
    (table,), (count,) = struct.unpack_from("<Q", data, 40), struct.unpack_from("<H", data, 60)
    sections = [Section(*SECTION.unpack_from(data, table + SECTION.size * number)) for number in range(count)]
    places, size = dict[int, int](), 0
    for number, section in enumerate(sections):
        if section.kind == WITHOUT_DATA and section.size:
            raise RuntimeError("An object file of the engine has variables, which no kernel has.")
        if section.kind == PROGRAM and section.flags & IN_MEMORY:
            places[number] = size + -size % max(section.alignment, 1)
            size = places[number] + section.size
    memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    _loaded.append(memory)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for number, place in places.items():
        memory[place : place + sections[number].size] = _content(data, sections[number])
    addresses = _addresses(data, sections, {number: start + place for number, place in places.items()})
    for section in sections:
        if section.kind == RELOCATIONS and section.applies_to in places:
            _fill_in(memory, places[section.applies_to], _content(data, section), [*addresses.values()])
    if _process.mprotect(start, size, mmap.PROT_READ | mmap.PROT_EXEC):
        raise OSError(ctypes.get_errno(), "Memory of the engine cannot be made executable.")
    return {name: address for (_, name), address in addresses.items() if name in names}


def _content(data: bytes, section: Section) -> bytes:
    return data[section.start : section.start + section.size]


def _addresses(data: bytes, sections: list[Section], places: dict[int, int]) -> dict[tuple[int, str], int]:
    """Return the addresses of all symbols by their numbers and names; outside, they are of the C library."""
    (symbols,) = (section for section in sections if section.kind == SYMBOLS)
    names, addresses = sections[symbols.link].start, {}
    for number, (at, _, _, section, value, _) in enumerate(SYMBOL.iter_unpack(_content(data, symbols))):
        name = data[names + at : data.index(b"\0", names + at)].decode()
        is_outside = name and not section
        address = _of_process(name) if is_outside else places.get(section, 0) + value
        addresses[number, name] = address
    return addresses


def _fill_in(memory: mmap.mmap, place: int, relocations: bytes, addresses: list[int]) -> None:
    for offset, info, added in RELOCATION.iter_unpack(relocations):
        if info & 0xFFFFFFFF != WHOLE_ADDRESS:
            raise RuntimeError("An object file of the engine has relative addresses, which no kernel has.")
        struct.pack_into("<Q", memory, place + offset, addresses[info >> 32] + added)


def _of_process(function: str) -> int:
    return ctypes.cast(getattr(_process, function), ctypes.c_void_p).value or 0


@cache
def _llvm() -> tuple[Any, Any]:
    from llvmlite import binding  # noqa: PLC0415 - numba brings it, on other machines only

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine(jit=True)
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine), binding


def _load_by_llvm(data: bytes, names: Sequence[str]) -> dict[str, int]:
    engine, binding = _llvm()
    engine.add_object_file(binding.ObjectFileRef.from_data(data))
    engine.finalize_object()
    return {name: engine.get_function_address(name) for name in names}
