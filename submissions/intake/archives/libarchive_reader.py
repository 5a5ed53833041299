"""Read 7z and RAR archives and decompress Zstandard with libarchive, within limits.

The headers of an encrypted RAR are as in UnRAR's `arcread.cpp` and `headers5.hpp`: a checksum, and numbers
of seven bits a byte.
"""

from __future__ import annotations

import ctypes
import io
import stat
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from submissions.intake import reasons
from submissions.intake.archives.libarchive_binding import Source, opened
from submissions.intake.archives.members import ArchiveMember
from submissions.intake.limits import CHUNK, BadArchive, Budget, RefusalError, TooLarge
from submissions.intake.names import redecode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from _typeshed import WriteableBuffer

    from submissions.intake.archives.libarchive_binding import Archive


def read_with_libarchive(
    file: IO[bytes], budget: Budget, formats: tuple[str, ...], *, local_time: bool = False
) -> Iterator[ArchiveMember]:
    """Yield the files of an archive in order; each must be read before the next one is requested.

    `formats` are libarchive's names of the formats to read; `local_time` says that these store local time.
    """
    encrypted = encrypted_entries(file) if "rar5" in formats else set()
    source = Source(file)
    unpacked = _UnpackedBytes(source, budget)
    with opened(source, formats, "none") as archive:
        for number, entry in enumerate(iter(archive.next_entry, None)):
            if stat.S_ISDIR(entry.filetype):
                continue
            data = _MemberData(archive, unpacked)
            refusal = reasons.ENCRYPTED_RAR if number in encrypted else _refusal(entry)
            modified = _modified(entry, local_time=local_time)
            yield ArchiveMember(
                _name(entry), entry.size or 0, refusal, _opener(data), in_stream=True, modified=modified
            )
            if not refusal:
                data.skip()
    if source.is_exhausted and not source.has_end():
        raise BadArchive(reasons.CUT_OFF)


