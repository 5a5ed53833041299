"""The program of a child: `python -P -m submissions.intake.sandbox.child JOBS MEMORY PARENT`.

JOBS is a module with a function `preload`, which loads all that its jobs need, the exceptions `REFUSALS` that
refuse a file with a reason, and the jobs themselves, `JOBS`, by name. A job yields the messages to send.
"""

from __future__ import annotations

import os
import sys
import traceback
from importlib import import_module
from typing import TYPE_CHECKING, Any

from submissions.intake.sandbox import frames
from submissions.intake.sandbox.confinement import allow_processor_time, confine, end_with

if TYPE_CHECKING:
    from collections.abc import Sequence

    from submissions.intake.sandbox.frames import Frame, Header

# Requests come from the process that started this one, which bounds them.
NO_LIMIT = 1 << 62
REASON_CHARACTERS, TRACE_CHARACTERS = 2000, 4000


class Channel:
    """The two ends of this process's pipes."""

    def __init__(self, source: int, target: int) -> None:
        self._source, self._target = source, target

    def send(self, header: Header, buffers: Sequence[bytes] = ()) -> None:
        message = memoryview(frames.packed(header, buffers))
        while message:
            message = message[os.write(self._target, message) :]

    def receive(self) -> Frame:
        """Return the next message; raise EOFError when the other side ended."""
        return frames.receive(self._read_exactly, NO_LIMIT, NO_LIMIT)

    def _read_exactly(self, size: int) -> bytes:
        parts = []
        while size:
            part = os.read(self._source, min(size, 1 << 20))
            if not part:
                raise EOFError
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def main(jobs: Any, memory: int) -> None:
    """Do the jobs that are asked for until there are no more."""
    channel = Channel(0, os.dup(1))
    jobs.preload()
    _silence()
    channel.send({"kind": "ready", "landlock": confine(memory)})
    while True:
        try:
            request, buffers = channel.receive()
        except EOFError:
            return
        allow_processor_time(request["processor_seconds"])
        channel.send(_do(jobs, request, buffers, channel))


def _silence() -> None:
    """Throw away what libraries print from now on: it may repeat a file, and it is no message."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)


def _do(jobs: Any, request: Header, buffers: list[bytes], channel: Channel) -> Header:
    """Do a job, and return the message that ends it."""
    try:
        for header, results in jobs.JOBS[request["job"]](request, buffers, channel):
            channel.send(header, results)
    except jobs.REFUSALS as refusal:
        return {"kind": "refused", "reason": str(refusal)[:REASON_CHARACTERS]}
    except MemoryError:
        return {"kind": "no memory"}
    except Exception as error:  # noqa: BLE001 - any error of a reader is one file's failure
        trace = "".join(traceback.format_tb(error.__traceback__))  # the message may repeat the file
        return {"kind": "broken", "error": type(error).__name__, "trace": trace[-TRACE_CHARACTERS:]}
    return {"kind": "done"}


if __name__ == "__main__":
    end_with(int(sys.argv[3]))
    main(import_module(sys.argv[1]), int(sys.argv[2]))
