"""The processes of a running `moss serve`, and the faults that `bench.faults` does to them."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Fault = Callable[["Installation", random.Random], str]

START_SECONDS = 240
END_SECONDS = 60
DISK_BYTES = 600_000_000
# A process of a killed supervisor ends within this time.
ORPHAN_SECONDS = 20


@contextmanager
def small_disk(home: Path) -> Iterator[None]:
    """Make `home` a disk of its own with little room, where that is permitted."""
    home.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", f"size={DISK_BYTES},mode=755", "tmpfs", str(home)]
    mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    try:
        yield
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(home)], check=True)


def free_port() -> int:
    """Return a port of this machine that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start_server(home: Path, workers: int = 2) -> subprocess.Popen[bytes]:
    """Start `moss serve` on a free port, and return it when it serves."""
    home.mkdir(parents=True, exist_ok=True)
    installation = Installation(home, workers)
    installation.start()
    return installation.server


class Installation:
    """A running `moss serve`, and the processes of its home, found by its path in their environment."""

    def __init__(self, home: Path, workers: int = 2) -> None:
        self.home, self.workers = str(home), workers
        self.log = home.parent / "serve.log"
        self.fill = home / "fill"
        self.port = free_port()
        self.violated: list[str] = []

    def start(self) -> None:
        """Start the server and return when it serves."""
        command = [sys.executable, "-m", "moss", "serve", "--port", str(self.port)]
        command += ["--workers", str(self.workers)]
        with self.log.open("ab") as file:
            started = file.tell()
            self.server = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + START_SECONDS
        while b"serves at" not in self.log.read_bytes()[started:]:
            if self.server.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the server did not start; see {self.log}")
            time.sleep(0.2)

    def stop(self) -> list[str]:
        """Stop the server; return what is wrong: processes that remain, besides the earlier violations."""
        from moss.embedded.client import release_services  # noqa: PLC0415 - this process uses them too

        self.recover()
        release_services()
        self.server.terminate()
        self.server.wait(END_SECONDS)
        if left := self._left_after(END_SECONDS):
            self.violated.append(f"processes are left after the end: {left}")
            _kill(self.processes())
        return self.violated

    def recover(self) -> None:
        """Make room again, and let stopped processes go on."""
        self.fill.unlink(missing_ok=True)

    def _left_after(self, seconds: float, *words: str) -> list[str]:
        deadline = time.monotonic() + seconds
        while (left := self.processes(*words)) and time.monotonic() < deadline:
            time.sleep(0.2)
        return [str(process) for process in left]

    def kill_supervisor(self) -> str:
        """Kill `moss serve`, wait until its children have ended, and start it again."""
        self.server.kill()
        self.server.wait()
        for words in (("celery",), ("gunicorn",), ("moss", "maintain")):
            if left := self._left_after(ORPHAN_SECONDS, *words):
                self.violated.append(f"the killed supervisor left {left}")
        self.start()
        return "its children ended; started again"

    def processes(self, *words: str) -> list[psutil.Process]:
        """Return the processes, other than this one, whose command line contains every one of the words."""
        return [
            process
            for process in psutil.process_iter()
            if process.pid != os.getpid() and self._belongs(process) and self._matches(process, words)
        ]

    def readers(self) -> list[psutil.Process]:
        """Return the children of the workers that read and unpack files."""
        readers: dict[int, psutil.Process] = {}
        for worker in self.processes("celery", "worker"):
            with contextlib.suppress(psutil.Error):  # it has ended
                readers |= {child.pid: child for child in worker.children()}
        return [
            child for child in readers.values() if self._matches(child, ("submissions.intake.sandbox.child",))
        ]

    def _belongs(self, process: psutil.Process) -> bool:
        try:
            return process.environ().get("MOSS_HOME") == self.home or self.home in " ".join(process.cmdline())
        except psutil.Error:  # it has ended, or belongs to another user
            return False

    @staticmethod
    def _matches(process: psutil.Process, words: tuple[str, ...]) -> bool:
        try:
            line = " ".join(process.cmdline())
        except psutil.Error:
            return False
        return all(word in line for word in words)


def _kill(processes: list[psutil.Process]) -> str:
    for process in processes:
        try:
            process.kill()
        except psutil.NoSuchProcess:
            continue
    return f"{len(processes)} processes"


def kill_worker(installation: Installation, _rng: random.Random) -> str:
    """Kill the worker with all its children."""
    return _kill(installation.processes("celery", "worker"))


def kill_one_worker_process(installation: Installation, rng: random.Random) -> str:
    processes = installation.processes("celery", "worker")
    return _kill([rng.choice(processes)] if processes else [])


