"""Unpack an upload in a child of its own; this process only hands it bytes and checks what comes back."""

from __future__ import annotations

import io
import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, astuple, replace
from datetime import datetime
from functools import cache
from threading import get_ident
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from submissions.intake import sentences as reasons
from submissions.intake.document_text import FORMATS
from submissions.intake.entries import CommitTimes, Entry, clean_path, replace_invisible
from submissions.intake.left_out.rules import REASONS
from submissions.intake.limits import JUNK_FACTOR, RESERVE, BadArchive, Budget, Limits, format_size, outside_time
from submissions.intake.members import MAX_COMMITS, MAX_SIZE
from submissions.intake.sandbox.process import Broken, Cause, Child, Ended, JobLimits, Refused, ReusedChild
from submissions.intake.unpacking import DEFAULT_LIMITS, DEFAULT_PATTERNS, MOST_UNREAD

if TYPE_CHECKING:
    from submissions.intake.left_out.patterns import FilePatterns
    from submissions.intake.sandbox.child import Header

logger = logging.getLogger(__name__)

JOBS = "submissions.intake.sandbox.archive_jobs"
# Address space of a child where no setting says how much.
DEFAULT_MEMORY = 1_000_000_000
# Seconds to wait for the next entry, and of processor time for an upload; unpacking 1 GB takes about ten.
STEP_SECONDS, PROCESSOR_SECONDS = 60.0, 300.0
# Bytes of an upload that the child gets at a time, at most.
PIECE_BYTES = 1 << 20
# A child that crashed is replaced once, in case someone else ended it. After so many files that could not be
# unpacked, or archives in it, the rest of an upload is not tried.
MAX_ATTEMPTS, MAX_FAILURES, MAX_NESTED_FAILURES = 2, 10, 5
REASON_CHARACTERS = 2000
# A child is replaced after so many documents.
MAX_DOCUMENTS = 500
# Characters that the number of an entry may add to its name.
NUMBER_CHARACTERS = 20


class UploadedFile(NamedTuple):
    """A file of an upload: its name, its size in bytes, and a function that opens it."""

    name: str
    size: int
    open: Callable[[], IO[bytes]]


def unpack(
    file: UploadedFile,
    memory: int,
    limits: Limits = DEFAULT_LIMITS,
    patterns: FilePatterns = DEFAULT_PATTERNS,
    jobs: str = JOBS,
    *,
    folder: str = "",
    reused: ReusedChild | None = None,
) -> Iterator[Entry]:
    """Yield the entries of one upload, as `unpack` of the archives does, as paths in `folder`.

    The child that unpacks it is `reused`, or ended.

    When it cannot be unpacked to its end, the entries before that stay, and a last one has the reason. An
    archive in it that ends the child is refused alone: it is the work of one student. Raises BadArchive when
    nothing of it can be read.
    """
    unpacking = _Unpacking([file], memory, limits, patterns, jobs, folder=folder, reused=reused)
    while True:
        try:
            yield from unpacking.run(together=False)
        except (Ended, Broken) as error:
            reason = unpacking.reason(error)
            if unpacking.refuse_nested(reason):
                continue
            if not unpacking.yielded:
                raise BadArchive(f"{file.name}: {reason}") from error
            yield unpacking.refusal(reasons.REST_UNREAD.format(reason=reason))
        return


def unpack_opened(name: str, file: IO[bytes], folder: str, limits: Limits, patterns: FilePatterns) -> Iterator[Entry]:
    """Yield the entries of an archive that this process has open, as paths in `folder`.

    One child reads all documents. Raises BadArchive when nothing of it can be read.
    """
    size = file.seek(0, io.SEEK_END)
    opened = UploadedFile(name, size, lambda: cast("IO[bytes]", _StaysOpen(file)))
    try:
        reused = _document_child(get_ident()) if name[name.rfind(".") :].lower() in FORMATS else None
        yield from unpack(opened, DEFAULT_MEMORY, limits, patterns, folder=folder, reused=reused)
    except BadArchive as error:
        raise BadArchive(str(error).removeprefix(f"{name}: ")) from error


@cache
def _document_child(_thread: int) -> ReusedChild:
    return ReusedChild(DEFAULT_MEMORY, JOBS, MAX_DOCUMENTS)


class _StaysOpen:
    """An open file that is closed by whoever opened it."""

    def __init__(self, file: IO[bytes]) -> None:
        self.seek, self.read = file.seek, file.read

    def close(self) -> None:
        """Do nothing."""


