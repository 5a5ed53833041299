"""Read a zip by its central directory, and a tar as one stream, within limits.

Declared sizes are not trusted.
"""

from __future__ import annotations

import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import IO, Any, BinaryIO, cast

from submissions.intake import sentences as reasons
from submissions.intake.entries import detect_encoding, redecode
from submissions.intake.limits import CHUNK, BadArchive, Budget, format_size, outside_time
from submissions.intake.members import ArchiveMember, check_nested_ratio

Decompressor = Callable[[IO[bytes]], object]

# Limits on the bytes of a zip's central directory per allowed entry, of the upload and of a nested zip: twice
# the usual size of a record. An upload has many more files that are left out by their names.
DIRECTORY_BYTES, NESTED_DIRECTORY_BYTES = 2048, 512

# A record of the directory: its first bytes and its fixed part; the header before an entry's packed bytes;
# and the flag of both that marks a name as UTF-8.
RECORD_START, RECORD_BYTES, HEADER_BYTES, UTF_8_FLAG = b"PK\x01\x02", 46, 30, 0x800

# The only extra field of a record that is used has the sizes and the position of an entry above 4 GB. The identifier
# that replaces those of other fields means nothing. A field with the name in UTF-8, after a version and a checksum of
# the other name, gets an identifier of ours: later versions of zipfile refuse the whole zip where it is damaged.
ZIP64_FIELD, NO_FIELD, UNICODE_PATH, UNREAD_NAME_FIELD = 0x0001, 0x0000, 0x7075, 0xFEED
FIELD_HEADER = struct.Struct("<HH")
IN_ZIP64_FIELD = 0xFFFFFFFF

# Limit on the bytes read at once; a PAX header or a long name is far smaller.
BLOCK_BYTES = 1_000_000


class _RepairedReads:
    """A zip file with those parts of its directory repaired for which zipfile would refuse the whole zip.

    Names that are wrongly marked as UTF-8 lose that mark; `unmarked` are these names. Once the directory is
    read, `unmarked_headers` are the positions of their entries' headers, which lose the mark too. Extra
    fields other than a complete one of zip64 lose their identifier. A single read of more than `max_bytes`,
    such as of a whole directory, is refused.
    """

    def __init__(self, file: IO[bytes], max_bytes: int) -> None:
        self._file = file
        self._max_bytes = max_bytes
        self.unmarked: set[bytes] = set()
        self.unmarked_headers: set[int] | None = None
        self.seek, self.tell, self.seekable = file.seek, file.tell, file.seekable

    def read(self, size: int = -1) -> bytes:
        if size > self._max_bytes:
            raise BadArchive(reasons.DIRECTORY_SIZE.format(size=format_size(self._max_bytes)))
        if self.unmarked_headers is not None and not self.unmarked_headers:
            return self._file.read(size)  # The directory was read, and no name is to be repaired.
        start = self._file.tell()
        data = self._file.read(size)
        if self.unmarked_headers is None:
            return self._repair_directory(data)
        if len(data) == HEADER_BYTES and start in self.unmarked_headers:
            header = bytearray(data)
            _unmark(header, 6)
            return bytes(header)
        return data

    def _repair_directory(self, read: bytes) -> bytes:
        """Return what was read with its records repaired, if it begins with a record."""
        data, start = bytearray(read), 0
        while data.startswith(RECORD_START, start) and start + RECORD_BYTES <= len(data):
            lengths = struct.unpack_from("<HHH", data, start + 28)
            name = read[start + RECORD_BYTES : start + RECORD_BYTES + lengths[0]]
            if not _is_utf_8(name) and _unmark(data, start + 8):
                self.unmarked.add(name)
            _repair_extra_fields(data, start)
            start += RECORD_BYTES + sum(lengths)
        return bytes(data)


def _unmark(data: bytearray, flags_at: int) -> bool:
    """Remove the mark of UTF-8 from the flags at an offset; return whether they had it."""
    (flags,) = struct.unpack_from("<H", data, flags_at)
    struct.pack_into("<H", data, flags_at, flags & ~UTF_8_FLAG)
    return bool(flags & UTF_8_FLAG)


