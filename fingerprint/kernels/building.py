"""Build the library: its kernels are compiled in as many processes as there are cores."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fingerprint.cores import usable_cores
from fingerprint.kernels.files import PACKAGE
from fingerprint.kernels.registry import Kernel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fingerprint.kernels.files import StartProgress

# Modules that write what is stored beside the kernels into the folder that they are called with.
STORED = ("fingerprint.languages.storing",)

# Kernels that call the same functions are compiled by one process, so that it compiles these once.
Group = tuple[set[str], set[str]]  # names of kernels, names of all functions compiled for them


def build(path: Path, level: str, start_progress: StartProgress | None = None) -> None:
    """Compile all kernels for a level of processors, and write the library.

    Raises
    ------
    RuntimeError
        When a kernel cannot be compiled; the compiler's error is on the error stream.
    """
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


def exported_kernels() -> list[Kernel[Any, Any]]:
    """Return the kernels of this package that Python calls."""
    modules = [import_module(name) for name in modules_with_kernels()]
    kernels = {value for module in modules for value in vars(module).values() if isinstance(value, Kernel)}
    return sorted((one for one in kernels if one.is_exported), key=lambda one: one.name)


def modules_with_kernels() -> Iterator[str]:
    for source in sorted(PACKAGE.rglob("*.py")):
        if b"from fingerprint.kernels.registry import" in source.read_bytes():
            yield ".".join(source.relative_to(PACKAGE.parent).with_suffix("").parts)


def group_kernels(kernels: Iterable[Kernel[Any, Any]]) -> list[Group]:
    """Return the kernels in groups that have no function in common, the largest group first."""
    groups: list[Group] = []
    for kernel in kernels:
        names, functions = {kernel.name}, set(_functions(kernel))
        for other in [group for group in groups if group[1] & functions]:
            groups.remove(other)
            names, functions = names | other[0], functions | other[1]
        groups.append((names, functions))
    return sorted(groups, key=lambda group: len(group[1]), reverse=True)


def _functions(kernel: Kernel[Any, Any]) -> Iterator[str]:
    """Yield the names of a kernel and of the functions that it calls."""
    yield kernel.name
    for name in kernel.py_func.__code__.co_names:
        called = kernel.py_func.__globals__.get(name)
        if isinstance(called, Kernel):
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
