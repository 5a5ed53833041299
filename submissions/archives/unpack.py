"""Safe unpacking: an upload or a folder becomes named bytes, and every entry not taken has a reason.

Nothing is ever written under a name that an archive gives; no declared size is believed.
"""

from __future__ import annotations

import io
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from contextlib import nullcontext
from dataclasses import replace
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, BinaryIO, NamedTuple, cast

from submissions.archives.formats import HEAD_BYTES, ArchiveFormat, archive_format, archive_stem
from submissions.archives.limits import CHUNK, BadArchive, Budget, Exhausted, Limits, RefusalError, size_text
from submissions.archives.members import Member
from submissions.archives.names import clean, junk, redecoded

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator
    from datetime import datetime
    from pathlib import Path

DEFAULT = Limits()
SPOOLED = (
    8_000_000  # bytes of an inner archive kept in memory; a larger one waits in a nameless temporary file
)
# All that the standard library is known to raise on damaged archives.
DAMAGE = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError,
    ValueError, NotImplementedError, RuntimeError, IndexError, OverflowError, MemoryError,
)  # fmt: skip


class Unpacked(NamedTuple):
    """One entry: taken (`reason` empty, `data` its bytes) or not (`data` None, `reason` for the uploader).

    `name` is a clean relative POSIX path; a refused one is only for reading. `size` is in bytes, declared
    where the entry was not read. A folder of junk is one entry, its name ending in a slash. `modified` is
    what the innermost archive that knows says of a taken file: naive where it is local time.
    """

    name: str
    data: bytes | None
    size: int
    reason: str
    modified: datetime | None = None


def unpack(name: str, file: BinaryIO, limits: Limits = DEFAULT) -> Iterator[Unpacked]:
    """Yield all entries of an uploaded zip or tar (plain, gz, bz2, xz), or a loose file as itself.

    An archive in it is unpacked in place, as a folder named after it. Entries of one name are all kept,
    later ones numbered: `Main (2).java`. When the archive is damaged or a limit of the whole is reached,
    what was read stays and one last entry, of the archive's own size, says why the rest is missing.

    Raises
    ------
    BadArchive
        When nothing of an archive can be read, or it holds no file.
    """
    unpacker = _Unpacker(limits)
    archive = archive_format(name, _head(file))
    found = False
    try:
        for entry in unpacker.archive(archive, file, "", 1) if archive else unpacker.loose(name, file):
            found = True
            yield entry
    except BadArchive as problem:
        if not found:
            raise BadArchive(f"{name}: {problem}") from problem
        yield Unpacked(clean(name, limits.path_length)[0], None, file.seek(0, io.SEEK_END), str(problem))


def unpack_all(files: Iterable[tuple[str, BinaryIO]], limits: Limits = DEFAULT) -> Iterator[Unpacked]:
    """Yield the entries of several uploads made together: each an entry of one root, limits shared.

    An archive among them becomes a folder named after it. One that cannot be read is an entry with a reason.
    """
    unpacker = _Unpacker(limits)
    for name, file in files:
        try:
            yield from unpacker.loose(name, file)
        except Exhausted as problem:
            yield Unpacked(clean(name, limits.path_length)[0], None, 0, str(problem))
            return


def walk(folder: Path, limits: Limits = DEFAULT) -> Iterator[Unpacked]:
    """Yield the entries of a folder, sorted by path; links are named, not followed.

    Raises
    ------
    BadArchive
        When `folder` is not a folder that can be read.
    """
    if not folder.is_dir():
        raise BadArchive(f"{folder} is not a folder")
    unpacker = _Unpacker(limits)
    try:
        yield from unpacker.folder(folder, "")
    except Exhausted as problem:
        yield Unpacked(_root_name(folder), None, 0, str(problem))


def _root_name(folder: Path) -> str:
    return clean(folder.resolve().name or "root", DEFAULT.path_length)[0]


def _head(file: IO[bytes]) -> bytes:
    file.seek(0)
    head = file.read(HEAD_BYTES)
    file.seek(0)
    return head


