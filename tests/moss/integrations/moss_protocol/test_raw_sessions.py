"""Sessions on raw sockets: names and lines of the protocol, refusals, misuse, and too many connections."""

import resource
import socket
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.storage import default_storage

from fingerprint.engine import choices
from moss.integrations.moss_protocol.models import ClientResult, MossUserId, account_of, renew_user_id
from moss.integrations.moss_protocol.protocol import (
    LANGUAGES,
    Options,
    ProtocolError,
    SentNames,
    file_line,
    relative_path,
    shown_name,
    split,
)
from moss.integrations.moss_protocol.server import (
    COUNTED,
    FAILURE_SECONDS,
    Connections,
    ListeningLimits,
    WrongIds,
)
from submissions.models import Assignment, Batch, Boilerplate, Course, Submission, Upload
from submissions.uploads.files import UPLOADS_FOLDER
from tests.conftest import wait_until
from tests.support.moss_clients import Listening, RawClient, listening
from tests.support.sample_class import COPIED, RENAMED

NO_FILES = "Error: No files uploaded to compare."


IDLE = 2_000


@pytest.fixture
def server(listening_server: Listening) -> Listening:
    """Return a server whose uploads no worker reads."""
    return listening_server


@pytest.fixture
def working(celery_worker_process: Path, listening_server: Listening) -> Listening:
    return listening_server


@pytest.fixture
def number(alice: User) -> str:
    return renew_user_id(alice)


def stored_files() -> list[str]:
    return default_storage.listdir(UPLOADS_FOLDER)[1] if default_storage.exists(UPLOADS_FOLDER) else []


def assert_nothing_is_left(server: Listening) -> None:
    """Fail where a session left a file, open or not, or an empty assignment."""
    wait_until(lambda: not server.open_files(), what="the files to be closed")
    assert list(server.temporary.iterdir()) == []
    assert not Assignment.objects.exists()
    assert not Course.objects.exists()
    assert not Upload.objects.exists()
    assert stored_files() == []


@pytest.mark.slow
def test_a_file_that_is_too_large_is_left_out_and_named_and_the_others_are_compared(
    working: Listening, number: str
) -> None:
    with RawClient(working.port) as client:
        client.begin(number)
        client.file(1, b"mallory.py", b"x = 1\n" * 840_000)
        client.file(2, b"a.py", COPIED.encode())
        client.file(3, b"b.py", RENAMED.encode())
        assert client.query().startswith(f"{working.results_at}/results/")
    batch = Batch.objects.get()
    assert sorted(batch.submissions.values_list("name", flat=True)) == ["a.py", "b.py"]
    refused = batch.entries.get(accepted=False)
    assert (refused.name, refused.reason) == ("mallory.py", "has more than 5 MB, the limit for one file")


@pytest.mark.long
@pytest.mark.slow
def test_a_session_without_some_options_and_with_odd_names_is_compared(working: Listening, number: str) -> None:
    with RawClient(working.port) as client:
        assert client.begin(number, b"maxmatches 10", b"show 250\r", language=b"python\r") == b"yes\n"
        client.file(1, "../größe & <b>'x'.py".encode(), COPIED.encode())
        client.file(2, "größe.py".encode("latin-1"), RENAMED.encode().replace(b"\n", b"\r\n"))
        client.file(3, b"/home/me/HASH/allcode", COPIED.encode())
        client.file(4, b"empty.py", b"")
        url = client.query("Übung 1".encode("latin-1"))
    assert url.startswith(f"{working.results_at}/results/")
    assert len(url) + 1 < 1024
    assert Assignment.objects.get().name == "Übung 1"
    names = sorted(Submission.objects.values_list("name", flat=True))
    assert names == ["größe.py", "größe_&_<b>'x'.py", "home-me-HASH-allcode"]
    assert ClientResult.objects.get().names == {
        "größe_&_<b>'x'.py": "../größe_&_<b>'x'.py",
        "home/me/HASH/allcode": "/home/me/HASH/allcode",
    }
    with RawClient(working.port) as client:
        client.begin(number)
        client.file(1, b"a.py", b"\x89PNG\r\n\x1a\n\0\0")
        assert client.query(b"pictures").startswith("Error: No entry of this upload could be used")
    assert [row.name for row in Assignment.objects.all()] == ["Übung 1"]


