"""Send a file in parts, and go on where it ended when the connection is lost."""

from __future__ import annotations

import hashlib
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from moss.cache_folder import cache_folder
from moss.submitting.client import NotAnswered, ServerRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import BinaryIO

    from moss.submitting.client import Service

    Progress = Callable[[str, int, int], None]

PART_BYTES = 8 << 20
# Seconds to wait before a part is sent again, each after the one before failed too.
WAITS = (1, 2, 5, 10, 20, 30, 60)


def send_file(
    service: Service,
    path: str,
    file: Path,
    fields: Mapping[str, str],
    *,
    progress: Progress,
    begun: BegunUpload,
) -> Any:
    """Upload a file to the assignment at `path`; return the upload, as the API describes it.

    An upload that was begun and not ended goes on; one that arrived whole is not sent again.

    Raises
    ------
    ServerRefused
        When the server refuses the file, or cannot be reached for some minutes.
    OSError
        When it cannot be reached at all.
    """
    state = _continued(service, begun)
    if state is None:
        size = file.stat().st_size
        state = {"id": service.begin(path, size, fields), "offset": 0, "length": size, "upload": None}
        begun.write(state["id"])
    if state["upload"] is None:
        with file.open("rb") as opened:
            _send_parts(service, state, opened, progress)
        state = service.get(f"/resumable/{state['id']}")
    return service.get(f"/uploads/{state['upload']}")


def _continued(service: Service, begun: BegunUpload) -> dict[str, Any] | None:
    """Return what the server has of an upload that an earlier command began; None where it has nothing."""
    upload = begun.read()
    if upload is None:
        return None
    try:
        state: dict[str, Any] = service.get(f"/resumable/{upload}")
        if state["offset"] == state["length"] and state["upload"] is None:
            # It was refused when it was whole, or its upload was deleted since; an empty part asks again.
            service.send_part(upload, state["offset"], b"")
            state = service.get(f"/resumable/{upload}")
            return state if state["upload"] else None
    except ServerRefused:
        return None
    return state


def _send_parts(service: Service, begun: dict[str, Any], file: BinaryIO, progress: Progress) -> None:
    upload, offset, size, failures = begun["id"], begun["offset"], begun["length"], 0
    while True:
        progress("Uploading", offset, size)
        try:
            # After a lost connection, only the server knows how much of the last part arrived.
            begin = service.offset(upload) if failures else offset
            file.seek(begin)
            part = file.read(PART_BYTES)
            offset = service.send_part(upload, begin, part)
        except (OSError, NotAnswered):
            if failures == len(WAITS):
                raise
            time.sleep(WAITS[failures])
            failures += 1
            continue
        failures = 0
        if offset == size:
            return


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
        with suppress(FileNotFoundError):  # another command has deleted it meanwhile
            if file.stat().st_mtime < time.time() - KEPT_SECONDS:
                file.unlink()
