"""Seconds of `moss corpus add` and `cluster`, in one process and on workers: `python -m bench.corpus`.

It writes documents of 5 kB of synthetic prose to a folder, starts `moss serve` in a home of its own for each
number of worker processes, and adds and clusters them there: first `--here`, then `--workers`. The clusters
are compared. With `--pin` each worker process has a core of its own; the command itself, which reads the
folder and merges, and Postgres run beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench.clustering import prose
from bench.installation import start_server
from bench.service import pin_workers
from bench.tables import markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLDERS_OF = 1_000  # documents


def write_documents(folder: Path, count: int) -> None:
    for number, text in enumerate(prose(count, np.random.default_rng(1997))):
        path = folder / str(number // FOLDERS_OF) / f"{number}.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def run(*arguments: str) -> tuple[float, Any]:
    """Return the seconds of a command of `moss corpus`, and its result."""
    command = [sys.executable, "-m", "moss", "corpus", *arguments, "--json"]
    started = time.monotonic()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return time.monotonic() - started, json.loads(done.stdout)


def measure(folder: Path, home: Path, workers: int, *, pin: bool) -> list[list[str]]:
    """Return a row of seconds for one process, and one for `workers` worker processes.

    Raises
    ------
    ValueError
        When the clusters differ.
    """
    os.environ["MOSS_HOME"] = str(home)
    server = start_server(home, workers)
    try:
        if pin:
            pin_workers(server.pid)
        rows, clusters = [], []
        for name, how in (("one process", "--here"), (f"{workers} workers", "--workers")):
            added, _ = run("add", str(folder), "--name", how[2:], how)
            clustered, result = run("cluster", "--name", how[2:], how)
            clusters.append(result["clusters"])
            rows.append([name, f"{added:.1f}", f"{clustered:.1f}"])
    finally:
        server.terminate()
        server.wait(60)
    if clusters[0] != clusters[1]:
        raise ValueError(f"{workers} workers give other clusters than one process")
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--workers", type=int, action="append", help="number of processes; default: 1 and 2")
    parser.add_argument("--pin", action="store_true", help="each worker process has one core of its own")
    chosen = parser.parse_args(arguments)
    rows = []
    with tempfile.TemporaryDirectory(prefix="moss-corpus-") as scratch:
        folder = Path(scratch) / "documents"
        folder.mkdir()
        write_documents(folder, chosen.documents)
        for workers in chosen.workers or (1, 2):
            rows += measure(folder, Path(scratch) / f"home{workers}", workers, pin=chosen.pin)
    print(markdown(["", "adding (s)", "clustering (s)"], rows))


if __name__ == "__main__":
    main()
