"""Accuracy on labelled pairs: `python -m bench.accuracy FOLDER [--json FILE] [--tool NAME]...`.

FOLDER is one set or holds several: SET/files/<group>/<submission> and SET/pairs.csv with the columns
a,b,label,group,level. A group is one assignment; a tool sees it as a whole. Pairs of all groups of a set are
pooled; a pair that a tool does not report scores 0; equal scores are counted as ties.
"""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bench import tools
from bench.labelled import LabelledSet, SetError, find_sets
from bench.metrics import Metrics, level_aucs, measure
from bench.processes import RunFailed
from bench.tables import markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.metrics import Scores

JOBS = 2  # groups at a time: most of a small one is a tool's start, on one core


class Result(NamedTuple):
    """One tool on one set; `levels`: AUC of each level against all pairs that are not plagiarised."""

    set: str
    tool: str
    metrics: Metrics
    levels: dict[str, float]

    def as_json(self) -> dict[str, Any]:
        return {"set": self.set, "tool": self.tool, **self.metrics._asdict(), "level_auc": self.levels}


def pair_scores(tool: tools.Tool, labelled: LabelledSet) -> Scores:
    """Score of each pair of the set, in its order, each group compared by itself.

    Raises
    ------
    RunFailed, ToolError
    """
    groups = labelled.groups()
    with ThreadPoolExecutor(JOBS) as pool:
        found = dict(zip(groups, pool.map(tool.scores, groups.values()), strict=True))
    names = [frozenset(Path(side).name for side in (pair.a, pair.b)) for pair in labelled.pairs]
    scores = [found[pair.group].get(name, 0.0) for pair, name in zip(labelled.pairs, names, strict=True)]
    return np.array(scores, dtype=np.float64)


def score_set(tool: tools.Tool, labelled: LabelledSet) -> Result:
    """Measure one tool on one set; raises RunFailed, ToolError, and ValueError when nothing can be judged."""
    scores = pair_scores(tool, labelled)
    labels = np.array([pair.label == 1 for pair in labelled.pairs])
    levels = np.array([pair.level for pair in labelled.pairs])
    try:
        return Result(labelled.name, tool.name, measure(scores, labels), level_aucs(scores, labels, levels))
    except ValueError as error:
        raise SetError(f"{labelled.name}: {error}") from error


def summary_table(results: Sequence[Result]) -> str:
    header = ["set", "tool", "pairs", "positives", "AP", "AUC", "best F1", "P@N"]
    rows = [
        [r.set, r.tool, f"{r.metrics.pairs}", f"{r.metrics.positives}", *(f"{x:.3f}" for x in r.metrics[2:])]
        for r in results
    ]
    return markdown(header, rows)


def level_tables(results: Sequence[Result]) -> list[str]:
    """One table of AUC by level for each set that has levels."""
    tables = []
    for name in dict.fromkeys(result.set for result in results if result.levels):
        of_set = [result for result in results if result.set == name]
        levels = list(of_set[0].levels)
        rows = [[r.tool, *(f"{r.levels[level]:.3f}" for level in levels)] for r in of_set]
        tables.append(f"AUC by level, {name}\n\n" + markdown(["tool", *levels], rows))
    return tables


def _installed(names: Sequence[str], python: str | None) -> list[tools.Tool]:
    """Those of the named tools that are here; the others are said and left out."""
    found = []
    for name in dict.fromkeys(names):
        try:
            found.append(tools.find(name, python))
        except tools.ToolError as error:
            print(f"{name} left out: {error}", file=sys.stderr)
    if not found:
        raise tools.ToolError("none of the tools is installed")
    return found


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.accuracy", description=(__doc__ or "").split("\n\n")[1]
    )
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a set, or a folder of sets")
    parser.add_argument("--tool", action="append", choices=tools.NAMES, help="repeatable; default: moss")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--python", help="interpreter that has copydetect and compare50 (or BENCH_PYTHON)")
    return parser.parse_args()


def run() -> None:
    arguments = _arguments()
    sets = find_sets(arguments.folder)
    installed = _installed(arguments.tool or ["moss"], arguments.python)
    results = []
    for labelled in sets:
        for tool in installed:
            print(f"{labelled.name}: {tool.name}", file=sys.stderr)
            results.append(score_set(tool, labelled))
    print("\n\n".join([summary_table(results), *level_tables(results)]))
    if arguments.json:
        arguments.json.write_text(json.dumps([result.as_json() for result in results], indent=2) + "\n")


def main() -> int:
    try:
        run()
    except (SetError, tools.ToolError, RunFailed) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
