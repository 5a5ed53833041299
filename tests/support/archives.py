"""Archives of every format, valid and damaged, as bytes, and helpers that unpack them."""

import bz2
import gzip
import io
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable

from submissions.intake.libarchive_reader import load
from submissions.intake.limits import Limits
from submissions.intake.members import UnpackedEntry
from submissions.intake.unpacking import unpack
from tests.support.rar import rar_4, rar_5

Files = dict[str, bytes]


def zipped(files: Files, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data, method)
    return out.getvalue()


def tarred(files: Files) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


ARCHIVE_WRITERS: dict[str, Callable[[Files], bytes]] = {
    "class.zip": zipped,
    "class.tar": tarred,
    "class.tar.gz": lambda files: gzip.compress(tarred(files)),
    "class.tbz2": lambda files: bz2.compress(tarred(files)),
    "class.tar.xz": lambda files: lzma.compress(tarred(files)),
}


HAS_LIBARCHIVE = load()


def seven_zipped(files: Files) -> bytes:
    return _written("7zip", None, files)


def _written(archive_format: str, compression: str | None, files: Files) -> bytes:
    """Return an archive that libarchive wrote."""
    import libarchive  # noqa: PLC0415 - some machines lack the library

    out = io.BytesIO()
    with libarchive.custom_writer(out.write, archive_format, compression) as archive:
        for name, data in files.items():
            archive.add_file_from_memory(name, len(data), data)
    return out.getvalue()


def zstandard(data: bytes) -> bytes:
    return _written("raw", "zstd", {"data": data})


# Archives that are read with libarchive.
LIBARCHIVE_WRITERS: dict[str, Callable[[Files], bytes]] = {
    "class.7z": seven_zipped,
    "class.tar.zst": lambda files: zstandard(tarred(files)),
    "class-4.rar": rar_4,
    "class-5.rar": rar_5,
}


def tarred_special(name: str, kind: bytes, target: str = "") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, target
        archive.addfile(info)
    return out.getvalue()


def zipped_special(name: str, mode: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo(name)
        info.create_system, info.external_attr = 3, (mode | stat.S_IRUSR) << 16
        archive.writestr(info, "target")
    return out.getvalue()


def zipped_twice(name: str, first: bytes, second: bytes) -> bytes:
    """Return a zip file with two entries of one name.

    The standard library warns about equal names, so the second name is patched in afterwards.
    """
    other = name[:-1] + "\x01"
    data = zipped({name: first, other: second})
    return data.replace(other.encode(), name.encode())


def zip_by_hand(
    entries: list[tuple[bytes, bytes]],
    *,
    flags: int = 0,
    method: int = 8,
    declared: int | None = None,
    extra: bytes = b"",
) -> bytes:
    """Return a zip file with raw names, flag bits, a declared size, right or wrong, and extra fields."""
    body, directory = b"", b""
    for name, data in entries:
        packed = zlib.compress(data, wbits=-15) if method == zipfile.ZIP_DEFLATED else data
        size = len(data) if declared is None else declared
        common = struct.pack(
            "<HHHHHLLLH", 20, flags, method, 0, 33, zlib.crc32(data), len(packed), size, len(name)
        )
        directory += b"PK\x01\x02\x14\x03" + common
        directory += struct.pack("<HHHHLL", len(extra), 0, 0, 0, 0, len(body)) + name + extra
        body += b"PK\x03\x04" + common + b"\0\0" + name + packed
    return body + directory + _end(len(entries), directory, len(body))


def overlapping_zip(copies: int, data: bytes) -> bytes:
    """Return a zip file with `copies` directory entries that all point at the same packed bytes."""
    packed = zlib.compress(data, wbits=-15)
    common = struct.pack("<HHHHHLLLHH", 20, 0, 8, 0, 33, zlib.crc32(data), len(packed), len(data), 1, 0)
    directory = (b"PK\x01\x02\x14\x03" + common + struct.pack("<HHHLL", 0, 0, 0, 0, 0) + b"a") * copies
    body = b"PK\x03\x04" + common + b"a" + packed
    return body + directory + _end(copies, directory, len(body))


def nested_zip(inner: bytes) -> bytes:
    """Return a zip file with a stored entry `a`, in whose bytes there is another one, `b`."""
    entry, second = _stored(b"b", inner, 30 + 1 + 10)
    body, first = _stored(b"a", b"0123456789" + entry, 0)
    return body + first + second + _end(2, first + second, len(body))


def _stored(name: bytes, data: bytes, offset: int) -> tuple[bytes, bytes]:
    """Return an entry that is not compressed, and its record in the directory."""
    sizes = (zlib.crc32(data), len(data), len(data), len(name), 0)
    common = struct.pack("<HHHHHLLLHH", 20, 0, 0, 0, 33, *sizes)
    record = b"PK\x01\x02\x14\x03" + common + struct.pack("<HHHLL", 0, 0, 0, 0, offset) + name
    return b"PK\x03\x04" + common + name + data, record


def _end(count: int, directory: bytes, offset: int) -> bytes:
    return b"PK\x05\x06" + struct.pack("<HHHHLLH", 0, 0, count, count, len(directory), offset, 0)


def entries(name: str, data: bytes, limits: Limits | None = None) -> list[UnpackedEntry]:
    return list(unpack(name, io.BytesIO(data), limits or Limits()))


def taken(unpacked: list[UnpackedEntry]) -> Files:
    return {entry.name: entry.data for entry in unpacked if entry.data is not None}


def reasons(unpacked: list[UnpackedEntry]) -> dict[str, str]:
    return {entry.name: entry.reason for entry in unpacked if entry.data is None}
