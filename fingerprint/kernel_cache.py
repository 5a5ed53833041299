"""Compilation of the kernels: once on a machine, by one process at a time.

numba's cache on disk can break when several processes write it at the same time. Therefore the first process
compiles while it holds a lock, and the others wait for it.
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
    """Compile the kernels if they are not compiled yet, or wait for the process that compiles them."""
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
    """Compile every kernel that a ranking calls, or load it from the cache."""
    # Imported here, so that only a process that ranks loads numba.
    import numpy as np  # noqa: PLC0415

    from fingerprint.fingerprints import fingerprint  # noqa: PLC0415
    from fingerprint.languages.lexical_terms import LexicalTerms  # noqa: PLC0415
    from fingerprint.params import Params  # noqa: PLC0415
    from fingerprint.ranking.groups import Groups, count_pairs  # noqa: PLC0415
    from fingerprint.ranking.inputs import CohortFile, Exclusions, RankingInput  # noqa: PLC0415
    from fingerprint.ranking.pair_passages import find_passages  # noqa: PLC0415
    from fingerprint.ranking.rank import rank  # noqa: PLC0415

    params, kinds = Params(), np.arange(30, dtype=np.uint64)
    hashes, lines = fingerprint(kinds, params).hashes, np.arange(30, dtype=np.int32)
    files = [CohortFile(i, kinds, lines, LexicalTerms(kinds, kinds, kinds), hashes) for i in range(2)]
    inputs = RankingInput.from_files(files, 2, params.k, Exclusions(kinds=[kinds[:12]]))
    rank(inputs)
    find_passages(inputs.cohort, 0, 1)
    count_pairs(Groups.from_lists([[0], [1]]))


def _marker() -> Path:
    """Return the path of a file that exists when the kernels are compiled.

    The name depends on the sources, the Python and numba versions and the path of the installation. In a
    temporary folder, each user has a separate marker.
    """
    digest = blake2b(f"{sys.version}\0{version('numba')}\0{PACKAGE}".encode(), digest_size=8)
    for source in sorted(PACKAGE.rglob("*.py")):
        digest.update(source.read_bytes())
    # Next to the compiled kernels, so that both are deleted together; elsewhere if that folder is read-only.
    cache = PACKAGE / "__pycache__"
    writable = os.access(cache if cache.exists() else PACKAGE, os.W_OK)
    folder = cache if writable else Path(tempfile.gettempdir()) / f"moss-kernels-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / f"kernels-{digest.hexdigest()}"


def _delete_compiled() -> None:
    """Delete the kernels compiled from other sources.

    numba recompiles a kernel when its own file changes, but not when a function that it calls changes.
    """
    for compiled in PACKAGE.rglob("__pycache__/*.nb[ic]"):
        if os.access(compiled.parent, os.W_OK):
            compiled.unlink(missing_ok=True)
