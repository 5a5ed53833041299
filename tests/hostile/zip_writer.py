"""Write zips of which every field can be wrong."""

import struct
import zlib
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from tests.hostile.case import OTHER_PROGRAM, PROGRAM

LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"
ZIP64_END, ZIP64_LOCATOR = b"PK\x06\x06", b"PK\x06\x07"
DEFLATED, STORED = 8, 0
UNIX = 3
FIRST_DAY = 33  # 1 January 1980


class ZipEntry(NamedTuple):
    """One entry; a field that is None is computed from `data`, or from `packed` where that is given."""

    name: bytes
    data: bytes = PROGRAM
    method: int = DEFLATED
    flags: int = 0
    packed: bytes | None = None
    crc: int | None = None
    packed_size: int | None = None
    size: int | None = None
    extra: bytes = b""
    local_extra: bytes = b""
    comment: bytes = b""
    mode: int = 0
    date: int = FIRST_DAY
    offset: int | None = None
    local_name: bytes | None = None
    after: bytes = b""


GOOD = (ZipEntry(b"ada/main.py"), ZipEntry(b"ben/main.py", OTHER_PROGRAM))


@lru_cache(maxsize=8)
def deflated(data: bytes) -> bytes:
    return zlib.compress(data, 9, wbits=-15)


def packed_bytes(entry: ZipEntry) -> bytes:
    if entry.packed is not None:
        return entry.packed
    return deflated(entry.data) if entry.method == DEFLATED else entry.data


def _common(entry: ZipEntry, packed: int, extra: int, name: bytes) -> bytes:
    crc = zlib.crc32(entry.data) if entry.crc is None else entry.crc
    size = len(entry.data) if entry.size is None else entry.size
    packed_size = packed if entry.packed_size is None else entry.packed_size
    sizes = (crc, packed_size & 0xFFFFFFFF, size & 0xFFFFFFFF)
    return struct.pack("<HHHHHLLLHH", 20, entry.flags, entry.method, 0, entry.date, *sizes, len(name), extra)


def local_header(entry: ZipEntry) -> bytes:
    name = entry.name if entry.local_name is None else entry.local_name
    fields = _common(entry, len(packed_bytes(entry)), len(entry.local_extra), name)
    return LOCAL + fields + name + entry.local_extra


def central_record(entry: ZipEntry, offset: int) -> bytes:
    fields = _common(entry, len(packed_bytes(entry)), len(entry.extra), entry.name)
    where = offset if entry.offset is None else entry.offset
    place = struct.pack("<HHHLL", len(entry.comment), 0, 0, entry.mode << 16, where)
    return CENTRAL + bytes((20, UNIX)) + fields + place + entry.name + entry.extra + entry.comment


def end_record(
    count: int, directory: int, offset: int, comment: bytes = b"", /, wrong: Mapping[str, int] | None = None
) -> bytes:
    fields = {"disk": 0, "start_disk": 0, "here": count, "count": count, "directory": directory}
    fields |= {"offset": offset, "comment_length": len(comment)} | dict(wrong or {})
    return END + struct.pack("<HHHHLLH", *fields.values()) + comment


def write_zip(
    *entries: ZipEntry, comment: bytes = b"", before: bytes = b"", wrong: Mapping[str, int] | None = None
) -> bytes:
    """Return a zip of `entries` after the bytes `before`; `wrong` replaces fields of its end record."""
    body, directory = before, b""
    for entry in entries:
        directory += central_record(entry, len(body))
        body += local_header(entry) + packed_bytes(entry) + entry.after
    return body + directory + end_record(len(entries), len(directory), len(body), comment, wrong)


def with_zip64_end(data: bytes, wrong: Mapping[str, int]) -> bytes:
    """Return a zip with a zip64 end record before its own; `wrong` replaces fields of it."""
    at = data.rindex(END)
    count, directory, offset = struct.unpack("<HLL", data[at + 10 : at + 20])
    fields = {"length": 44, "made": 45, "needed": 45, "disk": 0, "start_disk": 0, "here": count}
    fields |= {"count": count, "directory": directory, "offset": offset} | dict(wrong)
    widths = (64, 16, 16, 32, 32, 64, 64, 64, 64)
    values = [value & (2**width - 1) for value, width in zip(fields.values(), widths, strict=True)]
    record = ZIP64_END + struct.pack("<QHHLLQQQQ", *values)
    locator = ZIP64_LOCATOR + struct.pack("<LQL", 0, at, 1)
    unknown = struct.pack("<HHLL", 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)
    return data[:at] + record + locator + data[at : at + 8] + unknown + data[at + 20 :]
