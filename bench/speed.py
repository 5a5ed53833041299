"""Speed on real sources: `python -m bench.speed FOLDER [--sizes 250,500] [--repeat 3] [--tool NAME]...`.

FOLDER is any folder of source files: those of its commonest language, drawn with a seed, are the cohorts. All
measurements are of whole processes, in turns, so that a busy machine slows all alike; a table shows medians:

- floor: Pygments lexing the same files on the same cores, and nothing else;
- moss: `moss check`, its 250 best pairs, without its cache; moss --all: all pairs; moss, warm: as moss, with
  the folder in its cache;
- the peers that are installed (see bench.tools), writing the scores of all pairs and no report.

Memory is the highest sum of the proportional set sizes (PSS) of a process and all its descendants.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from pygments.lexers import get_lexer_for_filename
from pygments.util import ClassNotFound

from bench import tools
from bench.processes import Run, RunFailed
from bench.tables import markdown
from bench.targets import GROWTH, verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence

SIZES = (250, 500, 1000, 1500, 2000)
FLOOR = "floor"
ALL, WARM = "moss --all", "moss, warm"
OURS = frozenset({FLOOR, "moss", ALL, WARM})
PROSE = frozenset({".txt", ".md", ".rst", ".json", ".xml", ".html", ".css", ".csv", ".yml", ".yaml", ".toml"})


class SpeedError(ValueError):
    """A folder with too few sources; the message says how many it has."""


class Timing(NamedTuple):
    """Median `seconds` and highest `peak` in bytes of one contestant's runs at one size."""

    tool: str
    files: int
    runs: int
    seconds: float
    peak: int | None


