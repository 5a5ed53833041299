"""The program of a child: `python -P -m submissions.intake.sandbox.child JOBS MEMORY PARENT`.

Messages between a process and its child are a JSON header and raw bytes. Receiving one runs no code. A
child is confined before it reads anything, and the processor time of each of its jobs is limited.
"""

from __future__ import annotations

import ctypes
import json
import math
import os
import resource
import signal
import struct
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

Header = dict[str, Any]
Frame = tuple[Header, list[bytes]]
ReadExactly = Callable[[int], bytes]

LENGTH = struct.Struct("<I")
# Longer headers of a child are wrong: names and reasons are cut before they are sent.
HEADER_BYTES = 1_000_000

# Landlock. The numbers of its system calls are the same on every architecture that Python runs on; the flags
# are those of linux/landlock.h.
CREATE_RULESET, RESTRICT_SELF = 444, 446
VERSION_FLAG = 1
# Number of rights to files by version of the interface, the first one for version 1.
FILE_RIGHTS = (13, 14, 15, 15, 16)
TCP_VERSION, TCP_RIGHTS = 4, 0b11
SCOPES_VERSION, SCOPES = 6, 0b11
# Options of prctl, from linux/prctl.h.
SET_PARENT_DEATH_SIGNAL, SET_NO_NEW_PRIVILEGES = 1, 38

# Requests come from the process that started this one, which bounds them.
NO_LIMIT = 1 << 62
REASON_CHARACTERS, TRACE_CHARACTERS = 2000, 4000


class BadFrame(ValueError):
    """The other side sent no valid message, or a message that is longer than allowed."""


class Nonsense(ValueError):
    """An answer that no job gives; the message says what is wrong with it."""


def require(condition: object, what: str) -> None:
    """Raise Nonsense where an answer does not meet a condition."""
    if not condition:
        raise Nonsense(what)


def packed(header: Header, buffers: Sequence[bytes] = ()) -> bytes:
    """Return a message as bytes: the length of the header, the header with all sizes, the buffers."""
    head = json.dumps({**header, "sizes": [len(buffer) for buffer in buffers]}).encode()
    return b"".join((LENGTH.pack(len(head)), head, *buffers))


def receive(read_exactly: ReadExactly, max_bytes: int, max_header: int = HEADER_BYTES) -> Frame:
    """Read one message; raise BadFrame when it is none, or has more than `max_bytes` in its buffers."""
    (length,) = LENGTH.unpack(read_exactly(LENGTH.size))
    if length > max_header:
        raise BadFrame(f"a header of {length} bytes")
    try:
        header = json.loads(read_exactly(length))
    except (ValueError, RecursionError) as error:
        raise BadFrame(f"a header that is not JSON ({type(error).__name__})") from error
    return header, [read_exactly(size) for size in _sizes(header, max_bytes)]


def _sizes(header: object, max_bytes: int) -> list[int]:
    sizes = header.get("sizes") if isinstance(header, dict) else None
    if not isinstance(sizes, list) or not all(type(size) is int and size >= 0 for size in sizes):
        raise BadFrame("a header without the sizes of its buffers")
    if sum(sizes) > max_bytes:
        raise BadFrame(f"{sum(sizes)} bytes; at most {max_bytes} are allowed")
    return sizes


def end_with(parent: int) -> None:
    """End this process when its parent ends, and leave other signals for the end to the parent.

    A stop of the service sends them to every process, and the parent finishes its task first.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    _prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def refuse_privileges() -> None:
    """Let no program that this process becomes have more rights than it."""
    _prctl(SET_NO_NEW_PRIVILEGES, 1)


def confine(memory: int) -> int:
    """Give up files, network, new processes and more than `memory` bytes; return the version of Landlock.

    What was opened before can still be used.
    """
    refuse_privileges()
    landlock = give_up_files()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))  # nothing is opened any more: no file and no socket
    return landlock


def allow_processor_time(seconds: float) -> None:
    """End this process once it used `seconds` more of processor time."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = math.ceil(usage.ru_utime + usage.ru_stime + seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard < 0 else min(soft, hard), hard))


def _prctl(option: int, value: int) -> None:
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(ctypes.c_int(option), ctypes.c_ulong(value), 0, 0, 0)


class Ruleset(ctypes.Structure):
    """`struct landlock_ruleset_attr`: the actions that are refused unless a rule allows them."""

    _fields_ = (
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


def give_up_files() -> int:
    """Refuse this process, for good, all that Landlock can refuse: files, TCP, signals, abstract sockets.

    Return the version of Landlock, 0 without it. No rule allows anything, so that two system calls are
    enough. The caller has set PR_SET_NO_NEW_PRIVS.
    """
    if not sys.platform.startswith("linux"):
        return 0
    libc = ctypes.CDLL(None, use_errno=True)
    version = libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(VERSION_FLAG))
    if version < 1:
        return 0
    files = FILE_RIGHTS[min(version, len(FILE_RIGHTS)) - 1]
    ruleset = Ruleset(
        (1 << files) - 1, TCP_RIGHTS if version >= TCP_VERSION else 0, SCOPES if version >= SCOPES_VERSION else 0
    )
    descriptor = libc.syscall(
        CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(ctypes.sizeof(ruleset)), ctypes.c_uint32(0)
    )
    if descriptor < 0:
        return 0
    refused = libc.syscall(RESTRICT_SELF, ctypes.c_int(descriptor), ctypes.c_uint32(0))
    os.close(descriptor)
    return 0 if refused else int(version)


class Channel:
    """The two ends of this process's pipes."""

    def __init__(self, source: int, target: int) -> None:
        self._source, self._target = source, target

    def send(self, header: Header, buffers: Sequence[bytes] = ()) -> None:
        message = memoryview(packed(header, buffers))
        while message:
            message = message[os.write(self._target, message) :]

    def receive(self) -> Frame:
        """Return the next message; raise EOFError when the other side ended."""
        return receive(self._read_exactly, NO_LIMIT, NO_LIMIT)

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
