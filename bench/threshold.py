"""Measure the suggested threshold on labelled classes: `python -m bench.threshold FOLDER [--draws N]`.

FOLDER is a folder of sets as in `bench.accuracy`. From each of their groups classes of several sizes are
drawn in which 0, 1, 3, 10 and 30 % of the submissions are copies, without starter code, with it, and with it
registered; small classes have 0 to 3 pairs of copies; and each group is taken whole. Printed are, for
each set, the recall, precision and F1 of the pairs from the suggested threshold on, beside the best F1 of any
threshold; how many classes without copies have more than one false case for each hundred submissions; and how
many unrelated pairs are as similar as is stated for one in 100 and so on. Each set counts the same in a mean;
of whole and small classes each source does, with the interval in which 90 % of the means of resampled sources
lie. Of whole groups also the bands: how many pairs of each are copies, and how many of the copies it has.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bench.labelled import find_sets
from bench.left_out import source_of
from bench.metrics import best_f1
from bench.processes import command
from bench.tables import markdown
from bench.threshold_classes import (
    COPY,
    HONEST,
    UNKNOWN,
    draw_classes,
    few_copies,
    read_groups,
    whole_class,
)
from submissions.matches.bands import WHOLE_SHARE, Bands
from submissions.matches.groups import connected_components
from submissions.matches.ranked_pairs import WHOLE_TOKENS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy.typing as npt

    from bench.threshold_classes import DrawnClass

DRAWS = 3
STATED = (30, 100, 300, 1000)
GOOD = 0.9  # of the best F1
ALLOWED_FALSE_CASES = 0.01  # for each submission


class Division(NamedTuple):
    """Recall, precision and F1 of a threshold over the pairs of a class with copies."""

    recall: float
    precision: float
    f1: float
    best: float

    @property
    def ratio(self) -> float:
        return self.f1 / self.best


def divide(drawn: DrawnClass) -> Division | None:
    """Return how the suggestion divides a class; None where no threshold finds a copy, or there is none."""
    known = drawn.labels != UNKNOWN
    similarity = drawn.ranking.scores.similarity[known]
    is_copy = drawn.labels[known] == COPY
    if not is_copy.any():
        return None
    above = similarity >= drawn.ranking.threshold.value
    hits, listed = int((above & is_copy).sum()), int(above.sum())
    # Copies that are no pair of the ranking have similarity 0.
    missing = drawn.copies - int(is_copy.sum())
    best = best_f1(np.append(similarity, np.zeros(missing)), np.append(is_copy, np.ones(missing, dtype=np.bool_)))
    return Division(
        hits / drawn.copies,
        hits / max(listed, 1),
        2 * hits / (listed + drawn.copies),
        best,
    )


def false_cases(drawn: DrawnClass) -> int:
    """Return the number of cases of a class at its suggestion, without pairs of an unknown label."""
    above = (drawn.ranking.scores.similarity >= drawn.ranking.threshold.value) & (drawn.labels != UNKNOWN)
    pairs = zip(drawn.ranking.pairs.left[above].tolist(), drawn.ranking.pairs.right[above].tolist(), strict=True)
    return len(connected_components(list(pairs)))


def stated_and_true(drawn: DrawnClass, one_in: int) -> tuple[float, int] | None:
    """Return the expected and the true number of unrelated pairs that are stated as one in `one_in` or rarer.

    None where the class has fewer pairs than that, or is too small for a statement.
    """
    unrelated = drawn.ranking.unrelated
    if unrelated is None or unrelated.pairs < one_in:
        return None
    least = unrelated.reached_by((1 - unrelated.copied) * unrelated.pairs / one_in)
    honest = drawn.ranking.scores.similarity[drawn.labels == HONEST]
    return (unrelated.pairs - drawn.copies) / one_in, int((honest >= least).sum())


def in_bands(drawn: DrawnClass) -> npt.NDArray[np.int64]:
    """Return pairs that stand out, copies of them, both for pairs to look at, and all copies: int64 [5]."""
    known, scores = drawn.labels != UNKNOWN, drawn.ranking.scores
    bands = Bands.of(drawn.ranking.threshold._asdict())
    whole = (np.maximum(scores.left_share, scores.right_share) >= WHOLE_SHARE) & (scores.tokens >= WHOLE_TOKENS)
    far = scores.similarity >= bands.stands_out
    look = ((scores.similarity >= bands.look) | whole) & ~far
    counts = [one for band in (far, look) for one in (band & known, band & (drawn.labels == COPY))]
    return np.array([*(one.sum() for one in counts), drawn.copies])


class SetFigures:
    """The figures of the classes of one set."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.divisions: list[tuple[float, str, Division]] = []
        self.honest: list[bool] = []
        # Of whole and small classes: the part of the best F1; whether one without copies has a pair above.
        self.ways: dict[str, list[float]] = defaultdict(list)
        self.bands = np.zeros(5, dtype=np.int64)  # of whole classes, see `in_bands`
        self.expected: dict[int, float] = defaultdict(float)
        self.true: dict[int, int] = defaultdict(int)

    def add(self, drawn: DrawnClass) -> None:
        if drawn.kind.way != "share":
            self._add_way(drawn)
        elif drawn.kind.share == 0:
            allowed = max(1.0, ALLOWED_FALSE_CASES * drawn.submissions)
            self.honest.append(false_cases(drawn) > allowed)
        elif division := divide(drawn):
            self.divisions.append((drawn.kind.share, drawn.kind.starter, division))
        for one_in in STATED:
            if figures := stated_and_true(drawn, one_in):
                self.expected[one_in] += figures[0]
                self.true[one_in] += figures[1]

    def _add_way(self, drawn: DrawnClass) -> None:
        if drawn.kind.way == "whole":
            self.bands += in_bands(drawn)
        if drawn.kind.share == 0:
            self.ways["clean"].append(float(false_cases(drawn) > 0))
        elif division := divide(drawn):
            self.ways[drawn.kind.way].append(division.ratio)

    def row(self) -> list[float]:
        """Return the means: part of the best F1, part of good classes, F1, best F1, recall, precision.

        The last one is the part of the classes without copies that have too many false cases.
        """
        of_each = [
            (one.ratio, one.ratio >= GOOD, one.f1, one.best, one.recall, one.precision) for _, _, one in self.divisions
        ]
        means = np.mean(of_each, axis=0).tolist() if of_each else [np.nan] * 6
        return [*means, float(np.mean(self.honest)) if self.honest else np.nan]


