"""Read a zip within limits, by its central directory. Declared sizes are not trusted."""

from __future__ import annotations

import stat
import zipfile
from datetime import datetime
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from submissions.archives.limits import CHUNK, BadArchive, Budget, format_size
from submissions.archives.members import ArchiveMember
from submissions.archives.names import detect_encoding

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Limit on the bytes of a zip's central directory per allowed entry: twice the usual size of a record.
DIRECTORY_BYTES = 512


class _BoundedReads:
    """A file that refuses single reads of more than `max_bytes`, such as of a zip's whole directory."""

    def __init__(self, file: IO[bytes], max_bytes: int) -> None:
        self._file = file
        self._max_bytes = max_bytes
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        if size > self._max_bytes:
            raise BadArchive(
                f"its directory takes more than {format_size(self._max_bytes)};"
                " the limit on entries allows no more"
            )
        return self._file.read(size)


def read_zip(file: IO[bytes], budget: Budget) -> Iterator[ArchiveMember]:
    """Yield the files of a zip, as its directory lists them."""
    max_bytes = max(CHUNK, budget.limits.entries * DIRECTORY_BYTES)
    with zipfile.ZipFile(cast("BinaryIO", _BoundedReads(file, max_bytes))) as archive:
        infos = archive.infolist()
        overlapping = _overlapping(infos)
        raw = [_raw_name(info) for info in infos]
        encoding = detect_encoding(name for name in raw if isinstance(name, bytes))
        for info, name in zip(infos, raw, strict=True):
            if not info.is_dir():
                text = name.decode(encoding, "replace") if isinstance(name, bytes) else name
                refusal = _refusal(info) or ("overlaps another entry" if id(info) in overlapping else "")
                yield ArchiveMember(
                    text,
                    info.file_size,
                    refusal,
                    _opener(archive, info),
                    max(info.compress_size, 1),
                    modified=_modified(info),
                )


def _modified(info: zipfile.ZipInfo) -> datetime | None:
    try:
        return datetime(*info.date_time)  # noqa: DTZ001 - a zip does not store the time zone
    except ValueError:
        return None


def _opener(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    return lambda: archive.open(info)


def _raw_name(info: zipfile.ZipInfo) -> str | bytes:
    """Return the name with any part after a NUL, which zipfile cuts off; as bytes unless marked as UTF-8."""
    utf8_flag = 0x800
    return info.orig_filename if info.flag_bits & utf8_flag else info.orig_filename.encode("cp437")


def _overlapping(infos: list[zipfile.ZipInfo]) -> set[int]:
    """Return the `id()` of entries whose packed bytes overlap an earlier entry's, as in some zip bombs."""
    header = 30
    overlapping: set[int] = set()
    end = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < end:
            overlapping.add(id(info))
        end = max(end, info.header_offset + header + len(info.orig_filename) + info.compress_size)
    return overlapping


def _refusal(info: zipfile.ZipInfo) -> str:
    kind = stat.S_IFMT(info.external_attr >> 16)
    encrypted_flags = 0x1 | 0x40
    if info.flag_bits & encrypted_flags:
        return "encrypted; upload it without a password"
    if kind == stat.S_IFLNK:
        return "a symbolic link"
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        return "not a file but a device, pipe or socket"
    # zipfile cannot unpack bzip2 and LZMA in limited pieces, so a small entry could fill the memory.
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        return f"packed by zip method {info.compress_type}; pack it with the usual one (deflate)"
    return ""
