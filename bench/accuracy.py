"""Measure accuracy on labelled pairs: `python -m bench.accuracy FOLDER [--json FILE] [--tool NAME]...`.

FOLDER is one set or contains several: SET/files/<group>/<submission> and SET/pairs.csv with the columns
a,b,label,group,level. A group is one assignment; a tool compares all its submissions with each other. The
pairs of all groups of a set are pooled. A pair that is not reported has score 0; equal scores are ties.
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
from bench.intervals import precision_interval, sources
from bench.labelled import LabelledSet, SetError, doubtful_pairs, find_sets
from bench.metrics import Metrics, average_precision, level_aucs, measure
from bench.processes import command
from bench.tables import markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.metrics import Scores

JOBS = 2  # groups compared at a time: with small groups most of the time is the tool's start, on one core


class AccuracyResult(NamedTuple):
    """Metrics of one tool on one set.

    `interval` contains the AP of 95 % of resampled sets. `level_auc` is the AUC of each level's plagiarised
    pairs against all pairs that are not plagiarised. `doubtful` pairs have a label that we judge wrong, see
    `bench.labelled.doubtful_pairs`; `ap_without_doubtful` is the AP without them.
    """

    set_name: str
    tool: str
    metrics: Metrics
    interval: tuple[float, float]
    level_auc: dict[str, float]
    doubtful: int = 0
    ap_without_doubtful: float | None = None

    def as_json(self) -> dict[str, Any]:
        return {
            "set": self.set_name,
            "tool": self.tool,
            **self.metrics._asdict(),
            "interval": self.interval,
            "level_auc": self.level_auc,
            "doubtful": self.doubtful,
            "ap_without_doubtful": self.ap_without_doubtful,
        }


def pair_scores(tool: tools.Tool, labelled: LabelledSet) -> Scores:
    """Return the score of each pair of the set, float64 [pairs]; each group is compared separately.

    Raises
    ------
    RunFailed, ToolError
    """
    groups = labelled.groups()
    with ThreadPoolExecutor(JOBS) as pool:
        group_scores = dict(zip(groups, pool.map(tool.scores, groups.values()), strict=True))
    names = [frozenset(Path(side).name for side in (pair.a, pair.b)) for pair in labelled.pairs]
    scores = [group_scores[pair.group].get(name, 0.0) for pair, name in zip(labelled.pairs, names, strict=True)]
    return np.array(scores, dtype=np.float64)


def score_set(tool: tools.Tool, labelled: LabelledSet) -> AccuracyResult:
    """Return the metrics of one tool on one set.

    Raises
    ------
    RunFailed, ToolError
    SetError
        When all pairs have the same label, or a score is NaN.
    """
    scores = pair_scores(tool, labelled)
    labels = np.array([pair.label == 1 for pair in labelled.pairs])
    levels = np.array([pair.level for pair in labelled.pairs])
    try:
        metrics, level_auc = measure(scores, labels), level_aucs(scores, labels, levels)
        interval = precision_interval(scores, labels, sources(labelled.pairs))
    except ValueError as error:
        raise SetError(f"{labelled.name}: {error}") from error
    result = AccuracyResult(labelled.name, tool.name, metrics, interval, level_auc)
    listed = doubtful_pairs(labelled.name)
    kept = np.array([frozenset(pair[:2]) not in listed for pair in labelled.pairs])
    if kept.all():
        return result
    precision = average_precision(scores[kept], labels[kept])
    return result._replace(doubtful=int((~kept).sum()), ap_without_doubtful=precision)


def summary_table(results: Sequence[AccuracyResult]) -> str:
    header = ["set", "tool", "pairs", "positives", "AP", "95 %", "AUC", "best F1", "P@N"]
    rows = []
    for result in results:
        counts = [f"{count}" for count in result.metrics[:2]]
        figures = [f"{figure:.3f}" for figure in result.metrics[2:]]
        interval = "{:.3f}-{:.3f}".format(*result.interval)
        rows.append([result.set_name, result.tool, *counts, figures[0], interval, *figures[1:]])
    return markdown(header, rows)


def doubtful_tables(results: Sequence[AccuracyResult]) -> list[str]:
    """Return a table of both figures of the sets that have doubtful labels."""
    rows = [
        [result.set_name, result.tool, f"{result.doubtful}", f"{result.metrics.ap:.3f}", f"{without:.3f}"]
        for result in results
        if (without := result.ap_without_doubtful) is not None
    ]
    header = ["set", "tool", "doubtful pairs", "AP", "AP without them"]
    title = "Labels that we judge wrong, with reasons in bench/doubtful.csv"
    return [f"{title}\n\n{markdown(header, rows)}"] if rows else []


def level_tables(results: Sequence[AccuracyResult]) -> list[str]:
    """Return a table of the AUC by level for each set that has levels."""
    tables = []
    for name in dict.fromkeys(result.set_name for result in results if result.level_auc):
        set_results = [result for result in results if result.set_name == name]
        levels = list(set_results[0].level_auc)
        rows = [[result.tool, *(f"{result.level_auc[level]:.3f}" for level in levels)] for result in set_results]
        tables.append(f"AUC by level, {name}\n\n" + markdown(["tool", *levels], rows))
    return tables


def installed_tools(names: Sequence[str], python: str | None) -> list[tools.Tool]:
    """Return the named tools that are installed; print a message for each of the others.

    Raises
    ------
    ToolError
        When none is installed.
    """
    installed = []
    for name in dict.fromkeys(names):
        try:
            installed.append(tools.find_tool(name, python))
        except tools.ToolError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
    if not installed:
        raise tools.ToolError("none of the tools is installed")
    return installed


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.accuracy", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a set, or a folder of sets")
    parser.add_argument(
        "--tool",
        action="append",
        choices=tools.NAMES,
        help="tool to measure, repeatable (default: moss)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the metrics to this file")
    parser.add_argument("--python", help="interpreter that has copydetect and compare50 (default: BENCH_PYTHON)")
    return parser.parse_args()


@command
def main() -> None:
    arguments = _arguments()
    sets = find_sets(arguments.folder)
    installed = installed_tools(arguments.tool or ["moss"], arguments.python)
    results = []
    for labelled in sets:
        for tool in installed:
            print(f"{labelled.name}: {tool.name}", file=sys.stderr)
            results.append(score_set(tool, labelled))
    print("\n\n".join([summary_table(results), *level_tables(results), *doubtful_tables(results)]))
    if arguments.json:
        arguments.json.write_text(json.dumps([result.as_json() for result in results], indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
