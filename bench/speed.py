"""Speed on source files: `python -m bench.speed FOLDER [--sizes 250,500] [--repeat 3] [--tool NAME]...`.

FOLDER is any folder of source files. The cohorts are random samples of the files of its most frequent
language; with `--folders`, of the folders in FOLDER, each the project of one student. Whole processes are
measured, and the tools take turns, so that a busy machine slows all of them equally.

A table shows the medians of:

- floor: Pygments lexing the same files on the same cores, and doing nothing else;
- moss: `moss check` with its 250 best pairs, without its cache; moss --all: with all pairs; moss, warm: like
  moss, with the folder in its cache;
- the installed peers (see bench.tools), writing the scores of all pairs and no report. They compare files: of
  a project they get one file that has all its files.

Memory is the highest sum of the proportional set sizes (PSS) of a process and all its descendants.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from bench import tools
from bench.cohorts import SpeedError, copy_sample, folders, join_files, sources
from bench.processes import ProcessRun, RunFailed, command
from bench.tables import markdown
from bench.targets import FILES, PROJECTS, Targets, ToolTiming, target_results

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZES, FOLDER_SIZES = (250, 500, 1000, 1500, 2000), (15, 30, 60, 120)
FLOOR, READING = "floor", "reading"
ALL, WARM = "moss --all", "moss, warm"
MOSS_TOOLS = frozenset({FLOOR, READING, "moss", ALL, WARM})


class Measurement:
    """Runs of each tool on each cohort; `scratch` is the folder for their outputs and caches.

    `cohorts` are the folders by size, and `files` those for the peers.
    If a peer fails or takes more than `limit` seconds on one cohort, a message is printed and the peer is
    left out from that size on.
    """

    def __init__(
        self,
        measured_tools: list[tools.Tool],
        cohorts: dict[int, Path],
        files: dict[int, Path],
        scratch: Path,
        limit: float,
    ) -> None:
        self.tools, self.cohorts, self.files = measured_tools, cohorts, files
        self.scratch, self.limit = scratch, limit
        self.too_large: dict[str, int] = {}

    def prepare(self) -> None:
        """Run each tool on the smallest cohort, and fill the caches of the warm runs, without measuring."""
        smallest = min(self.cohorts)
        for tool in self.tools:
            for size in self.cohorts if tool.name == WARM else [smallest]:
                self._run(tool, size)

    def measure(self, repeat: int) -> list[ToolTiming]:
        runs: dict[tuple[str, int], list[ProcessRun]] = {}
        for turn in range(1, repeat + 1):
            for size in self.cohorts:
                for tool in self.tools:
                    run = self._run(tool, size)
                    if run:
                        runs.setdefault((tool.name, size), []).append(run)
                        print(f"{turn}: {size} submissions, {tool.name}: {run.seconds:.2f} s", file=sys.stderr)
        return [_timing(tool, size, tool_runs) for (tool, size), tool_runs in runs.items()]

    def _run(self, tool: tools.Tool, size: int) -> ProcessRun | None:
        if size >= self.too_large.get(tool.name, size + 1):
            return None
        env = {"MOSS_CACHE": str(self.scratch / f"cache-{size}")} if tool.name == WARM else {}
        cohorts = self.cohorts if tool.name in MOSS_TOOLS else self.files
        try:
            return tool.run(cohorts[size], self.scratch / "pairs.csv", env, self.limit)
        except RunFailed as error:
            if tool.name in MOSS_TOOLS:
                raise
            self.too_large[tool.name] = size
            print(f"{tool.name} is left out from {size} submissions on: {error}", file=sys.stderr)
            return None


def _timing(tool: str, size: int, runs: Sequence[ProcessRun]) -> ToolTiming:
    peaks = [run.peak for run in runs if run.peak is not None]
    return ToolTiming(tool, size, len(runs), median(run.seconds for run in runs), max(peaks, default=None))


def moss_tools() -> list[tools.Tool]:
    """Return the floor, reading alone, and moss with its best pairs and with all."""
    script = str(Path(__file__).with_name("floor.py"))
    return [
        tools.Tool(FLOOR, (sys.executable, script), ("{folder}",)),
        tools.Tool(READING, (sys.executable, "-m", "bench.reading"), ("{folder}",)),
        tools.moss(),
        tools.moss(ALL, "--all"),
    ]


def measured_tools(peers: Sequence[str], python: str | None) -> list[tools.Tool]:
    """Return the floor, moss (without and with its cache), and the named peers that are installed."""
    installed = [tool for tool in moss_tools() if tool.name != READING]
    installed.append(tools.moss(WARM))
    for name in peers:
        try:
            installed.append(tools.find_tool(name, python))
        except tools.ToolError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
    return installed


def timing_table(timings: Sequence[ToolTiming]) -> str:
    """Return a table with seconds, ratio to the floor and memory of each tool; one column for each size."""
    sizes = sorted({timing.files for timing in timings})
    by_tool_and_size = {(timing.tool, timing.files): timing for timing in timings}
    floors = {size: by_tool_and_size[FLOOR, size].seconds for size in sizes}
    rows = []
    for tool in dict.fromkeys(timing.tool for timing in timings):
        cells = [by_tool_and_size.get((tool, size)) for size in sizes]
        ratios = [timing and timing.seconds / floors[timing.files] for timing in cells]
        rows.append([f"{tool}, s", *(f"{timing.seconds:.2f}" if timing else "-" for timing in cells)])
        rows.append([f"{tool}, times the floor", *(f"{ratio:.2f}" if ratio else "-" for ratio in ratios)])
        rows.append([f"{tool}, MB at most", *(_megabytes(timing and timing.peak) for timing in cells)])
    return markdown(["submissions", *map(str, sizes)], rows)


def _megabytes(peak: int | None) -> str:
    return "-" if peak is None else f"{peak / 1e6:.0f}"


def growth(timings: Sequence[ToolTiming], targets: Targets) -> dict[str, float]:
    """Return how many times as long the larger class takes, for each tool measured at both sizes."""
    seconds = {(timing.tool, timing.files): timing.seconds for timing in timings}
    small, large = targets.growth
    measured = [tool for tool, size in seconds if size == large and (tool, small) in seconds]
    return {tool: seconds[tool, large] / seconds[tool, small] for tool in measured}


def as_json(timings: Sequence[ToolTiming], targets: Targets) -> dict[str, Any]:
    floors = {timing.files: timing.seconds for timing in timings if timing.tool == FLOOR}
    rows = [{**timing._asdict(), "times_floor": timing.seconds / floors[timing.files]} for timing in timings]
    results = [result._asdict() for result in target_results(timings, targets)]
    return {"timings": rows, "growth": growth(timings, targets), "targets": results}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.speed", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="folder with source files, at any depth")
    parser.add_argument("--folders", action="store_true", help="each folder in FOLDER is one submission")
    parser.add_argument("--sizes", type=_sizes, help="numbers of files or folders, such as 250,500")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of each tool (default: 3)")
    parser.add_argument(
        "--limit", type=float, default=600, metavar="SECONDS", help="time limit of a peer (default: 600)"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the random samples (default: 1)")
    parser.add_argument(
        "--tool", action="append", choices=tools.NAMES[1:4], help="peer, repeatable (default: all peers)"
    )
    parser.add_argument("--no-peers", action="store_true", help="measure only the floor and moss")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")
    parser.add_argument("--python", help="interpreter that has copydetect and compare50 (default: BENCH_PYTHON)")
    return parser.parse_args()


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(sorted({int(part) for part in text.split(",")}))


def _run(arguments: argparse.Namespace) -> None:
    submissions = folders(arguments.folder) if arguments.folders else sources(arguments.folder)
    targets = PROJECTS if arguments.folders else FILES
    sizes = _fitting_sizes(arguments, len(submissions), targets.unit)
    peers = [] if arguments.no_peers else arguments.tool or tools.NAMES[1:4]
    with tempfile.TemporaryDirectory() as scratch:
        cohorts = {size: copy_sample(submissions, size, arguments.seed, Path(scratch)) for size in sizes}
        chosen_tools = measured_tools(peers, arguments.python)
        files = {
            size: join_files(cohort, Path(scratch)) if arguments.folders else cohort for size, cohort in cohorts.items()
        }
        measurement = Measurement(chosen_tools, cohorts, files, Path(scratch), arguments.limit)
        measurement.prepare()
        timings = measurement.measure(arguments.repeat)
    print(f"{len(submissions)} {targets.unit} in {arguments.folder.name}\n\n{timing_table(timings)}")
    for tool, times in growth(timings, targets).items():
        small, large = targets.growth
        print(f"\n{tool}: {large} {targets.unit} take {times:.2f} times as long as {small}")
    print("\nTargets\n")
    for result in target_results(timings, targets):
        print(f"- {result}")
    if arguments.json:
        arguments.json.write_text(json.dumps(as_json(timings, targets), indent=2) + "\n")


def _fitting_sizes(arguments: argparse.Namespace, available: int, unit: str) -> list[int]:
    """Return the sizes for which there are enough submissions; print the others."""
    sizes = arguments.sizes or (FOLDER_SIZES if arguments.folders else SIZES)
    for size in sizes:
        if size > available:
            print(f"size {size} is left out: {arguments.folder} has {available} {unit}", file=sys.stderr)
    if available < min(sizes):
        raise SpeedError(f"{arguments.folder} has {available} {unit}, too few for any of the sizes")
    return [size for size in sizes if size <= available]


@command
def main() -> None:
    _run(_arguments())


if __name__ == "__main__":
    sys.exit(main())
