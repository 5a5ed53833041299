"""Read a tar, plain or compressed, as one stream within limits. Declared sizes are not trusted."""

from __future__ import annotations

import tarfile
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Any, BinaryIO, cast

from submissions.intake import reasons
from submissions.intake.archives.members import ArchiveMember
from submissions.intake.limits import CHUNK, BadArchive, Budget, RefusalError, TooLarge, format_size
from submissions.intake.names import redecode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Decompressor = Callable[[IO[bytes]], object]

# Limit on the bytes read at once; a PAX header or a long name is far smaller.
HEADER_BYTES = 1_000_000


class _ForwardStream:
    """A decompressed tar: read forwards only, every byte counted, no single read above HEADER_BYTES."""

    def __init__(self, source: IO[bytes], packed: IO[bytes], budget: Budget) -> None:
        self._source, self._packed, self._budget = source, packed, budget
        self._position = 0
        self.last = b""

    def tell(self) -> int:
        return self._position

    def read(self, size: int = -1) -> bytes:
        if not 0 <= size <= HEADER_BYTES:
            raise BadArchive(reasons.HEADER_SIZE.format(n=size, size=format_size(HEADER_BYTES)))
        self.last = self._source.read(size)
        self._position += len(self.last)
        self._budget.count_bytes(len(self.last))
        if self._source is not self._packed:
            self._check_ratio()
        return self.last

    def _check_ratio(self) -> None:
        try:
            self._budget.check_ratio(self._position, self._packed.tell())
        except RefusalError as refusal:
            raise TooLarge(reasons.REST_UNREAD.format(reason=refusal)) from None

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence or offset < self._position:
            raise BadArchive(reasons.POINTS_BACK)
        while self._position < offset and self.read(min(CHUNK, offset - self._position)):
            pass
        return self._position


def read_tar(
    file: IO[bytes], budget: Budget, decompress: Decompressor | None = None
) -> Iterator[ArchiveMember]:
    """Yield the files of a tar in order; each must be read before the next one is requested."""
    source = cast("IO[bytes]", decompress(file)) if decompress else file
    stream = _ForwardStream(source, file, budget)
    with tarfile.open(fileobj=cast("BinaryIO", stream), mode="r:", errors="surrogateescape") as archive:
        while (info := archive.next()) is not None:
            cast("Any", archive).members.clear()  # otherwise it keeps all headers in memory
            _check_size(info)
            if not info.isdir():
                yield ArchiveMember(
                    redecode(info.name),
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
        return reasons.SYMBOLIC_LINK if info.issym() else reasons.HARD_LINK
    return "" if info.isreg() else reasons.NO_FILE


def _check_size(info: tarfile.TarInfo) -> None:
    """Raise where tarfile of other versions of Python stops: at a file of a negative size."""
    if info.size < 0 and (info.isreg() or info.type not in tarfile.SUPPORTED_TYPES):
        raise BadArchive(reasons.DAMAGED_MIDDLE) if info.offset else tarfile.ReadError("a negative size")


def _check_end(stream: _ForwardStream) -> None:
    """Raise BadArchive unless the tar ended with its end mark; tarfile stops at a damaged header too."""
    if any(stream.last):
        raise BadArchive(reasons.DAMAGED_MIDDLE)
    if not stream.last:
        raise BadArchive(reasons.CUT_OFF)
    while stream.read(CHUNK):  # so that the checksum at the end of a compressed tar is verified
        pass


def _modified(info: tarfile.TarInfo) -> datetime | None:
    try:
        return datetime.fromtimestamp(info.mtime, UTC)
    except (ValueError, OverflowError, OSError):
        return None