def unpack_all(
    files: Sequence[UploadedFile],
    memory: int,
    limits: Limits = DEFAULT_LIMITS,
    patterns: FilePatterns = DEFAULT_PATTERNS,
    jobs: str = JOBS,
    *,
    reused: ReusedChild | None = None,
) -> Iterator[Entry]:
    """Yield the entries of several files uploaded together, as `unpack_all` of the archives does.

    The child that unpacks them is `reused`, or ended.

    A file that cannot be unpacked to its end is refused with the reason, and the next ones are unpacked.
    """
    unpacking = _Unpacking(files, memory, limits, patterns, jobs, reused=reused)
    while True:
        try:
            yield from unpacking.run(together=True)
        except (Ended, Broken) as error:
            yield from unpacking.refusals(unpacking.reason(error))
            if unpacking.failures >= MAX_FAILURES:
                return
        else:
            return


class _Unpacking:
    """An upload that is unpacked, perhaps by several children one after the other.

    A later child unpacks everything again except the files `left_out`, so that limits and numbers of names
    count everything; the entries that an earlier one sent are skipped.
    """

    def __init__(
        self,
        files: Sequence[UploadedFile],
        memory: int,
        limits: Limits,
        patterns: FilePatterns,
        jobs: str,
        *,
        folder: str = "",
        reused: ReusedChild | None = None,
    ) -> None:
        self._reused = reused
        self.files, self.memory, self.patterns, self.jobs = files, memory, patterns, jobs
        self.folder = folder
        self.limits = replace(limits, spool_bytes=0)
        self.yielded = self.failures = self._bytes = 0
        self.left_out: set[int] = set()
        self._current = 0  # the file that the child reads
        self._sent: Counter[int] = Counter()  # entries of each file that were yielded
        self._unread: dict[str, str] = {}  # archives in the upload that ended a child, and why
        self._nested, self._before_nested = "", 0  # the one that is read, and the entries before it
        self._inside: set[str] = set()  # names of entries of those that ended a child
        self._open: tuple[int, IO[bytes]] | None = None

    def run(self, *, together: bool) -> Iterator[Entry]:
        """Yield the entries that were not yielded yet; a child that crashes is replaced once."""
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                yield from self._new_entries(together=together)
            except Refused as refusal:
                raise BadArchive(str(refusal)[:REASON_CHARACTERS]) from refusal
            except (Ended, Broken) as error:
                logger.warning("the child that unpacks an upload ended (%s)", error)
                if attempt == MAX_ATTEMPTS or isinstance(error, Broken) or error.cause is not Cause.CRASH:
                    raise
            else:
                return

    def reason(self, error: Ended | Broken) -> str:
        if isinstance(error, Broken):
            return reasons.UNPACKING_BROKE.format(error=error)
        if error.cause is Cause.TIME:
            return reasons.UNPACKING_TOO_SLOW.format(step=f"{STEP_SECONDS:g}", total=f"{PROCESSOR_SECONDS:g}")
        if error.cause is Cause.MEMORY:
            return reasons.UNPACKING_MEMORY.format(size=format_size(self.memory))
        return reasons.UNPACKING_ENDED.format(error=error.detail)

    def refuse_nested(self, reason: str) -> bool:
        """Refuse from now on the archive in the upload that was being read; return whether there was one."""
        if not self._nested or self._nested in self._unread or len(self._unread) >= MAX_NESTED_FAILURES:
            return False
        self._unread[self._nested] = reasons.REST_UNREAD.format(reason=reason)
        self._sent[self._current] = min(self._sent[self._current], self._before_nested)
        return True

    def refusal(self, reason: str) -> Entry:
        """Return the entry that refuses the current file, which is left out from now on."""
        file = self.files[self._current]
        self.left_out.add(self._current)
        name, _ = clean_path(file.name, self.limits.path_length)
        return Entry(name, file.size, reason, incomplete=True)

    def refusals(self, reason: str) -> Iterator[Entry]:
        """Yield the entry that refuses the current file, and those for later files of a student with many."""
        yield self.refusal(reason)
        self.failures += 1
        names, failed = [file.name for file in self.files], self._current
        student_of = Budget(self.limits, lambda: names).student_of
        of_student = {n for n, name in enumerate(names) if student_of(name) == student_of(names[failed])}
        if len(of_student & self.left_out) >= MOST_UNREAD:
            for self._current in sorted(n for n in of_student if n > failed):
                yield self.refusal(reason)

    def _new_entries(self, *, together: bool) -> Iterator[Entry]:
        request = {
            "job": "unpack",
            "together": together,
            "folder": self.folder,
            "limits": asdict(self.limits),
            "patterns": list(astuple(self.patterns)),
            "files": [(file.name, file.size) for file in self.files],
            "left_out": sorted(self.left_out),
            "unread": self._unread,
        }
        limits = JobLimits(STEP_SECONDS, PROCESSOR_SECONDS, self.limits.file_bytes)
        seen: Counter[int] = Counter()
        self._nested = ""
        child = self._reused.start() if self._reused else Child(self.jobs, self.memory)
        is_finished = False
        try:
            for header, buffers in child.do(request, [], limits, self._serve):
                number = self._file_number(header)
                if header["kind"] == "nested":
                    self._nested, self._before_nested = str(header.get("path")), seen[number]
                    continue
                seen[number] += 1
                if seen[number] > self._sent[number]:
                    self._sent[number] += 1
                    yield from self._counted(_entry(header, buffers, self.limits))
            is_finished = True
        finally:
            if self._reused and is_finished:
                self._reused.done()
            else:
                child.end()
            self._close()

    def _counted(self, entry: Entry) -> Iterator[Entry]:
        if entry.data is not None and entry.name in self._inside:
            return  # A later child does not know that this name is in use.
        if self._nested:
            self._inside.add(entry.name)
        self.yielded += 1
        self._bytes += len(entry.data or b"")
        # The reserve, a share of the files in no student's folder, and the entries for what is unread.
        factor = RESERVE + 2
        many = factor * self.limits.entries * (1 + JUNK_FACTOR) + len(self.files) + 1
        if self.yielded > many or self._bytes > factor * self.limits.total_bytes:
            raise Ended(Cause.CRASH, "it sent more than the limits allow")
        yield entry

    def _serve(self, header: Header) -> bytes:
        """Return the bytes of the upload that the child asks for."""
        at, size = header.get("at"), header.get("size")
        file = self._opened(self._file_number(header))
        if type(at) is not int or type(size) is not int or at < 0 or not 0 <= size <= PIECE_BYTES:
            raise Ended(Cause.CRASH, "it asked for bytes that no upload has")
        file.seek(at)
        return file.read(size)

    def _file_number(self, header: Header) -> int:
        number = header.get("file")
        if type(number) is not int or not 0 <= number < len(self.files):
            raise Ended(Cause.CRASH, "it asked for a file that there is not")
        self._current = number
        return number

    def _opened(self, number: int) -> IO[bytes]:
        if self._open is None or self._open[0] != number:
            self._close()
            self._open = number, self.files[number].open()
        return self._open[1]

    def _close(self) -> None:
        if self._open is not None:
            self._open[1].close()
            self._open = None


