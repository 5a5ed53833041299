"""Data of a report's charts: clusters of submissions, and the histogram of best matches."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import networkx as nx

from submissions import queries
from submissions.pseudonyms.names import Names
from submissions.queries import Link

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import timedelta

    from submissions.models import Report, Submission

# A drawn graph is readable up to so many nodes and links.
MAX_NODES, MAX_LINKS = 200, 400
# The histogram's bins are narrow from so many submissions on.
LARGE_COHORT = 100


class ClusterMember(NamedTuple):
    """A submission of a cluster.

    `later` is the time between the cluster's first submission and this one, None where it is unknown.
    """

    submission: Submission
    later: timedelta | None


class Cluster(NamedTuple):
    """Submissions that pairs at or above a threshold connect; number 1 is the largest cluster.

    `members` are in the order of their times, those without a time last; `timed` is whether at least two have
    one. `links` are the cluster's pairs, most similar first, and `mean` is their mean similarity.
    """

    number: int
    members: list[ClusterMember]
    links: list[Link]
    strongest: tuple[Submission, Submission]
    mean: float
    timed: bool

    @property
    def similarity(self) -> float:
        """Similarity of the strongest pair."""
        return self.links[0].similarity


def clusters(report: Report, threshold: float, names: Names | None = None) -> list[Cluster]:
    """Return the clusters of pairs at or above `threshold`, in [0, 1], largest first."""
    links = queries.links(report, threshold)
    submissions = queries.submissions_by_id(pk for link in links for pk in link[:2])
    if names and names.hidden:
        links = _displayed_links(links, {pk: names.display_name(row.name) for pk, row in submissions.items()})
    components = _connected_components(links)
    return [
        _cluster(number, [submissions[pk] for pk in ids], own_links, names or Names())
        for number, (ids, own_links) in enumerate(components, 1)
    ]


def _displayed_links(links: list[Link], displayed: dict[int, str]) -> list[Link]:
    """Put the sides and the ties of links in the order of the displayed names, by primary key."""
    sides = ((sorted(link[:2], key=displayed.__getitem__), link) for link in links)
    ordered = [Link(left, right, link.similarity) for (left, right), link in sides]
    return sorted(ordered, key=lambda link: (-link.similarity, displayed[link.left], displayed[link.right]))


def _cluster(number: int, submissions: list[Submission], links: list[Link], names: Names) -> Cluster:
    by_id = {submission.pk: submission for submission in submissions}
    members = _members_by_time(submissions, names)
    return Cluster(
        number,
        members,
        links,
        strongest=(by_id[links[0].left], by_id[links[0].right]),
        mean=sum(link.similarity for link in links) / len(links),
        timed=sum(member.later is not None for member in members) > 1,
    )


def _members_by_time(submissions: Iterable[Submission], names: Names) -> list[ClusterMember]:
    """Order by the time of handing in, then by the displayed name; those without a time come last.

    Where names are hidden, no time is used: it can reveal who handed in.
    """
    by_name = sorted(submissions, key=lambda submission: names.display_name(submission.name).casefold())
    if names.hidden:
        return [ClusterMember(submission, None) for submission in by_name]
    timed = [(submission, submission.handed_in) for submission in by_name if submission.handed_in]
    timed.sort(key=lambda pair: pair[1])
    members = [ClusterMember(submission, time - timed[0][1]) for submission, time in timed]
    return members + [ClusterMember(submission, None) for submission in by_name if not submission.handed_in]


def _connected_components(links: list[Link]) -> list[tuple[list[int], list[Link]]]:
    """Split links into connected components (submission ids, links), the largest component first."""
    graph = nx.Graph((link.left, link.right) for link in links)
    components = sorted(nx.connected_components(graph), key=len, reverse=True)
    component_index = {pk: index for index, ids in enumerate(components) for pk in ids}
    component_links: list[list[Link]] = [[] for _ in components]
    for link in links:
        component_links[component_index[link.left]].append(link)
    return [(sorted(ids), inside) for ids, inside in zip(components, component_links, strict=True)]


class Graph(NamedTuple):
    """The part of the clusters that is drawn: (submission, number of its cluster) nodes, and links.

    `hidden_nodes` and `hidden_links` count those that are not drawn.
    """

    nodes: list[tuple[Submission, int]]
    links: list[Link]
    hidden_nodes: int
    hidden_links: int


def graph(all_clusters: list[Cluster]) -> Graph:
    """Choose the submissions with the strongest links; of their links, those that connect them come first."""
    links = [link for cluster in all_clusters for link in cluster.links]
    links.sort(key=lambda link: -link.similarity)
    ids = _strongest_nodes(links)
    forest, others = _spanning_forest([link for link in links if link.left in ids and link.right in ids])
    drawn_links = forest + others[: MAX_LINKS - len(forest)]
    nodes = [(member.submission, cluster.number) for cluster in all_clusters for member in cluster.members]
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