def sources(folder: Path) -> list[Path]:
    """Files of the language that the folder has most of, told by their suffix, in order of their paths."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)
    counts = Counter(path.suffix for path in files if path.suffix not in PROSE)
    suffix = next((suffix for suffix, _ in counts.most_common() if suffix and _is_code(suffix)), None)
    if suffix is None:
        raise SpeedError(f"{folder} holds no source files")
    return [path for path in files if path.suffix == suffix]


def _is_code(suffix: str) -> bool:
    try:
        get_lexer_for_filename(f"file{suffix}")
    except ClassNotFound:
        return False
    return True


def draw(files: Sequence[Path], size: int, seed: int, into: Path) -> Path:
    """Copy `size` of the files into a new flat folder; each larger draw holds the smaller ones."""
    order = Random(seed).sample(files, len(files))
    folder = into / f"{size}"
    folder.mkdir()
    for number, path in enumerate(order[:size]):
        shutil.copyfile(path, folder / f"{number:05}-{path.name}")
    return folder


class Contest:
    """Contestants and cohorts of one measurement; `scratch` takes outputs and caches.

    A peer that fails or takes more than `limit` seconds at one size is said and left out from that size on.
    """

    def __init__(
        self, contestants: list[tools.Tool], cohorts: dict[int, Path], scratch: Path, limit: float
    ) -> None:
        self.contestants, self.cohorts, self.scratch, self.limit = contestants, cohorts, scratch, limit
        self.too_large: dict[str, int] = {}

    def prepare(self) -> None:
        """Run, unmeasured, each contestant on the smallest cohort, and what fills the warm caches."""
        smallest = min(self.cohorts)
        for tool in self.contestants:
            for size in self.cohorts if tool.name == WARM else [smallest]:
                self._run(tool, size)

    def measure(self, repeat: int) -> list[Timing]:
        runs: dict[tuple[str, int], list[Run]] = {}
        for turn in range(1, repeat + 1):
            for size in self.cohorts:
                for tool in self.contestants:
                    run = self._run(tool, size)
                    if run:
                        runs.setdefault((tool.name, size), []).append(run)
                        print(f"{turn}: {size} files, {tool.name}: {run.seconds:.2f} s", file=sys.stderr)
        return [_timing(tool, size, made) for (tool, size), made in runs.items()]

    def _run(self, tool: tools.Tool, size: int) -> Run | None:
        if size >= self.too_large.get(tool.name, size + 1):
            return None
        env = {"MOSS_CACHE": str(self.scratch / f"cache-{size}")} if tool.name == WARM else {}
        try:
            return tool.run(self.cohorts[size], self.scratch / "pairs.csv", env, self.limit)
        except RunFailed as error:
            if tool.name in OURS:
                raise
            self.too_large[tool.name] = size
            print(f"{tool.name} left out from {size} files on: {error}", file=sys.stderr)
            return None


def _timing(tool: str, size: int, runs: Sequence[Run]) -> Timing:
    peaks = [run.peak for run in runs if run.peak is not None]
    return Timing(tool, size, len(runs), median(run.seconds for run in runs), max(peaks, default=None))


def contestants(names: Sequence[str], python: str | None) -> list[tools.Tool]:
    """Return the floor, moss cold and warm, and the named peers that are installed."""
    moss = tools.moss()
    script = str(Path(__file__).with_name("floor.py"))
    found = [
        tools.Tool(FLOOR, (sys.executable, script), ("{folder}",)),
        moss,
        tools.moss(ALL, "--all"),
        tools.Tool(WARM, moss.command, moss.ending),
    ]
    for name in names:
        try:
            found.append(tools.find(name, python))
        except tools.ToolError as error:
            print(f"{name} left out: {error}", file=sys.stderr)
    return found


def timing_table(timings: Sequence[Timing]) -> str:
    """Seconds, ratio to the floor and memory of each contestant, a column a size."""
    sizes = sorted({timing.files for timing in timings})
    found = {(timing.tool, timing.files): timing for timing in timings}
    rows = []
    for tool in dict.fromkeys(timing.tool for timing in timings):
        ours = [found.get((tool, size)) for size in sizes]
        ratios = [one and one.seconds / found[FLOOR, one.files].seconds for one in ours]
        rows.append([f"{tool}, s", *(f"{one.seconds:.2f}" if one else "-" for one in ours)])
        rows.append([f"{tool}, times the floor", *(f"{ratio:.2f}" if ratio else "-" for ratio in ratios)])
        rows.append([f"{tool}, MB at most", *(_megabytes(one and one.peak) for one in ours)])
    return markdown(["files", *map(str, sizes)], rows)


def _megabytes(peak: int | None) -> str:
    return "-" if peak is None else f"{peak / 1e6:.0f}"


def growth(timings: Sequence[Timing]) -> dict[str, float]:
    """How many times as long 2,000 files take as 500, by tool; empty when one of these was not measured."""
    seconds = {(timing.tool, timing.files): timing.seconds for timing in timings}
    small, large = GROWTH
    measured = [tool for tool, size in seconds if size == large and (tool, small) in seconds]
    return {tool: seconds[tool, large] / seconds[tool, small] for tool in measured}


def as_json(timings: Sequence[Timing]) -> dict[str, Any]:
    floors = {timing.files: timing.seconds for timing in timings if timing.tool == FLOOR}
    rows = [{**timing._asdict(), "times_floor": timing.seconds / floors[timing.files]} for timing in timings]
    held = [verdict._asdict() for verdict in verdicts(timings)]
    return {"timings": rows, "growth": growth(timings), "targets": held}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.speed", description=(__doc__ or "").split("\n\n")[1]
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="source files, at any depth")
    parser.add_argument("--sizes", type=_sizes, default=SIZES, help="files to measure at, such as 250,500")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of each (default: 3)")
    parser.add_argument(
        "--limit", type=float, default=600, metavar="SECONDS", help="a peer gets (default: 600)"
    )
    parser.add_argument("--seed", type=int, default=1, help="for drawing the files")
    parser.add_argument(
        "--tool", action="append", choices=tools.NAMES[1:4], help="repeatable; default: all peers"
    )
    parser.add_argument("--no-peers", action="store_true", help="the floor and moss only")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--python", help="interpreter that has copydetect and compare50 (or BENCH_PYTHON)")
    return parser.parse_args()


def _sizes(text: str) -> tuple[int, ...]:
    return tuple(sorted({int(part) for part in text.split(",")}))


def _run(arguments: argparse.Namespace) -> None:
    files = sources(arguments.folder)
    fitting = [size for size in arguments.sizes if size <= len(files)]
    for size in sorted({*arguments.sizes} - {*fitting}):
        print(f"{size} files left out: {arguments.folder} has {len(files)}", file=sys.stderr)
    if not fitting:
        raise SpeedError(f"{arguments.folder} has {len(files)} sources, too few for any of the sizes")
    names = [] if arguments.no_peers else arguments.tool or tools.NAMES[1:4]
    with tempfile.TemporaryDirectory() as scratch:
        cohorts = {size: draw(files, size, arguments.seed, Path(scratch)) for size in fitting}
        contest = Contest(contestants(names, arguments.python), cohorts, Path(scratch), arguments.limit)
        contest.prepare()
        timings = contest.measure(arguments.repeat)
    print(f"{len(files)} {files[0].suffix} files in {arguments.folder.name}\n\n{timing_table(timings)}")
    for tool, times in growth(timings).items():
        print(f"\n{tool}: {GROWTH[1]} files take {times:.2f} times as long as {GROWTH[0]}")
    print("\nTargets\n")
    for verdict in verdicts(timings):
        print(f"- {verdict}")
    if arguments.json:
        arguments.json.write_text(json.dumps(as_json(timings), indent=2) + "\n")


def main() -> int:
    try:
        _run(_arguments())
    except (SpeedError, tools.ToolError, RunFailed) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
