"""Read a tar, plain or compressed, as one stream within limits; no declared size is trusted."""

from __future__ import annotations

import tarfile
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from submissions.archives.limits import CHUNK, BadArchive, Budget, Exhausted, RefusalError, size_text
from submissions.archives.members import Member
from submissions.archives.names import redecoded

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Decompressor = Callable[[IO[bytes]], object]

# Bytes that a tar may ask to read at once: a PAX header or a long name is far smaller.
HEADER_BYTES = 1_000_000


class _ForwardStream:
    """A tar as it is decompressed: forwards only, every byte charged, no read above HEADER_BYTES."""

    def __init__(self, source: IO[bytes], packed: IO[bytes], budget: Budget) -> None:
        self._source, self._packed, self._budget = source, packed, budget
        self._at = 0
        self.last = b""

    def tell(self) -> int:
        return self._at

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= HEADER_BYTES:
            raise BadArchive(f"a header of {size} bytes; the limit is {size_text(HEADER_BYTES)}")
        self.last = self._source.read(size)
        self._at += len(self.last)
        self._budget.charge(len(self.last))
        if self._source is not self._packed:
            self._check_ratio()
        return self.last

    def _check_ratio(self) -> None:
        try:
            self._budget.check_ratio(self._at, self._packed.tell())
        except RefusalError as refusal:
            raise Exhausted(f"{refusal}; the rest was not read") from None

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence or offset < self._at:
            raise BadArchive("it points back into itself")
        while self._at < offset and self.read(min(CHUNK, offset - self._at)):
            pass
        return self._at


def read_tar(file: IO[bytes], budget: Budget, decompress: Decompressor | None = None) -> Iterator[Member]:
    """Yield the files of a tar in order; each must be read before the next is asked for."""
    source = cast("IO[bytes]", decompress(file)) if decompress else file
    stream = _ForwardStream(source, file, budget)
    with tarfile.open(fileobj=cast("BinaryIO", stream), mode="r:", errors="surrogateescape") as archive:
        while (info := archive.next()) is not None:
            cast("Any", archive).members.clear()  # else it keeps every header until the end
            if not info.isdir():
                yield Member(
                    redecoded(info.name),
                    info.size,
                    _refusal(info),
                    _extractor(archive, info),
                    in_stream=True,
                    modified=_modified(info),
                )
        _check_end(stream)


def _extractor(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Callable[[], IO[bytes]]:
    return lambda: cast("IO[bytes]", archive.extractfile(info))


def _refusal(info: tarfile.TarInfo) -> str:
    if info.issym() or info.islnk():
        return f"a {'symbolic' if info.issym() else 'hard'} link"
    return "" if info.isreg() else "not a file but a device, pipe or other special entry"


def _check_end(stream: _ForwardStream) -> None:
    """Tell an end mark from a damaged or missing header, which tarfile takes for the end too."""
    if any(stream.last):
        raise BadArchive("damaged; what follows could not be read")
    if not stream.last:
        raise BadArchive("ends without its end mark; entries may be missing")
    while stream.read(CHUNK):  # so that the checksum at the end of a compressed tar is looked at
        pass


def _modified(info: tarfile.TarInfo) -> datetime | None:
    try:
        return datetime.fromtimestamp(info.mtime, UTC)
    except (ValueError, OverflowError, OSError):
        return None
