"""Entries of a RAR 5 archive that need a password: libarchive before 3.7 takes their bytes as they are.

The headers are as in UnRAR's `arcread.cpp` and `headers5.hpp`: a checksum, and numbers of seven bits a byte.
"""

from __future__ import annotations

import io
from typing import IO, NamedTuple

from submissions.intake.limits import BadArchive

NOT_OPENED = "RAR 5 archives with a password cannot be opened; upload it without a password"
SIGNATURE_BYTES, CHECKSUM_BYTES, MAX_NUMBER_BYTES = 8, 4, 10
# Longest header of RAR 5, and the kinds of headers and of the records at their end.
MAX_HEADER = 2 << 20
FILE, ALL_ENCRYPTED, ENCRYPTED_RECORD = 2, 4, 1
HAS_EXTRA, HAS_DATA = 1, 2


class _Header(NamedTuple):
    kind: int
    extra: bytes
    data_size: int


def encrypted_entries(file: IO[bytes]) -> set[int]:
    """Return the numbers of the entries of a RAR 5 archive that are encrypted, from 0, in their order.

    Raises
    ------
    BadArchive
        When even the names are encrypted.
    """
    file.seek(SIGNATURE_BYTES)
    encrypted: set[int] = set()
    number = 0
    while (header := _next_header(file)) is not None:
        if header.kind == ALL_ENCRYPTED:
            raise BadArchive(NOT_OPENED)
        if header.kind == FILE:
            if _has_encryption(header.extra):
                encrypted.add(number)
            number += 1
        file.seek(header.data_size, io.SEEK_CUR)
    return encrypted


def _next_header(file: IO[bytes]) -> _Header | None:
    """Return the next header; None at the end, and where the archive is damaged, which libarchive reports."""
    file.seek(CHECKSUM_BYTES, io.SEEK_CUR)
    size = _number(file)
    if size is None or size > MAX_HEADER or len(body := file.read(size)) < size:
        return None
    fields = io.BytesIO(body)
    kind, flags = _number(fields), _number(fields)
    if kind is None or flags is None:
        return None
    extra_size = (_number(fields) or 0) if flags & HAS_EXTRA else 0
    data_size = (_number(fields) or 0) if flags & HAS_DATA else 0
    return _Header(kind, body[len(body) - extra_size :] if extra_size else b"", min(data_size, 1 << 60))


def _has_encryption(extra: bytes) -> bool:
    records = io.BytesIO(extra)
    while (size := _number(records)) is not None:
        start = records.tell()
        if _number(records) == ENCRYPTED_RECORD:
            return True
        records.seek(min(start + max(size, 1), len(extra)))
    return False


def _number(file: IO[bytes]) -> int | None:
    """Return the next number, of which the lowest seven bits come first; None where there is none."""
    number = 0
    for place in range(MAX_NUMBER_BYTES):
        byte = file.read(1)
        if not byte:
            return None
        number |= (byte[0] & 0x7F) << 7 * place
        if byte[0] < 0x80:  # noqa: PLR2004 - the last byte of a number
            return number
    return None
