"""Write received files to a tar without a name on disk, which vanishes with its process."""

from __future__ import annotations

import tarfile
import tempfile
from typing import BinaryIO, cast

from django.core.files import File

BLOCK = tarfile.BLOCKSIZE


class Spool:
    """A tar that grows by one file at a time; `files` is the number of those in it."""

    def __init__(self) -> None:
        self._file = cast("BinaryIO", tempfile.TemporaryFile(prefix="moss-listen-"))  # noqa: SIM115 - see `close`
        self.files = 0
        self._padding = 0

    def begin(self, path: str, size: int) -> None:
        """Write the header of a file; exactly `size` bytes must follow."""
        info = tarfile.TarInfo(path)
        info.size = size
        self._file.write(info.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape"))
        self._padding = -size % BLOCK

    def write(self, data: bytes) -> None:
        self._file.write(data)

    def end(self) -> None:
        """Complete the file that was begun."""
        self._file.write(bytes(self._padding))
        self.files += 1

    def uploaded(self, name: str) -> File[bytes]:
        """Return the complete tar as an uploaded file."""
        self._file.write(bytes(2 * BLOCK))
        self._file.seek(0)
        return File(self._file, name=name)

    def close(self) -> None:
        self._file.close()
