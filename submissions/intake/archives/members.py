"""One file of an archive, the type that every reader yields."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from datetime import datetime

# Largest size that a column of the database holds.
MAX_SIZE = 2**63 - 1


@dataclass(frozen=True)
class ArchiveMember:
    """One file of an archive.

    `name`: as stored; `size`: declared size in bytes, not trusted; `refusal`: why it is not accepted, or
    empty; `open`: opens its contents; `packed_size`: compressed size in bytes, 0 where the file is not
    compressed by itself; `in_stream`: whether all files are one stream, which counts the bytes read;
    `modified`: as stored, naive local time in a zip, UTC in a tar.
    """

    name: str
    size: int
    refusal: str
    open: Callable[[], AbstractContextManager[IO[bytes]]]
    packed_size: int = 0
    in_stream: bool = False
    modified: datetime | None = None


def check_size(member: ArchiveMember) -> ArchiveMember:
    """Return `member`, refused and with the nearest possible size if no file can have its declared size."""
    size = min(max(member.size, 0), MAX_SIZE)
    if size == member.size:
        return member
    return replace(member, size=size, refusal="its archive declares an impossible size; pack it again")
