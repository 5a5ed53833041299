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
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

PACKAGE = Path(__file__).resolve().parent


def ensure_compiled() -> None:
    """Compile the kernels of a ranking unless they are, or wait for the process that compiles them."""
    _ensure(_marker(), _compile_anew)


def ensure_screening_compiled() -> None:
    """Compile the kernels of screening an archive too; not every installation needs them."""
    ensure_compiled()
    marker = _marker()
    _ensure(marker.with_name(f"{marker.name}-screening"), compile_screening_kernels)


def _ensure(marker: Path, compile_them: Callable[[], None]) -> None:
    if marker.exists():
        return
    with marker.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not marker.exists():
            compile_them()
            marker.touch()


def _compile_anew() -> None:
    _delete_compiled()
    compile_kernels()


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


def compile_screening_kernels() -> None:
    """Compile every kernel that reading and clustering documents of an archive call, or load it."""
    import numpy as np  # noqa: PLC0415 - as above

    from fingerprint.hashing import kgram_hashes  # noqa: PLC0415
    from fingerprint.languages.words import WordKinds  # noqa: PLC0415
    from fingerprint.minwise.features import features  # noqa: PLC0415
    from fingerprint.shingling.shards import count_shared  # noqa: PLC0415
    from fingerprint.shingling.shingles import mod_sketch, shingles  # noqa: PLC0415
    from fingerprint.shingling.sketches import Sketches  # noqa: PLC0415
    from fingerprint.simhash.documents import simhash  # noqa: PLC0415

    kinds = WordKinds(64).word_kinds(" ".join(f"word{number}" for number in range(30)))
    values = shingles(kinds, 10)
    features(values, 6, 14)
    simhash(kgram_hashes(kinds, 3))
    sketches = Sketches.from_sketches([mod_sketch(values, 1)] * 2)
    count_shared(sketches, np.arange(2))


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
