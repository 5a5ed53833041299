"""How much one upload may hold, and what is raised when it holds more."""

from __future__ import annotations

from dataclasses import dataclass

# Bytes that are unpacked at once.
CHUNK = 64 * 1024
# Junk is listed but not counted as an entry; this many times more of it is read at all.
JUNK_FACTOR = 10


class BadArchive(ValueError):
    """An upload, or the rest of one, that cannot be read; the message is for the uploader."""


class Exhausted(BadArchive):
    """A limit of the whole upload is reached: nothing more of it is read."""


class RefusalError(ValueError):
    """One entry that is not taken; the message is the reason."""


def size_text(size: int) -> str:
    """Bytes for reading: `5 MB`, `1.2 GB`, `300 bytes`."""
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size} bytes"


@dataclass(frozen=True)
class Limits:
    """What one upload may hold, archives in it included; sizes in bytes, unpacked.

    `ratio` is unpacked to packed size, looked at once `ratio_floor` bytes came out; `depth` counts the
    upload itself as 1; `path_length` is in characters; `archive_bytes` is of one archive in another.
    """

    entries: int = 20_000
    file_bytes: int = 5_000_000
    archive_bytes: int = 100_000_000
    total_bytes: int = 1_000_000_000
    ratio: int = 200
    ratio_floor: int = 1_000_000
    depth: int = 3
    path_length: int = 400


class Budget:
    """What is left of an upload's limits."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._entries = 0
        self._junk = 0
        self._bytes = 0

    def count_entry(self) -> None:
        self._entries += 1
        if self._entries > self.limits.entries:
            raise Exhausted(f"more than {self.limits.entries:,} entries; the rest was not read")

    def count_junk(self) -> None:
        self._junk += 1
        if self._junk > self.limits.entries * JUNK_FACTOR:
            raise Exhausted(
                f"more than {self.limits.entries * JUNK_FACTOR:,} junk entries; the rest was not read"
            )

    def charge(self, size: int) -> None:
        self._bytes += size
        if self._bytes > self.limits.total_bytes:
            raise Exhausted(
                f"unpacks to more than {size_text(self.limits.total_bytes)}; the rest was not read"
            )

    def check_ratio(self, unpacked: int, packed: int) -> None:
        if unpacked > self.limits.ratio_floor and unpacked > self.limits.ratio * max(packed, 1):
            raise RefusalError(
                f"unpacks to more than {self.limits.ratio} times its packed size; the look of a zip bomb"
            )
