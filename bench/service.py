"""Time of the service from an upload to its report: `python -m bench.service FOLDER [--workers N]...`.

It starts `moss serve` in a home of its own, and uploads random files of FOLDER, each as the submission of
one student; with `--folders`, each folder of FOLDER. Printed are the seconds of each stage, of ranking the
class again, and of `moss check` on the same files in the same run, without its cache. Every class is
uploaded in a new installation, after a small one that warms it up, for each number of worker processes.
With `--pin` each of these has a core of its own, as if each were on a machine with one core.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from bench.cohorts import copy_sample, sources
from bench.installation import start_server

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from submissions.models import Batch

SIZES, WORKERS = (1_500,), (2,)
WARM_UP = 24
SEED = 1
LONGEST_SECONDS, POLL_SECONDS = 900, 0.05


def measure(folder: Path, home: Path, workers: int, *, pin: bool = False) -> dict[str, float]:
    """Upload what a folder contains to a new installation; return the seconds of each stage, and of all."""
    server = start_server(home, workers)
    try:
        if pin:
            pin_workers(server.pid)
        from bench.service_uploads import rank_again, upload  # noqa: PLC0415 - starts Django, in the home of the server

        submissions = sorted(folder.iterdir())
        wait_until_ranked(upload("warm up", submissions[:WARM_UP]))
        batch = upload("class", submissions)
        return wait_until_ranked(batch) | {"ranking again": rank_again(batch.assignment)}
    finally:
        server.terminate()
        server.wait(60)


def pin_workers(server: int) -> None:
    """Pin each worker process, and the child in which it reads files, to one core."""
    nodes = [child for child in psutil.Process(server).children() if "--hostname=worker@%h" in child.cmdline()]
    processes = [process for node in nodes for process in node.children()]
    cores = sorted(os.sched_getaffinity(0))
    for number, process in enumerate(processes):
        for one in (process, *process.children(recursive=True)):
            one.cpu_affinity([cores[number % len(cores)]])


def wait_until_ranked(batch: Batch) -> dict[str, float]:
    """Return how long a batch was in each of its states, until it is ranked."""
    seconds: dict[str, float] = {}
    started = last = time.monotonic()
    while batch.is_running:
        if time.monotonic() - started > LONGEST_SECONDS:
            raise RuntimeError(f"The class was not ranked in {LONGEST_SECONDS} s.")
        time.sleep(POLL_SECONDS)
        state = batch.state
        batch.refresh_from_db()
        seconds[state] = seconds.get(state, 0.0) + time.monotonic() - last
        last = time.monotonic()
    if batch.state != "done":
        raise RuntimeError(f"The upload ended as {batch.state}: {batch.message}")
    return seconds | {"all": last - started}


def check_seconds(folder: Path, environment: Mapping[str, str]) -> float:
    """Return the seconds of `moss check` on a folder."""
    started = time.monotonic()
    command = [sys.executable, "-m", "moss", "check", str(folder)]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - started


def main(arguments: Sequence[str] | None = None) -> None:
    chosen = _options().parse_args(arguments)
    workers = chosen.workers or WORKERS
    if chosen.home:
        stages = measure(chosen.folder, chosen.home, *workers, pin=chosen.pin)
        print(", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in stages.items()))
        return
    with tempfile.TemporaryDirectory(prefix="moss-service-") as scratch:
        if chosen.folders:
            _compare(chosen.folder, Path(scratch), workers, pin=chosen.pin)
            return
        for size in chosen.size or SIZES:
            sample = copy_sample(sources(chosen.folder), size, SEED, Path(scratch))
            _compare(sample, Path(scratch), workers, pin=chosen.pin)


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path, help="a folder of source files")
    options.add_argument("--size", type=int, action="append", help="number of files; default: 1500")
    options.add_argument("--folders", action="store_true", help="each folder in FOLDER is one submission")
    options.add_argument("--workers", type=int, action="append", help="number of processes; default: 2")
    options.add_argument("--pin", action="store_true", help="each worker process has one core of its own")
    options.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    return options


def clean_environment() -> dict[str, str]:
    """Return the environment without settings of an installation, and without the cache of `moss check`."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MOSS_")}
    return environment | {"DJANGO_SETTINGS_MODULE": "moss.settings", "MOSS_CACHE": "off"}


def _compare(sample: Path, scratch: Path, workers: Sequence[int], *, pin: bool) -> None:
    """Print the seconds of `moss check` and of the service with each number of worker processes."""
    environment = clean_environment()
    checked = min(check_seconds(sample, environment) for _ in range(2))
    print(f"{len(list(sample.iterdir()))} submissions: moss check {checked:.1f} s", flush=True)
    for number in workers:
        home = scratch / f"{sample.name}-{number}" / "home"
        print(f"the service with {number} worker processes:", flush=True)
        command = [sys.executable, "-m", "bench.service", str(sample), "--home", str(home)]
        command += ["--workers", str(number), *(["--pin"] if pin else [])]
        subprocess.run(command, env=environment | {"MOSS_HOME": str(home)}, check=True)


if __name__ == "__main__":
    main()
