"""What the pictures of a report show: which submissions hang together, and how far a cohort is spread."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from submissions import queries
from submissions.naming import Names

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import timedelta

    from submissions.models import Report, Submission
    from submissions.queries import Link


class Member(NamedTuple):
    """A submission of a cluster; `later` than the first one handed in, where the times are known."""

    submission: Submission
    later: timedelta | None


class Cluster(NamedTuple):
    """Submissions that pairs from a line on connect, `number` 1 being the largest cluster.

    `members` are ordered by the time of handing in, those without one last; `mean` is that of `links`.
    """

    number: int
    members: list[Member]
    links: list[Link]
    strongest: tuple[Submission, Submission]
    mean: float

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
    strongest = links[0]
    return Cluster(
        number,
        _in_time(members, names),
        links,
        (found[strongest.left], found[strongest.right]),
        sum(link.similarity for link in links) / len(links),
    )


def _in_time(members: Iterable[Submission], names: Names) -> list[Member]:
    """Order by the time of handing in, then by the name that is read, those without a time last."""
    by_name = sorted(members, key=lambda one: names.of(one.name).casefold())
    timed = [(one, one.handed_in) for one in by_name if one.handed_in]
    timed.sort(key=lambda one: one[1])
    known = [Member(one, when - timed[0][1]) for one, when in timed]
    return known + [Member(one, None) for one in by_name if not one.handed_in]


def _connected(links: list[Link]) -> list[tuple[list[int], list[Link]]]:
    """Split links into connected components, each with its submissions; most of these come first."""
    parent: dict[int, int] = {}

    def root(of: int) -> int:
        parent.setdefault(of, of)
        while parent[of] != of:
            parent[of] = parent[parent[of]]
            of = parent[of]
        return of

    for link in links:
        first, second = sorted((root(link.left), root(link.right)))
        parent[second] = first
    owned: dict[int, list[Link]] = defaultdict(list)
    for link in links:
        owned[root(link.left)].append(link)
    members: dict[int, list[int]] = defaultdict(list)
    for pk in sorted(parent):
        members[root(pk)].append(pk)
    whole = [(members[top], own) for top, own in owned.items()]
    return sorted(whole, key=lambda one: -len(one[0]))