def _repair_extra_fields(data: bytearray, record: int) -> None:
    """Remove the identifiers of a record's extra fields but zip64's, and let none end after the last one."""
    packed, size, name_length, length = struct.unpack_from("<LLHH", data, record + 20)
    (position,) = struct.unpack_from("<L", data, record + 42)
    needed = 8 * [size, packed, position].count(IN_ZIP64_FIELD)
    at = record + RECORD_BYTES + name_length
    end = min(at + length, len(data))
    while at + 4 <= end:
        kind, field_length = struct.unpack_from("<HH", data, at)
        fits = at + 4 + field_length <= end
        if kind == ZIP64_FIELD and fits and field_length >= needed:
            needed = 2**16  # a second one is not used
        else:
            unused = UNREAD_NAME_FIELD if kind == UNICODE_PATH else NO_FIELD
            struct.pack_into("<HH", data, at, unused, field_length if fits else end - at - 4)
        at += 4 + field_length


def _is_utf_8(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


def read_zip(file: IO[bytes], budget: Budget) -> Iterator[ArchiveMember]:
    """Yield the files of a zip, as its directory lists them."""
    for_each = DIRECTORY_BYTES if budget.depth == 1 else NESTED_DIRECTORY_BYTES
    max_bytes = max(CHUNK, budget.limits.entries * for_each)
    reads = _RepairedReads(file, max_bytes)
    with zipfile.ZipFile(cast("BinaryIO", reads)) as archive:
        infos = archive.infolist()
        overlapping = _overlapping(infos)
        raw = [_raw_name(info) for info in infos]
        reads.unmarked_headers = {
            info.header_offset for info, name in zip(infos, raw, strict=True) if name in reads.unmarked
        }
        encoding = detect_encoding(name for name in raw if isinstance(name, bytes) and name not in reads.unmarked)
        unmarked_encoding = detect_encoding(sorted(reads.unmarked))
        for info, name in zip(infos, raw, strict=True):
            if not info.is_dir():
                used = unmarked_encoding if name in reads.unmarked else encoding
                text = name.decode(used, "replace") if isinstance(name, bytes) else name
                refusal = _refusal(info) or (reasons.OVERLAP if id(info) in overlapping else "")
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
        return outside_time(datetime(*info.date_time))  # noqa: DTZ001 - a zip does not store the time zone
    except ValueError:
        return None


def _opener(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    return lambda: archive.open(_unjudged(info))


def _unjudged(info: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """Return an entry without what some versions of zipfile note of overlaps, for which they refuse entries.

    `_overlapping` judges them, so that every version of Python reads the same entries.
    """
    entry = zipfile.ZipInfo(info.orig_filename)
    entry.header_offset, entry.flag_bits = info.header_offset, info.flag_bits
    entry.compress_type, entry.CRC = info.compress_type, info.CRC
    entry.compress_size, entry.file_size = info.compress_size, info.file_size
    return entry


def _raw_name(info: zipfile.ZipInfo) -> str | bytes:
    """Return the name with any part after a NUL, which zipfile cuts off; as bytes if in no known encoding."""
    name = info.orig_filename
    if info.flag_bits & UTF_8_FLAG or name.isascii():
        return name
    raw = name.encode("cp437")
    return _unicode_path(info.extra, raw) or raw


def _unicode_path(extra: bytes, raw: bytes) -> str:
    """Return the name in UTF-8 that some archivers add to the raw name, empty if there is none."""
    at = 0
    while at + FIELD_HEADER.size <= len(extra):
        field, size = FIELD_HEADER.unpack_from(extra, at)
        at += FIELD_HEADER.size
        if field == UNREAD_NAME_FIELD and extra[at + 1 : at + 5] == struct.pack("<I", zlib.crc32(raw)):
            name = extra[at + 5 : at + size]
            return name.decode() if _is_utf_8(name) else ""
        at += size
    return ""


def _overlapping(infos: list[zipfile.ZipInfo]) -> set[int]:
    """Return the `id()` of entries whose packed bytes overlap an earlier entry's, as in some zip bombs."""
    overlapping: set[int] = set()
    end = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < end:
            overlapping.add(id(info))
        end = max(end, info.header_offset + HEADER_BYTES + len(info.orig_filename) + info.compress_size)
    return overlapping


def _refusal(info: zipfile.ZipInfo) -> str:
    kind = stat.S_IFMT(info.external_attr >> 16)
    encrypted_flags = 0x1 | 0x40
    if info.flag_bits & encrypted_flags:
        return reasons.ENCRYPTED
    if kind == stat.S_IFLNK:
        return reasons.SYMBOLIC_LINK
    if kind not in {0, stat.S_IFREG, stat.S_IFDIR}:
        return reasons.NO_FILE
    # zipfile cannot unpack bzip2 and LZMA in limited pieces, so a small entry could fill the memory.
    if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
        return reasons.ZIP_METHOD.format(n=info.compress_type)
    return ""


class _ForwardStream:
    """A decompressed tar: read forwards only, every byte counted, no single read above HEADER_BYTES."""

    def __init__(self, source: IO[bytes], packed: IO[bytes], budget: Budget) -> None:
        self._source, self._packed, self._budget = source, packed, budget
        self.is_nested = budget.depth > 1
        self._position = 0
        self.last = b""

    def tell(self) -> int:
        return self._position

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= BLOCK_BYTES:
            raise BadArchive(reasons.HEADER_SIZE.format(n=size, size=format_size(BLOCK_BYTES)))
        self.last = self._source.read(size)
        self._position += len(self.last)
        self._budget.count_stream(len(self.last), is_nested=self.is_nested)
        if self.is_nested and self._source is not self._packed:
            check_nested_ratio(self._budget, self._position, self._packed.tell())
        return self.last

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence or offset < self._position:
            raise BadArchive(reasons.POINTS_BACK)
        while self._position < offset and self.read(min(CHUNK, offset - self._position)):
            pass
        return self._position


def read_tar(file: IO[bytes], budget: Budget, decompress: Decompressor | None = None) -> Iterator[ArchiveMember]:
    """Yield the files of a tar in order; each must be read before the next one is requested."""
    source = cast("IO[bytes]", decompress(file)) if decompress else file
    stream = _ForwardStream(source, file, budget)
    with tarfile.open(fileobj=cast("BinaryIO", stream), mode="r:", errors="surrogateescape") as archive:
        while (info := archive.next()) is not None:
            cast("Any", archive).members.clear()  # otherwise it keeps all headers in memory
            _check_size(info)
            if not info.isdir():
                yield ArchiveMember(
                    redecode(info.name),
                    info.size,
                    _tar_reader_refusal(info),
                    _extractor(archive, info),
                    in_stream=stream.is_nested,
                    modified=outside_time(info.mtime),
                )
        _check_end(stream)


def _extractor(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Callable[[], IO[bytes]]:
    return lambda: cast("IO[bytes]", archive.extractfile(info))


def _tar_reader_refusal(info: tarfile.TarInfo) -> str:
    if info.issym() or info.islnk():
        return reasons.SYMBOLIC_LINK if info.issym() else reasons.HARD_LINK
    return "" if info.isreg() else reasons.NO_FILE


def _check_size(info: tarfile.TarInfo) -> None:
    """Raise where tarfile of other versions of Python stops: at a file of a negative size."""
    if info.size < 0 and (info.isreg() or info.type not in tarfile.SUPPORTED_TYPES):
        raise BadArchive(reasons.DAMAGED_MIDDLE) if info.offset else tarfile.ReadError("a negative size")


def _check_end(stream: _ForwardStream) -> None:
    """Raise BadArchive unless the tar ended with its end mark; tarfile stops at a damaged header too."""
    if any(stream.last):
        raise BadArchive(reasons.DAMAGED_MIDDLE)
    if not stream.last:
        raise BadArchive(reasons.CUT_OFF)
    while stream.read(CHUNK):  # so that the checksum at the end of a compressed tar is verified
        pass
