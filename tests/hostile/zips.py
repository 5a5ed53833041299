"""Zips that are damaged, that lie, or that hold what is no file."""

import stat
import struct
from collections.abc import Iterator

from tests.hostile.case import PROGRAM, Case
from tests.hostile.zip_writer import (
    CENTRAL,
    END,
    GOOD,
    ZipEntry,
    deflated,
    local_header,
    packed_bytes,
    with_zip64_end,
    write_zip,
)

SMALL = write_zip(ZipEntry(b"a.py", b"a = 1\n"), ZipEntry(b"b.py", b"b = [2]\n"))
SIZES = (0, 1, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**62, 2**63 - 1, 2**63, 2**64 - 1)
KINDS = {
    "a pipe": stat.S_IFIFO,
    "a character device": stat.S_IFCHR,
    "a folder": stat.S_IFDIR,
    "a block device": stat.S_IFBLK,
    "a file": stat.S_IFREG,
    "a symbolic link": stat.S_IFLNK,
    "a socket": stat.S_IFSOCK,
    "an unknown kind": 0o170000,
    "set-uid": stat.S_IFREG | 0o6755,
}


def zip_cases() -> Iterator[Case]:
    yield from _cut_and_flipped()
    yield from _lying_entries()
    yield from _extra_fields()
    yield from _end_records()
    for detail, entry in _odd_entries().items():
        yield Case("odd entry in a zip", detail, ".zip", write_zip(*GOOD, entry))
        yield Case("only an odd entry in a zip", detail, ".zip", write_zip(entry), alone=True)


def _cut_and_flipped() -> Iterator[Case]:
    directory = SMALL.index(CENTRAL)
    for length in range(len(SMALL)):
        yield Case("zip cut off", f"after byte {length}", ".zip", SMALL[:length])
    for at in range(len(SMALL)):
        part = "directory" if at >= directory else "headers and data"
        for mask in (0xFF, 0x01, 0x80) if at >= directory else (0xFF, 0x01):
            flipped = SMALL[:at] + bytes((SMALL[at] ^ mask,)) + SMALL[at + 1 :]
            yield Case(f"flipped in the {part} of a zip", f"byte {at} by {mask:#x}", ".zip", flipped)
    for at in range(0, len(SMALL), 5):
        yield Case("zip with bytes left out", f"4 at {at}", ".zip", SMALL[:at] + SMALL[at + 4 :])
        yield Case("zip with bytes put in", f"4 at {at}", ".zip", SMALL[:at] + b"\xff" * 4 + SMALL[at:])


def _odd_entries() -> dict[str, ZipEntry]:
    name = b"cleo/main.py"
    entries = {f"is {kind}": ZipEntry(name, b"/etc/passwd", mode=mode) for kind, mode in KINDS.items()}
    entries |= {
        f"method {method}": ZipEntry(name, method=method)
        for method in (*range(1, 23), 93, 95, 96, 97, 98, 99, 255, 65535)
        if method != 8
    }
    entries |= {f"flag {bit}": ZipEntry(name, flags=1 << bit) for bit in range(16)}
    entries |= {f"date {date:#x}": ZipEntry(name, date=date) for date in (0, 0xFFFF, 0x5A5E, 0x005F)}
    return entries | {
        "encrypted": ZipEntry(name, bytes(12) + PROGRAM, flags=1),
        "strongly encrypted": ZipEntry(name, PROGRAM, flags=0x41),
        "encrypted by AES": ZipEntry(
            name, method=99, flags=1, extra=struct.pack("<HHHHBH", 0x9901, 7, 2, 0x4541, 3, 8)
        ),
        "wrong checksum": ZipEntry(name, crc=0),
        "other name in its header": ZipEntry(name, local_name=b"cleo/Main.py"),
        "longer name in its header": ZipEntry(name, local_name=b"../" * 50),
        "no data": ZipEntry(name, packed=b""),
        "random data": ZipEntry(name, packed=bytes(range(256))),
        "unending deflate": ZipEntry(name, packed=b"\0\0\0\xff\xff" * 2000),
        "stored as deflated": ZipEntry(name, packed=PROGRAM),
        "deflated as stored": ZipEntry(name, method=0, packed=deflated(PROGRAM)),
        "data after the end of its stream": ZipEntry(name, packed=deflated(PROGRAM) + b"x" * 1000),
        "offset in the directory": ZipEntry(name, offset=2**32 - 2),
        "offset of another": ZipEntry(name, offset=0),
        "offset one off": ZipEntry(name, offset=1),
        "a comment": ZipEntry(name, comment=b"<script>window.hacked=1</script>\x1b[31m\0"),
        "the longest comment": ZipEntry(name, comment=b"\xff" * 65535),
        "the longest name": ZipEntry(b"a" * 65535),
        "data descriptor": ZipEntry(name, flags=8, after=struct.pack("<LLL", 0, 0, 0)),
        "signed data descriptor": ZipEntry(name, flags=8, after=b"PK\x07\x08" + struct.pack("<LLL", 1, 2, 3)),
        "data descriptor of zip64": ZipEntry(name, flags=8, after=b"PK\x07\x08" + struct.pack("<LQQ", 1, 2**63, 2**63)),
        "a folder with data": ZipEntry(b"cleo/", PROGRAM),
    }