def test_a_disabled_account_and_an_old_user_id_are_unknown(alice: User, number: str) -> None:
    assert account_of(number) == alice
    assert renew_user_id(alice) != number
    assert account_of(number) is None
    alice.is_active = False
    alice.save()
    assert account_of(MossUserId.objects.get().number) is None


@pytest.mark.parametrize(
    "line",
    [b"file 1 python -5 a.py", b"file 1 python 1x a.py", b"file 1 python " + b"9" * 30 + b" a.py",
     b"file 1 python 900000000000 a.py", b"file 1 python 5", b"GET / HTTP/1.1", b"x" * 10_000, b"x" * 200_000,
     b"\xff\xfe\x00", b"maxmatches -1"],
    ids=lambda line: line[:24].decode("ascii", "replace"),
)  # fmt: skip
def test_a_broken_line_ends_the_session_with_an_error(server: Listening, number: str, line: bytes) -> None:
    with RawClient(server.port) as client:
        client.begin(number)
        client.file(1, b"a.py", COPIED.encode())
        client.send(line)
        answer = client.answer()
        assert answer.startswith(b"Error: ")
        assert len(answer) < 1024
        client.send(b"end")
        assert client.answer() == b""
    assert_nothing_is_left(server)


def test_another_protocol_is_told_what_this_port_is(server: Listening) -> None:
    with RawClient(server.port) as client:
        client.send(b"GET / HTTP/1.1\r", b"Host: localhost\r", b"\r")
        assert b"MOSS clients" in client.answer()


@pytest.mark.parametrize("sent", [0, 1, 70_000])
def test_a_client_that_goes_away_leaves_nothing(server: Listening, number: str, sent: int) -> None:
    for how in ("close", "reset"):
        client = RawClient(server.port)
        client.begin(number)
        client.file(1, b"a.py", COPIED.encode())
        client.send_raw(b"file 2 python 100000 b.py\n" + b"x" * sent)
        wait_until(lambda: bool(server.open_files()), what="the file to arrive")
        if how == "reset":
            client._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        client.close()
        assert_nothing_is_left(server)


def test_an_end_before_the_query_leaves_nothing(server: Listening, number: str) -> None:
    with RawClient(server.port) as client:
        client.begin(number)
        client.file(1, b"a.py", COPIED.encode())
        client.send(b"end")
        assert client.answer() == b""
    assert_nothing_is_left(server)


@pytest.mark.slow
def test_a_gigabyte_of_files_is_read_without_keeping_it(server: Listening, number: str) -> None:
    content = b"x" * 4_000_000
    with RawClient(server.port) as client:
        client.begin(number)
        for at in range(1, 251):
            client.file(at, b"%d.py" % at, content)
        assert client.query() == "Error: The files have more than 8 MB. Send fewer at a time."
    assert peak_megabytes(server.pid) < 250
    assert_nothing_is_left(server)


