"""Limits on the contents of an upload, and the errors raised when they are exceeded."""

from __future__ import annotations

import errno
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

import humanize

from submissions.intake import sentences as reasons

# Years of times from outside; conversion of others to another time zone would overflow, or has no use.
FIRST_YEAR, LAST_YEAR = 1970, 9998
# Number of bytes that are unpacked at once.
CHUNK = 64 * 1024
# Junk does not count as entries; its limit is this many times the limit on entries.
JUNK_FACTOR = 10
# Once the limits of an upload are reached, each folder of a student that used no more than one part in SHARES
# of them is still read, until the upload has RESERVE times as much.
SHARES, RESERVE = 10, 2
# More files than these beside the folders of an archive are themselves the work of students.
LOOSE_FILES = 4


class BadArchive(ValueError):
    """An upload, or the rest of it, cannot be read; the message is for the uploader."""


class TooLarge(BadArchive):
    """A limit of the whole upload is reached; the rest of it is not read."""


class StudentTooLarge(TooLarge):
    """The folder of one student used more than its share; the rest of that folder is not read."""

    def __init__(self, reason: str, folder: str) -> None:
        super().__init__(reasons.FOLDER_SHARE.format(reason=reason) if folder else reason)
        self.folder = folder

    def is_around(self, folder: str) -> bool:
        """Return whether the student's folder is `folder` or has it inside."""
        return bool(self.folder) and f"{folder}/".startswith(f"{self.folder}/")


def outside_time(value: datetime | str | float | None) -> datetime | None:
    """Return a time that came from outside: in ISO 8601, in seconds since 1970, or read already.

    None stands for all that is no time, and for years that are not from FIRST_YEAR to LAST_YEAR, of an aware
    time in UTC: it can be stored again after it was read in another zone.
    """
    try:
        if isinstance(value, str):
            value = datetime.fromisoformat(value)
        elif isinstance(value, int | float):
            value = datetime.fromtimestamp(value, UTC)
        stored = value.astimezone(UTC) if value and value.tzinfo else value
    except (ValueError, OverflowError, OSError):
        return None
    return value if stored and FIRST_YEAR <= stored.year <= LAST_YEAR else None


class RefusalError(ValueError):
    """One entry is not accepted; the message is the reason, for the uploader."""


class OutOfTime(RefusalError):
    """The entries before took the time of the upload, which is incomplete then."""


def is_disk_full(error: BaseException) -> bool:
    """Return whether an error says that a disk or a quota of this machine is full."""
    return isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}


def damage_reason(error: BaseException) -> str:
    """Return for the uploader why something cannot be read; raise the error again if the disk is full."""
    if is_disk_full(error):
        raise error
    if isinstance(error, OSError) and error.strerror:
        return reasons.UNREADABLE_ON_DISK.format(error=error.strerror)
    return reasons.DAMAGED.format(error=str(error) or type(error).__name__)


def format_size(size: int) -> str:
    """Return a number of bytes as text: `5 MB`, `1.2 GB`, `300 bytes`."""
    return humanize.naturalsize(size, format="%.3g").replace("Byte", "byte")


@dataclass(frozen=True)
class Limits:
    """Limits on the contents of one upload, nested archives included; sizes are unpacked bytes.

    `archive_bytes`: size of a nested archive; `ratio`: unpacked to packed size, checked once more than `ratio_floor`
    bytes were unpacked; `depth`: nesting of archives, the upload itself counts as 1; `path_length`: in characters.
    Larger files than `spool_bytes` are unpacked to an unnamed temporary file; with 0, all are unpacked in memory. Of a
    log of Git up to `commit_log_bytes` the times are read. `student_seconds`: of processor time for the folder of one
    student; `documents_seconds`: for the texts of all documents.
    """

    entries: int = 20_000
    file_bytes: int = 5_000_000
    archive_bytes: int = 100_000_000
    total_bytes: int = 1_000_000_000
    ratio: int = 200
    ratio_floor: int = 1_000_000
    depth: int = 3
    path_length: int = 400
    spool_bytes: int = 8_000_000
    commit_log_bytes: int = 0
    student_seconds: float = 20.0
    documents_seconds: float = 120.0


class StudentFolders:
    """Counts what was read of each student's folder: entries, junk, bytes, and processor seconds.

    Where the folders are is not known until `find` was called; before, each folder is counted by itself.
    """

    def __init__(self) -> None:
        self._around: list[str] | None = None
        self._shared: set[str] = set()
        self._spent: dict[str, Counter[str]] = {}

    def student(self, path: str) -> str:
        """Return the folder of the student who handed in a file; the one it is in for a file beside them."""
        parents = path.split("/")[:-1]
        if self._around is None:
            return "/".join(parents)
        shared = 0
        for one, other in zip(self._around, parents, strict=False):
            if one != other:
                break
            shared += 1
        return "/".join(parents[: shared + 1])

    def is_shared(self, folder: str) -> bool:
        """Return whether a folder has the files of several students beside each other."""
        return folder in self._shared

    def spent(self, student: str) -> Counter[str]:
        return self._spent.setdefault(student, Counter())

    def find(self, paths: Iterable[str]) -> None:
        """Find the innermost folder that has all others of the upload: in it, each is of one student.

        One with several files has the work of students, too, though all else is in one folder beside them.
        """
        files = Counter(path.rpartition("/")[0] for path in paths)
        folders = [folder.split("/") for folder in files if folder]
        around: list[str] = []
        while files["/".join(around)] <= LOOSE_FILES:
            inside = {folder[len(around)] for folder in folders if len(folder) > len(around)}
            if len(inside) != 1:
                break
            around.append(*inside)
        self._around, spent, self._spent = around, self._spent, {}
        self._shared = {"/".join(around[:depth]) for depth in range(len(around) + 1)}
        for folder, counts in spent.items():
            self.spent(self.student(f"{folder}/" if folder else "")).update(counts)


