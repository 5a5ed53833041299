"""The files of an archive as every reader yields them, and commit times.

Of `.git/logs/HEAD` only the times of the commits are kept.
"""

from __future__ import annotations

import io
import lzma
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from operator import attrgetter
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from submissions.intake import sentences as reasons
from submissions.intake.entries import CommitTimes, Entry, clean_path, folders_around, redecode
from submissions.intake.limits import CHUNK, BadArchive, Budget, RefusalError, damage_reason, format_size, outside_time

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from _typeshed import WriteableBuffer

# Largest size that a column of the database holds.
MAX_SIZE = 2**63 - 1

# Every exception that the standard library is known to raise for damaged archives. A MemoryError says nothing
# about the archive, only about the limit of the process that unpacks it.
DAMAGE_ERRORS = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError,
    ValueError, NotImplementedError, RuntimeError, IndexError, OverflowError,
)  # fmt: skip

GIT, LOG = ".git/", "logs/HEAD"
# A log of this size has about 5,000 commits; a longer one is not read.
MOST_LOG_BYTES = 1_000_000
# Seconds since 1970 up to the last year have this many digits at most.
DIGITS = 12
# More lines than a log that is read can have.
MAX_COMMITS = MOST_LOG_BYTES


@dataclass(frozen=True)
class ArchiveMember:
    """One file of an archive.

    `name`: as stored; `size`: declared size in bytes, not trusted; `refusal`: why it is not accepted, or
    empty; `open`: opens its contents; `packed_size`: compressed size in bytes, 0 where the file is not
    compressed by itself; `in_stream`: whether the stream of all files counts the bytes that are read;
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


def check_size(member: ArchiveMember) -> ArchiveMember:
    """Return `member`, refused and with the nearest possible size if no file can have its declared size."""
    size = min(max(member.size, 0), MAX_SIZE)
    if size == member.size:
        return member
    return replace(member, size=size, refusal="its archive declares an impossible size; pack it again")


def empty_copy(spool_bytes: int) -> IO[bytes]:
    """Return a file that is in memory up to a number of bytes; with 0, always."""
    return cast("IO[bytes]", SpooledTemporaryFile(spool_bytes)) if spool_bytes else io.BytesIO()


def too_large(limit: int) -> RefusalError:
    """Return the refusal of an entry that has more than `limit` bytes."""
    return RefusalError(reasons.FILE_SIZE.format(size=format_size(limit)))


def copy_within_limits(
    first: bytes, rest: IO[bytes], copy: IO[bytes], *, member: ArchiveMember, budget: Budget, limit: int
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


def check_nested_ratio(budget: Budget, unpacked: int, packed: int) -> None:
    """Raise BadArchive where what was unpacked so far of a nested archive is like a bomb."""
    try:
        budget.check_ratio(unpacked, packed)
    except RefusalError as refusal:
        raise BadArchive(reasons.REST_UNREAD.format(reason=refusal)) from None


def root_name(folder: Path, max_length: int) -> str:
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


class CommitLog(NamedTuple):
    """The commits of a log, None where it has none, and the number of its lines that cannot be read."""

    times: CommitTimes | None
    unread: int

    @property
    def reason(self) -> str:
        """The reason why the log is no file of the submission, for the uploader."""
        kept = reasons.TIMES_KEPT
        return reasons.UNREAD_LINES.format(reason=kept, n=f"{self.unread:,}") if self.unread else kept


def folder_of_log(path: str) -> str | None:
    """Return the folder with the working copy whose log has this path; None for any other path."""
    return path.removesuffix(GIT + LOG) if f"/{path}".endswith(f"/{GIT}{LOG}") else None


def commit_log_entry(member: ArchiveMember, name: str, budget: Budget) -> Entry:
    """Return the entry for a log, which has its times and never its text."""
    copy, limit = io.BytesIO(), budget.limits.commit_log_bytes
    try:
        with member.open() as stream:
            copy_within_limits(b"", stream, copy, member=member, budget=budget, limit=limit)
    except RefusalError as error:
        return Entry(name, member.size, str(error))
    except BadArchive:
        raise
    except DAMAGE_ERRORS as error:
        return Entry(name, member.size, damage_reason(error))
    log = read_commit_log(copy.getvalue())
    return Entry(name, copy.tell(), log.reason, commits=log.times)


def read_commit_log(data: bytes) -> CommitLog:
    """Return the commits that were made where the log is; commits that were cloned or pulled are not in it.

    An amended commit counts once, with the time of the change too.
    """
    seconds, number, unread = list[int](), 0, 0
    for line in data.splitlines():
        head, _, action = line.partition(b"\t")
        time = _seconds(head)
        if time is None:
            unread += 1
        elif action.startswith((b"commit:", b"commit (")):
            seconds.append(time)
            number += not action.startswith(b"commit (amend)")
    times = CommitTimes(min(seconds), max(seconds), max(number, 1)) if seconds else None
    return CommitLog(times, unread)


def _seconds(head: bytes) -> int | None:
    """Return the time of a line, from what stands before its tab; None if it is no such line."""
    parts = head.split(b" ")
    are_objects = all(len(one) in {40, 64} and not one.strip(b"0123456789abcdef") for one in parts[:2])
    if len(parts) < 5 or not are_objects:  # noqa: PLR2004 - the fields of a line
        return None
    seconds, zone = parts[-2:]
    if not (seconds.isdigit() and len(seconds) <= DIGITS and zone[:1] in {b"+", b"-"} and zone[1:].isdigit()):
        return None
    return int(seconds) if outside_time(int(seconds)) else None


def commits_by_submission(logs: Mapping[str, CommitTimes], owners: Mapping[str, str]) -> dict[str, CommitTimes]:
    """Return the times of commits by submission, from those of logs by path.

    `owners` has the submission of each file that is used. A log counts where all files that are used in its
    working copy are of one submission.
    """
    if not logs:
        return {}
    submissions_in: dict[str, set[str]] = defaultdict(set)
    for path, submission in owners.items():
        for folder in folders_around(path):
            submissions_in[folder].add(submission)
    times: dict[str, list[CommitTimes]] = defaultdict(list)
    for path, log in logs.items():
        submissions = submissions_in[folder_of_log(path) or ""]
        if len(submissions) == 1:
            times[next(iter(submissions))].append(log)
    return {name: _joined_times(of_one) for name, of_one in times.items()}


def _joined_times(logs: Iterable[CommitTimes]) -> CommitTimes:
    """Return the times of all commits of one submission, which may have several working copies."""
    first, last, numbers = zip(*logs, strict=True)
    return CommitTimes(min(first), max(last), sum(numbers))
