"""The faults that `tests.faults` does to the processes of a running `moss serve`."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from bench.installation import Installation, kill_all

Fault = Callable[[Installation, random.Random], str]

DISK_BYTES = 600_000_000


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


def kill_worker(installation: Installation, _rng: random.Random) -> str:
    """Kill the worker with all its children."""
    return kill_all(installation.processes("celery", "worker"))


def kill_one_worker_process(installation: Installation, rng: random.Random) -> str:
    processes = installation.processes("celery", "worker")
    return kill_all([rng.choice(processes)] if processes else [])


def kill_readers(installation: Installation, _rng: random.Random) -> str:
    """Kill the children that read and unpack what students sent; their environment names no home."""
    return kill_all(installation.readers())


def kill_web(installation: Installation, _rng: random.Random) -> str:
    return kill_all(installation.processes("gunicorn"))


def kill_maintenance(installation: Installation, _rng: random.Random) -> str:
    return kill_all(installation.processes("moss", "maintain"))


def kill_postgres_backend(installation: Installation, rng: random.Random) -> str:
    """Kill one process of Postgres, which makes all its sessions end and the database recover."""
    processes = [process for process in installation.processes() if "postgres" in process.name()]
    return kill_all([rng.choice(processes)] if processes else [])


def kill_broker(installation: Installation, _rng: random.Random) -> str:
    return kill_all(installation.processes("valkey"))


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
        with psycopg.connect(settings.DATABASE_OWNER_URL or settings.DATABASE_URL, autocommit=True) as session:
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
        kill_worker, kill_one_worker_process, kill_readers, kill_web, kill_maintenance,
        kill_postgres_backend, kill_broker, empty_broker, stop_worker_for_a_while, stop_broker_for_a_while,
        kill_supervisor, cut_database_sessions, cut_broker_connections, fill_disk,
    )
}  # fmt: skip
