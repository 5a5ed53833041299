"""Jobs of children that end at once where they import or open anything after they gave up files."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from submissions.intake.sandbox.child import Channel, Frame, Header

    Job = Callable[..., Iterator[Frame]]

REFUSED = (
    "import", "open", "ctypes.dlopen", "os.listdir", "os.scandir", "socket.__new__", "subprocess.Popen",
)  # fmt: skip
# The exit status of a child that did so.
STATUS = 97


def watched(jobs: Mapping[str, Job]) -> dict[str, Job]:
    """Return jobs the first of which, in a child that is confined by then, begins the watch."""
    watches: list[bool] = []

    def job_of(job: Job) -> Job:
        def begun(request: Header, buffers: list[bytes], channel: Channel) -> Iterator[Frame]:
            if not watches:
                watches.append(True)
                sys.addaudithook(_end)
            return job(request, buffers, channel)

        return begun

    return {name: job_of(job) for name, job in jobs.items()}


def _end(event: str, _arguments: Any) -> None:
    if event in REFUSED:
        os._exit(STATUS)  # an error could be caught
