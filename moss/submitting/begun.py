"""Ids of uploads that a command began, so that the same command goes on with them after it was ended."""

from __future__ import annotations

import hashlib
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from moss.cache_folder import cache_folder

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "uploads"
# The server deletes an upload a day after its last part.
KEPT_SECONDS = 2 * 86_400


@dataclass(frozen=True, slots=True)
class BegunUpload:
    """The file that has the id of an upload; None where nothing may be cached.

    What cannot be read or written there costs a whole upload, and stops none.
    """

    file: Path | None

    @classmethod
    def of(cls, archive: Path, *about: str) -> BegunUpload:
        """Return that of an archive; `about` says where it goes, the server and the assignment among it."""
        folder = cache_folder()
        with archive.open("rb") as opened:
            digest = hashlib.file_digest(opened, "sha256")
        digest.update("\0".join(about).encode())
        return cls(folder / FOLDER / digest.hexdigest() if folder else None)

    def read(self) -> int | None:
        with suppress(OSError):
            text = self.file.read_text(encoding="ascii") if self.file else ""
            return int(text) if text.isdecimal() else None
        return None

    def write(self, upload: int) -> None:
        if self.file:
            with suppress(OSError):
                self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                _delete_old(self.file.parent)
                self.file.write_text(str(upload), encoding="ascii")

    def forget(self) -> None:
        if self.file:
            with suppress(OSError):
                self.file.unlink(missing_ok=True)


def _delete_old(folder: Path) -> None:
    for file in folder.iterdir():
        if file.stat().st_mtime < time.time() - KEPT_SECONDS:
            file.unlink(missing_ok=True)
