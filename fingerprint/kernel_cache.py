"""Compile every kernel once on a machine, never in two processes at a time.

numba's cache on disk can break when several processes fill it at once, so whoever comes first does it under
a lock, and the others wait.
"""

from __future__ import annotations

import fcntl
import os
import sys
import tempfile
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def _mark() -> Path:
    """Name a file that exists once these very kernels were compiled for this user, Python and numba."""
    digest = blake2b(f"{sys.version}\0{version('numba')}\0{PACKAGE}".encode(), digest_size=8)
    for source in sorted(PACKAGE.rglob("*.py")):
        digest.update(source.read_bytes())
    # Beside the kernels themselves, so that both are deleted together; elsewhere when that is read-only.
    beside = PACKAGE / "__pycache__"
    writable = os.access(beside if beside.exists() else PACKAGE, os.W_OK)
    folder = beside if writable else Path(tempfile.gettempdir()) / f"moss-kernels-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / f"kernels-{digest.hexdigest()}"


def _forget() -> None:
    """Delete what was compiled of other sources: numba sees changes of a kernel, not of those it calls."""
    for compiled in PACKAGE.rglob("__pycache__/*.nb[ic]"):
        if os.access(compiled.parent, os.W_OK):
            compiled.unlink(missing_ok=True)


def warm_once() -> None:
    """Compile the kernels unless it was done; returns when they are ready."""
    mark = _mark()
    if mark.exists():
        return
    with mark.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not mark.exists():
            _forget()
            from fingerprint.engine import warm  # noqa: PLC0415 - numba, only when there is work for it

            warm()
            mark.touch()