def peak_megabytes(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


@pytest.mark.long
def test_an_upload_over_the_quota_is_told_and_leaves_nothing(
    transactional_db: None, tmp_path: Path, number: str
) -> None:
    with listening(tmp_path, MOSS_UPLOADS_AN_HOUR="1") as server:
        with RawClient(server.port) as client:
            client.begin(number)
            client.file(1, b"a.py", COPIED.encode())
            client.send(b"query 0 first")
            wait_until(Assignment.objects.exists, what="the assignment")
        with RawClient(server.port) as client:
            client.begin(number)
            client.file(0, b"base.py", COPIED.encode())
            client.file(1, b"a.py", COPIED.encode())
            assert client.query(b"second").startswith("Error: You made 1 uploads in the last hour; 1 are allowed.")
    assert Assignment.objects.get().name == "first"
    assert not Upload.objects.filter(batch=None).exists()
    # A worker of another test may read the first upload.
    wait_until(lambda: len(stored_files()) == Upload.objects.count(), what="the files of the uploads")
    assert not Boilerplate.objects.exists()


def test_two_uploads_with_one_comment_are_two_assignments(server: Listening, number: str) -> None:
    for _ in range(2):
        with RawClient(server.port) as client:
            client.begin(number)
            client.file(1, b"a.py", COPIED.encode())
            before = Assignment.objects.count()
            client.send(b"query 0 week 1")
            wait_until(lambda before=before: Assignment.objects.count() > before, what="the assignment")  # type: ignore[misc]
    assert sorted(row.name for row in Assignment.objects.all()) == ["week 1", "week 1 (2)"]
    assert Course.objects.count() == 1


def test_after_some_wrong_user_ids_a_short_right_one_of_that_address_waits_and_a_long_one_does_not(
    server: Listening, number: str
) -> None:
    short = MossUserId.objects.create(user=User.objects.create_user("short"), number="4321")
    for wrong in range(settings.SIGN_IN_FAILURES):
        with RawClient(server.port, "127.0.0.2") as client:
            assert client.begin(f"1234{wrong}") == b"no\n"
    for address, known, answer in (
        ("127.0.0.2", short.number, b"no\n"),
        ("127.0.0.2", number, b"yes\n"),
        ("127.0.0.1", short.number, b"yes\n"),
    ):
        with RawClient(server.port, address) as client:
            assert client.begin(known) == answer


@pytest.mark.long
@pytest.mark.slow
def test_thousands_of_idle_connections_do_not_stop_a_client(server: Listening, number: str) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, IDLE + 1_000), hard))
    idle = [socket.create_connection(("127.0.0.1", server.port), 60) for _ in range(IDLE)]
    try:
        started = time.monotonic()
        with RawClient(server.port) as client:
            assert client.begin(number) == b"yes\n"
            client.file(1, b"a.py", COPIED.encode())
            client.send(b"query 0 found")
            wait_until(Assignment.objects.exists, what="the assignment")
        assert time.monotonic() - started < 60
    finally:
        for connection in idle:
            connection.close()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    wait_until(lambda: len([*Path(f"/proc/{server.pid}/fd").iterdir()]) < 60, what="the connections to be closed")


def test_the_options_are_shown_as_on_a_command_line() -> None:
    assert str(Options(language="java", experimental=True)) == "-l java -x -m 10 -n 250"


STATED = (
    "c cc java ml pascal ada lisp scheme haskell fortran ascii vhdl perl matlab python mips prolog "
    "spice vb csharp modula2 a8086 javascript plsql verilog"
)


def test_every_language_of_the_clients_has_a_tuned_front_end() -> None:
    assert set(LANGUAGES) == set(STATED.split())
    assert set(LANGUAGES.values()) <= {name for name, _ in choices()}


def test_a_file_line_is_number_language_size_and_a_name_that_may_have_blanks() -> None:
    assert file_line(b"3 c 120 my file.c") == (3, 120, b"my file.c")
    assert file_line(b"0 c 120 base.c").is_base
    assert split(b"file 1 c 2 a.c\r\n") == ("file", b"1 c 2 a.c")


@pytest.mark.parametrize(
    "rest", [b"", b"1", b"1 c", b"1 c 10", b"1 c 10 ", b"x c 10 a", b"1 c -1 a", b"1 c 1e3 a", b"-1 c 10 a",
             b"1 c " + b"9" * 19 + b" a", "1 c \u0661 a".encode()]
)  # fmt: skip
def test_a_file_line_with_a_broken_number_is_refused(rest: bytes) -> None:
    with pytest.raises(ProtocolError):
        file_line(rest)


