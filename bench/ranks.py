"""Rank each copy among honest pairs: `python -m bench.ranks FOLDER [--tool NAME]...`.

FOLDER is one set or contains several, as in `bench.accuracy`. The rank of a copy is its place among the pairs
of its group that are not copies, 1 for the best; of equal scores the mean place. `bench/rewrites` has copies
as a language model rewrites a program to hide where it comes from: moderate ones (names, order, conditions,
loops, messages) and heavy ones (another structure). Where names begin with their task and `_`, the
place among the honest pairs of that task counts too.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench import tools
from bench.accuracy import installed_tools, pair_scores
from bench.labelled import find_sets
from bench.processes import command
from bench.tables import markdown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.labelled import LabelledPair, LabelledSet
    from bench.metrics import Scores

# Goals: places among the first ten, and in the first tenth of the pairs.
FIRST, FIRST_PART = 10, 0.1


class CopyRank(NamedTuple):
    """The place of a copy among the honest pairs of its group and of its task, from 1 on; ties in the middle.

    `part` in [0, 1] is the part of the honest pairs of the group that are better.
    """

    level: str
    rank: float
    part: float
    rank_in_task: float


def task_of(pair: LabelledPair) -> str:
    """Return the task of both submissions, by the beginning of their names; "" if they have two."""
    first, second = (PurePosixPath(side).name.partition("_")[0] for side in (pair.a, pair.b))
    return first if first == second else ""


def place(score: float, others: Scores) -> float:
    """Return the place of `score` among `others`, from 1 on; ties are in the middle of their places."""
    return 1.0 + float((others > score).sum()) + float((others == score).sum()) / 2


def copy_ranks(pairs: Sequence[LabelledPair], scores: Scores) -> list[CopyRank]:
    """Return the rank of each copy, in the order of the pairs."""
    honest = np.array([pair.label == 0 for pair in pairs])
    groups, tasks = np.array([pair.group for pair in pairs]), np.array([task_of(pair) for pair in pairs])
    ranks = []
    for row in np.flatnonzero(~honest).tolist():
        in_group = honest & (groups == groups[row])
        in_task = in_group & (tasks == tasks[row])
        rank = place(scores[row], scores[in_group])
        part = (rank - 1) / max(1, in_group.sum())
        ranks.append(CopyRank(pairs[row].level, rank, part, place(scores[row], scores[in_task])))
    return ranks


def summary_rows(labelled: LabelledSet, tool: str, ranks: Sequence[CopyRank]) -> list[list[str]]:
    """Return a row of the table for each level."""
    rows = []
    for level in sorted({rank.level for rank in ranks}):
        of_level = [rank for rank in ranks if rank.level == level]
        figures = [
            f"{np.median([rank.rank for rank in of_level]):.1f}",
            f"{np.mean([rank.rank <= FIRST for rank in of_level]):.0%}",
            f"{np.mean([rank.part < FIRST_PART for rank in of_level]):.0%}",
            f"{np.median([rank.rank_in_task for rank in of_level]):.1f}",
        ]
        rows.append([labelled.name, level, tool, f"{len(of_level)}", *figures])
    return rows


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.ranks", description="Rank each copy among honest pairs.")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a set, or a folder of sets")
    parser.add_argument("--tool", action="append", choices=tools.NAMES, help="repeatable (default: moss)")
    parser.add_argument("--python", help="interpreter that has the peers (default: BENCH_PYTHON)")
    return parser.parse_args()


@command
def main() -> None:
    arguments = _arguments()
    rows = []
    installed = installed_tools(arguments.tool or ["moss"], arguments.python)
    for labelled in find_sets(arguments.folder):
        for tool in installed:
            ranks = copy_ranks(labelled.pairs, pair_scores(tool, labelled))
            rows += summary_rows(labelled, tool.name, ranks)
    header = ["set", "level", "tool", "copies", "median rank", "first ten", "first tenth", "rank in task"]
    print(markdown(header, sorted(rows)))


if __name__ == "__main__":
    sys.exit(main())
