"""Limits on what clients of the old protocol may send and hold, in one place."""

from __future__ import annotations

from dataclasses import dataclass

from submissions.intake.limits import Limits


@dataclass(frozen=True, slots=True, kw_only=True)
class ListeningLimits:
    """Limits of one listening server.

    What one file and one upload may hold is what the pages accept, see `submissions.intake.limits` and
    `MOSS_MAX_UPLOAD_MB`.

    total_bytes, file_bytes, files: of one session, base files included.
    line_bytes: of one line of the protocol.
    greeting_seconds: until a connection has named its user.
    idle_seconds: between two pieces of data of a session.
    session_seconds: for all files of a session.
    report_seconds: until the address is sent, though its report is not ready.
    drain_seconds: for reading and discarding what a client still sends after an error.
    sessions, sessions_an_address: at once, of users that are known.
    waiting, waiting_an_address: connections that are no sessions; beyond these numbers the oldest is closed.
    """

    total_bytes: int
    file_bytes: int = Limits.file_bytes
    files: int = Limits.entries
    line_bytes: int = 4_096
    greeting_seconds: float = 20.0
    idle_seconds: float = 60.0
    session_seconds: float = 1_800.0
    report_seconds: float = 1_800.0
    drain_seconds: float = 30.0
    sessions: int = 64
    sessions_an_address: int = 16
    waiting: int = 1_000
    waiting_an_address: int = 200
