"""The cases of a report: submissions that pairs at or above the threshold connect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from django.utils.crypto import salted_hmac

from submissions.pages.forms.filters import parse_pair_filter
from submissions.pseudonyms.names import Names
from submissions.queries.cases import case_decisions, current_submission, decided_case, report_cases
from submissions.queries.submissions import Link, submissions_by_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import timedelta

    from submissions.models import CaseDecision, Report, Submission
    from submissions.queries.cases import CasePairs, DecidedCase


class TimedMember(NamedTuple):
    """A submission of a case.

    `later` is the time between the case's first submission and this one, None where it is unknown.
    """

    submission: Submission
    later: timedelta | None


class Case(NamedTuple):
    """Submissions that pairs at or above a threshold connect; number 1 is the largest case.

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
    def decision(self) -> CaseDecision:
        return self.decided.decision


def cases(
    report: Report, threshold: float | None = None, names: Names | None = None, member: int | None = None
) -> list[Case]:
    """Return the cases of a report, the largest first; at another `threshold`, in [0, 1], if it is given.

    With `member`, the primary key of a submission, only the case that it is in.
    """
    all_pairs = report_cases(report, threshold, member)
    submissions = submissions_by_id(pk for pairs in all_pairs for pk in pairs.ids)
    by_name = case_decisions(report.assignment)
    return [_case(pairs, submissions, by_name, names or Names()) for pairs in all_pairs]


def listed_cases(report: Report, query: Mapping[str, Any], names: Names) -> list[Case]:
    """Return the cases at the threshold of an address, or else at that of the report."""
    return cases(report, parse_pair_filter(query).threshold or None, names)


def listed_case(report: Report, query: Mapping[str, Any], names: Names, submission_id: int) -> Case | None:
    """Return the case of a submission at the threshold of an address, or else at that of the report."""
    return find_case(report, submission_id, parse_pair_filter(query).threshold or None, names)


def find_case(
    report: Report, submission_id: int, threshold: float | None = None, names: Names | None = None
) -> Case | None:
    """Return the case of a submission; one that was uploaded again has the case of the newer one."""
    current = current_submission(report, submission_id)
    for pk in dict.fromkeys((submission_id, current)):
        if matching := cases(report, threshold, names, member=pk):
            return matching[0]
    return None


def _case(
    pairs: CasePairs, submissions: Mapping[int, Submission], by_name: Mapping[str, CaseDecision], names: Names
) -> Case:
    of_case = [submissions[pk] for pk in pairs.ids if pk in submissions]
    links = pairs.links
    if names.hidden:
        links = _displayed_links(links, {one.pk: names.display_name(one.name) for one in of_case})
    members = _members_by_time(of_case, names)
    return Case(
        pairs.number,
        pairs.ids[0],
        members,
        links,
        strongest=(submissions[links[0].left], submissions[links[0].right]),
        mean=sum(link.similarity for link in links) / len(links),
        timed=sum(member.later is not None for member in members) > 1,
        decided=decided_case([one.name for one in of_case], by_name),
    )


def _displayed_links(links: list[Link], displayed: dict[int, str]) -> list[Link]:
    """Put the sides and the ties of links in the order of the displayed names, by primary key."""
    sides = ((sorted(link[:2], key=displayed.__getitem__), link) for link in links)
    ordered = [Link(left, right, link.similarity) for (left, right), link in sides]
    return sorted(ordered, key=lambda link: (-link.similarity, displayed[link.left], displayed[link.right]))


def _members_by_time(submissions: Iterable[Submission], names: Names) -> list[TimedMember]:
    """Order by the time of handing in, then by the displayed name; those without a time come last.

    Where names are hidden, no time is used: it can reveal who handed in.
    """
    by_name = sorted(submissions, key=lambda submission: names.display_name(submission.name).casefold())
    if names.hidden:
        return [TimedMember(submission, None) for submission in by_name]
    timed = [(submission, submission.handed_in) for submission in by_name if submission.handed_in]
    timed.sort(key=lambda pair: pair[1])
    members = [TimedMember(submission, time - timed[0][1]) for submission, time in timed]
    return members + [TimedMember(submission, None) for submission in by_name if not submission.handed_in]
