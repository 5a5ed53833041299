"""Cost of reading in a child process: `python -m bench.sandbox [FOLDER] [--files 500] [--repeat 3]`.

The files (those of the sample class, if no folder is named, repeated) are identified and read as in a worker:
once in this process and once through its child. The table shows processor time, that of the child included,
and time on the clock for each file, and what the start of a child takes.
"""

from __future__ import annotations

import argparse
import resource
import time
from itertools import cycle, islice
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from bench.tables import markdown
from fingerprint import engine
from submissions.intake.packed_readings import span_columns, syntax_spans
from submissions.intake.sandbox.documents import DocumentReader, NamedFile

if TYPE_CHECKING:
    from collections.abc import Callable

    Read = Callable[[str, bytes], object]

SAMPLE = Path(__file__).parents[1] / "moss" / "sample" / "submissions"
MEMORY, SECONDS = 1_000_000_000, 60.0


class Cost(NamedTuple):
    processor: float
    clock: float


def read_here(name: str, data: bytes) -> object:
    _, chosen = engine.identify(data, name, "", SECONDS)
    reading = engine.read(data, "", chosen.name, SECONDS)
    return reading, span_columns(syntax_spans(reading.text, chosen.name))


def read_in_child(reader: DocumentReader, name: str, data: bytes) -> object:
    (language,) = reader.identify([NamedFile(name, data)], "", SECONDS)
    return reader.read(data, str(language), SECONDS, coarse=True)


def measure(read: Read, files: list[tuple[str, bytes]], close: Callable[[], None]) -> Cost:
    """Return the cost of reading all files; a child is ended by `close`, after which its time is known."""
    read(*files[0])
    processor, clock = _processor_time(), time.perf_counter()
    for file in files:
        read(*file)
    clock = time.perf_counter() - clock
    close()
    return Cost(_processor_time() - processor, clock)


def start_cost(file: tuple[str, bytes] | None = None) -> Cost:
    """Return the cost of starting a child, and of its first file, for which it compiles a lexer."""
    processor, clock = _processor_time(), time.perf_counter()
    reader = DocumentReader(MEMORY)
    reader.start().wait_until_ready()
    if file:
        read_in_child(reader, *file)
    clock = time.perf_counter() - clock
    reader.close()
    return Cost(_processor_time() - processor, clock)


def child_cost(files: list[tuple[str, bytes]]) -> Cost:
    """Return the cost of reading all files in a child, without that of its start and of its first file."""
    start = start_cost(files[0])
    reader = DocumentReader(MEMORY)
    cost = measure(lambda name, data: read_in_child(reader, name, data), files, reader.close)
    return Cost(cost.processor - start.processor, cost.clock)


def _processor_time() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=Path, default=SAMPLE)
    parser.add_argument("--files", type=int, default=500)
    parser.add_argument("--suffix", default=".java")
    parser.add_argument("--repeat", type=int, default=3)
    arguments = parser.parse_args()
    paths = sorted(arguments.folder.rglob(f"*{arguments.suffix}"))
    files = [(path.name, path.read_bytes()) for path in islice(cycle(paths), arguments.files)]
    starts = [start_cost() for _ in range(arguments.repeat)]
    start = Cost(*(median(column) for column in zip(*starts, strict=True)))
    here, child = [], []
    for _ in range(arguments.repeat):
        here.append(measure(read_here, files, lambda: None))
        child.append(child_cost(files))
    rows: list[tuple[str, ...]] = [
        ("start of a child, ms", f"{start.processor * 1000:.0f}", f"{start.clock * 1000:.0f}")
    ]
    for name, costs in (("in this process, ms a file", here), ("in the child, ms a file", child)):
        columns = (median(column) / len(files) * 1000 for column in zip(*costs, strict=True))
        rows.append((name, *(f"{column:.2f}" for column in columns)))
    print(markdown(("", "processor time", "clock"), rows))


if __name__ == "__main__":
    main()