class Budget:
    """Counts the contents of an upload, of each student too, and raises an error when they exceed a limit.

    No student uses up what others may have. `paths` returns those of all files of the upload; it is called
    when a limit is reached. `depth` is that of the archive which is read.
    """

    def __init__(self, limits: Limits, paths: Callable[[], Iterable[str]] | None = None) -> None:
        self.limits, self.paths, self.depth = limits, paths, 1
        self._folders = StudentFolders()
        self._total: Counter[str] = Counter()
        self._over: set[str] = set()
        self._path = self._student = self._owner = ""
        self._stream, self._clock = 0, time.process_time_ns() // 1_000_000

    def enter(self, path: str) -> bool:
        """Count from now on for the student of a file; return whether any more of that folder is read."""
        self._count_seconds()
        self._path = path
        self._set_student()
        return self._over.isdisjoint((self._student, self._owner))

    def count_entry(self) -> None:
        most = self.limits.entries
        self._spend("entries", 1, most, reasons.ENTRIES.format(n=f"{most:,}"))

    def count_junk(self) -> None:
        most = self.limits.entries * JUNK_FACTOR
        self._spend("junk", 1, most, reasons.JUNK_ENTRIES.format(n=f"{most:,}"))

    def count_document(self, seconds: float) -> None:
        """Count the seconds that it took to take out the text of a document."""
        self._count("documents", round(seconds * 1000), self._owner)

    def check_documents(self) -> None:
        """Raise OutOfTime when documents, of this student or all, took too long to read another one."""
        most = self.limits.documents_seconds * 1000
        if self._total["documents"] > most:
            self.find_students()
            of_student = self._folders.spent(self._owner)["documents"]
            if self._total["documents"] > RESERVE * most or of_student > most / SHARES:
                raise OutOfTime(reasons.DOCUMENTS_SECONDS.format(n=f"{self.limits.documents_seconds:g}"))

    def student_of(self, path: str) -> str:
        """Return the folder, or the file beside the folders, with the work of one student."""
        self.find_students()
        folder = self._folders.student(path)
        return path if self._folders.is_shared(folder) else folder

    def count_bytes(self, size: int) -> None:
        most = self.limits.total_bytes
        self._spend("bytes", size, most, reasons.TOTAL_SIZE.format(size=format_size(most)))

    def count_stream(self, size: int, *, is_nested: bool) -> None:
        """Count bytes of all files of one archive, which in a nested one are of one student."""
        if is_nested:
            self.count_bytes(size)
            return
        self._stream += size
        if self._stream > (most := self.limits.total_bytes * JUNK_FACTOR):
            raise TooLarge(reasons.TOTAL_SIZE.format(size=format_size(most)))

    def check_ratio(self, unpacked: int, packed: int) -> None:
        if unpacked > self.limits.ratio_floor and unpacked > self.limits.ratio * max(packed, 1):
            raise RefusalError(reasons.RATIO.format(n=self.limits.ratio))

    def _spend(self, what: str, amount: int, most: int, reason: str) -> None:
        self._count(what, amount, self._student)
        if self._total[what] > most:
            self.find_students()
            if self._total[what] > RESERVE * most and self._student:
                raise TooLarge(reason)
            share = most if self._folders.is_shared(self._student) else most // SHARES
            if self._folders.spent(self._student)[what] > share:
                raise self._too_large(reason, self._student)
        self._count_seconds()
        seconds = self.limits.student_seconds
        if self._total["milliseconds"] > seconds * 1000:
            self.find_students()
            if self._folders.spent(self._owner)["milliseconds"] > seconds * 1000:
                raise self._too_large(reasons.FOLDER_SECONDS.format(n=f"{seconds:g}"), self._owner)

    def _count(self, what: str, amount: int, student: str) -> None:
        self._total[what] += amount
        self._folders.spent(student)[what] += amount

    def _count_seconds(self) -> None:
        before, self._clock = self._clock, time.process_time_ns() // 1_000_000
        self._count("milliseconds", self._clock - before, self._owner)

    def _too_large(self, reason: str, student: str) -> StudentTooLarge:
        self._over.add(student)
        return StudentTooLarge(reason, student)

    def find_students(self) -> None:
        """Find out once where the folders of the students are; files that were not read yet show it too."""
        paths, self.paths = self.paths, None
        if paths:
            self._folders.find(paths())
            self._set_student()

    def _set_student(self) -> None:
        """Set whose the file is that is read: by the folder, and for seconds by the file beside folders."""
        self._student = self._owner = self._folders.student(self._path)
        if self._folders.is_shared(self._student):
            self._owner = self._path
