"""Data of a report's charts: the graph of its cases, and the histogram of best matches."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import networkx as nx

if TYPE_CHECKING:
    from submissions.models import Report, Submission
    from submissions.pages.report.cases import Case
    from submissions.queries import Link

# A drawn graph is readable up to so many nodes and links.
MAX_NODES, MAX_LINKS = 200, 400
# The histogram's bins are narrow from so many submissions on.
LARGE_COHORT = 100


class Graph(NamedTuple):
    """The part of the cases that is drawn: (submission, number of its case) nodes, and links.

    `hidden_nodes` and `hidden_links` count those that are not drawn.
    """

    nodes: list[tuple[Submission, int]]
    links: list[Link]
    hidden_nodes: int
    hidden_links: int


def graph(all_cases: list[Case]) -> Graph:
    """Choose the submissions with the strongest links; of their links, those that connect them come first."""
    links = [link for case in all_cases for link in case.links]
    links.sort(key=lambda link: -link.similarity)
    ids = _strongest_nodes(links)
    forest, others = _spanning_forest([link for link in links if link.left in ids and link.right in ids])
    drawn_links = forest + others[: MAX_LINKS - len(forest)]
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


def _strongest_nodes(links: list[Link]) -> set[int]:
    """Return the ids of at most MAX_NODES submissions with the strongest links; `links` are in that order."""
    ids: set[int] = set()
    for link in links:
        if len(ids | {link.left, link.right}) <= MAX_NODES:
            ids |= {link.left, link.right}
        if len(ids) == MAX_NODES:
            break
    return ids


class Bin(NamedTuple):
    """Number of submissions with a best match in [`low`, `high`) percent; the last bin includes 100 %."""

    low: int
    high: int
    submissions: int


class Histogram(NamedTuple):
    """Best matches of a cohort's submissions, and the threshold that the report suggests.

    `values` are similarities in ascending order; `reason` explains the suggestion.
    """

    values: list[float]
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


def histogram(report: Report) -> Histogram | None:
    """Return the best matches of a report; None if it was stored without findings."""
    if report.findings is None:
        return None
    threshold = report.parameters["threshold"]
    values = sorted(match.similarity for match in report.findings.best)
    return Histogram(values, threshold["value"], threshold["reason"])
