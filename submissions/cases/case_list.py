"""The list of a report's cases with their graph: submissions that pairs at or above the threshold connect."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import networkx as nx
from django.core.paginator import Page, Paginator
from django.utils.crypto import salted_hmac
from django.utils.safestring import SafeString

from submissions.cases.members import TimedMember, members_by_time
from submissions.cases.read import (
    CasePairs,
    DecidedCase,
    Decisions,
    Suspicion,
    all_decisions,
    current_submission,
    decided_case,
    pairs_above,
    report_cases,
    suspicions,
)
from submissions.core.access import readable_submissions
from submissions.core.names import Names, search_terms, search_words
from submissions.models import CaseDecision, Decision, Report, Submission
from submissions.pages.rendered import render_part
from submissions.pairs.read import partly_read, submission_names
from submissions.reports.forms import parse_pair_filter
from submissions.uploads.read import Link, ranked_ids, submissions_by_id

if TYPE_CHECKING:
    from submissions.reports.address import ReportPage

# A drawn graph is readable up to so many nodes and links.
MAX_NODES, MAX_LINKS = 200, 400
# The graph of one case has room for more.
MIN_CASE_NODES, MAX_CASE_NODES, MAX_CASE_LINKS = 3, 500, 500
# The histogram's bins are narrow from so many submissions on.
LARGE_COHORT = 30

CASES_A_PAGE = 15
CELLS = "submissions/report/_case_cells.html"
HAND_CELLS = "submissions/report/_hand_cells.html"


class Case(NamedTuple):
    """Submissions that pairs at or above a threshold connect; number 1 has the most similar pair.

    `key` is the submission that stands for the case in its address. `members` are in the order of their
    times, those without a time last; `timed` is whether at least two have one. `links` are the case's stored
    pairs, most similar first, and `mean` is their mean similarity.
    """

    number: int
    key: int
    members: list[TimedMember]
    links: list[Link]
    strongest: tuple[Submission, Submission]
    mean: float
    timed: bool
    decided: DecidedCase

    @property
    def similarity(self) -> float:
        """Similarity of the strongest pair."""
        return self.links[0].similarity

    @property
    def names(self) -> list[str]:
        """The names of the members, as they were handed in."""
        return [member.submission.name for member in self.members]

    @property
    def submissions(self) -> list[Submission]:
        return [member.submission for member in self.members]

    @property
    def members_key(self) -> str:
        """A checksum of the members: a decision that is sent with another was made on another case."""
        return salted_hmac("members of a case", repr(sorted(self.names))).hexdigest()

    @property
    def decision(self) -> CaseDecision | Decision:
        return self.decided.decision


def cases(
    report: Report, threshold: float | None = None, names: Names | None = None, member: int | None = None
) -> list[Case]:
    """Return the cases of a report, the strongest first; at another `threshold`, in [0, 1], if it is given.

    With `member`, the primary key of a submission, only the case that it is in.
    """
    all_pairs = report_cases(report, threshold, member)
    submissions = submissions_by_id(pk for pairs in all_pairs for pk in pairs.ids)
    known = all_decisions(report.assignment)
    return [_case(pairs, submissions, known, names or Names()) for pairs in all_pairs]


def listed_cases(report: Report, query: Mapping[str, Any], names: Names) -> list[Case]:
    """Return the cases at the threshold of an address, or else at the report's threshold."""
    return cases(report, parse_pair_filter(query).threshold or None, names)


def listed_case(report: Report, query: Mapping[str, Any], names: Names, submission_id: int) -> Case | None:
    """Return the case of a submission at the threshold of an address, or else at the report's threshold."""
    return find_case(report, submission_id, parse_pair_filter(query).threshold or None, names)


def find_case(
    report: Report, submission_id: int, threshold: float | None = None, names: Names | None = None
) -> Case | None:
    """Return the case of a submission, or else of the newer submission that replaced it."""
    current = current_submission(report, submission_id)
    for pk in dict.fromkeys((submission_id, current)):
        if matching := cases(report, threshold, names, member=pk):
            return matching[0]
    return None


def _case(pairs: CasePairs, submissions: Mapping[int, Submission], known: Decisions, names: Names) -> Case:
    of_case = [submissions[pk] for pk in pairs.ids if pk in submissions]
    links = pairs.links
    if names.hidden:
        links = _displayed_links(links, {one.pk: names.display_name(one.name) for one in of_case})
    members = members_by_time(of_case, names)
    return Case(
        pairs.number,
        pairs.ids[0],
        members,
        links,
        strongest=(submissions[links[0].left], submissions[links[0].right]),
        mean=sum(link.similarity for link in links) / len(links),
        timed=sum(member.later is not None for member in members) > 1,
        decided=decided_case([one.name for one in of_case], known),
    )


def _displayed_links(links: list[Link], displayed: dict[int, str]) -> list[Link]:
    """Put the sides and the ties of links in the order of the displayed names, by primary key."""
    sides = ((sorted(link[:2], key=displayed.__getitem__), link) for link in links)
    ordered = [Link(left, right, link.similarity) for (left, right), link in sides]
    return sorted(ordered, key=lambda link: (-link.similarity, displayed[link.left], displayed[link.right]))


