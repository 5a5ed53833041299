"""The C library libarchive, as far as it is used here.

`load` makes the library usable in this process. Only a child that can open nothing calls it
(`submissions.intake.sandbox.archive_jobs`), because C code that reads students' bytes may have errors.
"""

from __future__ import annotations

import ctypes
import io
import sys
from contextlib import contextmanager
from ctypes.util import find_library
from errno import ENOMEM
from importlib import import_module
from typing import IO, TYPE_CHECKING, Any

from submissions.intake import reasons
from submissions.intake.limits import CHUNK, BadArchive
from submissions.intake.names import replace_invisible

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = "libarchive"
# After the name of a format.
# What a callback returns to libarchive when it cannot read.
CALLBACK_FAILED = -30
# The last block of a RAR 5 archive that is in one volume, without and with the flag that WinRAR sets. Only a
# signature may follow. libarchive does not notice when it is missing.
RAR_5_ENDS = (b"\x19\xb2\x3a\x35\x03\x05\x00\x00", b"\x1d\x77\x56\x51\x03\x05\x04\x00")
END_BYTES = 4096


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
    """An archive that libarchive has open."""

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
        """Raise the error of a callback, or libarchive's as one that says what to do."""
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
