"""What `moss check` is held to, told from the timings of one run of bench.speed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.speed import Timing

# Files at which times are compared, and at which memory is read, where so many were measured.
FILES, MOST_FILES = 1500, 2000
FLOORS, START = 1.5, 1.0  # times the floor, and seconds to start
FASTER = {"dolos": 8.0, "copydetect": 20.0}
GROWTH, GROWN = (500, 2000), 4.4
MEGABYTES = 600.0


class Verdict(NamedTuple):
    """One target: what was measured, what it is held to, and whether that is met."""

    target: str
    measured: float
    limit: float
    met: bool

    def __str__(self) -> str:
        return (
            f"{'met' if self.met else 'MISSED'}: {self.target}: {self.measured:.2f} (limit {self.limit:.2f})"
        )


def verdicts(timings: Sequence[Timing]) -> Iterator[Verdict]:
    """Hold `moss` to each target of which all that it compares was measured."""
    seconds = {(timing.tool, timing.files): timing.seconds for timing in timings}
    sizes = sorted(files for tool, files in seconds if tool == "moss")
    size = max((files for files in sizes if files <= FILES), default=sizes[0])
    ours, floor = seconds["moss", size], seconds["floor", size]
    limit = FLOORS * floor + START
    yield _at_most(f"seconds for {size:,} files, {FLOORS:g} times the floor plus {START:g}", ours, limit)
    for tool, times in FASTER.items():
        if (tool, size) in seconds:
            ratio = seconds[tool, size] / ours
            name = f"times as fast as {tool} on {size:,} files"
            yield Verdict(name, ratio, times, ratio >= times)
    small, large = GROWTH
    if {small, large} <= set(sizes):
        grown = seconds["moss", large] / seconds["moss", small]
        yield _at_most(f"times as long for {large:,} files as for {small:,}", grown, GROWN)
    measured = [timing for timing in timings if timing.tool == "moss" and timing.files <= MOST_FILES]
    largest = max(measured, key=lambda timing: timing.files, default=None)
    if largest and largest.peak is not None:
        yield _at_most(f"MB for {largest.files:,} files", largest.peak / 1e6, MEGABYTES)


def _at_most(target: str, measured: float, limit: float) -> Verdict:
    return Verdict(target, measured, limit, measured <= limit)
