"""Archives of every format, valid and damaged, as bytes, and helpers that unpack them."""

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
from collections.abc import Callable

from submissions.intake.entries import Entry
from submissions.intake.libarchive_reader import load
from submissions.intake.limits import Limits
from submissions.intake.unpacking import unpack
from tests.hostile import tar_writer
from tests.hostile.zip_writer import (
    STORED,
    ZipEntry,
    central_record,
    end_record,
    local_header,
    packed_bytes,
    write_zip,
)
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
    return tar_writer.header(name.encode(), type=kind, link=target.encode()) + tar_writer.END


def zipped_special(name: str, mode: int) -> bytes:
    return write_zip(ZipEntry(name.encode(), b"target", mode=mode | stat.S_IRUSR))


def zipped_twice(name: str, first: bytes, second: bytes) -> bytes:
    """Return a zip file with two entries of one name."""
    return write_zip(ZipEntry(name.encode(), first), ZipEntry(name.encode(), second))


def zip_by_hand(
    entries: list[tuple[bytes, bytes]],
    *,
    flags: int = 0,
    method: int = 8,
    declared: int | None = None,
    extra: bytes = b"",
) -> bytes:
    """Return a zip file with raw names, flag bits, a declared size, right or wrong, and extra fields."""
    return write_zip(*(ZipEntry(*entry, method, flags, size=declared, extra=extra) for entry in entries))


def overlapping_zip(copies: int, data: bytes) -> bytes:
    """Return a zip file with `copies` directory entries that all point at the same packed bytes."""
    entry = ZipEntry(b"a", data)
    body, directory = local_header(entry) + packed_bytes(entry), central_record(entry, 0) * copies
    return body + directory + end_record(copies, len(directory), len(body))


def nested_zip(inner: bytes) -> bytes:
    """Return a zip file with a stored entry `a`, in whose bytes there is another one, `b`."""
    second = ZipEntry(b"b", inner, STORED)
    first = ZipEntry(b"a", b"0123456789" + local_header(second) + inner, STORED)
    body, directory = local_header(first) + first.data, central_record(first, 0) + central_record(second, 41)
    return body + directory + end_record(2, len(directory), len(body))


def entries(name: str, data: bytes, limits: Limits | None = None) -> list[Entry]:
    return list(unpack(name, io.BytesIO(data), limits or Limits()))


def taken(unpacked: list[Entry]) -> Files:
    return {entry.name: entry.data for entry in unpacked if entry.data is not None}


def reasons(unpacked: list[Entry]) -> dict[str, str]:
    return {entry.name: entry.reason for entry in unpacked if entry.data is None}
