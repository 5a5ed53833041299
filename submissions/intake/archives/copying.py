"""Copy the contents of an archive's member within the limits of an upload."""

from __future__ import annotations

import io
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, cast

from submissions.intake.limits import CHUNK, Budget, RefusalError, format_size

if TYPE_CHECKING:
    from submissions.intake.archives.members import ArchiveMember


def empty_copy(spool_bytes: int) -> IO[bytes]:
    """Return a file that is in memory up to a number of bytes; with 0, always."""
    return cast("IO[bytes]", SpooledTemporaryFile(spool_bytes)) if spool_bytes else io.BytesIO()


def copy_within_limits(
    first: bytes,
    rest: IO[bytes],
    copy: IO[bytes],
    *,
    member: ArchiveMember,
    budget: Budget,
    limit: int,
) -> int:
    """Copy the `first` bytes of a member and the `rest`, at most `limit` bytes; return its size."""
    size, chunk = 0, first
    while chunk:
        size += len(chunk)
        if not member.in_stream:
            budget.count_bytes(len(chunk))
        if member.packed_size:
            budget.check_ratio(size, member.packed_size)
        if size > limit:
            raise RefusalError(f"has more than {format_size(limit)}, the limit for one file")
        copy.write(chunk)
        chunk = rest.read(CHUNK)
    return size
