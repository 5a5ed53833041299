"""Read a zip within limits: its directory is the list, and no declared size is trusted."""

from __future__ import annotations

import stat
import zipfile
from datetime import datetime
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from submissions.archives.limits import CHUNK, BadArchive, Budget, size_text
from submissions.archives.members import Member
from submissions.archives.names import decode_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Bytes that a zip's directory may take for each entry allowed: 46 and the name, twice over.
DIRECTORY_BYTES = 512


class _BoundedReads:
    """A file from which no single read, such as a zip's whole directory, takes more than `most` bytes."""

    def __init__(self, file: IO[bytes], most: int) -> None:
        self._file = file
        self._most = most
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        if size > self._most:
            raise BadArchive(
                f"its directory takes more than {size_text(self._most)}; the limit on entries allows no more"
            )
        return self._file.read(size)


def read_zip(file: IO[bytes], budget: Budget) -> Iterator[Member]:
    """Yield the files of a zip; its directory is the list, its sizes are only believed when too large."""
    most = max(CHUNK, budget.limits.entries * DIRECTORY_BYTES)
    with zipfile.ZipFile(cast("BinaryIO", _BoundedReads(file, most))) as archive:
        infos = archive.infolist()
        overlapping = _overlapping(infos)
        raw = [_raw_name(info) for info in infos]
        encoding = decode_names(name for name in raw if isinstance(name, bytes))
        for info, name in zip(infos, raw, strict=True):
            if not info.is_dir():
                text = name.decode(encoding, "replace") if isinstance(name, bytes) else name
                refusal = _refusal(info) or ("overlaps another entry" if id(info) in overlapping else "")
                yield Member(
                    text,
                    info.file_size,
                    refusal,
                    _opener(archive, info),
                    max(info.compress_size, 1),
                    modified=_modified(info),
                )


def _modified(info: zipfile.ZipInfo) -> datetime | None:
    try:
        return datetime(*info.date_time)  # noqa: DTZ001 - a zip does not say which zone
    except ValueError:
        return None


def _opener(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    return lambda: archive.open(info)


def _raw_name(info: zipfile.ZipInfo) -> str | bytes:
    """Bytes when the zip does not say that the name is UTF-8; what follows a NUL stays to be seen."""
    utf8_flag = 0x800
    return info.orig_filename if info.flag_bits & utf8_flag else info.orig_filename.encode("cp437")


def _overlapping(infos: list[zipfile.ZipInfo]) -> set[int]:
    """Ids of the entries whose packed bytes run into the next one's, as in overlapping zip bombs."""
    header = 30
    found: set[int] = set()
    end = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < end:
            found.add(id(info))
        end = max(end, info.header_offset + header + len(info.orig_filename) + info.compress_size)
    return found


def _refusal(info: zipfile.ZipInfo) -> str:
    kind = stat.S_IFMT(info.external_attr >> 16)
    encrypted_flags = 0x1 | 0x40
    if info.flag_bits & encrypted_flags:
        return "encrypted; upload it without a password"
    if kind == stat.S_IFLNK:
        return "a symbolic link"
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        return "not a file but a device, pipe or socket"
    # bzip2 and LZMA in a zip cannot be unpacked piece by piece, so a small entry could fill the memory.
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        return f"packed by zip method {info.compress_type}; pack it with the usual one (deflate)"
    return ""
