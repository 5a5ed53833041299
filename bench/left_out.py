"""Choose each constant of the score without one source of data at a time: `python -m bench.left_out FOLDER`.

FOLDER is a folder of sets as in `bench.accuracy`. The source of a set is its name up to the first `_`. For
each constant the value of `GRID` is chosen that is best for all sources but one, with all other constants as
they are, and measured on that one (*left out*), beside the constant in force (*now*) and without the
ingredient (*without*). A source's figure is the mean average precision of its sets. A constant that is worse
left out than without should go.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bench.labelled import SetError, find_sets
from bench.metrics import average_precision
from bench.processes import command
from bench.rescoring import Rescorer, read_labelled
from bench.tables import markdown
from fingerprint.ranking import score_constants

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    # Mean average precision of each source.
    Figures = Mapping[str, float]


class Constant(NamedTuple):
    """A constant: its name in `score_constants`, its field if it has several, and the values to try.

    `without` is the value that takes the ingredient out of the score, None where there is none.
    """

    label: str
    name: str
    field: str
    values: tuple[float, ...]
    without: float | None

    def changed_to(self, value: float) -> dict[str, Any]:
        """Return the constant with another value, for `Rescorer.scores`."""
        if not self.field:
            return {self.name: value}
        return {self.name: getattr(score_constants, self.name)._replace(**{self.field: value})}

    @property
    def current(self) -> float:
        constant = getattr(score_constants, self.name)
        return float(getattr(constant, self.field) if self.field else constant)


GRID = (
    Constant("rarity of k-grams", "RARITY_EXPONENT", "", (0.0, 0.25, 0.35, 0.5, 0.65, 0.75, 1.0), 0.0),
    Constant("repeats damped", "REPEAT_EXPONENT", "", (0.0, 0.15, 0.25, 0.5), 0.0),
    Constant("gaps", "LENGTHS", "gap_scale", (0.01, 5.0, 15.0, 20.0, 30.0, 45.0, 60.0), 0.01),
    Constant("long passages", "LENGTHS", "half_length", (0.01, 15.0, 30.0, 50.0, 70.0, 100.0), 0.01),
    Constant("part of the difference in size", "EXTRA_PART", "", (0.0, 0.25, 0.5, 0.75, 1.0), 0.0),
    Constant("size that costs nothing", "FREE_SIZE", "", (1.0, 4 / 3, 1.5, 2.0, 2.5, 3.0), 1.0),
    Constant("limit of the difference", "EXTRA_LIMIT", "", (0.0, 60.0, 100.0, 130.0, 160.0, 250.0, 1e9), 0.0),
    Constant("rarity of terms", "TERM_RARITY_EXPONENT", "", (0.0, 0.5, 1.0, 1.5), 0.0),
    Constant("terms that cost nothing", "FREE_TERMS", "", (1.0, 4 / 3, 1.5, 2.0), 1.0),
    Constant("whole copies", "WHOLE_EXPONENT", "", (2.0, 4.0, 8.0, 16.0, 1e9), 1e9),
    Constant("dictated from", "DICTATED_PART", "", (0.2, 0.35, 0.5, 0.75, 1.0, 1e9), 1e9),
    Constant("tokens a literal counts", "LITERALS", "tokens", (0.0, 1.0, 2.0, 2.5, 3.0, 4.0, 6.0), 0.0),
    Constant("most of literals", "LITERALS", "cap", (0.3, 0.6, 1.0, 2.0), None),
    Constant("tokens a name counts", "NAMES", "tokens", (0.0, 0.75, 1.5, 3.0), 0.0),
    Constant("most of names", "NAMES", "cap", (0.0, 0.08, 0.15, 0.2, 0.3), 0.0),
    Constant("tokens an import counts", "IMPORTS", "tokens", (0.0, 1.0, 2.0, 2.5, 3.0, 5.0), 0.0),
    Constant("most of imports", "IMPORTS", "cap", (0.0, 0.15, 0.3, 0.5, 1.0), 0.0),
    Constant("tokens a use counts", "USES", "tokens", (0.0, 1.0, 2.0, 4.0), 0.0),
    Constant("most of uses", "USES", "cap", (0.0, 0.25, 0.5, 0.75, 1.0), 0.0),
    Constant("least part of passages", "LEAST_PASSAGE_PART", "", (0.0, 0.4, 0.6, 0.8), 0.0),
    Constant("terms without a passage", "HALF_TERMS", "", (0.1, 0.5, 1.0, 2.0, 4.0, 1e9), 1e9),
)


class LeftOut(NamedTuple):
    """Figures of one constant for one source; `value` is the best one for the other sources."""

    value: float
    left_out: float
    without: float | None
    now: float


def source_of(set_name: str) -> str:
    return set_name.split("_", maxsplit=1)[0]


def figures(sets: Sequence[Rescorer], constants: Mapping[str, object]) -> Figures:
    """Return the mean average precision of each source with changed constants."""
    by_source: dict[str, list[float]] = {}
    for labelled in sets:
        precision = average_precision(labelled.scores(constants), labelled.labels)
        by_source.setdefault(source_of(labelled.name), []).append(precision)
    return {source: float(np.mean(values)) for source, values in by_source.items()}


def leave_out(constant: Constant, sets: Sequence[Rescorer]) -> dict[str, LeftOut]:
    """Return the figures of one constant for each source.

    Of values that are equally good for the others, the one nearest to the one in force counts.
    """
    nearest = sorted({*constant.values, constant.current}, key=lambda value: abs(value - constant.current))
    by_value = {value: figures(sets, constant.changed_to(value)) for value in nearest}
    now = by_value[constant.current]
    without = None if constant.without is None else by_value[constant.without]
    rows = {}
    for source in now:
        best = max(nearest, key=lambda value: _mean_without(source, by_value[value]))
        off = None if without is None else without[source]
        rows[source] = LeftOut(best, by_value[best][source], off, now[source])
    return rows


def _mean_without(source: str, by_source: Figures) -> float:
    return round(sum(figure for other, figure in by_source.items() if other != source), 9)


def table(results: Mapping[Constant, Mapping[str, LeftOut]]) -> str:
    """Return the figures as a table; `*` marks figures that are lower left out than without."""
    columns = list(next(iter(results.values())))
    rows = []
    for constant, by_source in results.items():
        source_rows = by_source.values()
        now = [row.now for row in source_rows]
        name = f"{constant.label}, {constant.current:g}"
        rows.append([name, "now", *(f"{part:.3f}" for part in now), _mean([row.now for row in source_rows])])
        left_out = [row.left_out for row in source_rows]
        rows.append(["", "left out", *map(_left_out_text, source_rows), _mean(left_out)])
        without = [row.without for row in source_rows if row.without is not None]
        if without:
            rows.append(["", "without", *(f"{figure:.3f}" for figure in without), _mean(without)])
    return markdown(["constant", "", *columns, "mean"], rows)


def _mean(values: Sequence[float]) -> str:
    return f"{np.mean(values):.3f}"


def _left_out_text(row: LeftOut) -> str:
    mark = "*" if row.without is not None and row.left_out < row.without - 0.0005 else ""
    return f"{row.left_out:.3f} ({row.value:g}){mark}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.left_out", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a folder of sets of several sources")
    parser.add_argument(
        "--constant", action="append", metavar="NAME", help="only this constant of the score, repeatable"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to this file")
    return parser.parse_args()


@command
def main() -> None:
    arguments = _arguments()
    chosen = [one for one in GRID if not arguments.constant or one.name in arguments.constant]
    if not chosen:
        names = ", ".join(dict.fromkeys(one.name for one in GRID))
        raise SetError(f"no constant has that name; there are {names}")
    labelled = find_sets(arguments.folder)
    if len({source_of(one.name) for one in labelled}) < 2:  # noqa: PLR2004 - one source cannot be left out
        raise SetError("sets of at least two sources are needed; a set's name begins with its source")
    sets = []
    for one in labelled:
        print(f"reading {one.name}", file=sys.stderr)
        sets.append(Rescorer(read_labelled(one)))
    results = {}
    for constant in chosen:
        print(f"{constant.label}: {len(constant.values)} values", file=sys.stderr)
        results[constant] = leave_out(constant, sets)
    print(table(results))
    if arguments.json:
        rows = [{"constant": one._asdict(), "sources": _as_json(by)} for one, by in results.items()]
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n")


def _as_json(by_source: Mapping[str, LeftOut]) -> dict[str, object]:
    return {source: row._asdict() for source, row in by_source.items()}


if __name__ == "__main__":
    sys.exit(main())
