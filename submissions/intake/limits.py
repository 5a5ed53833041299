"""Limits on the contents of an upload, and the errors raised when they are exceeded."""

from __future__ import annotations

import errno
from dataclasses import dataclass

import humanize

from submissions.intake import sentences as reasons

# Number of bytes that are unpacked at once.
CHUNK = 64 * 1024
# Junk does not count as entries; its limit is this many times the limit on entries.
JUNK_FACTOR = 10


class BadArchive(ValueError):
    """An upload, or the rest of it, cannot be read; the message is for the uploader."""


class TooLarge(BadArchive):
    """A limit of the whole upload is reached; the rest of it is not read."""


class RefusalError(ValueError):
    """One entry is not accepted; the message is the reason, for the uploader."""


def is_disk_full(error: BaseException) -> bool:
    """Return whether an error says that a disk or a quota of this machine is full."""
    return isinstance(error, OSError) and error.errno in {errno.ENOSPC, errno.EDQUOT}


def damage_reason(error: BaseException) -> str:
    """Return for the uploader why something cannot be read; raise the error again if the disk is full."""
    if is_disk_full(error):
        raise error
    if isinstance(error, OSError) and error.strerror:
        return reasons.UNREADABLE_ON_DISK.format(error=error.strerror)
    return reasons.DAMAGED.format(error=str(error) or type(error).__name__)


def format_size(size: int) -> str:
    """Return a number of bytes as text: `5 MB`, `1.2 GB`, `300 bytes`."""
    return humanize.naturalsize(size, format="%.3g").replace("Byte", "byte")


@dataclass(frozen=True)
class Limits:
    """Limits on the contents of one upload, nested archives included; sizes are unpacked bytes.

    `archive_bytes`: size of a nested archive; `ratio`: unpacked to packed size, checked once more than
    `ratio_floor` bytes were unpacked; `depth`: nesting of archives, the upload itself counts as 1;
    `path_length`: in characters. Larger files than `spool_bytes` are unpacked to an unnamed temporary file;
    with 0, all are unpacked in memory. Of a log of Git up to `commit_log_bytes` the times are read.
    """

    entries: int = 20_000
    file_bytes: int = 5_000_000
    archive_bytes: int = 100_000_000
    total_bytes: int = 1_000_000_000
    ratio: int = 200
    ratio_floor: int = 1_000_000
    depth: int = 3
    path_length: int = 400
    spool_bytes: int = 8_000_000
    commit_log_bytes: int = 0


class Budget:
    """Counts the contents of an upload and raises an error when they exceed a limit."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._entries = 0
        self._junk = 0
        self._bytes = 0

    def count_entry(self) -> None:
        self._entries += 1
        if self._entries > self.limits.entries:
            raise TooLarge(reasons.ENTRIES.format(n=f"{self.limits.entries:,}"))

    def count_junk(self) -> None:
        self._junk += 1
        if self._junk > (most := self.limits.entries * JUNK_FACTOR):
            raise TooLarge(reasons.JUNK_ENTRIES.format(n=f"{most:,}"))

    def count_bytes(self, size: int) -> None:
        self._bytes += size
        if self._bytes > self.limits.total_bytes:
            raise TooLarge(reasons.TOTAL_SIZE.format(size=format_size(self.limits.total_bytes)))

    def check_ratio(self, unpacked: int, packed: int) -> None:
        if unpacked > self.limits.ratio_floor and unpacked > self.limits.ratio * max(packed, 1):
            raise RefusalError(reasons.RATIO.format(n=self.limits.ratio))
