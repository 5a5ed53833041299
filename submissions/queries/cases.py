"""The cases of a report, and the decisions on them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from submissions.comparison.components import connected_components
from submissions.mates import are_mates, compared_mates
from submissions.models import CaseChange, CaseDecision, CaseMember, Decision
from submissions.queries.pairs import is_suggested, threshold_of
from submissions.queries.submissions import links
from submissions.queries.withheld import all_submissions, readable_pairs, readable_submissions

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from submissions.models import Assignment, Pair, Report
    from submissions.queries.submissions import Link


class CasePairs(NamedTuple):
    """A case by primary keys: its submissions in ascending order, and its stored pairs, most similar first.

    Number 1 is the largest case. The pairs are those at or above the threshold.
    """

    number: int
    ids: list[int]
    links: list[Link]


def report_cases(
    report: Report, threshold: float | None = None, member: int | None = None
) -> list[CasePairs]:
    """Return the cases of a report, at another `threshold` in [0, 1] than its own if it is given.

    At the threshold that it suggests, the report knows the cases of all pairs, of which it stores only some.
    With `member`, the primary key of a submission, return only the case that it is in.
    """
    if threshold is None:
        threshold = threshold_of(report)
    stored = stored_cases(report, threshold)
    among = None
    if stored is not None and member is not None:
        among = next((ids for ids in stored if member in ids), [])
    every = _with_links(linking_pairs(report, threshold, among), stored)
    return every if member is None else [pairs for pairs in every if member in pairs.ids]


def stored_cases(report: Report, threshold: float) -> list[list[int]] | None:
    """Return the submissions of the cases of all pairs; None at a threshold of which they are not stored."""
    return report.findings.cases if report.findings and is_suggested(report, threshold) else None


def case_key(report: Report, member: int) -> int:
    """Return the submission that stands for the case of a member, or the member where that is not stored."""
    stored = stored_cases(report, threshold_of(report)) or []
    return next((ids[0] for ids in stored if member in ids), member)


def _with_links(joined: list[Link], stored: list[list[int]] | None) -> list[CasePairs]:
    """Return the cases with their stored pairs, which are among `joined`; `stored` are their submissions."""
    components = connected_components(link[:2] for link in joined) if stored is None else stored
    numbers = {pk: number for number, ids in enumerate(components, 1) for pk in ids}
    links_by_case: list[list[Link]] = [[] for _ in components]
    for link in joined:
        # A pair below the rounded threshold may join nothing, and a deleted submission is in no case.
        if numbers.get(link.left) and numbers[link.left] == numbers.get(link.right):
            links_by_case[numbers[link.left] - 1].append(link)
    return [
        CasePairs(number, ids, links)
        for number, (ids, links) in enumerate(zip(components, links_by_case, strict=True), 1)
        if links
    ]


def cases_by_member(report: Report, threshold: float | None = None) -> dict[int, CasePairs]:
    """Return the case of each submission that is in one, by primary key."""
    return {pk: pairs for pairs in report_cases(report, threshold) for pk in pairs.ids}


def pairs_above(report: Report, threshold: float) -> int:
    """Return how many pairs stand out: of all at the suggested threshold, elsewhere of those it stores."""
    if is_suggested(report, threshold) and report.findings and report.findings.above is not None:
        return report.findings.above
    return len(linking_pairs(report, threshold))


def linking_pairs(report: Report, threshold: float, among: Collection[int] | None = None) -> list[Link]:
    """Return the stored pairs that connect cases: at or above `threshold`, and not of one student or team.

    With `among`, the primary keys of submissions, only pairs on whose left is one of these.
    """
    above = links(report, threshold, among)
    keys = compared_mates(report.assignment, {pk for link in above for pk in link[:2]})
    return [link for link in above if not are_mates(keys, link.left, link.right)] if keys else above


def is_linking(pair: Pair, threshold: float) -> bool:
    """Return whether a pair connects a case: it stands out, and can make one."""
    return pair.similarity >= threshold and pair.can_make_case


def pairs_between(report: Report, ids: Collection[int]) -> dict[frozenset[int], float]:
    """Return the similarities of all stored pairs of these submissions, by their primary keys."""
    rows = readable_pairs(report).filter(left__in=ids, right__in=ids).order_by()
    return {
        frozenset(pair): similarity for *pair, similarity in rows.values_list("left", "right", "similarity")
    }


def current_submission(report: Report, pk: int) -> int:
    """Return the id of the submission that a report ranks under the name of submission `pk`, or else `pk`."""
    name = all_submissions(report.assignment).filter(pk=pk).values("name")
    return readable_submissions(report).filter(name__in=name).values_list("pk", flat=True).first() or pk


class DecidedCase(NamedTuple):
    """The decision on a case.

    `decision` is the one on an earlier case that had all of its members, or else an unsaved one, which is
    undecided. Then `former` has the decisions on earlier cases that had some of its members, and `joined` the
    names of the members that were in none of these.
    """

    decision: CaseDecision
    former: list[CaseDecision]
    joined: list[str]


def case_decisions(assignment: Assignment) -> dict[str, CaseDecision]:
    """Return the decisions on cases by the names of their members."""
    members = CaseMember.objects.filter(assignment=assignment).select_related("decision__assignee")
    return {member.name: member.decision for member in members}


def decided_case(names: Collection[str], by_name: Mapping[str, CaseDecision]) -> DecidedCase:
    """Return the decision on the case of these names; `by_name` are all decisions of the assignment."""
    counts = Counter(by_name[name] for name in names if name in by_name)
    former = [decision for decision, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0].pk))]
    if former and counts[former[0]] == len(names):
        return DecidedCase(former[0], [], [])
    undecided = CaseDecision(
        state=Decision.State.UNDECIDED,
        assignee=former[0].assignee if former else None,
        notes="\n\n".join(decision.notes for decision in former if decision.notes),
    )
    joined = sorted(name for name in names if name not in by_name) if former else []
    return DecidedCase(undecided, former, joined)


def case_history(case: DecidedCase) -> list[CaseChange]:
    """Return the changes of all decisions of a case, newest first."""
    saved = [decision.pk for decision in (case.decision, *case.former) if decision.pk]
    return list(CaseChange.objects.filter(decision__in=saved)) if saved else []


def followed_decision(
    by_name: Mapping[str, CaseDecision], pair: tuple[str, str], similarity: float
) -> CaseDecision | None:
    """Return the decision on a case that a pair of names follows if it was not decided itself, or None."""
    left, right = (by_name.get(name) for name in pair)
    follows = left is not None and left == right and similarity >= left.threshold
    return left if follows else None
