"""Files on a disk as members of an upload, and the errors that damaged files raise."""

from __future__ import annotations

import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from typing import TYPE_CHECKING

from submissions.intake.archives.members import ArchiveMember
from submissions.intake.names import clean_path, redecode

if TYPE_CHECKING:
    import os
    from pathlib import Path

# Every exception that the standard library is known to raise for damaged archives. A MemoryError says nothing
# about the archive, only about the limit of the process that unpacks it.
DAMAGE_ERRORS = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError,
    ValueError, NotImplementedError, RuntimeError, IndexError, OverflowError,
)  # fmt: skip


def root_name(folder: Path, max_length: int) -> str:
    """Return the clean name of a folder."""
    return clean_path(folder.resolve().name or "root", max_length)[0]


def disk_member(path: Path, status: os.stat_result) -> ArchiveMember:
    """Return a file of a folder on a disk; whatever is no regular file is refused."""
    kind = stat.S_IFMT(status.st_mode)
    special = "a symbolic link" if kind == stat.S_IFLNK else "not a file but a device, pipe or socket"
    refusal = "" if kind == stat.S_IFREG else special
    return ArchiveMember(redecode(path.name), status.st_size, refusal, lambda: path.open("rb"))
