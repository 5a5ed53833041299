"""Time of a small upload beside another instructor's large work: `python -m bench.fairness`.

It starts `moss serve` in a home of its own. One instructor uploads 50 classes, or one class of 1,500 files;
then another one uploads five small files. Printed are the times from an upload to its report.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.installation import start_server

if TYPE_CHECKING:
    from collections.abc import Sequence

    from submissions.models import Batch

# Classes of the first instructor, and the programs of each.
LOADS = {"many": (50, 24), "large": (1, 1_500)}
SMALL = 5
WARM_UP = 6
# The load must have begun to be worked on when the small upload comes.
HEAD_START_SECONDS = 3
LONGEST_SECONDS = 170


def measure(load: str, home: Path) -> None:
    """Upload the load, then the small class, and print how long each took."""
    server = start_server(home)
    try:
        from bench.fairness_uploads import upload  # noqa: PLC0415 - starts Django, in the home of the server

        rng = random.Random(1)
        for _ in range(WARM_UP):  # Every worker process loads its kernels.
            _wait_for(upload(rng, "warm up", SMALL))
        count, programs = LOADS[load]
        started = time.monotonic()
        others = [upload(rng, "first", programs) for _ in range(count)]
        print(f"{load}: {count} x {programs} files uploaded in {time.monotonic() - started:.1f} s")
        time.sleep(HEAD_START_SECONDS)
        _print_time(upload(rng, "second", SMALL), others)
    finally:
        server.terminate()
        server.wait(60)


def _print_time(small: Batch, others: list[Batch]) -> None:
    taken = _wait_for(small)
    for other in others:
        other.refresh_from_db()
    done = sum(not other.is_running for other in others)
    print(
        f"the {SMALL} files of the second instructor: {small.state} after {taken:.1f} s; "
        f"{done} of {len(others)} uploads of the first were done"
    )


def _wait_for(batch: Batch) -> float:
    """Return the seconds until the batch has ended."""
    started = time.monotonic()
    while batch.is_running and time.monotonic() - started < LONGEST_SECONDS:
        time.sleep(0.1)
        batch.refresh_from_db()
    return time.monotonic() - started


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--load", choices=[*LOADS], action="append", help="one of the loads; default: all")
    options.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    chosen = options.parse_args(arguments)
    if chosen.home:
        measure(chosen.load[0], chosen.home)
        return
    for load in chosen.load or LOADS:
        _measure_in_new_home(load)


def _measure_in_new_home(load: str) -> None:
    home = Path(tempfile.mkdtemp(prefix="moss-fairness-")) / "home"
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MOSS_")}
    environment |= {"MOSS_HOME": str(home), "DJANGO_SETTINGS_MODULE": "moss.settings"}
    command = [sys.executable, "-m", "bench.fairness", "--load", load, "--home", str(home)]
    subprocess.run(command, env=environment, check=True)
    shutil.rmtree(home.parent)


if __name__ == "__main__":
    main()
