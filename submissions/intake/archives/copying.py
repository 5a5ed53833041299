"""Copy the contents of members within the limits of an upload; files on a disk as members."""

from __future__ import annotations

import io
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, cast

from submissions.intake.archives.members import ArchiveMember
from submissions.intake.limits import CHUNK, Budget, RefusalError, format_size
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


def empty_copy(spool_bytes: int) -> IO[bytes]:
    """Return a file that is in memory up to a number of bytes; with 0, always."""
    return cast("IO[bytes]", SpooledTemporaryFile(spool_bytes)) if spool_bytes else io.BytesIO()


def too_large(limit: int) -> RefusalError:
    """Return the refusal of an entry that has more than `limit` bytes."""
    return RefusalError(f"has more than {format_size(limit)}, the limit for one file")


def copy_within_limits(
    first: bytes,
    rest: IO[bytes],
    copy: IO[bytes],
    *,
    member: ArchiveMember,
    budget: Budget,
    limit: int,
) -> int:
    """Copy the `first` bytes of a member and the `rest`, at most `limit` bytes; return its size."""
    size, chunk = 0, first
    while chunk:
        size += len(chunk)
        if not member.in_stream:
            budget.count_bytes(len(chunk))
        if member.packed_size:
            budget.check_ratio(size, member.packed_size)
        if size > limit:
            raise too_large(limit)
        copy.write(chunk)
        chunk = rest.read(CHUNK)
    return size


def root_name(folder: Path, max_length: int) -> str:
    """Return the clean name of a folder."""
    return clean_path(folder.resolve().name or "root", max_length)[0]


def disk_member(path: Path, status: os.stat_result) -> ArchiveMember:
    """Return a file of a folder on a disk; whatever is no regular file is refused."""
    kind = stat.S_IFMT(status.st_mode)
    special = "a symbolic link" if kind == stat.S_IFLNK else "not a file but a device, pipe or socket"
    refusal = "" if kind == stat.S_IFREG else special
    return ArchiveMember(redecode(path.name), status.st_size, refusal, lambda: path.open("rb"))
