"""Cost of importing an upload: `python -m bench.importer [--entries 20000] [--bytes 3000] [--repeat 3]`.

A zip of a Moodle class is listed and read with Python's `zipfile` alone, and then by the importer: unpacked
within limits, described, grouped into submissions, with what tools wrote left out, as in a preview. Both take
turns in one process. The table shows the median seconds of processor time, and the importer's as a multiple;
the exit status is 1 where it takes more than three times as long.
"""

from __future__ import annotations

import argparse
import io
import sys
import time
import zipfile
from itertools import pairwise
from random import Random
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from bench.tables import markdown
from submissions.intake.grouping import ListingBuilder, group_files
from submissions.intake.left_out.listing import Listing, described
from submissions.intake.limits import Limits
from submissions.intake.preview import preview_upload
from submissions.intake.unpacking import DEFAULT_PATTERNS, unpack

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_FACTOR = 3.0
FILES_OF_A_STUDENT = ("Main.java", "util/Area.java", "util/Shape.java", "test/MainTest.java")
WORDS = ("area", "width", "height", "total", "count", "index", "value", "result", "shape", "line", "sum")


class Steps(NamedTuple):
    """Seconds of each step of the importer, and the number of submissions and of files that count."""

    unpack: float
    describe: float
    group: float
    leave_out: float
    preview: float
    submissions: int
    files: int

    @property
    def seconds(self) -> float:
        """The steps of an import; a preview groups and leaves out by itself, so it is not added."""
        return self.unpack + self.describe + self.group + self.leave_out


def moodle_class(entries: int, size: int) -> bytes:
    """Return a zip of a class with `entries` files of about `size` bytes."""
    random = Random(1)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(entries):
            student, file = divmod(number, len(FILES_OF_A_STUDENT))
            folder = f"Student {student}_{10_000 + student}_assignsubmission_file"
            archive.writestr(f"{folder}/{FILES_OF_A_STUDENT[file]}", _source(random, size))
    return packed.getvalue()


def _source(random: Random, size: int) -> str:
    lines, length = ["class Main {"], 0
    while length < size:
        left, right, to = random.choices(WORDS, k=3)
        lines.append(f"    int {to}{random.randrange(1000)} = {left} * {right} + {random.randrange(10_000)};")
        length += len(lines[-1]) + 1
    return "\n".join([*lines, "}"])


def read_plainly(packed: bytes) -> int:
    """List and read a zip with the standard library; return the number of its bytes."""
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        files = {info.filename: archive.read(info) for info in archive.infolist()}
    return sum(map(len, files.values()))


def import_upload(packed: bytes) -> Steps:
    """Unpack, describe, group and preview a zip."""
    times = [time.process_time()]
    entries = list(unpack("class.zip", io.BytesIO(packed), Limits(entries=10**6, total_bytes=10**10)))
    times.append(time.process_time())
    names, listing = ListingBuilder("class"), Listing(DEFAULT_PATTERNS)
    for entry in entries:
        names.add(entry)
        listing.add(described(entry, DEFAULT_PATTERNS))
    times.append(time.process_time())
    grouping = group_files(names.listing())
    times.append(time.process_time())
    left_out = listing.left_out(grouping.places)
    times.append(time.process_time())
    refused = [entry for entry in entries if entry.reason]
    preview_upload(names.listing(), listing, refused)
    times.append(time.process_time())
    unpacked, listed, grouped, without, previewed = (end - start for start, end in pairwise(times))
    files = len(grouping.places) - len(left_out.paths)
    return Steps(unpacked, listed, grouped, without, previewed, len(grouping.submissions), files)


def processor_seconds(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=int, default=20_000)
    parser.add_argument("--bytes", type=int, default=3_000)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    packed = moodle_class(options.entries, options.bytes)
    plain: list[float] = []
    imports: list[Steps] = []
    for _ in range(options.repeat):
        plain.append(processor_seconds(lambda: read_plainly(packed)))
        imports.append(import_upload(packed))
    floor = median(plain)
    rows = [("zipfile: list and read", f"{floor:.2f}", "1.0")]
    for step in ("unpack", "describe", "group", "leave_out", "seconds", "preview"):
        seconds = median(getattr(one, step) for one in imports)
        label = {"seconds": "importer, all of these", "preview": "preview, once more"}.get(step, f"  {step}")
        rows.append((label, f"{seconds:.2f}", f"{seconds / floor:.1f}"))
    print(f"{options.entries:,} entries; {imports[0].submissions:,} submissions, {imports[0].files:,} files")
    print(markdown(("", "s", "times"), rows))
    factor = median(one.seconds for one in imports) / floor
    print(f"{'met' if factor <= MAX_FACTOR else 'MISSED'}: at most {MAX_FACTOR:g} times: {factor:.2f}")
    sys.exit(factor > MAX_FACTOR)


if __name__ == "__main__":
    main()