class _Bytes(io.RawIOBase):
    """The contents of the current entry of an archive, read forwards."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def readable(self) -> bool:
        return True

    def readinto(self, target: WriteableBuffer) -> int:
        view = memoryview(target).cast("B")
        data = self._archive.read(len(view))
        view[: len(data)] = data
        return len(data)


class ZstandardFile(_Bytes):
    """The decompressed bytes of a Zstandard file, read forwards."""

    def __init__(self, file: IO[bytes]) -> None:
        self._stack = ExitStack()
        super().__init__(self._stack.enter_context(opened(Source(file), ("raw", "empty"), "zstd")))
        self._is_empty = self._archive.next_entry() is None

    def readinto(self, target: WriteableBuffer) -> int:
        return 0 if self._is_empty else super().readinto(target)

    def close(self) -> None:
        self._stack.close()
        super().close()


class _MemberData(_Bytes):
    """The contents of a member, every byte counted. Its damage is that of the member alone."""

    def __init__(self, archive: Archive, unpacked: _UnpackedBytes) -> None:
        super().__init__(archive)
        self._unpacked = unpacked
        self._damaged = False

    def readinto(self, target: WriteableBuffer) -> int:
        try:
            size = super().readinto(target)
        except BadArchive as error:
            self._damaged = True
            raise RefusalError(str(error)) from error
        self._unpacked.count(size)
        return size

    def skip(self) -> None:
        """Read what was not read, because libarchive would unpack it uncounted."""
        chunk = bytearray(CHUNK)
        try:
            while not self._damaged and self.readinto(chunk):
                pass
        except RefusalError:
            return  # If it is damaged so that nothing can follow, reading the next entry says so.


class _UnpackedBytes:
    """Counts what is unpacked of an archive, whose entries may be packed together."""

    def __init__(self, source: Source, budget: Budget) -> None:
        self._source, self._budget = source, budget
        self._size = 0

    def count(self, size: int) -> None:
        self._size += size
        self._budget.count_bytes(size)
        try:
            self._budget.check_ratio(self._size, self._source.packed)
        except RefusalError as refusal:
            raise TooLarge(reasons.REST_UNREAD.format(reason=refusal)) from None


def _opener(data: _MemberData) -> Callable[[], IO[bytes]]:
    return lambda: data  # type: ignore[return-value]


def _name(entry: Any) -> str:
    """Return the name as stored; surrogates stand for bytes that are not UTF-8 until it is decoded again."""
    from libarchive import ffi  # noqa: PLC0415

    pointer = entry._entry_p  # noqa: SLF001 - the package decodes names as UTF-8 only
    try:
        name = ffi.entry_pathname_w(pointer)
    except ValueError:  # a character above the last one of Unicode
        name = None
    return redecode(name or (ffi.entry_pathname(pointer) or b"").decode("utf-8", "surrogateescape"))


def _refusal(entry: Any) -> str:
    from libarchive import ffi  # noqa: PLC0415

    is_encrypted = ffi.ffi("entry_is_encrypted", [ctypes.c_void_p], ctypes.c_int)
    if is_encrypted(entry._entry_p):  # noqa: SLF001 - the package has no name for it
        return reasons.ENCRYPTED
    if entry.issym or entry.islnk:
        return reasons.SYMBOLIC_LINK if entry.issym else reasons.HARD_LINK
    return "" if entry.isreg else reasons.NO_FILE


def _modified(entry: Any, *, local_time: bool) -> datetime | None:
    try:
        seconds = entry.mtime
        if seconds is None:
            return None
        # libarchive took the stored local time for that of this machine.
        local = datetime.fromtimestamp(seconds)  # noqa: DTZ006
        return local if local_time else datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


SIGNATURE_BYTES, CHECKSUM_BYTES, MAX_NUMBER_BYTES = 8, 4, 10
# Longest header of RAR 5, and the kinds of headers and of the records at their end.
MAX_HEADER = 2 << 20
FILE, ALL_ENCRYPTED, ENCRYPTED_RECORD = 2, 4, 1
HAS_EXTRA, HAS_DATA = 1, 2


class _Header(NamedTuple):
    kind: int
    extra: bytes
    data_size: int


def encrypted_entries(file: IO[bytes]) -> set[int]:
    """Return the numbers of the entries of a RAR 5 archive that are encrypted, from 0, in their order.

    Raises
    ------
    BadArchive
        When even the names are encrypted.
    """
    file.seek(SIGNATURE_BYTES)
    encrypted: set[int] = set()
    number = 0
    while (header := _next_header(file)) is not None:
        if header.kind == ALL_ENCRYPTED:
            raise BadArchive(reasons.ENCRYPTED_RAR)
        if header.kind == FILE:
            if _has_encryption(header.extra):
                encrypted.add(number)
            number += 1
        file.seek(header.data_size, io.SEEK_CUR)
    return encrypted


def _next_header(file: IO[bytes]) -> _Header | None:
    """Return the next header; None at the end, and where the archive is damaged, which libarchive reports."""
    file.seek(CHECKSUM_BYTES, io.SEEK_CUR)
    size = _number(file)
    if size is None or size > MAX_HEADER or len(body := file.read(size)) < size:
        return None
    fields = io.BytesIO(body)
    kind, flags = _number(fields), _number(fields)
    if kind is None or flags is None:
        return None
    extra_size = (_number(fields) or 0) if flags & HAS_EXTRA else 0
    data_size = (_number(fields) or 0) if flags & HAS_DATA else 0
    return _Header(kind, body[len(body) - extra_size :] if extra_size else b"", min(data_size, 1 << 60))


def _has_encryption(extra: bytes) -> bool:
    records = io.BytesIO(extra)
    while (size := _number(records)) is not None:
        start = records.tell()
        if _number(records) == ENCRYPTED_RECORD:
            return True
        records.seek(min(start + max(size, 1), len(extra)))
    return False


def _number(file: IO[bytes]) -> int | None:
    """Return the next number, of which the lowest seven bits come first; None where there is none."""
    number = 0
    for place in range(MAX_NUMBER_BYTES):
        byte = file.read(1)
        if not byte:
            return None
        number |= (byte[0] & 0x7F) << 7 * place
        if byte[0] < 0x80:  # noqa: PLR2004 - the last byte of a number
            return number
    return None
