"""Data of a report's charts: the graph of its cases, and the histogram of best matches."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import networkx as nx

from submissions.comparison.pair_rows import whole_percent
from submissions.queries.pairs import suggested_threshold, threshold_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from submissions.models import Report, Submission
    from submissions.pages.report.cases import Case
    from submissions.queries.course_of_student import AssignmentOfStudent
    from submissions.queries.submissions import Link

# A drawn graph is readable up to so many nodes and links.
MAX_NODES, MAX_LINKS = 200, 400
# The graph of one case has room for more.
MIN_CASE_NODES, MAX_CASE_NODES, MAX_CASE_LINKS = 3, 500, 1_000
# The histogram's bins are narrow from so many submissions on.
LARGE_COHORT = 30
# Width of a bar of the histogram of pairs, in percent.
PAIR_BIN = 2
# Height of the lowest bar, in percent of the highest one.
MIN_BAR = 3
# Distance of two assignments on a sparkline.
SPARK_STEP = 60


class Graph(NamedTuple):
    """The part of the cases that is drawn: (submission, number of its case) nodes, and links.

    `hidden_nodes` and `hidden_links` count those that are not drawn.
    """

    nodes: list[tuple[Submission, int]]
    links: list[Link]
    hidden_nodes: int
    hidden_links: int


def graph(all_cases: list[Case], max_nodes: int = MAX_NODES, max_links: int = MAX_LINKS) -> Graph:
    """Choose the submissions with the strongest links; of their links, those that connect them come first."""
    links = [link for case in all_cases for link in case.links]
    links.sort(key=lambda link: -link.similarity)
    ids = _strongest_nodes(links, max_nodes)
    forest, others = _spanning_forest([link for link in links if link.left in ids and link.right in ids])
    drawn_links = forest + others[: max_links - len(forest)]
    nodes = [(member.submission, case.number) for case in all_cases for member in case.members]
    drawn_nodes = [(submission, number) for submission, number in nodes if submission.pk in ids]
    return Graph(drawn_nodes, drawn_links, len(nodes) - len(drawn_nodes), len(links) - len(drawn_links))


def _spanning_forest(links: list[Link]) -> tuple[list[Link], list[Link]]:
    """Split links, strongest first, into a maximum spanning forest and the others."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_weighted_edges_from((link.left, link.right, -rank) for rank, link in enumerate(links))
    forest = {frozenset(edge) for edge in nx.maximum_spanning_edges(graph, data=False)}
    inside = [frozenset(link[:2]) in forest for link in links]
    spanning = [link for link, is_inside in zip(links, inside, strict=True) if is_inside]
    return spanning, [link for link, is_inside in zip(links, inside, strict=True) if not is_inside]


def case_graph(case: Case) -> Graph:
    """Return the graph of one case alone; of a pair there is nothing to see."""
    if len(case.members) < MIN_CASE_NODES:
        return Graph([], [], 0, 0)
    return graph([case], MAX_CASE_NODES, MAX_CASE_LINKS)


def _strongest_nodes(links: list[Link], max_nodes: int) -> set[int]:
    """Return the ids of at most `max_nodes` submissions with the strongest links; `links` are sorted."""
    ids: set[int] = set()
    for link in links:
        if len(ids | {link.left, link.right}) <= max_nodes:
            ids |= {link.left, link.right}
        if len(ids) == max_nodes:
            break
    return ids


class Bin(NamedTuple):
    """Number of submissions with a best match in [`low`, `high`) percent; the last bin includes 100 %."""

    low: int
    high: int
    submissions: int


class Histogram(NamedTuple):
    """Best matches of a cohort's submissions, its threshold, and the one that the report suggests.

    `values` are similarities in ascending order; `reason` explains the suggestion.
    """

    values: list[float]
    threshold: float
    suggested_threshold: float
    reason: str

    def count_from(self, threshold: float) -> int:
        """Count the submissions whose best match is at or above `threshold`."""
        return len(self.values) - bisect_left(self.values, threshold)

    @property
    def counts_from_percent(self) -> list[int]:
        """The values of `count_from` for every whole percent from 0 to 100."""
        return [self.count_from(percent / 100) for percent in range(101)]

    @property
    def width(self) -> int:
        """Width of a bin, in percent."""
        return 2 if len(self.values) >= LARGE_COHORT else 5

    @property
    def bins(self) -> list[Bin]:
        counts = self.counts_from_percent
        lows = range(0, 100, self.width)
        from_low = [*(counts[low] for low in lows), 0]
        return [
            Bin(low, low + self.width, from_here - from_next)
            for low, (from_here, from_next) in zip(lows, pairwise(from_low), strict=True)
        ]


class PairBin(NamedTuple):
    """Number of pairs with a similarity in [`low`, `high`) percent; the last bin includes 100 %.

    `height` is the part of the highest bar's height, in [0, 1]; `above` is whether the bin begins at or above
    the threshold.
    """

    low: int
    high: int
    pairs: int
    height: float
    above: bool

    @property
    def bar(self) -> float:
        """Height of the bar in a picture that is 100 high; a single pair is visible beside thousands."""
        return max(round(100 * self.height, 1), MIN_BAR) if self.pairs else 0

    @property
    def top(self) -> float:
        return 100 - self.bar


def pair_bins(similarities: Iterable[float], threshold: float) -> list[PairBin]:
    """Return the histogram of pairs.

    The few pairs that stand out would be invisible beside thousands: heights follow the logarithm.
    """
    counts = Counter(
        min(whole_percent(similarity) // PAIR_BIN, 100 // PAIR_BIN - 1) for similarity in similarities
    )
    highest = max(counts.values(), default=1)
    return [
        PairBin(
            low,
            low + PAIR_BIN,
            counts[low // PAIR_BIN],
            math.log1p(counts[low // PAIR_BIN]) / math.log1p(highest),
            low >= round(threshold * 100),
        )
        for low in range(0, 100, PAIR_BIN)
    ]


class SparkPoint(NamedTuple):
    """A point of a sparkline that is 100 high: `x` counts assignments, `y` goes down from 100 %."""

    x: float
    y: float
    row: AssignmentOfStudent


def sparkline(rows: Sequence[AssignmentOfStudent]) -> list[SparkPoint]:
    """Return the points of a student's best matches over the assignments of a course."""
    return [
        SparkPoint(SPARK_STEP * (index + 0.5), round(100 * (1 - row.similarity), 1), row)
        for index, row in enumerate(rows)
    ]


def histogram(report: Report) -> Histogram | None:
    """Return the best matches of a report; None while there are none."""
    if report.findings is None:
        return None
    reason = report.parameters["threshold"]["reason"]
    values = sorted(match.similarity for match in report.findings.best)
    return Histogram(values, threshold_of(report), suggested_threshold(report), reason)
