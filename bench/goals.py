"""The goals of speed, all in one run: `python -m bench.goals FOLDER [--repeat 3] [--divide 10]`.

FOLDER has a folder for each part: `files`, single files of one language; `projects`, a folder for each
project; `python`, single Python files. A part that is missing is left out. Whole processes are measured; the
tools of a goal take turns, so that a busy machine slows all of them equally. Each goal is a ratio of medians:
of reading alone, or of `moss check` without its cache, to the floor (see bench.speed) or to the quickest of
some peers (see bench.tools). With `--divide` all classes are that much smaller, to try whether all runs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bench import tools
from bench.cohorts import copy_sample, folders, sources
from bench.processes import command
from bench.speed import ALL, FLOOR, READING, Measurement, moss_tools
from bench.tables import markdown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FEWEST = 2


class Goal(NamedTuple):
    """`tool` takes at most `limit` times as long as the quickest of `others`, for `size` submissions."""

    part: str
    size: int
    tool: str
    others: tuple[str, ...]
    limit: float


PEERS = ("compare50", "dolos")
GOALS = (
    Goal("files", 30, "moss", PEERS, 1.3),
    Goal("files", 100, "moss", PEERS, 1.0),
    Goal("files", 250, "moss", PEERS, 1.0),
    Goal("files", 1000, "moss", ("dolos",), 0.1),
    Goal("files", 1500, READING, (FLOOR,), 0.2),
    Goal("files", 1500, "moss", (FLOOR,), 0.8),
    Goal("projects", 120, "moss", (FLOOR,), 0.8),
    Goal("python", 1762, ALL, (FLOOR,), 0.89),
)


class Result(NamedTuple):
    """A goal for `size` submissions, with the seconds of its tools; `ratio` is None without any other."""

    goal: Goal
    size: int
    seconds: Mapping[str, float]

    @property
    def ratio(self) -> float | None:
        others = [self.seconds[name] for name in self.goal.others if name in self.seconds]
        return self.seconds[self.goal.tool] / min(others) if others else None

    def row(self) -> list[str]:
        goal, ratio = self.goal, self.ratio
        others = ", ".join(f"{name} {self.seconds[name]:.2f}" for name in goal.others if name in self.seconds)
        met = "-" if ratio is None else "yes" if ratio <= goal.limit else "no"
        ratio_text = "-" if ratio is None else f"{ratio:.2f}"
        moss_seconds = f"{goal.tool} {self.seconds[goal.tool]:.2f}"
        return [f"{self.size} {goal.part}", moss_seconds, others or "-", ratio_text, f"{goal.limit:g}", met]


def results(folder: Path, arguments: argparse.Namespace) -> Iterator[Result]:
    """Yield the result of each goal whose part is in the folder."""
    for part in dict.fromkeys(goal.part for goal in GOALS):
        if not (folder / part).is_dir():
            print(f"{part} is left out: {folder} has no such folder", file=sys.stderr)
            continue
        submissions = folders(folder / part) if part == "projects" else sources(folder / part)
        for wanted in dict.fromkeys(goal.size for goal in GOALS if goal.part == part):
            goals = [goal for goal in GOALS if (goal.part, goal.size) == (part, wanted)]
            size = min(max(wanted // arguments.divide, FEWEST), len(submissions))
            seconds = _measure(goals, submissions, size, arguments)
            yield from (Result(goal, size, seconds) for goal in goals)


def _measure(
    goals: Sequence[Goal], submissions: Sequence[Path], size: int, arguments: argparse.Namespace
) -> dict[str, float]:
    """Return the median seconds of all tools of goals for one class."""
    names = dict.fromkeys(name for goal in goals for name in (goal.tool, *goal.others))
    with tempfile.TemporaryDirectory() as scratch:
        cohorts = {size: copy_sample(submissions, size, arguments.seed, Path(scratch))}
        chosen = list(_installed(names, arguments.python))
        measurement = Measurement(chosen, cohorts, cohorts, Path(scratch), arguments.limit)
        measurement.prepare()
        return {timing.tool: timing.seconds for timing in measurement.measure(arguments.repeat)}


def _installed(names: Sequence[str] | Mapping[str, None], python: str | None) -> Iterator[tools.Tool]:
    moss_tools_by_name = {tool.name: tool for tool in moss_tools()}
    for name in names:
        try:
            yield moss_tools_by_name[name] if name in moss_tools_by_name else tools.find_tool(name, python)
        except tools.ToolError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)


def table(measured: Sequence[Result]) -> str:
    header = ["class", "seconds", "beside", "ratio", "at most", "met"]
    return markdown(header, [result.row() for result in measured])


@command
def main(words: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.goals", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="has files, projects and python")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of each tool (default: 3)")
    parser.add_argument("--divide", type=int, default=1, metavar="N", help="make all classes N times smaller")
    parser.add_argument("--limit", type=float, default=600, metavar="SECONDS", help="time limit of a peer")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random samples (default: 1)")
    parser.add_argument("--python", help="interpreter that has compare50 (default: BENCH_PYTHON)")
    arguments = parser.parse_args(words)
    print(table(list(results(arguments.folder, arguments))))


if __name__ == "__main__":
    sys.exit(main())