def kill_readers(installation: Installation, _rng: random.Random) -> str:
    """Kill the children that read and unpack what students sent; their environment names no home."""
    return _kill(installation.readers())


def kill_web(installation: Installation, _rng: random.Random) -> str:
    return _kill(installation.processes("gunicorn"))


def kill_maintenance(installation: Installation, _rng: random.Random) -> str:
    return _kill(installation.processes("moss", "maintain"))


def kill_postgres_backend(installation: Installation, rng: random.Random) -> str:
    """Kill one process of Postgres, which makes all its sessions end and the database recover."""
    processes = [process for process in installation.processes() if "postgres" in process.name()]
    return _kill([rng.choice(processes)] if processes else [])


def kill_broker(installation: Installation, _rng: random.Random) -> str:
    return _kill(installation.processes("valkey"))


def empty_broker(installation: Installation, _rng: random.Random) -> str:
    """Delete everything that the broker holds: the queue, and what workers have not finished."""
    import redis  # noqa: PLC0415 - with the other imports that only some faults need
    from django.conf import settings  # noqa: PLC0415

    try:
        with redis.Redis.from_url(settings.REDIS_URL) as client:
            client.flushall()
    except redis.RedisError as error:
        return f"the broker does not answer ({type(error).__name__}) in {installation.home}"
    return "emptied"


def stop_worker_for_a_while(installation: Installation, rng: random.Random) -> str:
    """Stop one worker process with SIGSTOP; let it go on some seconds later."""
    return _stop_one(installation.processes("celery", "worker"), rng)


def stop_broker_for_a_while(installation: Installation, rng: random.Random) -> str:
    """Stop Valkey with SIGSTOP, so that it accepts connections without an answer; let it go on later."""
    return _stop_one(installation.processes("valkey"), rng)


def _stop_one(processes: list[psutil.Process], rng: random.Random) -> str:
    if not processes:
        return "no process"
    process, seconds = rng.choice(processes), rng.uniform(1, 8)
    with contextlib.suppress(psutil.NoSuchProcess):  # it has ended since it was listed
        process.suspend()
    threading.Timer(seconds, _go_on, [process]).start()
    return f"{seconds:.1f} s"


def _go_on(process: psutil.Process) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        process.resume()


def kill_supervisor(installation: Installation, _rng: random.Random) -> str:
    """Kill `moss serve` itself."""
    return installation.kill_supervisor()


def cut_database_sessions(_installation: Installation, rng: random.Random) -> str:
    """End some of the database's sessions, as a broken network does."""
    import psycopg  # noqa: PLC0415
    from django.conf import settings  # noqa: PLC0415

    others = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    try:
        with psycopg.connect(
            settings.DATABASE_OWNER_URL or settings.DATABASE_URL, autocommit=True
        ) as session:
            pids = sorted(row[0] for row in session.execute(others))
            chosen = rng.sample(pids, rng.randint(0, len(pids)))
            session.execute("SELECT pg_terminate_backend(pid) FROM unnest(%s::int[]) pid", [chosen])
    except psycopg.OperationalError as error:
        return f"the database does not answer ({type(error).__name__})"
    return f"{len(chosen)} of {len(pids)} sessions"


def cut_broker_connections(_installation: Installation, _rng: random.Random) -> str:
    """End every connection to the broker."""
    import redis  # noqa: PLC0415
    from django.conf import settings  # noqa: PLC0415

    try:
        with redis.Redis.from_url(settings.REDIS_URL) as client:
            return f"{client.client_kill_filter(_type='normal', skipme=True)} connections"
    except redis.RedisError as error:
        return f"the broker does not answer ({type(error).__name__})"


def fill_disk(installation: Installation, rng: random.Random) -> str:
    """Leave no room on the disk of the home for some seconds, where it is a disk of its own."""
    if not os.path.ismount(installation.home):
        return "not permitted: the home is no disk of its own"
    with contextlib.suppress(OSError), installation.fill.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(1_000_000))
    time.sleep(seconds := rng.uniform(1, 5))
    installation.fill.unlink(missing_ok=True)
    return f"{seconds:.1f} s"


FAULTS: dict[str, Fault] = {
    fault.__name__: fault
    for fault in (
        kill_worker,
        kill_one_worker_process,
        kill_readers,
        kill_web,
        kill_maintenance,
        kill_postgres_backend,
        kill_broker,
        empty_broker,
        stop_worker_for_a_while,
        stop_broker_for_a_while,
        kill_supervisor,
        cut_database_sessions,
        cut_broker_connections,
        fill_disk,
    )
}
