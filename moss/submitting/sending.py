"""Send a file in parts, and go on where it ended when the connection is lost."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from moss.submitting.client import NotAnswered

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import BinaryIO

    from moss.submitting.client import Service

    Progress = Callable[[str, int, int], None]

PART_BYTES = 8 << 20
# Seconds to wait before a part is sent again, each after the one before failed too.
WAITS = (1, 2, 5, 10, 20, 30, 60)


def send_file(service: Service, path: str, file: Path, fields: Mapping[str, str], progress: Progress) -> Any:
    """Upload a file to the assignment at `path`; return the upload, as the API describes it.

    Raises
    ------
    ServerRefused
        When the server refuses the file, or cannot be reached for some minutes.
    OSError
        When it cannot be reached at all.
    """
    size = file.stat().st_size
    upload = service.begin(path, size, fields)
    with file.open("rb") as opened:
        _send_parts(service, upload, opened, size, progress)
    found = service.get(f"/resumable/{upload}")
    return service.get(f"/uploads/{found['upload']}")


def _send_parts(service: Service, upload: int, file: BinaryIO, size: int, progress: Progress) -> None:
    offset, failures = 0, 0
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
