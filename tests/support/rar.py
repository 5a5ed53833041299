"""RAR archives of stored entries, in both formats: no free program writes RAR."""

from __future__ import annotations

import stat
import struct
import zlib

RAR_4, RAR_5 = b"Rar!\x1a\x07\x00", b"Rar!\x1a\x07\x01\x00"
UNIX_4, UNIX_5 = 3, 1
REGULAR = stat.S_IFREG | 0o644
SYMBOLIC, HARD = 1, 4


def rar_4(files: dict[str, bytes]) -> bytes:
    """Return an archive in the format of RAR 1.5 to 4."""
    return rar_4_of(*(rar_4_entry(name.encode(), data) for name, data in files.items()))


def rar_4_of(*entries: bytes, flags: int = 0) -> bytes:
    """Return an archive of entries as bytes, with the flags of its main header."""
    return RAR_4 + _block_4(0x73, flags, bytes(6)) + b"".join(entries) + _block_4(0x7B, 0x4000, b"")


def rar_4_entry(
    name: bytes, data: bytes, *, mode: int = REGULAR, flags: int = 0, size: int | None = None, method: int = 0
) -> bytes:
    """Return an entry; `size` is the declared size, right or wrong; its time is 2024-03-01 12:30."""
    declared = len(data) if size is None else size
    time = (2024 - 1980) << 25 | 3 << 21 | 1 << 16 | 12 << 11 | 30 << 5
    fields = struct.pack(
        "<LLBLLBBHL",
        len(data),
        declared & 0xFFFFFFFF,
        UNIX_4,
        zlib.crc32(data),
        time,
        20,
        0x30 + method,
        len(name),
        mode,
    )
    return _block_4(0x74, 0x8000 | flags, fields + name) + data


def _block_4(kind: int, flags: int, fields: bytes) -> bytes:
    rest = struct.pack("<BHH", kind, flags, 7 + len(fields)) + fields
    return struct.pack("<H", zlib.crc32(rest) & 0xFFFF) + rest


def rar_5(files: dict[str, bytes]) -> bytes:
    """Return an archive in the format of RAR 5."""
    return rar_5_of(*(rar_5_entry(name.encode(), data) for name, data in files.items()))


def rar_5_of(*entries: bytes) -> bytes:
    """Return an archive of entries as bytes."""
    return RAR_5 + block_5(vint(1) + vint(0) + vint(0)) + b"".join(entries) + block_5(vint(5) + vint(0) * 2)


def rar_5_entry(name: bytes, data: bytes, *, extra: bytes = b"", size: int | None = None) -> bytes:
    """Return an entry; `size` is the declared size, right or wrong; its time is 2024-03-01 12:30 UTC."""
    declared = len(data) if size is None else size
    head = vint(2) + vint(0x02 | bool(extra)) + (vint(len(extra)) if extra else b"") + vint(len(data))
    fields = vint(0x02 | 0x04) + vint(declared) + vint(REGULAR) + struct.pack("<L", 1709296200)
    fields += struct.pack("<L", zlib.crc32(data)) + vint(0) + vint(UNIX_5) + vint(len(name)) + name
    return block_5(head + fields + extra) + data


def encrypted_5() -> bytes:
    """Return the extra record of a RAR 5 entry whose contents are encrypted."""
    return _record_5(1, vint(0) + vint(0) + bytes((15,)) + bytes(32))


def rar_5_of_hidden_names() -> bytes:
    """Return an archive whose headers are encrypted: after the first one, nothing can be read."""
    return RAR_5 + block_5(vint(4) + vint(0) * 3 + bytes((15,)) + bytes(range(16))) + bytes(range(200))


def link_5(kind: int, target: bytes) -> bytes:
    """Return the extra record of a RAR 5 entry that makes it a link."""
    return _record_5(5, vint(kind) + vint(0) + vint(len(target)) + target)


def _record_5(kind: int, fields: bytes) -> bytes:
    record = vint(kind) + fields
    return vint(len(record)) + record


def block_5(header: bytes) -> bytes:
    """Return a block of RAR 5 with its checksum and length."""
    sized = vint(len(header)) + header
    return struct.pack("<L", zlib.crc32(sized)) + sized


def vint(number: int) -> bytes:
    """Return a number as RAR 5 writes it: seven bits a byte, the lowest first."""
    low, rest = number & 0x7F, number >> 7
    return bytes((low | 0x80,)) + vint(rest) if rest else bytes((low,))
