"""Draw how true the stated rarities of pairs are: `python -m bench.reliability FOLDER OUTPUT [--draws N]`.

FOLDER is a folder of sets as in `bench.accuracy`, OUTPUT a PNG file. The classes are those of
`bench.threshold`. A pair of which is stated that one in 100 unrelated pairs is that similar has one part in
100 of them above it, if the statement is true: then the points lie on the diagonal.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bench.experiments.plotting import plot
from bench.processes import command
from bench.tables import markdown
from bench.threshold import DRAWS, STATED, measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.threshold import SetFigures


class Point(NamedTuple):
    """Of unrelated pairs, the part that is stated to be so similar, and the part that is."""

    stated: float
    true: float


def points(figures: Sequence[SetFigures]) -> list[Point]:
    """Return a point for each stated part, over the classes of all these sets that state it."""
    sums = [
        (one_in, sum(one.true[one_in] for one in figures), sum(one.expected[one_in] for one in figures))
        for one_in in STATED
    ]
    return [Point(1 / one_in, true / expected / one_in) for one_in, true, expected in sums if expected]


def draw(figures: Sequence[SetFigures], path: Path) -> None:
    """Draw the points of each set, small, and those of all sets together, joined."""
    with plot(path) as (axes,):
        for of_set in figures:
            dots = [point for point in points([of_set]) if point.true]
            axes.plot(
                [one.stated for one in dots],
                [one.true for one in dots],
                ".",
                color="0.7",
                markersize=4,
            )
        every = points(figures)
        axes.plot([one.stated for one in every], [one.true for one in every], "o-", label="all sets")
        ends = [1 / max(STATED) / 2, 2 / min(STATED)]
        axes.plot(ends, ends, "k--", linewidth=0.8, label="true statements")
        axes.set(xscale="log", yscale="log", xlabel="stated part of unrelated pairs", ylabel="true part")
        axes.legend()


def table(figures: Sequence[SetFigures]) -> str:
    rows = [[f"{one.stated:.2%}", f"{one.true:.2%}"] for one in points(figures)]
    return markdown(["stated", "true"], rows)


@command
def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("output", type=Path, metavar="OUTPUT")
    parser.add_argument("--draws", type=int, default=DRAWS, metavar="N", help="classes of each kind and group")
    arguments = parser.parse_args()
    figures = measure(arguments.folder, arguments.draws)
    draw(figures, arguments.output)
    print(table(figures))


if __name__ == "__main__":
    sys.exit(main())
