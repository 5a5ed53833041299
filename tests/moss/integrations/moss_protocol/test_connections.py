"""The connections that stay open when there are too many, and the count of wrong user ids."""

from dataclasses import dataclass, field

from moss.integrations.moss_protocol.server import (
    COUNTED,
    FAILURE_SECONDS,
    Connections,
    ListeningLimits,
    WrongIds,
)

LIMITS = ListeningLimits(
    total_bytes=1_000, sessions=3, sessions_an_address=2, waiting=4, waiting_an_address=3
)


@dataclass(eq=False)
class Caller:
    address: str = "a"
    closed: list[bool] = field(default_factory=list)

    def abort(self) -> None:
        self.closed.append(True)


def callers(connections: Connections, *addresses: str) -> list[Caller]:
    rows = [Caller(address) for address in addresses]
    for row in rows:
        connections.add(row)
    return rows


def test_of_too_many_connections_of_an_address_the_oldest_is_closed() -> None:
    rows = callers(Connections(LIMITS), "a", "a", "b", "a", "a")
    assert [len(row.closed) for row in rows] == [1, 0, 0, 0, 0]


def test_of_too_many_connections_in_all_the_oldest_is_closed() -> None:
    connections = Connections(LIMITS)
    rows = callers(connections, "a", "b", "c", "d", "e")
    assert [len(row.closed) for row in rows] == [1, 0, 0, 0, 0]
    assert connections.waiting == 4


def test_sessions_are_limited_and_never_closed_for_others() -> None:
    connections = Connections(LIMITS)
    rows = callers(connections, "a", "a", "a")
    assert [connections.begin_session(row) for row in rows] == [True, True, False]
    others = callers(connections, "b", "c")
    assert [connections.begin_session(row) for row in others] == [True, False]
    callers(connections, *"aaaaaaaa")
    assert [row.closed for row in (*rows[:2], others[0])] == [[], [], []]
    connections.remove(rows[0])
    later = callers(connections, "a")[0]
    assert connections.begin_session(later)


def test_who_tries_short_ids_waits_for_some_minutes() -> None:
    wrong = WrongIds(allowed=2)
    wrong.add("a", "1001", 0)
    assert not wrong.is_refused("a", "1002", 1)
    wrong.add("a", "1002", 1)
    assert wrong.is_refused("a", "1003", 2)
    assert not wrong.is_refused("b", "1003", 2)
    assert not wrong.is_refused("a", "1003", FAILURE_SECONDS + 1)


def test_a_neighbour_behind_an_address_with_wrong_ids_goes_on() -> None:
    wrong = WrongIds(allowed=2)
    wrong.note_right("a", "4321")
    for number in range(1000, 1010):
        wrong.add("a", str(number), 0)
    assert not wrong.is_refused("a", "4321", 1)
    assert not wrong.is_refused("a", "123456789012345", 1)
    assert wrong.is_refused("a", "4322", 1)


def test_one_wrong_id_sent_again_and_again_is_no_longer_looked_up() -> None:
    wrong = WrongIds(allowed=2)
    for _ in range(2):
        wrong.add("a", "123456789012345", 0)
    assert wrong.is_refused("a", "123456789012345", 1)
    assert not wrong.is_refused("a", "123456789012346", 1)


def test_what_is_counted_of_many_addresses_is_bounded() -> None:
    wrong = WrongIds(allowed=2)
    for number in range(2 * COUNTED):
        wrong.add("a", str(number), 0)
        wrong.note_right(str(number), "1001")
    assert len(wrong._wrong) == len(wrong._right) == COUNTED
    assert wrong.is_refused("a", "1003", 1)
