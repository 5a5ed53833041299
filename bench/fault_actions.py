"""The processes of a running `moss serve`, and the faults that `bench.faults` does to them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

    Fault = Callable[["Installation", random.Random], str]

START_SECONDS = 240


def start_server(home: Path) -> subprocess.Popen[bytes]:
    """Start `moss serve` on a free port, and return it when it serves."""
    home.mkdir(parents=True, exist_ok=True)
    log = home.parent / "serve.log"
    command = [sys.executable, "-m", "moss", "serve", "--workers", "2"]
    with log.open("wb") as file:
        server = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
    deadline = time.monotonic() + START_SECONDS
    while "serves at" not in log.read_text(errors="replace"):
        if server.poll() is not None or time.monotonic() > deadline:
            server.terminate()
            server.wait(60)
            raise RuntimeError(f"the server did not start; see {log}")
        time.sleep(0.2)
    return server


class Installation:
    """The processes of one home, found by its path in their environment or command line."""

    def __init__(self, home: Path) -> None:
        self.home = str(home)

    def processes(self, *words: str) -> list[psutil.Process]:
        """Return the processes, other than this one, whose command line contains every one of the words."""
        return [
            process
            for process in psutil.process_iter()
            if process.pid != os.getpid() and self._belongs(process) and self._matches(process, words)
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


def kill_web(installation: Installation, _rng: random.Random) -> str:
    return _kill(installation.processes("gunicorn"))


def kill_maintenance(installation: Installation, _rng: random.Random) -> str:
    return _kill(installation.processes("moss", "maintain"))


def kill_postgres_backend(installation: Installation, rng: random.Random) -> str:
    """Kill one process of Postgres, which makes all its sessions end and the database recover."""
    processes = [process for process in installation.processes() if "postgres" in process.name()]
    return _kill([rng.choice(processes)] if processes else [])


def kill_broker(installation: Installation, _rng: random.Random) -> str:
    return _kill([process for process in installation.processes() if "valkey" in process.name()])


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
    processes = installation.processes("celery", "worker")
    if not processes:
        return "no process"
    process, seconds = rng.choice(processes), rng.uniform(1, 8)
    os.kill(process.pid, signal.SIGSTOP)
    threading.Timer(seconds, _go_on, [process]).start()
    return f"{seconds:.1f} s"


def _go_on(process: psutil.Process) -> None:
    if process.is_running():
        process.resume()


FAULTS: dict[str, Fault] = {
    fault.__name__: fault
    for fault in (
        kill_worker,
        kill_one_worker_process,
        kill_web,
        kill_maintenance,
        kill_postgres_backend,
        kill_broker,
        empty_broker,
        stop_worker_for_a_while,
    )
}
