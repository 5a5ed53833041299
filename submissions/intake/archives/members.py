"""One file of an archive, the type that every reader yields, and one entry, which unpacking makes of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import IO, TYPE_CHECKING, NamedTuple

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


class UnpackedEntry(NamedTuple):
    """One entry: accepted (`reason` empty, `data` its bytes) or not (`data` None, `reason` for the uploader).

    `name` is a clean relative POSIX path; that of a refused entry is only for display. `size` is in bytes,
    the declared one where the entry was not read. A folder of junk is one entry whose name ends in a slash.
    `modified`, of accepted entries, comes from the innermost archive that stores one; naive if local time.
    An `incomplete` entry is an archive whose rest was not read. `left_out` is why the content of an accepted
    entry leaves it out, where a child found that out.
    """

    name: str
    data: bytes | None
    size: int
    reason: str
    modified: datetime | None = None
    incomplete: bool = False
    left_out: str = ""


def check_size(member: ArchiveMember) -> ArchiveMember:
    """Return `member`, refused and with the nearest possible size if no file can have its declared size."""
    size = min(max(member.size, 0), MAX_SIZE)
    if size == member.size:
        return member
    return replace(member, size=size, refusal="its archive declares an impossible size; pack it again")
