"""Zip and tar as one stream of members, read within limits and never trusting a declared size."""

from __future__ import annotations

import bz2
import gzip
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from submissions.archives.limits import BadArchive, Budget, Exhausted, RefusalError, size_text
from submissions.archives.names import decode_names, redecoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

CHUNK = 64 * 1024
# Bytes that a tar may ask to read at once: a PAX header or a long name is far smaller.
HEADER_BYTES = 1_000_000
# Bytes that a zip's directory may take for each entry allowed: 46 and the name, twice over.
DIRECTORY_BYTES = 512
# All that the standard library is known to raise on damaged archives.
DAMAGE = (
    zipfile.BadZipFile, tarfile.TarError, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError,
    ValueError, NotImplementedError, RuntimeError, IndexError, OverflowError, MemoryError,
)  # fmt: skip


@dataclass(frozen=True)
class Member:
    """One file of an archive: its name as stored, why it cannot be taken (or empty), and its bytes.

    `packed` bytes are known when each file is compressed by itself; `in_stream`, when all are one stream
    that counts what is read. `modified` is as stored: naive local time in a zip, UTC in a tar.
    """

    name: str
    size: int
    refusal: str
    open: Callable[[], AbstractContextManager[IO[bytes]]]
    packed: int = 0
    in_stream: bool = False
    modified: datetime | None = None


SIGNATURES = (
    (b"PK\x03\x04", "zip"), (b"PK\x05\x06", "zip"), (b"\x1f\x8b\x08", "gz"), (b"\xfd7zXZ\x00", "xz"),
    (b"Rar!\x1a\x07", "RAR"), (b"7z\xbc\xaf\x27\x1c", "7-Zip"), (b"\x28\xb5\x2f\xfd", "Zstandard"),
    (b"MSCF\0\0\0\0", "cabinet"), (b"!<arch>\n", "ar"), (b"\x1f\x9d", "compress"), (b"LZIP", "lzip"),
)  # fmt: skip
SUFFIXES = {
    ".zip": "zip", ".tar": "tar", ".tgz": "gz", ".gz": "gz", ".tbz2": "bz2", ".tbz": "bz2", ".bz2": "bz2",
    ".txz": "xz", ".xz": "xz", ".rar": "RAR", ".7z": "7-Zip", ".zst": "Zstandard",
}  # fmt: skip
READABLE = frozenset({"zip", "tar", "gz", "bz2", "xz"})
# Zips that are documents or programs, not folders; the front-ends refuse them as binaries.
ZIPPED_DOCUMENTS = frozenset({
    ".docx", ".xlsx", ".pptx", ".odt", ".ods", ".odp", ".epub", ".jar", ".war", ".ear", ".apk", ".aab",
    ".whl", ".egg", ".nupkg", ".sb3", ".mlx", ".ggb",
})  # fmt: skip
SNIFFED = 512


def archive_kind(name: str, head: bytes) -> str:
    """Format of a file, by its first SNIFFED bytes and then its name; empty when it is no archive."""
    suffix = name[name.rfind(".") :].lower() if "." in name else ""
    if suffix in ZIPPED_DOCUMENTS:
        return ""
    if head.startswith(b"BZh") and head[4:10] in {b"1AY&SY", b"\x17\x72\x45\x38\x50\x90"}:
        return "bz2"
    if head[257:262] == b"ustar":
        return "tar"
    return next((kind for start, kind in SIGNATURES if head.startswith(start)), SUFFIXES.get(suffix, ""))


def members(kind: str, file: IO[bytes], budget: Budget) -> Iterator[Member]:
    """Yield the files of an archive of one of the READABLE kinds."""
    if kind == "zip":
        return zip_members(file, budget)
    return tar_members(file, "" if kind == "tar" else kind, budget)


class BoundedReads:
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


