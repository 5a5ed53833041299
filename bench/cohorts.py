"""The cohorts of a measurement: random samples of the files or folders of a folder."""

from __future__ import annotations

import shutil
from collections import Counter
from random import Random
from typing import TYPE_CHECKING

from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound

from bench.processes import BenchError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NOT_CODE = frozenset({".txt", ".md", ".rst", ".json", ".xml", ".html", ".css", ".csv", ".yml", ".yaml", ".toml"})


class SpeedError(BenchError):
    """A folder has too few source files; the message has their number."""


def sources(folder: Path) -> list[Path]:
    """Return the files of the most frequent programming language, determined by suffix, sorted by path.

    Raises
    ------
    SpeedError
        When there are no source files.
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
    counts = Counter(path.suffix for path in files if path.suffix not in NOT_CODE)
    suffix = next((suffix for suffix, _ in counts.most_common() if suffix and _is_code(suffix)), None)
    if suffix is None:
        raise SpeedError(f"{folder} has no source files")
    return [path for path in files if path.suffix == suffix]


def _is_code(suffix: str) -> bool:
    try:
        get_lexer_for_filename(f"file{suffix}")
    except ClassNotFound:
        return False
    return True


def folders(folder: Path) -> list[Path]:
    """Return the folders in a folder, sorted by path."""
    return sorted(path for path in folder.iterdir() if path.is_dir())


def copy_sample(submissions: Sequence[Path], size: int, seed: int, parent: Path) -> Path:
    """Copy a random sample of `size` files, or of folders, into a new folder of `parent`.

    With the same seed, a larger sample contains the smaller ones.
    """
    order = Random(seed).sample(submissions, len(submissions))
    folder = parent / f"{size}"
    folder.mkdir()
    for number, path in enumerate(order[:size]):
        copy = shutil.copytree if path.is_dir() else shutil.copyfile
        copy(path, folder / f"{number:05}-{path.name}")
    return folder


def join_files(folder: Path, parent: Path) -> Path:
    """Write each folder of `folder` as one file to a new folder of `parent`, for tools that compare files.

    A file has all files of the most frequent programming language in `folder`, in order of their paths.
    """
    joined = parent / f"{folder.name}-joined"
    joined.mkdir()
    suffix = sources(folder)[0].suffix
    for submission in folders(folder):
        files = sorted(path for path in submission.rglob(f"*{suffix}") if path.is_file())
        contents = b"\n".join(path.read_bytes() for path in files)
        (joined / f"{submission.name}{suffix}").write_bytes(contents)
    return joined