class Graph(NamedTuple):
    """The part of the cases that is drawn: (submission, number of its case) nodes, and links.

    `hidden_nodes` and `hidden_links` count those that are not drawn.
    """

    nodes: list[tuple[Submission, int]]
    links: list[Link]
    hidden_nodes: int
    hidden_links: int


def graph(all_cases: list[Case], max_nodes: int = MAX_NODES, max_links: int = MAX_LINKS) -> Graph:
    """Choose the submissions with the strongest links; draw the links of a spanning forest first."""
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
    return graph([case], MAX_CASE_NODES, MAX_CASE_LINKS) if len(case.members) >= MIN_CASE_NODES else Graph([], [], 0, 0)


def _strongest_nodes(links: list[Link], max_nodes: int) -> set[int]:
    """Return the ids of at most `max_nodes` submissions with the strongest links; `links` are sorted."""
    ids: set[int] = set()
    for link in links:
        if len(ids | {link.left, link.right}) <= max_nodes:
            ids |= {link.left, link.right}
        if len(ids) == max_nodes:
            break
    return ids


class DecidedRow(NamedTuple):
    """A row of the table: its rendered cells, and what was decided on its case.

    `changed` is whether the case has other members than when it was decided.
    """

    cells: SafeString
    decision: str
    changed: bool


def list_context(page: ReportPage) -> dict[str, Any]:
    """Return the context of the list of cases: one page of it, and how many are undecided."""
    parts = page.kept("cases", partial(_rendered, page), *page.address.key)
    kept = json.loads(parts["rows"])
    decided = decided_cases(page, kept["members"])
    by_hand = _by_hand(page, len(kept["members"]))
    listed = kept["matching"] + [
        number for number, one in by_hand.items() if _passes(page, number, [member.name for member in one.members])
    ]
    part: Page[int] = Paginator(listed, CASES_A_PAGE).get_page(page.address.query.get("page"))
    rows = [
        _hand_row(page, by_hand[number]) if number in by_hand else _row(parts[str(number)], decided.get(number))
        for number in part.object_list
    ]
    states = [one.decision.state for one in decided.values()]
    return {
        "case_count": len(kept["members"]) + len(by_hand),
        "by_hand": len(by_hand),
        "undecided": len(kept["members"]) - len(states) + states.count(Decision.State.UNDECIDED),
        "pairs_above": kept["pairs_above"],
        "timed": kept["timed"],
        "page": part,
        "rows": rows,
        "graph": parts["graph"],
    }


def _row(cells: SafeString, decided: DecidedCase | None) -> DecidedRow:
    if decided is None:
        return DecidedRow(cells, Decision.State.UNDECIDED.value, changed=False)
    return DecidedRow(cells, decided.decision.state, bool(decided.former))


def _by_hand(page: ReportPage, case_count: int) -> dict[int, Suspicion]:
    """Return the cases by hand by number; behind a share link, where decisions are not shown, none."""
    if page.address.token:
        return {}
    return {one.number: one for one in suspicions(page.report, page.names, case_count)}


def _hand_row(page: ReportPage, case: Suspicion) -> DecidedRow:
    cells = SafeString(render_part(HAND_CELLS, page.context | {"case": case}))
    return DecidedRow(cells, case.decision.state, changed=False)


def decided_cases(page: ReportPage, members: list[tuple[int, list[int]]]) -> dict[int, DecidedCase]:
    """Return the decisions on cases by number; a case that has no member with a decision has none.

    `members` are the numbers of all cases, each with the primary keys of its submissions.
    """
    known = all_decisions(page.assignment)
    deciding = {*known.by_name, *chain.from_iterable(known.of_pairs)}
    decided = set(ranked_ids(page.report, deciding).values()) if deciding else set()
    touched = {number: ids for number, ids in members if not decided.isdisjoint(ids)}
    names = submission_names(page.assignment, *(pk for ids in touched.values() for pk in ids))
    return {number: decided_case([names[pk] for pk in ids if pk in names], known) for number, ids in touched.items()}


def _rendered(page: ReportPage) -> dict[str, str]:
    """Return what no decision changes: the graph, the cells of the page's cases by number, and `rows`."""
    all_cases = cases(page.report, page.threshold, page.names)
    matching = [case for case in all_cases if _passes(page, case.number, case.names)]
    context = page.context | {"partly_read": partly_read(readable_submissions(page.report))}
    listed_cases: Page[Case] = Paginator(matching, CASES_A_PAGE).get_page(page.address.query.get("page"))
    rows = {
        "members": [(case.number, [member.submission.pk for member in case.members]) for case in all_cases],
        "matching": [case.number for case in matching],
        "pairs_above": pairs_above(page.report, page.threshold),
        "timed": any(case.timed for case in all_cases),
    }
    graph_context = context | {"cases": all_cases, "graph": graph(all_cases)}
    return {
        "rows": json.dumps(rows),
        "graph": render_part("submissions/report/_graph.html", graph_context),
        **{str(case.number): render_part(CELLS, context | {"case": case}) for case in listed_cases},
    }


def _passes(page: ReportPage, number: int, members: list[str]) -> bool:
    """Return whether a case has all words of the search, and the number of its term `case`."""
    text = page.pair_filter.text
    numbers = {term.value for term in search_terms(text) if term.name == "case"}
    displayed = [page.names.display_name(name) for name in members]
    return numbers <= {str(number)} and all(any(word.is_in(name) for name in displayed) for word in search_words(text))