def measure(folder: Path, draws: int) -> list[SetFigures]:
    """Draw and rank the classes of all sets of a folder."""
    figures = []
    for labelled in find_sets(folder):
        print(labelled.name, file=sys.stderr)
        of_set = SetFigures(labelled.name)
        for group in read_groups(labelled):
            for drawn in whole_class(group):
                of_set.add(drawn)
            for seed in range(draws):
                for drawn in (*few_copies(group, seed), *draw_classes(group, seed)):
                    of_set.add(drawn)
        figures.append(of_set)
    return figures


def division_table(figures: Sequence[SetFigures]) -> str:
    header = ["set", "of best F1", "≥ .9", "F1", "best", "recall", "precision", "false cases"]
    rows = [[of_set.name, *map(_figure, of_set.row())] for of_set in figures]
    mean = np.nanmean([of_set.row() for of_set in figures if of_set.divisions], axis=0)
    return markdown(header, [*rows, ["mean", *map(_figure, mean)]])


def way_table(figures: Sequence[SetFigures], resamples: int = 1000) -> str:
    """Return the figures of whole, small and clean classes by source, and their means with an interval."""
    ways = ("whole", "few", "clean")
    by_source: dict[str, list[list[float]]] = defaultdict(list)
    for of_set in figures:
        of_each = [float(np.mean(of_set.ways[way])) if of_set.ways[way] else np.nan for way in ways]
        by_source[source_of(of_set.name)].append(of_each)
    means = np.array([np.nanmean(rows, axis=0) for rows in by_source.values()])
    rng = np.random.default_rng(1)
    drawn = [np.nanmean(means[rng.integers(0, len(means), len(means))], axis=0) for _ in range(resamples)]
    low, high = np.nanquantile(drawn, (0.05, 0.95), axis=0)
    rows = [[name, *map(_figure, row)] for name, row in zip(by_source, means.tolist(), strict=True)]
    interval = [f"{_figure(a)} to {_figure(b)}" for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    header = ["source", "whole classes, of best F1", "few copies, of best F1", "no copies: a pair above"]
    return markdown(header, [*rows, ["mean", *map(_figure, np.nanmean(means, axis=0).tolist())], ["90 %", *interval]])


def band_table(figures: Sequence[SetFigures]) -> str:
    """Return precision and part of the copies of each band, over the whole classes of each set."""
    rows: dict[str, list[float]] = {}
    for of_set in figures:
        far, far_copies, look, look_copies, copies = of_set.bands.tolist()
        parts = (far_copies / copies, (far_copies + look_copies) / copies) if copies else (np.nan, np.nan)
        precisions = (hits / pairs if pairs else np.nan for hits, pairs in ((far_copies, far), (look_copies, look)))
        rows[of_set.name] = [*precisions, *parts]
    rows["mean"] = np.nanmean([*rows.values()], axis=0).tolist()
    header = ["set", "stands out: copies", "look: copies", "of the copies stand out", "and to look at"]
    return markdown(header, [[name, *map(_figure, row)] for name, row in rows.items()])


def kind_table(figures: Sequence[SetFigures]) -> str:
    """Return the mean part of the best F1 by part of copies and starter code."""
    kinds = sorted({(share, starter) for of_set in figures for share, starter, _ in of_set.divisions})
    starters = sorted({starter for _, starter in kinds})
    rows = [
        [f"{share:.0%}", *(_figure(_mean_ratio(figures, share, starter)) for starter in starters)]
        for share in sorted({share for share, _ in kinds})
    ]
    return markdown(["copies", *(f"starter code: {starter}" for starter in starters)], rows)


def _mean_ratio(figures: Iterable[SetFigures], share: float, starter: str) -> float:
    of_sets = [[one.ratio for a, b, one in of_set.divisions if (a, b) == (share, starter)] for of_set in figures]
    return float(np.mean([np.mean(ratios) for ratios in of_sets if ratios]))


def rarity_table(figures: Sequence[SetFigures]) -> str:
    """Return the true numbers of unrelated pairs in relation to the stated ones."""
    rows = [[of_set.name, *(_related(of_set.true[one], of_set.expected[one]) for one in STATED)] for of_set in figures]
    sums: list[Callable[[int], float]] = [
        lambda one: sum(of_set.true[one] for of_set in figures),
        lambda one: sum(of_set.expected[one] for of_set in figures),
    ]
    rows.append(["all", *(_related(sums[0](one), sums[1](one)) for one in STATED)])
    return markdown(["true / stated", *(f"one in {one:,}" for one in STATED)], rows)


def _related(true: float, expected: float) -> str:
    return f"{true / expected:.2f} ({true:.0f})" if expected else ""


def _figure(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.3f}"


@command
def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--draws", type=int, default=DRAWS, metavar="N", help="classes of each kind and group")
    arguments = parser.parse_args()
    figures = measure(arguments.folder, arguments.draws)
    classes = sum(len(one.divisions) + len(one.honest) for one in figures)
    makers = (way_table, band_table, division_table, kind_table, rarity_table)
    tables = [table(figures) for table in makers]
    print("\n\n".join([f"{classes} classes", *tables]))


if __name__ == "__main__":
    sys.exit(main())
