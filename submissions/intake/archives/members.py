"""One file of an archive, the type that every reader yields, and one entry, which unpacking makes of it."""

from __future__ import annotations

import io
import lzma
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from submissions.intake import reasons
from submissions.intake.limits import CHUNK, Budget, RefusalError, format_size
from submissions.intake.names import clean_path, redecode

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from datetime import datetime

    from _typeshed import WriteableBuffer

# Largest size that a column of the database holds.
MAX_SIZE = 2**63 - 1


@dataclass(frozen=True)
class ArchiveMember:
    """One file of an archive.

    `name`: as stored; `size`: declared size in bytes, not trusted; `refusal`: why it is not accepted, or
    empty; `open`: opens its contents; `packed_size`: compressed size in bytes, 0 where the file is not
    compressed by itself; `in_stream`: whether all files are one stream, which counts the bytes read;
    `modified`: as stored, naive local time in a zip, UTC in a tar.
    """

    name: str
    size: int
    refusal: str
    open: Callable[[], AbstractContextManager[IO[bytes]]]
    packed_size: int = 0
    in_stream: bool = False
    modified: datetime | None = None


class PositionedFile(io.RawIOBase):
    """A file of `size` bytes that is read from any position on; `read_at` of a subclass reads them."""

    def __init__(self, size: int) -> None:
        self._size, self._position = size, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        if start + offset < 0:
            raise OSError("a position before the start of the file")
        self._position = start + offset
        return self._position

    def readinto(self, target: WriteableBuffer) -> int:
        view = memoryview(target).cast("B")
        size = min(len(view), max(0, self._size - self._position))
        data = self.read_at(self._position, size) if size else b""
        view[: len(data)] = data
        self._position += len(data)
        return len(data)

    def read_at(self, position: int, size: int) -> bytes:
        """Return the bytes from a position on: at least one, and at most `size`."""
        raise NotImplementedError


class CommitTimes(NamedTuple):
    """The first and the last commit in seconds since 1970, and the number of commits, at least one."""

    first: int
    last: int
    number: int


class UnpackedEntry(NamedTuple):
    """One entry: accepted (`reason` empty, `data` its bytes) or not (`data` None, `reason` for the uploader).

    `name` is a clean relative POSIX path; that of a refused entry is only for display. `size` is in bytes,
    the declared one where the entry was not read. A folder of junk is one entry whose name ends in a slash.
    `modified`, of accepted entries, comes from the innermost archive that stores one; naive if local time.
    An `incomplete` entry is an archive whose rest was not read. `left_out` is why the content of an accepted
    entry leaves it out, where a child found that out. `commits` are the times in a log of Git, which is not
    accepted.
    """

    name: str
    data: bytes | None
    size: int
    reason: str
    modified: datetime | None = None
    incomplete: bool = False
    left_out: str = ""
    commits: CommitTimes | None = None


def check_size(member: ArchiveMember) -> ArchiveMember:
    """Return `member`, refused and with the nearest possible size if no file can have its declared size."""
    size = min(max(member.size, 0), MAX_SIZE)
    if size == member.size:
        return member
    return replace(member, size=size, refusal="its archive declares an impossible size; pack it again")


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
    return RefusalError(reasons.FILE_SIZE.format(size=format_size(limit)))


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
    size, chunk = 0, first or rest.read(CHUNK)
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


def children_of(folder: Path) -> list[os.DirEntry[str]]:
    """Return what is directly in a folder, by name."""
    with os.scandir(folder) as children:
        return sorted(children, key=attrgetter("name"))


def disk_member(file: os.DirEntry[str], status: os.stat_result) -> ArchiveMember:
    """Return a file of a folder on a disk; whatever is no regular file is refused."""
    kind = stat.S_IFMT(status.st_mode)
    special = reasons.SYMBOLIC_LINK if kind == stat.S_IFLNK else reasons.NO_FILE
    refusal = "" if kind == stat.S_IFREG else special
    return ArchiveMember(redecode(file.name), status.st_size, refusal, lambda: Path(file).open("rb"))