def test_limits_beyond_what_can_be_stored_count_as_the_largest() -> None:
    options = Options(language="c")
    options.set("maxmatches", "99999999999")
    options.set("show", "0")
    options.set("directory", "1")
    assert str(options) == "-l c -d -m 1000000 -n 1"
    options.set("maxmatches", "1")
    assert options.common_limit == 2
    with pytest.raises(ProtocolError, match="-5"):
        options.set("maxmatches", "-5")
    with pytest.raises(ProtocolError, match="GET"):
        options.set("GET", "/ HTTP/1.1")


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        (b"a b\tc.c", "a_b_c.c"),
        ("größe.c".encode(), "größe.c"),
        ("größe.c".encode("latin-1"), "größe.c"),
        (b"a\\b.c", "a/b.c"),
        (b"a\x00b\x1b.c", "a\ufffdb\ufffd.c"),
    ],
)
def test_names_are_text_without_blanks_and_control_characters(raw: bytes, name: str) -> None:
    assert shown_name(raw) == name


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("../hw1/a.c", "hw1/a.c"),
        ("/etc/passwd", "etc/passwd"),
        ("./a/../../b.c", "a/b.c"),
        ("..", "file"),
        ("", "file"),
        ("x" * 500, "x" * 400),
    ],
)
def test_paths_stay_inside_the_upload(name: str, path: str) -> None:
    assert relative_path(name) == path


def test_the_clients_names_are_kept_where_the_archive_has_others() -> None:
    names = SentNames(directory=False)
    assert [names.path(raw) for raw in (b"a.c", b"../a.c", b"b/a.c")] == ["a.c", "a (2).c", "b/a.c"]
    assert names.sent == {"a (2).c": "../a.c"}


def test_in_directory_mode_each_directory_is_one_folder() -> None:
    names = SentNames(directory=True)
    paths = [names.path(raw) for raw in (b"hw/ada/a.c", b"hw-ada/a.c", b"hw/ada/b.c", b"a.c")]
    assert paths == ["hw-ada/a.c", "hw-ada (2)/a.c", "hw-ada/b.c", "file/a.c"]
    assert names.sent == {"hw-ada": "hw/ada/", "hw-ada (2)": "hw-ada/", "file": "./"}


LIMITS = ListeningLimits(total_bytes=1_000, sessions=3, sessions_an_account=2, waiting=4, waiting_an_address=3)


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


def test_sessions_are_limited_by_account_and_never_closed_for_others() -> None:
    connections = Connections(LIMITS)
    rows = callers(connections, "a", "a", "b")
    assert [connections.begin_session(row, 1) for row in rows] == [True, True, False]
    others = callers(connections, "a", "c")
    assert [connections.begin_session(row, 2) for row in others] == [True, False]
    callers(connections, *"aaaaaaaa")
    assert [row.closed for row in (*rows[:2], others[0])] == [[], [], []]
    connections.remove(rows[0])
    later = callers(connections, "a")[0]
    assert connections.begin_session(later, 1)


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


SOURCE = (b"a.py", COPIED.encode())


@pytest.mark.parametrize(
    ("user_id", "language", "files", "answer"),
    [
        ("987654321", b"python", {1: SOURCE, 0: SOURCE}, "The user id is not known."),
        ("", b"cobol", {1: SOURCE}, "The language is not known. Choose one of: c cc java ml"),
        ("", b"python", {0: SOURCE}, "No files uploaded to compare."),
    ],
    ids=["an unknown user id", "an unknown language", "no files"],
)  # fmt: skip
def test_what_cannot_be_compared_is_told_at_the_query_and_leaves_nothing(  # noqa: PLR0917 - rows
    server: Listening,
    number: str,
    user_id: str,
    language: bytes,
    files: dict[int, tuple[bytes, bytes]],
    answer: str,
) -> None:
    with RawClient(server.port) as client:
        begun = client.begin(user_id or number, language=language)
        assert begun == (b"no\n" if user_id or language != b"python" else b"yes\n")
        for place, file in files.items():
            client.file(place, *file)
        assert client.query().startswith(f"Error: {answer}")
    assert_nothing_is_left(server)
