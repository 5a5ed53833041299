"""Time of the service from an upload to its report: `python -m bench.service FOLDER`.

It starts `moss serve` in a home of its own, and uploads the first files of FOLDER, each as the submission of
one student. Printed are the seconds of each stage, and those of `moss check` on the same files in the same
run, without its cache. Every class is uploaded in a new installation, after a small one that warms it up.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.fault_actions import start_server
from bench.speed import copy_sample, sources

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from submissions.models import Batch

SIZES = (1_500,)
WARM_UP = 24
SEED = 1
LONGEST_SECONDS, POLL_SECONDS = 900, 0.05


def measure(folder: Path, home: Path) -> dict[str, float]:
    """Upload the files of a folder to a new installation; return the seconds of each stage, and of all."""
    server = start_server(home)
    try:
        from bench.service_uploads import upload  # noqa: PLC0415 - starts Django, in the home of the server

        files = sorted(folder.iterdir())
        _stages(upload("warm up", files[:WARM_UP]))
        return _stages(upload("class", files))
    finally:
        server.terminate()
        server.wait(60)


def _stages(batch: Batch) -> dict[str, float]:
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
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path, help="a folder of source files")
    options.add_argument("--size", type=int, action="append", help="number of files; default: 1500")
    options.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    chosen = options.parse_args(arguments)
    if chosen.home:
        stages = measure(chosen.folder, chosen.home)
        print(", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in stages.items()))
        return
    for size in chosen.size or SIZES:
        _measure_in_new_home(chosen.folder, size)


def _measure_in_new_home(folder: Path, size: int) -> None:
    parent = Path(tempfile.mkdtemp(prefix="moss-service-"))
    sample, home = copy_sample(sources(folder), size, SEED, parent), parent / "home"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MOSS_")}
    environment |= {"MOSS_HOME": str(home), "DJANGO_SETTINGS_MODULE": "moss.settings", "MOSS_CACHE": "off"}
    checked = min(check_seconds(sample, environment) for _ in range(2))
    print(f"{size} files: moss check {checked:.1f} s; the service:", flush=True)
    command = [sys.executable, "-m", "bench.service", str(sample), "--home", str(home)]
    subprocess.run(command, env=environment, check=True)
    shutil.rmtree(parent)


if __name__ == "__main__":
    main()