class _Unpacker:
    """One upload being unpacked: its budget, and the names given so far."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.budget = Budget(limits)
        self._taken: set[str] = set()
        self._copies: dict[str, int] = {}
        self._junk: set[str] = set()

    def archive(
        self,
        archive: ArchiveFormat,
        file: IO[bytes],
        folder: str,
        depth: int,
        modified: datetime | None = None,
    ) -> Iterator[Unpacked]:
        """Yield the entries of an archive as paths in `folder`; raise BadArchive where it cannot go on."""
        if archive.read is None:
            raise BadArchive(f"{archive.name} archives cannot be opened here; upload a zip or tar.gz")
        if depth > self.limits.depth:
            raise BadArchive(f"an archive nested deeper than {self.limits.depth}; unpack it and upload again")
        empty = True
        try:
            for member in archive.read(file, self.budget):
                empty = False
                known = member if member.modified else replace(member, modified=modified)
                yield from self.member(known, folder, depth)
        except BadArchive:
            raise
        except DAMAGE as error:
            raise BadArchive(f"{_damage(error)} (read as {archive.name})") from error
        if empty:
            raise BadArchive("an empty archive: it holds no file")

    def member(self, member: Member, folder: str, depth: int) -> Iterator[Unpacked]:
        name, refusal = self._name(member.name, folder)
        found = None if refusal else junk(name)
        if found:
            yield from self._list_junk(*found, member.size)
            return
        self.budget.count_entry()
        refusal = refusal or member.refusal
        if refusal:
            yield Unpacked(name, None, member.size, refusal)
            return
        try:
            yield from self._read(member, name, depth)
        except RefusalError as reason:
            yield Unpacked(name, None, member.size, str(reason))
        except BadArchive:
            raise
        except DAMAGE as error:
            yield Unpacked(name, None, member.size, _damage(error))

    def loose(self, name: str, file: IO[bytes]) -> Iterator[Unpacked]:
        file.seek(0, io.SEEK_END)
        size = file.tell()
        file.seek(0)
        yield from self.member(Member(name, size, "", lambda: nullcontext(file)), "", 0)

    def folder(self, folder: Path, prefix: str) -> Iterator[Unpacked]:
        try:
            children = sorted(folder.iterdir())
        except OSError as error:
            yield Unpacked(prefix or _root_name(folder), None, 0, _damage(error))
            return
        for child in children:
            name, refusal = self._name(redecoded(child.name), prefix)
            try:
                status = child.lstat()
            except OSError as error:
                yield Unpacked(name, None, 0, _damage(error))
                continue
            if stat.S_ISDIR(status.st_mode) and not refusal:
                found = junk(f"{name}/inside")
                yield from self._list_junk(*found, 0) if found else self.folder(child, name)
            else:
                yield from self.member(_disk_member(child, status), prefix, 0)

    def _name(self, name: str, folder: str) -> tuple[str, str]:
        path, refusal = clean(name, self.limits.path_length)
        return (
            (path, refusal) if refusal or not folder else clean(f"{folder}/{path}", self.limits.path_length)
        )

    def _list_junk(self, name: str, reason: str, size: int) -> Iterator[Unpacked]:
        self.budget.count_junk()
        if name not in self._junk:
            self._junk.add(name)
            yield Unpacked(name, None, size, reason)

    def _read(self, member: Member, name: str, depth: int) -> Iterator[Unpacked]:
        with member.open() as stream:
            head = stream.read(HEAD_BYTES)
            archive = archive_format(name, head)
            most = self.limits.archive_bytes if archive else self.limits.file_bytes
            if member.size > most:
                raise RefusalError(
                    f"has {size_text(member.size)}; the limit for one file is {size_text(most)}"
                )
            with SpooledTemporaryFile(SPOOLED) as copy:
                size = self._copy(head, stream, cast("IO[bytes]", copy), member, most)
                if not size:
                    raise RefusalError("empty")
                copy.seek(0)
                if archive:
                    inner = self.archive(
                        archive, cast("IO[bytes]", copy), archive_stem(name), depth + 1, member.modified
                    )
                    yield from self._inner(inner, name, size)
                else:
                    yield Unpacked(self._unique(name), copy.read(), size, "", member.modified)

    def _copy(self, chunk: bytes, stream: IO[bytes], copy: IO[bytes], member: Member, most: int) -> int:
        """Copy a member piece by piece, each charged and checked; return its size."""
        size = 0
        while chunk:
            size += len(chunk)
            if not member.in_stream:
                self.budget.charge(len(chunk))
            if member.packed:
                self.budget.check_ratio(size, member.packed)
            if size > most:
                raise RefusalError(f"has more than {size_text(most)}, the limit for one file")
            copy.write(chunk)
            chunk = stream.read(CHUNK)
        return size

    def _inner(self, entries: Iterator[Unpacked], name: str, size: int) -> Iterator[Unpacked]:
        try:
            yield from entries
        except Exhausted:
            raise
        except BadArchive as problem:
            yield Unpacked(name, None, size, str(problem))

    def _unique(self, name: str) -> str:
        """Keep entries of one name apart, so that none hides behind another: `Main (2).java`."""
        stem, dot, suffix = name.rpartition(".") if "." in name.rsplit("/", 1)[-1] else (name, "", "")
        unique = name
        while unique in self._taken:
            self._copies[name] = self._copies.get(name, 1) + 1
            unique = f"{stem} ({self._copies[name]}){dot}{suffix}"
        self._taken.add(unique)
        return unique


def _damage(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"cannot be read: {error.strerror}"
    return f"damaged or cut off: {str(error) or type(error).__name__}"


def _disk_member(path: Path, status: os.stat_result) -> Member:
    kind = stat.S_IFMT(status.st_mode)
    special = "a symbolic link" if kind == stat.S_IFLNK else "not a file but a device, pipe or socket"
    refusal = "" if kind == stat.S_IFREG else special
    return Member(redecoded(path.name), status.st_size, refusal, lambda: path.open("rb"))
