"""Unpack an upload or a folder safely: accepted entries with their bytes, all others with a reason.

To support a new format, add an entry to READERS.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import stat
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import IO, BinaryIO, NamedTuple

from submissions.intake import document_text, members, sentences as reasons
from submissions.intake.document_text import FORMATS, DocumentFormat, document_format
from submissions.intake.entries import Entry, UniqueNames, clean_path, redecode, shorten
from submissions.intake.left_out.patterns import FilePatterns
from submissions.intake.libarchive_reader import ZstandardFile, is_loaded, read_with_libarchive
from submissions.intake.limits import (
    CHUNK,
    JUNK_FACTOR,
    BadArchive,
    Budget,
    Limits,
    OutOfTime,
    RefusalError,
    StudentTooLarge,
    TooLarge,
    damage_reason,
)
from submissions.intake.zip_and_tar import read_tar, read_zip

Reader = Callable[[IO[bytes], Budget], Iterator[members.ArchiveMember]]

# Yields the entries of an archive as paths in a folder: its name, its file, the folder, limits, patterns.
InChild = Callable[[str, IO[bytes], str, Limits, FilePatterns], Iterator["Entry"]]

# Called with the path of an archive in the upload before it is unpacked, and with an empty one after it.
Nested = Callable[[str], None]

# Number of bytes at the start of a file from which its format is detected.
HEAD_BYTES = 512

# A student with so many archives that end the process which unpacks them has no other one unpacked.
MOST_UNREAD = 2
# Processor seconds of a child that reads one document before it reads it.
CHILD_SECONDS = 0.5

# Zips that are documents or programs. They are not unpacked; the front-ends refuse those as binary files of
# which no text is taken out.
ZIPPED_DOCUMENTS = frozenset({
    *FORMATS, ".xlsx", ".pptx", ".ods", ".odp", ".epub", ".jar", ".war", ".ear", ".apk", ".aab", ".whl",
    ".egg", ".nupkg", ".ggb",
})  # fmt: skip

DEFAULT_LIMITS = Limits()
DEFAULT_PATTERNS = FilePatterns()


class ArchiveFormat(NamedTuple):
    """A format, recognised by the first bytes of a file, else by its suffix.

    `start` is a regular expression for the first bytes. A format without `read` is refused, by its `name`.
    One with `needs_libarchive` is read only in a child that loaded the library.
    """

    name: str
    start: bytes
    suffixes: tuple[str, ...] = ()
    read: Reader | None = None
    needs_libarchive: bool = False

    def matches(self, head: bytes) -> bool:
        """Return whether a file with the first bytes `head` starts like this format."""
        return re.match(self.start, head, re.DOTALL) is not None


# tar must be first: a tar starts with the name of its first file, which may look like any other format.
READERS = (
    ArchiveFormat("tar", rb".{257}ustar", (".tar",), read_tar),
    ArchiveFormat("zip", rb"PK(\x03\x04|\x05\x06)", (".zip", ".jplag", ".sb3", ".aia"), read_zip),
    ArchiveFormat("gz", rb"\x1f\x8b\x08", (".tgz", ".gz"), partial(read_tar, decompress=gzip.open)),
    ArchiveFormat(
        "bz2", rb"BZh.(1AY&SY|\x17\x72\x45\x38\x50\x90)", (".tbz2", ".tbz", ".bz2"),
        partial(read_tar, decompress=bz2.open),
    ),
    ArchiveFormat("xz", rb"\xfd7zXZ\x00", (".txz", ".xz"), partial(read_tar, decompress=lzma.open)),
    ArchiveFormat(
        "zst", rb"\x28\xb5\x2f\xfd", (".tzst", ".zst"), partial(read_tar, decompress=ZstandardFile),
        needs_libarchive=True,
    ),
    ArchiveFormat(
        "7z", rb"7z\xbc\xaf\x27\x1c", (".7z",), partial(read_with_libarchive, formats=("7zip",)),
        needs_libarchive=True,
    ),
    ArchiveFormat(
        "RAR 4", rb"Rar!\x1a\x07\x00", read=partial(read_with_libarchive, formats=("rar",), local_time=True),
        needs_libarchive=True,
    ),
    ArchiveFormat(
        "RAR", rb"Rar!\x1a\x07", (".rar",), partial(read_with_libarchive, formats=("rar5",)),
        needs_libarchive=True,
    ),
    ArchiveFormat("cabinet", rb"MSCF\0\0\0\0"),
    ArchiveFormat("ar", rb"!<arch>\n"),
    ArchiveFormat("compress", rb"\x1f\x9d"),
    ArchiveFormat("lzip", rb"LZIP"),
)  # fmt: skip
# The start of a file of any format: most files are none.
STARTS = re.compile(b"|".join(b"(?:%b)" % archive.start for archive in READERS), re.DOTALL)
BY_SUFFIX = {suffix: archive for archive in reversed(READERS) for suffix in archive.suffixes}


def head_of(file: IO[bytes]) -> bytes:
    """Return the first HEAD_BYTES bytes of a file, and go back to its start."""
    file.seek(0)
    head = file.read(HEAD_BYTES)
    file.seek(0)
    return head


def archive_format(name: str, head: bytes) -> ArchiveFormat | None:
    """Return the format of a file by its first HEAD_BYTES bytes, else its name; None if it is no archive."""
    suffix = _suffix(name)
    if suffix in ZIPPED_DOCUMENTS:
        return None
    if STARTS.match(head):
        return next(archive for archive in READERS if archive.matches(head))
    return BY_SUFFIX.get(suffix)


def archive_stem(name: str) -> str:
    """Return the name of the folder that stands for a nested archive: `work` for `work.tar.gz`."""
    stem = name
    if _suffix(stem) in BY_SUFFIX:
        stem = stem[: -len(_suffix(stem))]
        if _suffix(stem) == ".tar":
            stem = stem[: -len(".tar")]
    return stem


def _suffix(name: str) -> str:
    """Return the part of `name` from its last full stop on, in lower case."""
    return name[name.rfind(".") :].lower() if "." in name else ""


def unpack(
    name: str,
    file: BinaryIO,
    limits: Limits = DEFAULT_LIMITS,
    patterns: FilePatterns = DEFAULT_PATTERNS,
    *,
    folder: str = "",
    in_child: InChild | None = None,
    nested: Nested = lambda _path: None,
    unread: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Entry]:
    """Yield the entries of an uploaded archive, as paths in `folder`, or the uploaded file as one entry.

    `in_child` unpacks archives that need libarchive where this process has not loaded it. Files that are left
    out by their names alone are not unpacked, unless `patterns` include them. A nested archive is unpacked as
    a folder named after it, but for those of `unread`, with the reasons, and other archives of a student with
    MOST_UNREAD of them. Of entries with the same name, later ones are numbered: `Main (2).java`. When the
    archive is damaged or a limit of the whole upload is reached, a last entry, with the size of the archive,
    says why the rest is missing; it is `incomplete`. So is an entry for the folder of a student of which the
    rest is missing. Raises BadArchive when nothing of an archive can be read, or it contains no file.
    """
    unpacker = _Unpacker(limits, patterns, in_child, nested, unread)
    archive = archive_format(name, head_of(file))
    any_entry = False
    try:
        if archive is None:
            yield from unpacker.unpack_file(name, file)
            return
        for entry in unpacker.unpack_archive(archive, name, file, folder, 1):
            any_entry = True
            yield entry
    except BadArchive as error:
        if not any_entry:
            raise BadArchive(f"{name}: {error}") from error
        clean, _ = clean_path(name, limits.path_length)
        yield Entry(clean, file.seek(0, io.SEEK_END), str(error), incomplete=True)


def unpack_all(
    files: Iterable[tuple[str, BinaryIO]],
    limits: Limits = DEFAULT_LIMITS,
    patterns: FilePatterns = DEFAULT_PATTERNS,
    names: Iterable[str] = (),
) -> Iterator[Entry]:
    """Yield the entries of several files uploaded together, as if they were in one folder.

    The limits apply to all files together, and `names` are theirs. An archive becomes a folder named after
    it; one that cannot be read becomes an entry with a reason.
    """
    unpacker = _Unpacker(limits, patterns)
    unpacker.budget.paths = partial(map, _as_folder, names)
    for name, file in files:
        try:
            yield from unpacker.unpack_file(name, file)
        except TooLarge as error:
            yield unpacker.rest(error)
            return


def walk(
    folder: Path,
    limits: Limits = DEFAULT_LIMITS,
    patterns: FilePatterns = DEFAULT_PATTERNS,
    in_child: InChild | None = None,
) -> Iterator[Entry]:
    """Yield the entries of a folder, sorted by path; links are listed as refused, not followed.

    The limits on all entries and bytes apply to each archive in the folder by itself, not to the folder.
    Raises BadArchive when `folder` is not a folder that can be read.
    """
    if not folder.is_dir():
        raise BadArchive(f"{folder} is not a folder")
    unpacker = _Unpacker(limits, patterns, in_child)
    unpacker.documents.paths = partial(_paths_on_disk, folder)
    yield from unpacker.unpack_folder(folder, "")


def _seconds_of_children() -> float:
    """Return the processor seconds of the children of this process, of those that go on, too."""
    import psutil  # noqa: PLC0415 - only where a child reads documents

    used = os.times()
    living = [child.cpu_times() for child in psutil.Process().children()]
    return used.children_user + used.children_system + sum(one.user + one.system for one in living)


def _as_folder(name: str) -> str:
    """Return the path of a file, or of one in it where its name is that of an archive."""
    return f"{archive_stem(name)}/a" if archive_format(name, b"") else name


def _paths_on_disk(folder: Path) -> Iterator[str]:
    for inner, _, files in os.walk(folder):
        yield from (_as_folder(str(Path(inner, file).relative_to(folder))) for file in files)


class _Unpacker:
    """Unpacks one upload; keeps its budget and the names used so far."""

    def __init__(
        self,
        limits: Limits,
        patterns: FilePatterns,
        in_child: InChild | None = None,
        nested: Nested = lambda _path: None,
        unread: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.limits = limits
        self.patterns = patterns
        self.in_child, self.nested, self._is_nested = in_child, nested, False
        self.unread, self._starting = unread, CHILD_SECONDS
        self.name = ""  # of the upload, or of the file of it that is read
        self.budget = self.documents = Budget(limits)  # Documents of a folder have one, other files many.
        self._names = UniqueNames(limits.path_length)
        self._listed_junk: set[str] = set()

    def unpack_archive(
        self,
        archive: ArchiveFormat,
        name: str,
        file: IO[bytes],
        folder: str,
        depth: int,
        *,
        modified: datetime | None = None,
    ) -> Iterator[Entry]:
        """Yield the entries of an archive as paths in `folder`; raise BadArchive where it is unreadable."""
        if archive.read is None:
            raise BadArchive(reasons.KIND_UNKNOWN.format(kind=archive.name))
        if depth > self.limits.depth:
            raise BadArchive(reasons.DEPTH.format(n=self.limits.depth))
        if archive.needs_libarchive and not is_loaded():
            yield from self._unpack_in_child(archive, name, file, folder, depth)
            return
        if depth == 1:
            self.name = name
            self.budget.paths = self.budget.paths or partial(self._paths, archive, file, folder)
        self.budget.depth = depth
        empty = True
        try:
            for member in archive.read(file, self.budget):
                empty = False
                dated = member if member.modified else replace(member, modified=modified)
                yield from self.unpack_member(dated, folder, depth)
        except BadArchive:
            raise
        except members.DAMAGE_ERRORS as error:
            raise BadArchive(f"{damage_reason(error)} (read as {archive.name})") from error
        if empty:
            raise BadArchive(reasons.EMPTY_ARCHIVE)

    def rest(self, error: TooLarge, size: int = 0) -> Entry:
        """Return the entry for what is not read: the rest of a student's folder, or of the archive."""
        folder = error.folder if isinstance(error, StudentTooLarge) else ""
        name = folder or clean_path(self.name, self.limits.path_length)[0]
        return Entry(name, size, str(error), incomplete=True)

    def _paths(self, archive: ArchiveFormat, file: IO[bytes], folder: str) -> Iterator[str]:
        """Yield the paths of the files of an archive up to any damage; nested archives are folders."""
        assert archive.read is not None
        limits = replace(self.limits, total_bytes=self.limits.total_bytes * JUNK_FACTOR)
        position = file.tell()
        file.seek(0)
        try:
            for member in archive.read(file, Budget(limits)):
                name, refusal = self._clean_name(member.name, folder)
                if not refusal and not self.patterns.left_out_by_name(name):
                    yield _as_folder(name)
        except members.DAMAGE_ERRORS:
            return
        finally:
            file.seek(position)

    def _unpack_in_child(
        self, archive: ArchiveFormat, name: str, file: IO[bytes], folder: str, depth: int
    ) -> Iterator[Entry]:
        if self.in_child is None:
            raise BadArchive(reasons.NO_LIBARCHIVE.format(kind=archive.name))
        limits = replace(self.limits, depth=self.limits.depth - depth + 1)
        for entry in self.in_child(name, file, folder, limits, self.patterns):
            if entry.incomplete and entry.name == clean_path(name, limits.path_length)[0]:
                raise BadArchive(entry.reason)
            if not self.budget.enter(entry.name):
                return
            self.budget.count_entry()
            self.budget.count_bytes(len(entry.data or b""))
            unique = self._names.unique(entry.name) if entry.data is not None else entry.name
            yield entry._replace(name=unique)

    def unpack_member(self, member: members.ArchiveMember, folder: str, depth: int) -> Iterator[Entry]:
        """Yield a file, or the entries of an archive; other students are read although one has too much."""
        try:
            yield from self._unpack_member(members.check_size(member), folder, depth)
        except StudentTooLarge as error:
            if error.is_around(folder):
                raise
            yield self.rest(error)

    def _unpack_member(self, member: members.ArchiveMember, folder: str, depth: int) -> Iterator[Entry]:
        if depth == 1:
            self._begin_nested("")
        name, refusal = self._clean_name(member.name, folder)
        junk = None if refusal else self.patterns.left_out_by_name(name)
        if not self.budget.enter(junk[0] if junk else name):
            return
        if junk:
            yield from self._list_junk(*junk, member.size)
            yield from self._read_commit_log(member, name, junk[0])
            return
        self.budget.count_entry()
        if refusal := refusal or member.refusal:
            yield Entry(name, member.size, refusal)
            return
        try:
            yield from self._read(member, name, depth)
        except RefusalError as error:
            is_rest = isinstance(error, OutOfTime)
            yield Entry(name, member.size, str(error), incomplete=is_rest)
        except BadArchive:
            raise
        except members.DAMAGE_ERRORS as error:
            yield Entry(name, member.size, damage_reason(error))

    def unpack_file(self, name: str, file: IO[bytes]) -> Iterator[Entry]:
        size = file.seek(0, io.SEEK_END)
        file.seek(0)
        self.name = name
        yield from self.unpack_member(members.ArchiveMember(name, size, "", lambda: nullcontext(file)), "", 0)

    def unpack_folder(self, folder: Path, prefix: str) -> Iterator[Entry]:
        try:
            children = members.children_of(folder)
        except OSError as error:
            name = f"{prefix}/" if prefix else members.root_name(folder, self.limits.path_length)
            yield Entry(name, 0, damage_reason(error))
            return
        for child in children:
            name, refusal = self._clean_name(redecode(child.name), prefix)
            try:
                status = child.stat(follow_symlinks=False)
            except OSError as error:
                yield Entry(name, 0, damage_reason(error))
                continue
            if stat.S_ISDIR(status.st_mode) and not refusal:
                junk = None if self.patterns.may_include else self.patterns.left_out_by_name(f"{name}/inside")
                yield from self._list_junk(*junk, 0) if junk else self.unpack_folder(Path(child), name)
            else:
                yield from self._unpack_on_disk(members.disk_member(child, status), name, prefix)

    def _unpack_on_disk(self, member: members.ArchiveMember, name: str, prefix: str) -> Iterator[Entry]:
        """Yield a file of a folder, or the entries of an archive in it, within a budget of its own."""
        self.name, self.budget = name, Budget(self.limits)
        try:
            yield from self.unpack_member(member, prefix, 0)
        except TooLarge as error:
            yield self.rest(error, member.size)

    def _clean_name(self, name: str, folder: str) -> tuple[str, str]:
        """Return the clean path of an entry in `folder`, and why it is refused or an empty string."""
        most = self.limits.path_length
        path, refusal = clean_path(name, most)
        joined = f"{folder}/{path}" if folder else path  # Its folder shows which archive it is in.
        is_final = refusal or len(joined) <= most
        return (shorten(joined, most), refusal) if is_final else clean_path(joined, most)

    def _list_junk(self, name: str, reason: str, size: int) -> Iterator[Entry]:
        self.budget.count_junk()
        if name not in self._listed_junk:
            self._listed_junk.add(name)
            yield Entry(name, size, reason)

    def _read_commit_log(self, member: members.ArchiveMember, name: str, folder: str) -> Iterator[Entry]:
        """Yield the times in a log of Git that is directly in a folder left out by its name."""
        is_log = name == folder + members.LOG and members.folder_of_log(name) is not None and not member.refusal
        if is_log and self.limits.commit_log_bytes and name not in self._listed_junk:
            self._listed_junk.add(name)
            yield members.commit_log_entry(member, name, self.budget)

    def _begin_nested(self, name: str) -> str:
        """Say which archive in the upload is unpacked from now on, if any; return why it must not be."""
        if name or self._is_nested:
            self._is_nested = bool(name)
            self.nested(name)
        if not name or not self.unread or name in self.unread:
            return self.unread.get(name, "")
        student = self.budget.student_of(name)
        reasons_of = [reason for path, reason in self.unread.items() if self.budget.student_of(path) == student]
        return reasons_of[0] if len(reasons_of) >= MOST_UNREAD else ""

    def _read(self, member: members.ArchiveMember, name: str, depth: int) -> Iterator[Entry]:
        with member.open() as stream:
            head = stream.read(CHUNK)
            archive, kind = archive_format(name, head[:HEAD_BYTES]), self._document(name, head)
            if (archive or kind) and depth == 1 and (reason := self._begin_nested(name)):
                raise RefusalError(reason)
            limit = self.limits.archive_bytes if archive or kind else self.limits.file_bytes
            if member.size > limit:
                raise members.too_large(limit)
            if kind:
                self.documents.enter(name)
                self.documents.check_documents()
            with members.empty_copy(self.limits.spool_bytes if archive else 0) as copy:
                size = members.copy_within_limits(head, stream, copy, member=member, budget=self.budget, limit=limit)
                if not size:
                    raise RefusalError(reasons.EMPTY_FILE)
                copy.seek(0)
                if archive:
                    folder = archive_stem(name)
                    self.budget.enter(f"{folder}/")
                    inner = self.unpack_archive(archive, name, copy, folder, depth + 1, modified=member.modified)
                    yield from self._refuse_unreadable(inner, name, size)
                elif kind and not document_text.is_loaded():
                    yield from self._refuse_unreadable(self._read_in_child(member, name, copy), name, size)
                else:
                    data = self._text_of(kind, copy.read()) if kind else copy.read()
                    yield Entry(self._names.unique(name), size, data=data, modified=member.modified)

    def _document(self, name: str, head: bytes) -> DocumentFormat | None:
        """Return the kind of document that a file is, None for another one or where none can be read."""
        return document_format(name, head) if document_text.is_loaded() or self.in_child else None

    def _text_of(self, kind: DocumentFormat, data: bytes) -> bytes:
        started = time.process_time()
        try:
            return document_text.document_text(kind, data, self.budget)
        finally:
            self.documents.count_document(time.process_time() - started)

    def _read_in_child(self, member: members.ArchiveMember, name: str, file: IO[bytes]) -> Iterator[Entry]:
        assert self.in_child is not None
        before = _seconds_of_children()
        for entry in self.in_child(name, file, "", self.limits, self.patterns):
            yield entry._replace(name=self._names.unique(entry.name), modified=member.modified)
        seconds = _seconds_of_children() - before
        self.documents.count_document(max(seconds - self._starting, 0.0))
        self._starting = 0.0

    def _refuse_unreadable(self, entries: Iterator[Entry], name: str, size: int) -> Iterator[Entry]:
        """Yield the entries of a nested archive; where it cannot be read, a refused entry for the archive."""
        try:
            yield from entries
        except TooLarge:
            raise
        except BadArchive as error:
            yield Entry(name, size, str(error))
