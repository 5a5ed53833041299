"""Connections of MOSS clients, and the limits on what they may send and hold."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from dataclasses import dataclass
from typing import Any, Protocol

from submissions.intake.limits import Limits

# Wrong user ids of an address are counted for this time.
FAILURE_SECONDS = 300.0
# User ids that are counted, and that are known to be right; beyond this number the oldest is forgotten.
COUNTED = 10_000
# Stands for all user ids of an address.
ANY = ""
# An id with as many digits is not found by trying.
UNGUESSABLE_DIGITS = 12


class Connection(Protocol):
    """A connection of one client."""

    address: str

    def abort(self) -> None: ...


class Connections:
    """The open connections of a server.

    A connection waits until its user is known, and then is a session. Where too many wait, the oldest one is
    closed, so that idle connections keep nobody out. A session is never closed for another one.
    """

    def __init__(self, limits: ListeningLimits) -> None:
        self._limits = limits
        self._waiting: OrderedDict[Connection, None] = OrderedDict()
        self._by_address: dict[str, OrderedDict[Connection, None]] = {}
        self._sessions: set[Connection] = set()
        self._sessions_of: Counter[str] = Counter()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def add(self, connection: Connection) -> None:
        """Let a new connection wait; where too many do, close the oldest one of its address, or of all."""
        of_address = self._by_address.setdefault(connection.address, OrderedDict())
        if len(of_address) >= self._limits.waiting_an_address:
            self._close(next(iter(of_address)))
        elif len(self._waiting) >= self._limits.waiting:
            self._close(next(iter(self._waiting)))
        self._by_address.setdefault(connection.address, OrderedDict())[connection] = None
        self._waiting[connection] = None

    def begin_session(self, connection: Connection) -> bool:
        """Make a waiting connection a session, and return whether there was room for one."""
        address = connection.address
        if len(self._sessions) >= self._limits.sessions:
            return False
        if self._sessions_of[address] >= self._limits.sessions_an_address:
            return False
        self._leave_waiting(connection)
        self._sessions.add(connection)
        self._sessions_of[address] += 1
        return True

    def remove(self, connection: Connection) -> None:
        """Forget a connection that has ended."""
        self._leave_waiting(connection)
        if connection in self._sessions:
            self._sessions.remove(connection)
            self._sessions_of -= Counter([connection.address])

    def _close(self, connection: Connection) -> None:
        self._leave_waiting(connection)
        connection.abort()

    def _leave_waiting(self, connection: Connection) -> None:
        self._waiting.pop(connection, None)
        if of_address := self._by_address.get(connection.address):
            of_address.pop(connection, None)
            if not of_address:
                del self._by_address[connection.address]


class WrongIds:
    """Count the wrong user ids of each address, so that nobody tries ids one after the other.

    A neighbour behind the same address goes on: an id that was right from there, and one that is too long
    to be guessed, are refused only where this id itself was wrong too often.
    """

    def __init__(self, allowed: int) -> None:
        self._allowed = allowed
        self._wrong: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()
        self._right: OrderedDict[tuple[str, str], None] = OrderedDict()

    def add(self, address: str, user_id: str, now: float) -> None:
        """Count a wrong id, by itself and among all of its address."""
        for key in ((address, user_id), (address, ANY)):
            self._wrong.setdefault(key, deque(maxlen=self._allowed)).append(now)
            self._wrong.move_to_end(key)
        _forget_oldest(self._wrong)

    def note_right(self, address: str, user_id: str) -> None:
        self._right[address, user_id] = None
        self._right.move_to_end((address, user_id))
        _forget_oldest(self._right)

    def is_refused(self, address: str, user_id: str, now: float) -> bool:
        """Return whether this id has to wait at this address."""
        if self._is_full((address, user_id), now):
            return True
        if len(user_id) >= UNGUESSABLE_DIGITS or (address, user_id) in self._right:
            return False
        return self._is_full((address, ANY), now)

    def _is_full(self, key: tuple[str, str], now: float) -> bool:
        times = self._wrong.get(key, deque())
        return len(times) == self._allowed and now - times[0] < FAILURE_SECONDS


def _forget_oldest(rows: OrderedDict[tuple[str, str], Any]) -> None:
    while len(rows) > COUNTED:
        rows.popitem(last=False)


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
