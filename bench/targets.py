"""The speed and memory targets of `moss check`, checked against the timings of one run of bench.speed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.timings import ToolTiming

# Highest number of files at which times are compared, and at which memory is read.
TIME_FILES, MEMORY_FILES = 1500, 2000
# moss may take FLOOR_FACTOR times the seconds of the floor plus START_SECONDS.
FLOOR_FACTOR, START_SECONDS = 1.5, 1.0
# Required speed of moss, as a multiple of the speed of each peer.
MIN_SPEEDUP = {"dolos": 8.0, "copydetect": 20.0}
# Numbers of files whose times are compared, and the highest allowed ratio of these times.
GROWTH_FILES, MAX_GROWTH = (500, 2000), 4.4
MAX_MEGABYTES = 600.0


class TargetResult(NamedTuple):
    """One target: its name, the measured value, the limit, and whether it is met."""

    target: str
    measured: float
    limit: float
    met: bool

    def __str__(self) -> str:
        return (
            f"{'met' if self.met else 'MISSED'}: {self.target}: {self.measured:.2f} (limit {self.limit:.2f})"
        )


def target_results(timings: Sequence[ToolTiming]) -> Iterator[TargetResult]:
    """Yield the result of each target for which all needed timings were measured."""
    seconds = {(timing.tool, timing.files): timing.seconds for timing in timings}
    sizes = sorted(files for tool, files in seconds if tool == "moss")
    size = max((files for files in sizes if files <= TIME_FILES), default=sizes[0])
    moss, floor = seconds["moss", size], seconds["floor", size]
    name = f"seconds for {size:,} files, {FLOOR_FACTOR:g} times the floor plus {START_SECONDS:g}"
    yield _at_most(name, moss, FLOOR_FACTOR * floor + START_SECONDS)
    for tool, speedup in MIN_SPEEDUP.items():
        if (tool, size) in seconds:
            ratio = seconds[tool, size] / moss
            yield TargetResult(f"times as fast as {tool} on {size:,} files", ratio, speedup, ratio >= speedup)
    small, large = GROWTH_FILES
    if {small, large} <= set(sizes):
        growth = seconds["moss", large] / seconds["moss", small]
        yield _at_most(f"times as long for {large:,} files as for {small:,}", growth, MAX_GROWTH)
    measured = [timing for timing in timings if timing.tool == "moss" and timing.files <= MEMORY_FILES]
    largest = max(measured, key=lambda timing: timing.files, default=None)
    if largest and largest.peak is not None:
        yield _at_most(f"MB for {largest.files:,} files", largest.peak / 1e6, MAX_MEGABYTES)


def _at_most(target: str, measured: float, limit: float) -> TargetResult:
    return TargetResult(target, measured, limit, measured <= limit)
