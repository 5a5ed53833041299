"""Read 7z and RAR archives and decompress Zstandard with the C library libarchive, within limits."""

from __future__ import annotations

import ctypes
import io
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from ctypes.util import find_library
from datetime import datetime
from errno import ENOMEM
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from submissions.intake import sentences as reasons
from submissions.intake.entries import redecode, replace_invisible
from submissions.intake.limits import CHUNK, BadArchive, Budget, RefusalError, outside_time
from submissions.intake.members import ArchiveMember, check_nested_ratio

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

PACKAGE = "libarchive"
# After the name of a format.
# What a callback returns to libarchive when it cannot read.
CALLBACK_FAILED = -30
# The last block of a RAR 5 archive that is in one volume, without and with the flag that WinRAR sets. Only a
# signature may follow. libarchive does not notice when it is missing.
RAR_5_ENDS = (b"\x19\xb2\x3a\x35\x03\x05\x00\x00", b"\x1d\x77\x56\x51\x03\x05\x04\x00")
END_BYTES = 4096

SIGNATURE_BYTES, CHECKSUM_BYTES, MAX_NUMBER_BYTES = 8, 4, 10
# Longest header of RAR 5, and the kinds of headers and of the records at their end.
MAX_HEADER = 2 << 20
FILE, ALL_ENCRYPTED, ENCRYPTED_RECORD = 2, 4, 1
HAS_EXTRA, HAS_DATA = 1, 2


def load() -> bool:
    """Load the library into this process; return whether it could be loaded."""
    if find_library("archive") is None:
        return False
    try:
        import_module(PACKAGE)
    except (OSError, AttributeError):  # A library of another version lacks functions.
        return False
    return True


def is_loaded() -> bool:
    """Return whether `load` has made the library usable in this process."""
    return PACKAGE in sys.modules


class Source:
    """The file that libarchive reads through callbacks. C code cannot raise, so their error is kept."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._size = file.seek(0, io.SEEK_END)
        self._bytes_read = 0
        self._buffer = b""
        self.is_exhausted = False  # whether libarchive wanted more than there is
        self.error: BaseException | None = None
        file.seek(0)

    @property
    def packed(self) -> int:
        """The number of packed bytes that were read so far."""
        return min(self._bytes_read, self._size)

    def read(self, _archive: int, _context: int, target: Any) -> int:
        try:
            self._buffer = self._file.read(CHUNK)
        except BaseException as error:  # noqa: BLE001 - raised again once libarchive has returned
            self.error = error
            return CALLBACK_FAILED
        self._bytes_read += len(self._buffer)
        self.is_exhausted |= not self._buffer
        target[0] = ctypes.cast(ctypes.c_char_p(self._buffer), ctypes.c_void_p).value
        return len(self._buffer)

    def has_end(self) -> bool:
        """Return whether the file ends like a whole RAR 5 archive."""
        self._file.seek(max(0, self._size - END_BYTES))
        last = self._file.read(END_BYTES)
        return any(end in last for end in RAR_5_ENDS)

    def seek(self, _archive: int, _context: int, offset: int, whence: int) -> int:
        try:
            return self._file.seek(offset, whence)
        except BaseException as error:  # noqa: BLE001 - raised again once libarchive has returned
            self.error = error
            return CALLBACK_FAILED


@contextmanager
def opened(source: Source, formats: tuple[str, ...], compression: str) -> Iterator[Archive]:
    from libarchive import ffi  # noqa: PLC0415 - loaded by `load`, in some processes only

    # They must live as long as the archive is open.
    callbacks = ffi.READ_CALLBACK(source.read), ffi.SEEK_CALLBACK(source.seek)
    pointer = ffi.read_new()
    try:
        archive = Archive(pointer, source)
        with archive.checked():
            # A warning says that the library would start another program.
            if ffi.get_read_filter_function(compression)(pointer) != ffi.ARCHIVE_OK:
                raise BadArchive(reasons.NO_ZSTANDARD)
            for name in formats:
                ffi.get_read_format_function(name)(pointer)
            ffi.read_set_seek_callback(pointer, callbacks[1])
            ffi.read_open(pointer, None, ffi.NO_OPEN_CB, callbacks[0], ffi.NO_CLOSE_CB)
        yield archive
    finally:
        ffi.read_free(pointer)


class Archive:
    def __init__(self, pointer: int, source: Source) -> None:
        self._pointer, self._source = pointer, source

    def next_entry(self) -> Any:
        """Return the next entry, or None after the last one."""
        from libarchive import entry, ffi  # noqa: PLC0415

        following = entry.ArchiveEntry(self._pointer)
        with self.checked():
            status = ffi.read_next_header2(self._pointer, following._entry_p)  # noqa: SLF001
        return None if status == ffi.ARCHIVE_EOF else following

    def read(self, size: int) -> bytes:
        """Return the next bytes of the current entry; none at its end."""
        from libarchive import ffi  # noqa: PLC0415

        buffer = ctypes.create_string_buffer(size)
        with self.checked():
            size_read = ffi.read_data(self._pointer, buffer, size)
        if size_read < 0:  # a warning, after which there is no more
            raise BadArchive(_reason("", 0))
        return buffer.raw[:size_read]

    @contextmanager
    def checked(self) -> Iterator[None]:
        """Raise the error of a callback; turn libarchive's error into a `BadArchive` that says what to do."""
        from libarchive.exception import ArchiveError  # noqa: PLC0415

        try:
            yield
        except ArchiveError as error:
            if self._source.error is None:
                raise BadArchive(_reason(str(error.msg or ""), error.errno)) from error
        if self._source.error is not None:
            raise self._source.error


def _reason(message: str, number: int | None) -> str:
    """Return for the uploader why libarchive cannot read something."""
    if number == ENOMEM:
        return reasons.NO_MEMORY
    if "ncrypt" in message or "passphrase" in message:
        return reasons.ENCRYPTED
    if message:
        return reasons.DAMAGED_OR_PACKED_BY.format(error=replace_invisible(message.rstrip(".")))
    return reasons.DAMAGED_OR_PACKED


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
                _name(entry), entry.size or 0, refusal, _opener(data), in_stream=unpacked.is_nested, modified=modified
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
    """The contents of a member, every byte counted. Damage in them concerns this member alone."""

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
        """Read the rest of the member, because libarchive would unpack the rest uncounted."""
        chunk = bytearray(CHUNK)
        try:
            while not self._damaged and self.readinto(chunk):
                pass
        except RefusalError:
            return  # If it is damaged so that nothing can follow, reading the next entry says so.


class _UnpackedBytes:
    """Counts the unpacked bytes of an archive, whose entries may be packed together."""

    def __init__(self, source: Source, budget: Budget) -> None:
        self._source, self._budget = source, budget
        self.is_nested = budget.depth > 1
        self._size = 0

    def count(self, size: int) -> None:
        self._size += size
        self._budget.count_stream(size, is_nested=self.is_nested)
        if self.is_nested:
            check_nested_ratio(self._budget, self._size, self._source.packed)


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
    time = outside_time(entry.mtime)
    # libarchive took the stored local time for that of this machine.
    return time.astimezone().replace(tzinfo=None) if time and local_time else time


class _Header(NamedTuple):
    kind: int
    extra: bytes
    data_size: int


def encrypted_entries(file: IO[bytes]) -> set[int]:
    """Return the numbers of the entries of a RAR 5 archive that are encrypted, from 0, in their order.

    Raises BadArchive when even the names are encrypted.
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
