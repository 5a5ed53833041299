"""Compressed tars that are damaged, and files that say they are of another format than they are."""

import bz2
import gzip
import lzma
import struct
import zlib
from collections.abc import Callable, Iterator

from tests.hostile.case import PROGRAM, Case
from tests.hostile.tar_writer import END, GOOD, member
from tests.hostile.zip_writer import GOOD as GOOD_ENTRIES, write_zip
from tests.support.archives import HAS_LIBARCHIVE, zstandard

COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    ".tar.gz": lambda data: gzip.compress(data, mtime=0),
    ".tar.bz2": bz2.compress,
    ".tar.xz": lambda data: lzma.compress(data, preset=0),
    **({".tar.zst": zstandard} if HAS_LIBARCHIVE else {}),
}
FORMATS = {
    ".zip": write_zip(*GOOD_ENTRIES),
    ".tar": GOOD + END,
    **{suffix: compress(GOOD + END) for suffix, compress in COMPRESSIONS.items()},
}
SUFFIXES = (
    ".zip", ".tar", ".tgz", ".tar.gz", ".gz", ".tbz2", ".bz2", ".txz", ".xz", ".rar", ".7z", ".zst", ".jar",
    ".docx", ".py", ".txt", ".ipynb", ".tar.tar", "",
)  # fmt: skip
# First bytes of formats that are not read, and of formats that are, with nothing after them.
STARTS = {
    "rar": b"Rar!\x1a\x07\x00",
    "7z": b"7z\xbc\xaf\x27\x1c",
    "zst": b"\x28\xb5\x2f\xfd",
    "cab": b"MSCF\0\0\0\0",
    "ar": b"!<arch>\n",
    "compress": b"\x1f\x9d",
    "lzip": b"LZIP",
    "zip": b"PK\x03\x04",
    "empty zip": b"PK\x05\x06",
    "gzip": b"\x1f\x8b\x08",
    "bzip2": b"BZh91AY&SY",
    "xz": b"\xfd7zXZ\0",
    "tar": bytes(257) + b"ustar",
    "elf": b"\x7fELF",
    "class": b"\xca\xfe\xba\xbe",
    "pdf": b"%PDF-",
    "png": b"\x89PNG",
    "mz": b"MZ\x90",
    "office": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    "sqlite": b"SQLite format 3\0",
    "rtf": b"{\\rtf",
}


def stream_cases() -> Iterator[Case]:
    small = member(b"a.py", b"a = 1\n") + END
    for suffix, compress in COMPRESSIONS.items():
        packed = compress(small)
        for length in range(len(packed)):
            yield Case(f"{suffix} cut off", f"after byte {length}", suffix, packed[:length])
        for at in range(len(packed)):
            flipped = packed[:at] + bytes((packed[at] ^ 0xFF,)) + packed[at + 1 :]
            yield Case(f"flipped in a {suffix}", f"byte {at}", suffix, flipped)
        for detail, data in _odd_streams(compress).items():
            yield Case(f"odd {suffix}", detail, suffix, data)
    yield from _wrong_suffixes()
    for detail, data in _gzip_headers().items():
        yield Case("header of a .tar.gz", detail, ".tar.gz", data)


def _odd_streams(compress: Callable[[bytes], bytes]) -> dict[str, bytes]:
    whole = compress(GOOD + END)
    return {
        "twice in one file": whole * 2,
        "in 500 streams": b"".join(compress(b"") for _ in range(500)) + whole,
        "a byte a stream": b"".join(compress(GOOD[at : at + 8]) for at in range(0, len(GOOD), 8)) + compress(END),
        "then zeros": whole + bytes(5000),
        "then garbage": whole + b"\xff" * 5000,
        "then a program": whole + PROGRAM,
        "packed twice": compress(whole),
        "packed ten times": _again(compress, whole, 10),
        "no tar": compress(PROGRAM),
        "a zip": compress(FORMATS[".zip"]),
        "nothing": compress(b""),
        "zeros": compress(bytes(10_240)),
        "one byte": compress(b"x"),
        "ends in a header": compress(GOOD[:-700]),
        "no end": compress(GOOD),
    }


def _again(compress: Callable[[bytes], bytes], data: bytes, times: int) -> bytes:
    for _ in range(times):
        data = compress(data)
    return data


def _wrong_suffixes() -> Iterator[Case]:
    for true, data in FORMATS.items():
        for suffix in SUFFIXES:
            if suffix != true:
                yield Case(f"a {true} by another name", suffix or "no suffix", suffix, data)
    for detail, start in STARTS.items():
        for suffix in (".py", ".zip", ".tar.gz", ".ipynb"):
            yield Case(f"first bytes of {detail}", f"as {suffix}", suffix, start)
            yield Case(f"first bytes of {detail}, then a program", f"as {suffix}", suffix, start + PROGRAM)
    for suffix in SUFFIXES:
        yield Case("a program by another name", suffix or "no suffix", suffix, PROGRAM)
        yield Case("zeros", suffix or "no suffix", suffix, bytes(2000))
        yield Case("nothing", suffix or "no suffix", suffix, b"")


def _gzip_headers() -> dict[str, bytes]:
    """Return gzips with each bit of the flags and each compression method, and fields that go on for long."""
    body = zlib.compress(GOOD + END, wbits=-15)
    end = struct.pack("<LL", zlib.crc32(GOOD + END), len(GOOD + END))
    headers = {f"flag {bit}": b"\x1f\x8b\x08" + bytes((1 << bit,)) + bytes(6) for bit in range(8)}
    headers |= {f"method {method}": b"\x1f\x8b" + bytes((method, 0)) + bytes(6) for method in (0, 7, 9, 255)}
    headers |= {
        "name of 1 MB": b"\x1f\x8b\x08\x08" + bytes(6) + b"../" * 333_333 + b"\0",
        "name without an end": b"\x1f\x8b\x08\x08" + bytes(6) + b"a" * 100_000,
        "comment of escapes": b"\x1f\x8b\x08\x10" + bytes(6) + b"\x1b[31m\x9b2J\0",
        "extra field longer than the file": b"\x1f\x8b\x08\x04" + bytes(6) + b"\xff\xff",
    }
    wrong_ends = {"checksum": bytes(4) + end[4:], "size": end[:4] + b"\xff" * 4, "both": b"\xff" * 8}
    plain = b"\x1f\x8b\x08\0" + bytes(6)
    return {key: head + body + end for key, head in headers.items()} | {
        f"wrong {key}": plain + body + wrong for key, wrong in wrong_ends.items()
    }
