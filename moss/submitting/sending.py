"""Send a file in parts, and go on where it ended when the connection is lost."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from moss.submitting.client import NotAnswered, ServerRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import BinaryIO

    from moss.submitting.begun import BegunUpload
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
