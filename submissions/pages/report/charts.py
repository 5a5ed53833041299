"""What the pictures of a report show: which submissions hang together, and how far a cohort is spread."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import networkx as nx

from submissions import queries
from submissions.pseudonyms.names import Names

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import timedelta

    from submissions.models import Report, Submission
    from submissions.queries import Link

# As much as one picture of a graph can hold and still be read.
NODES, LINKS = 200, 400
# From so many submissions on, the histogram's bins can be narrow.
MANY = 100


class Member(NamedTuple):
    """A submission of a cluster; `later` than the first one handed in, where the times are known."""

    submission: Submission
    later: timedelta | None


class Cluster(NamedTuple):
    """Submissions that pairs from a line on connect, `number` 1 being the largest cluster.

    `members` are ordered by the time of handing in, those without one last, and `timed` where at least two
    have one; `mean` is that of `links`.
    """

    number: int
    members: list[Member]
    links: list[Link]
    strongest: tuple[Submission, Submission]
    mean: float
    timed: bool

    @property
    def similarity(self) -> float:
        """That of the strongest pair."""
        return self.links[0].similarity


def clusters(report: Report, line: float, names: Names | None = None) -> list[Cluster]:
    """Give the clusters of a report from `line` in [0, 1] on, largest first."""
    links = queries.links(report, line)
    grouped = _connected(links)
    found = queries.submissions_by_id(pk for link in links for pk in link[:2])
    return [
        _cluster(number, [found[pk] for pk in ids], own, found, names or Names())
        for number, (ids, own) in enumerate(grouped, 1)
    ]


def _cluster(
    number: int, members: list[Submission], links: list[Link], found: dict[int, Submission], names: Names
) -> Cluster:
    strongest, ordered = links[0], _in_time(members, names)
    return Cluster(
        number,
        ordered,
        links,
        strongest=(found[strongest.left], found[strongest.right]),
        mean=sum(link.similarity for link in links) / len(links),
        timed=sum(member.later is not None for member in ordered) > 1,
    )


def _in_time(members: Iterable[Submission], names: Names) -> list[Member]:
    """Order by the time of handing in, then by the name that is read, those without a time last."""
    by_name = sorted(members, key=lambda one: names.of(one.name).casefold())
    timed = [(one, one.handed_in) for one in by_name if one.handed_in]
    timed.sort(key=lambda one: one[1])
    known = [Member(one, when - timed[0][1]) for one, when in timed]
    return known + [Member(one, None) for one in by_name if not one.handed_in]


def _connected(links: list[Link]) -> list[tuple[list[int], list[Link]]]:
    """Split links into connected components, each with its submissions; the largest component first."""
    graph = nx.Graph((link.left, link.right) for link in links)
    components = sorted(nx.connected_components(graph), key=len, reverse=True)
    component = {pk: at for at, ids in enumerate(components) for pk in ids}
    own: list[list[Link]] = [[] for _ in components]
    for link in links:
        own[component[link.left]].append(link)
    return [(sorted(ids), inside) for ids, inside in zip(components, own, strict=True)]


class Graph(NamedTuple):
    """What of some clusters is drawn: submissions with their cluster's number, links, how many are not."""

    nodes: list[tuple[Submission, int]]
    links: list[Link]
    nodes_left_out: int
    links_left_out: int


def graph(found: list[Cluster]) -> Graph:
    """Choose the submissions with the strongest links, and of their links those that hold them together."""
    links = sorted((link for cluster in found for link in cluster.links), key=lambda link: -link.similarity)
    ids = _strongest(links)
    inside = [link for link in links if link.left in ids and link.right in ids]
    tree, more = _spanning_forest(inside)
    drawn = tree + more[: LINKS - len(tree)]
    everyone = [(member.submission, cluster.number) for cluster in found for member in cluster.members]
    nodes = [(one, number) for one, number in everyone if one.pk in ids]
    return Graph(nodes, drawn, len(everyone) - len(nodes), len(links) - len(drawn))


def _spanning_forest(links: list[Link]) -> tuple[list[Link], list[Link]]:
    """Return the links, strongest first, that connect what all connect, and the others."""
    graph: nx.Graph[int] = nx.Graph()
    graph.add_weighted_edges_from((link.left, link.right, -at) for at, link in enumerate(links))
    forest = {frozenset(edge) for edge in nx.maximum_spanning_edges(graph, data=False)}
    inside = [frozenset(link[:2]) in forest for link in links]
    chosen = [link for link, is_inside in zip(links, inside, strict=True) if is_inside]
    return chosen, [link for link, is_inside in zip(links, inside, strict=True) if not is_inside]


def _strongest(links: list[Link]) -> set[int]:
    ids: set[int] = set()
    for link in links:
        if len(ids | {link.left, link.right}) <= NODES:
            ids |= {link.left, link.right}
        if len(ids) == NODES:
            break
    return ids


class Bin(NamedTuple):
    """Submissions with a best match in [`low`, `high`) percent; the last bin has 100 % as well."""

    low: int
    high: int
    submissions: int


class Histogram(NamedTuple):
    """Everybody's best match, ascending, and where the report suggests to draw the line."""

    values: list[float]
    suggested: float
    reason: str

    def from_line(self, line: float) -> int:
        """Count the submissions whose best match is at `line` or above."""
        return len(self.values) - bisect_left(self.values, line)

    @property
    def from_percent(self) -> list[int]:
        """That count for every whole percent from 0 to 100."""
        return [self.from_line(percent / 100) for percent in range(101)]

    @property
    def width(self) -> int:
        """Percent a bin."""
        return 2 if len(self.values) >= MANY else 5

    @property
    def bins(self) -> list[Bin]:
        least = self.from_percent
        lows = range(0, 100, self.width)
        ends = [*(least[low] for low in lows), 0]
        return [
            Bin(low, low + self.width, mine - after)
            for low, (mine, after) in zip(lows, pairwise(ends), strict=True)
        ]


def histogram(report: Report) -> Histogram | None:
    """Give the best matches of a report; None for one made before they were kept."""
    if report.findings is None:
        return None
    threshold = report.parameters["threshold"]
    values = sorted(match.similarity for match in report.findings.best)
    return Histogram(values, threshold["value"], threshold["reason"])
