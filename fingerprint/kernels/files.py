"""The file of the library: where it is, and that it is built once, by one process.

It is part of a wheel that was built for this platform. Elsewhere the first process that needs it builds it,
and the others wait. Its name has a digest of the sources and the level of the processor.
"""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    # Called with the number of functions to compile; returns what is called after each.
    StartProgress = Callable[[int], Callable[[], None]]

PACKAGE = Path(__file__).resolve().parent.parent
COMPILED = PACKAGE / "kernels" / "compiled"
# The level of x86-64 that wheels are built for, and features that tell whether a processor has it. The next
# level gains no processor time.
LEVEL = "x86-64-v2"
FEATURES = {"cx16", "popcnt", "sse4.2", "ssse3"}


def ensure_compiled(start_progress: StartProgress | None = None, level: str = "") -> Path:
    """Return the library's file; build it, or wait for the process that builds it, where there is none.

    `level` is a level of processors, by default that of this one. `start_progress` is called with the number
    of functions to compile, and returns what is called after each.
    """
    level = level or processor_level()
    if path := compiled_library(level):
        return path
    path = _writable_folder() / file_name(level)
    with (path.parent / f"{level}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            from fingerprint.kernels.building import build  # noqa: PLC0415 - only where it is not built

            build(path, level, start_progress)
            _delete_older(path, level)
    return path


def compiled_library(level: str = "") -> Path | None:
    """Return the library's file for a level, by default that of this processor; None where there is none."""
    name = file_name(level or processor_level())
    if (path := COMPILED / name).exists():
        return path
    folder = private_folder()
    return folder / name if (folder / name).exists() and is_private(folder) else None


@cache
def processor_level() -> str:
    """Return the level of this processor: LEVEL, or what all processors of its kind have."""
    from llvmlite import binding  # noqa: PLC0415 - slow to load

    features = {name for name, has in binding.get_host_cpu_features().items() if has}
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