def _lying_entries() -> Iterator[Case]:
    for size in SIZES:
        lies = {
            "size": ZipEntry(b"cleo.py", size=size),
            "packed size": ZipEntry(b"cleo.py", packed_size=size),
        }
        for field, entry in lies.items() if size < 2**32 else ():
            yield Case(f"wrong {field} in a zip", f"{size:,}", ".zip", write_zip(*GOOD, entry))
        zip64 = struct.pack("<HHQQQ", 1, 24, size, size, size)
        unknown = ZipEntry(b"cleo.py", size=2**32 - 1, packed_size=2**32 - 1)
        for place, entry in {
            "record": unknown._replace(extra=zip64),
            "header": unknown._replace(local_extra=zip64),
        }.items():
            data = write_zip(*GOOD, entry)
            yield Case(f"wrong sizes in the zip64 field of a {place}", f"{size:,}", ".zip", data)
    for crc in (0, 1, 2**32 - 1):
        yield Case("wrong checksum in a zip", f"{crc:#x}", ".zip", write_zip(*GOOD, ZipEntry(b"c.py", crc=crc)))


def _extra_fields() -> Iterator[Case]:
    kinds = (0x0001, 0x000A, 0x5455, 0x5855, 0x6375, 0x7075, 0x7875, 0x9901, 0xCAFE, 0xFFFF)
    contents = {
        "empty": b"",
        "one byte": b"\x01",
        "zeros": bytes(40),
        "ones": b"\xff" * 40,
        "version 2": b"\2" * 9,
        "unicode name": b"\x01\0\0\0\0" + "größe.py".encode(),
        "no UTF-8": b"\x01\0\0\0\0\xff\xfe",
    }
    for kind in kinds:
        for detail, content in contents.items():
            field = struct.pack("<HH", kind, len(content)) + content
            entry = ZipEntry(b"cleo.py", extra=field, local_extra=field)
            yield Case(f"extra field {kind:#06x} in a zip", detail, ".zip", write_zip(*GOOD, entry))
        for length in (1, 5, 65535):
            cut = ZipEntry(b"cleo.py", extra=struct.pack("<HH", kind, length) + b"\x01\2\3")
            yield Case(f"extra field {kind:#06x} in a zip", f"longer by {length}", ".zip", write_zip(*GOOD, cut))
    for length in (1, 2, 3):
        stub = ZipEntry(b"cleo.py", extra=b"\x75\x70\x05"[:length])
        yield Case("extra field cut off in a zip", f"after {length}", ".zip", write_zip(*GOOD, stub))


def _end_records() -> Iterator[Case]:
    good = write_zip(*GOOD)
    fields = ("disk", "start_disk", "here", "count", "directory", "offset", "comment_length")
    for field in fields:
        for value in (0, 1, 3, 0xFFFE, 0xFFFF, 2**31, 2**32 - 1):
            if value <= 0xFFFF or field in {"directory", "offset"}:
                data = write_zip(*GOOD, wrong={field: value})
                yield Case(f"wrong {field} in the end record", f"{value:,}", ".zip", data)
    for field in (*fields[:-1], "length"):
        for value in (0, 2**31, 2**63 - 1, 2**63, 2**64 - 1):
            data = with_zip64_end(good, {field: value})
            yield Case(f"wrong {field} in the zip64 end record", f"{value:,}", ".zip", data)
    program = b"#!/bin/sh\nexit 1\n" * 20
    for detail, data in {
        "before it": write_zip(*GOOD, before=program),
        "before it, and offsets that ignore that": program + good,
        "after it": good + program,
        "in a comment with another end": write_zip(*GOOD, comment=END + bytes(18)),
        "as another zip after it": good + write_zip(ZipEntry(b"other.py")),
        "as another zip in the comment": write_zip(*GOOD, comment=write_zip(ZipEntry(b"other.py"))),
        "as 65,535 bytes of comment": write_zip(*GOOD, comment=b"\x1b" * 65535),
        "before each entry": write_zip(*(entry._replace(after=program) for entry in GOOD)),
        "instead of a directory": local_header(GOOD[0]) + packed_bytes(GOOD[0]),
        "as two ends": good + good[good.rindex(END) :],
        "as 10,000 signatures": (b"PK\x05\x06" * 10_000) + good,
    }.items():
        yield Case("more than one zip", detail, ".zip", data)