def _entry(header: Header, buffers: list[bytes], limits: Limits) -> Entry:
    """Return the entry that a child sent, if unpacking can yield such an entry."""
    name, reason, size = header.get("name"), header.get("reason"), header.get("size")
    if not isinstance(name, str) or not isinstance(reason, str) or type(size) is not int:
        raise Ended(Cause.CRASH, "it sent an entry without a name, a reason or a size")
    size = min(max(size, 0), MAX_SIZE)
    if reason and not buffers:
        visible_name = replace_invisible(name)[: limits.path_length + NUMBER_CHARACTERS]
        incomplete = header.get("incomplete") is True
        times = _commits(header.get("commits"))
        return Entry(visible_name, size, reason[:REASON_CHARACTERS], incomplete=incomplete, commits=times)
    clean = clean_path(name, limits.path_length + NUMBER_CHARACTERS)
    if reason or len(buffers) != 1 or clean != (name, ""):
        raise Ended(Cause.CRASH, "it sent an entry that is no entry")
    left_out = header.get("left_out")
    if left_out and left_out not in REASONS.values():
        raise Ended(Cause.CRASH, "it left out an entry for a reason that there is not")
    modified = _time(header.get("modified"))
    return Entry(name, size, data=buffers[0], modified=modified, left_out=left_out or "")


def _commits(times: object) -> CommitTimes | None:
    if times is None:
        return None
    if isinstance(times, list) and len(times) == 3 and all(type(one) is int for one in times):  # noqa: PLR2004 - its fields
        commits = CommitTimes(*times)
        are_known = outside_time(commits.first) and outside_time(commits.last)
        if are_known and commits.first <= commits.last and 0 < commits.number <= MAX_COMMITS:
            return commits
    raise Ended(Cause.CRASH, "it sent times of commits that are none")


def _time(text: object) -> datetime | None:
    time = outside_time(text) if isinstance(text, str) else None
    if text is not None and time is None:
        raise Ended(Cause.CRASH, "it sent a time that is none")
    return time
