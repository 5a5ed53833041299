"""Small uploads that unpack to much; each is a batch of its own: it may use up the limits of an upload."""

import bz2
import gzip
import lzma
import struct
import zlib
from collections.abc import Callable, Iterator

from tests.hostile.case import PROGRAM, Case
from tests.hostile.tar_writer import BLOCK, END, GOOD, checked, header, member
from tests.hostile.zip_writer import (
    GOOD as GOOD_ENTRIES,
    ZipEntry,
    central_record,
    deflated,
    end_record,
    local_header,
    packed_bytes,
    write_zip,
)

MB = 1_000_000
BIG = 30 * MB
# An entry of this size is within every limit by itself; its first byte is none of a text.
ZEROS = bytes(900_000)


def bomb_cases() -> Iterator[Case]:
    for suffix, bombs in ((".zip", _zips()), (".tar", _tars())):
        for detail, data in bombs.items():
            yield Case(f"bomb, {suffix}", detail, suffix, data, alone=True)
    for suffix, compress in _COMPRESSORS.items():
        for detail, data in _streams(compress).items():
            yield Case(f"bomb, {suffix}", detail, suffix, data, alone=True)
    for size in (16, 24, 32, 36, 38, 40):
        yield Case("bomb, .tar.xz", f"dictionary of code {size}", ".tar.xz", xz_with_dictionary(size), alone=True)


def _zips() -> dict[str, bytes]:
    zeros = packed_bytes(ZipEntry(b"a", bytes(BIG)))
    return {
        "30 MB of zeros": write_zip(*GOOD_ENTRIES, ZipEntry(b"big.py", bytes(BIG))),
        "30 MB that it says are 10 bytes": write_zip(
            *GOOD_ENTRIES, ZipEntry(b"big.py", b"0" * 10, packed=zeros, packed_size=len(zeros))
        ),
        "30 MB packed into 100 bytes, it says": write_zip(
            *GOOD_ENTRIES, ZipEntry(b"big.py", b"0" * 10, packed=zeros, packed_size=100)
        ),
        "20 files of 4.9 MB": write_zip(*GOOD_ENTRIES, *(ZipEntry(b"%d.py" % n, bytes(4_900_000)) for n in range(20))),
        "5,000 records of one file": _overlapping(5_000),
        "100,000 records of one file": _overlapping(100_000),
        "25,000 empty files": write_zip(*(ZipEntry(b"%d.py" % n, b"", 0) for n in range(25_000))),
        "150 quoted files": _quoted(150),
        "zips in zips to a depth of 12": _nested(12, ZipEntry(b"deep.py")),
        "1,000 files in 10 zips in 10 zips": _wide(),
        "itself in itself": _wide_once(write_zip(*GOOD_ENTRIES)),
    }


def _overlapping(count: int) -> bytes:
    entry = ZipEntry(b"a", ZEROS)
    directory = central_record(entry, 0) * count
    body = local_header(entry) + packed_bytes(entry)
    return body + directory + end_record(count & 0xFFFF, len(directory), len(body))


def _quoted(count: int) -> bytes:
    """Return a zip in which every entry's packed bytes contain the headers of all entries after it.

    A stored block of deflate quotes the next header, so that no two entries begin at the same place.
    """
    data = bytes(MB)
    packed = deflated(data)
    entries: list[tuple[ZipEntry, bytes]] = []
    for number in reversed(range(count)):
        entry = ZipEntry(b"%03d.py" % number, data, packed=packed)
        head = local_header(entry)
        entries.append((entry, head))
        quote = b"\0" + struct.pack("<HH", len(head), len(head) ^ 0xFFFF)
        data, packed = head + data, quote + head + packed
    directory, at = b"", 0
    for entry, head in reversed(entries):
        directory += central_record(entry, at)
        at += len(head) + 5
    body = packed[5:]
    return body + directory + end_record(count, len(directory), len(body))


def _nested(depth: int, innermost: ZipEntry) -> bytes:
    data = write_zip(innermost)
    for level in range(depth):
        data = write_zip(ZipEntry(b"level%d.zip" % level, data, 0))
    return data


def _wide() -> bytes:
    leaf = write_zip(*(ZipEntry(b"%d.bin" % n, ZEROS) for n in range(10)))
    middle = write_zip(*(ZipEntry(b"%d.zip" % n, leaf) for n in range(10)))
    return write_zip(*(ZipEntry(b"%d.zip" % n, middle) for n in range(10)))


def _wide_once(data: bytes) -> bytes:
    return write_zip(*(ZipEntry(b"%d.zip" % n, data) for n in range(200)))


def _tars() -> dict[str, bytes]:
    return {
        "25,000 empty files": b"".join(header(b"%d.py" % n) for n in range(25_000)) + END,
        "20,000 links": b"".join(header(b"%d.py" % n, type=b"2", link=b"/etc") for n in range(20_000)) + END,
        "says it has 8 GB": GOOD + header(b"big.py", size=b"77777777777\0") + END,
        "a sparse file of 8 EB": GOOD + _sparse() + END,
        "a long name before each of 3,000 files": _long_names(3000) + END,
    }


def _sparse() -> bytes:
    block = bytearray(header(b"big.py", 0, type=b"S", magic=b"ustar  \0"))
    block[386:410] = b"%011o\0" % 0 + b"%011o\0" % 1
    block[483:495] = b"\x80\0\0\0\x7f" + b"\xff" * 7
    return checked(block)


def _long_names(count: int) -> bytes:
    name = b"a" * 300 + b"/%d.py\0"
    return b"".join(member(b"n", name % n, type=b"L") + member(b"x.py", b"x = 1\n") for n in range(count))


_COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    ".tar.gz": lambda data: gzip.compress(data, mtime=0),
    ".tar.bz2": bz2.compress,
    ".tar.xz": lambda data: lzma.compress(data, preset=0),
}


def _streams(compress: Callable[[bytes], bytes]) -> dict[str, bytes]:
    big = header(b"big.py", BIG) + bytes(BIG)
    return {
        "30 MB of zeros": compress(big + GOOD + END),
        "30 MB after its end": compress(GOOD + END + bytes(BIG)),
        "8 files of 4 MB": compress(b"".join(member(b"%d.py" % n, bytes(4 * MB)) for n in range(8)) + END),
        "a header of 30 MB": compress(header(b"n", BIG, type=b"L") + b"a" * (BIG) + END),
        "packed twice": compress(compress(big)),
        "30 MB without a tar": compress(bytes(BIG)),
        "30,000 blocks of junk": compress(b"".join(header(b".%d" % n) for n in range(30_000)) + END),
        "a class before 30 MB": compress(GOOD + bytes(BLOCK - 1) + b"x" + bytes(BIG)),
        "one text of 4.9 MB": compress(member(b"big.txt", PROGRAM * (4_900_000 // len(PROGRAM))) + END),
    }


def xz_with_dictionary(code: int) -> bytes:
    """Return an .xz whose header asks for a dictionary of that code: 40 is 4 GB."""
    packed = bytearray(lzma.compress(GOOD + END))
    start, length = 12, (packed[12] + 1) * 4
    at = packed.index(b"\x21\x01", start) + 2
    packed[at] = code
    packed[start + length - 4 : start + length] = struct.pack("<L", zlib.crc32(packed[start : start + length - 4]))
    return bytes(packed)
