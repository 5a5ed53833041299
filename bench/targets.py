"""The speed and memory targets of `moss check`, checked against the timings of one run of bench.speed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence


class ToolTiming(NamedTuple):
    """One tool on one number of files: median `seconds` of its runs, and highest `peak` memory in bytes.

    `peak` is None where memory cannot be measured.
    """

    tool: str
    files: int
    runs: int
    seconds: float
    peak: int | None


class Targets(NamedTuple):
    """Limits for classes of one kind of submissions.

    moss may take `floor_factor` times the seconds of the floor plus `start_seconds` for up to `most` of them.
    `growth`: two numbers of submissions, and the highest ratio of their times. `speedups`: how many times as
    fast as a peer it is on a number of submissions. `megabytes` are for up to the number beside them.
    """

    unit: str
    floor_factor: float
    start_seconds: float
    most: int
    growth: tuple[int, int]
    most_growth: float
    megabytes: tuple[int, float]
    speedups: Sequence[tuple[str, int, float]] = ()


FILES = Targets(
    "files",
    1.3,
    0.7,
    1500,
    (500, 2000),
    4.4,
    (2000, 600.0),
    (
        ("dolos", 1000, 8.0),
        ("copydetect", 1500, 20.0),
        *((peer, 500, 1.0) for peer in ("compare50", "dolos", "copydetect")),
    ),
)
PROJECTS = Targets("projects", 2.0, 1.0, 120, (60, 120), 4.2, (500, 1500.0))


class TargetResult(NamedTuple):
    """One target: its name, the measured value, the limit, and whether it is met."""

    target: str
    measured: float
    limit: float
    met: bool

    def __str__(self) -> str:
        return f"{'met' if self.met else 'MISSED'}: {self.target}: {self.measured:.2f} (limit {self.limit:.2f})"


def target_results(timings: Sequence[ToolTiming], targets: Targets = FILES) -> Iterator[TargetResult]:
    """Yield the result of each target for which all needed timings were measured."""
    seconds = {(timing.tool, timing.files): timing.seconds for timing in timings}
    sizes = sorted(files for tool, files in seconds if tool == "moss")
    size = max((files for files in sizes if files <= targets.most), default=sizes[0])
    factor, start, unit = targets.floor_factor, targets.start_seconds, targets.unit
    name = f"seconds for {size:,} {unit}, {factor:g} times the floor plus {start:g}"
    yield _at_most(name, seconds["moss", size], factor * seconds["floor", size] + start)
    yield from _speedups(seconds, targets)
    small, large = targets.growth
    if {small, large} <= set(sizes):
        growth = seconds["moss", large] / seconds["moss", small]
        yield _at_most(f"times as long for {large:,} {unit} as for {small:,}", growth, targets.most_growth)
    most, megabytes = targets.megabytes
    measured = [timing for timing in timings if timing.tool == "moss" and timing.files <= most]
    largest = max(measured, key=lambda timing: timing.files, default=None)
    if largest and largest.peak is not None:
        yield _at_most(f"MB for {largest.files:,} {unit}", largest.peak / 1e6, megabytes)


def _speedups(seconds: Mapping[tuple[str, int], float], targets: Targets) -> Iterator[TargetResult]:
    for tool, size, speedup in targets.speedups:
        if (tool, size) in seconds and ("moss", size) in seconds:
            ratio = seconds[tool, size] / seconds["moss", size]
            name = f"times as fast as {tool} on {size:,} {targets.unit}"
            yield TargetResult(name, ratio, speedup, ratio >= speedup)


def _at_most(target: str, measured: float, limit: float) -> TargetResult:
    return TargetResult(target, measured, limit, measured <= limit)