class ForwardStream:
    """A tar as it is decompressed: forwards only, every byte charged, no read above HEADER_BYTES."""

    def __init__(self, source: IO[bytes], packed: IO[bytes], budget: Budget) -> None:
        self._source, self._packed, self._budget = source, packed, budget
        self._at = 0
        self.last = b""

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= HEADER_BYTES:
            raise BadArchive(f"a header of {size} bytes; the limit is {size_text(HEADER_BYTES)}")
        self.last = self._source.read(size)
        self._at += len(self.last)
        self._budget.charge(len(self.last))
        if self._source is not self._packed:
            self._check_ratio()
        return self.last

    def _check_ratio(self) -> None:
        try:
            self._budget.check_ratio(self._at, self._packed.tell())
        except RefusalError as refusal:
            raise Exhausted(f"{refusal}; the rest was not read") from None

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence or offset < self._at:
            raise BadArchive("it points back into itself")
        while self._at < offset and self.read(min(CHUNK, offset - self._at)):
            pass
        return self._at


def zip_members(file: IO[bytes], budget: Budget) -> Iterator[Member]:
    """Yield the files of a zip; its directory is the list, its sizes are only believed when too large."""
    most = max(CHUNK, budget.limits.entries * DIRECTORY_BYTES)
    with zipfile.ZipFile(cast("BinaryIO", BoundedReads(file, most))) as archive:
        infos = archive.infolist()
        overlapping = _overlapping(infos)
        raw = [_raw_name(info) for info in infos]
        encoding = decode_names(name for name in raw if isinstance(name, bytes))
        for info, name in zip(infos, raw, strict=True):
            if not info.is_dir():
                text = name.decode(encoding, "replace") if isinstance(name, bytes) else name
                refusal = _zip_refusal(info) or ("overlaps another entry" if id(info) in overlapping else "")
                yield Member(
                    text,
                    info.file_size,
                    refusal,
                    _opener(archive, info),
                    max(info.compress_size, 1),
                    modified=_zip_time(info),
                )


def _zip_time(info: zipfile.ZipInfo) -> datetime | None:
    try:
        return datetime(*info.date_time)  # noqa: DTZ001 - a zip does not say which zone
    except ValueError:
        return None


def _tar_time(info: tarfile.TarInfo) -> datetime | None:
    try:
        return datetime.fromtimestamp(info.mtime, UTC)
    except (ValueError, OverflowError, OSError):
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


def _zip_refusal(info: zipfile.ZipInfo) -> str:
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


def tar_members(file: IO[bytes], compression: str, budget: Budget) -> Iterator[Member]:
    """Yield the files of a tar in order; each must be read before the next is asked for."""
    source = _decompressed(file, compression)
    stream = ForwardStream(source, file, budget)
    with tarfile.open(fileobj=cast("BinaryIO", stream), mode="r:", errors="surrogateescape") as archive:
        while (info := archive.next()) is not None:
            cast("Any", archive).members.clear()  # else it keeps every header until the end
            if not info.isdir():
                yield Member(
                    redecoded(info.name),
                    info.size,
                    _tar_refusal(info),
                    _extractor(archive, info),
                    in_stream=True,
                    modified=_tar_time(info),
                )
        _check_end(stream)


def _decompressed(file: IO[bytes], compression: str) -> IO[bytes]:
    openers: dict[str, Callable[[IO[bytes]], object]] = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}
    return cast("IO[bytes]", openers[compression](file)) if compression else file


def _extractor(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Callable[[], IO[bytes]]:
    return lambda: cast("IO[bytes]", archive.extractfile(info))


def _tar_refusal(info: tarfile.TarInfo) -> str:
    if info.issym() or info.islnk():
        return f"a {'symbolic' if info.issym() else 'hard'} link"
    return "" if info.isreg() else "not a file but a device, pipe or other special entry"


def _check_end(stream: ForwardStream) -> None:
    """Tell an end mark from a damaged or missing header, which tarfile takes for the end too."""
    if any(stream.last):
        raise BadArchive("damaged; what follows could not be read")
    if not stream.last:
        raise BadArchive("ends without its end mark; entries may be missing")
    while stream.read(CHUNK):  # so that the checksum at the end of a compressed tar is looked at
        pass
