"""Time of the service from a late submission to the report: `python -m bench.late FOLDER [--size N]...`.

It starts `moss serve` in a home of its own for each size, and uploads that many random files of FOLDER as a
class; then others, one at a time, each as a late submission. Printed are, for each, the seconds from the
upload to the report, and the processor seconds of all processes of the server, which other work changes less.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
from django.db.models import F

from bench.cohorts import copy_sample, sources
from bench.installation import start_server
from bench.service import SEED, WARM_UP, clean_environment, wait_until_ranked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SIZES, LATE, WORKERS = (100, 500, 1_500), 8, 2


def measure(folder: Path, home: Path, late: int) -> Iterator[tuple[float, float]]:
    """Yield the seconds and the processor seconds of each of the last `late` files, after all others."""
    server = start_server(home, WORKERS)
    try:
        from bench.service_uploads import upload  # noqa: PLC0415 - starts Django, in the home of the server
        from submissions.models import Batch  # noqa: PLC0415

        submissions = sorted(folder.iterdir())
        in_time = len(submissions) - late
        wait_until_ranked(upload("warm up", submissions[:WARM_UP]))
        wait_until_ranked(upload("class", submissions[:in_time]))
        for number in range(in_time, len(submissions)):
            # As if the others had come a minute before: hand-ins within a minute are ranked together.
            Batch.objects.update(since=F("since") - timedelta(minutes=1))
            before, started = _processor_seconds(server.pid), time.monotonic()
            wait_until_ranked(upload("class", submissions[number : number + 1], number))
            yield time.monotonic() - started, _processor_seconds(server.pid) - before
    finally:
        server.terminate()
        server.wait(60)


def _processor_seconds(server: int) -> float:
    """Return what all processes of a server have used; those that ended count for their parents."""
    processes = [psutil.Process(server), *psutil.Process(server).children(recursive=True)]
    return sum(sum(one.cpu_times()) for one in processes if one.is_running())


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path, help="a folder of source files")
    options.add_argument("--size", type=int, action="append", help=f"size of the class; default: {SIZES}")
    options.add_argument("--late", type=int, default=LATE, help=f"late submissions (default: {LATE})")
    options.add_argument("--home", type=Path, help=argparse.SUPPRESS)
    chosen = options.parse_args(arguments)
    if chosen.home:
        for seconds, processor in measure(chosen.folder, chosen.home, chosen.late):
            print(f"  {seconds:.2f} s, {processor:.2f} processor seconds", flush=True)
        return
    with tempfile.TemporaryDirectory(prefix="moss-late-") as scratch:
        for size in chosen.size or SIZES:
            sample = copy_sample(sources(chosen.folder), size + chosen.late, SEED, Path(scratch))
            print(f"late submissions to a class of {size}:", flush=True)
            home = Path(scratch) / f"late-{size}" / "home"
            command = [sys.executable, "-m", "bench.late", str(sample), "--late", str(chosen.late)]
            environment = clean_environment() | {"MOSS_HOME": str(home)}
            subprocess.run([*command, "--home", str(home)], env=environment, check=True)


if __name__ == "__main__":
    main()
