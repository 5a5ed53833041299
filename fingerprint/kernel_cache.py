"""Compile the kernels once on a machine, in one process at a time.

numba's cache on disk can break when several processes fill it at once. The first process compiles under a
lock, and the others wait.
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


def ensure_compiled() -> None:
    """Compile the kernels unless they are compiled; return when they are ready."""
    marker = _marker()
    if marker.exists():
        return
    with marker.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not marker.exists():
            _delete_compiled()
            compile_kernels()
            marker.touch()


def compile_kernels() -> None:
    """Compile or load every kernel that a ranking calls."""
    # Only a process that ranks loads numba.
    import numpy as np  # noqa: PLC0415

    from fingerprint.fingerprints import fingerprint  # noqa: PLC0415
    from fingerprint.languages.lexical_terms import Lexical  # noqa: PLC0415
    from fingerprint.params import Params  # noqa: PLC0415
    from fingerprint.ranking.inputs import CohortFile, Exclusions, RankingInput  # noqa: PLC0415
    from fingerprint.ranking.rank import draw, rank  # noqa: PLC0415

    params, kinds = Params(), np.arange(30, dtype=np.uint64)
    hashes, lines = fingerprint(kinds, params).hashes, np.arange(30, dtype=np.int32)
    files = [CohortFile(at, kinds, lines, Lexical(kinds, kinds), hashes) for at in range(2)]
    inputs = RankingInput.of(files, 2, params.k, Exclusions(kinds=[kinds[:12]]))
    rank(inputs)
    draw(inputs.cohort, 0, 1)


def _marker() -> Path:
    """Return the file that exists once these very sources were compiled for this user, Python and numba."""
    digest = blake2b(f"{sys.version}\0{version('numba')}\0{PACKAGE}".encode(), digest_size=8)
    for source in sorted(PACKAGE.rglob("*.py")):
        digest.update(source.read_bytes())
    # Beside the compiled kernels, so that both are deleted together; elsewhere where that is read-only.
    beside = PACKAGE / "__pycache__"
    writable = os.access(beside if beside.exists() else PACKAGE, os.W_OK)
    folder = beside if writable else Path(tempfile.gettempdir()) / f"moss-kernels-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / f"kernels-{digest.hexdigest()}"


def _delete_compiled() -> None:
    """Delete kernels compiled from other sources: numba notices changes of a kernel, not of what it calls."""
    for compiled in PACKAGE.rglob("__pycache__/*.nb[ic]"):
        if os.access(compiled.parent, os.W_OK):
            compiled.unlink(missing_ok=True)
