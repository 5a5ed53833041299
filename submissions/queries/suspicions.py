"""Cases that somebody entered by hand: suspected pairs that the report does not list.

They are numbered after the cases that the report found, the oldest decision first.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Exists, OuterRef, QuerySet

from submissions.models import Decision, Pair, Submission
from submissions.pseudonyms.names import Names
from submissions.queries.cases import report_cases
from submissions.queries.decisions import readable_decisions
from submissions.queries.submissions import ranked_ids, submissions_by_id

if TYPE_CHECKING:
    from collections.abc import Collection

    from submissions.models import Course, Report
SUSPECTED = (Decision.State.SUSPICIOUS, Decision.State.CONFIRMED)


class Suspicion(NamedTuple):
    """A case by hand: a decision on two submissions of a report, which a reader sees in this order."""

    number: int
    left: Submission
    right: Submission
    decision: Decision

    @property
    def members(self) -> tuple[Submission, Submission]:
        return self.left, self.right


def suspicions(report: Report, names: Names, case_count: int) -> list[Suspicion]:
    """Return the cases by hand of a report, numbered after the `case_count` cases of the report itself."""
    decisions = list(_unlisted(readable_decisions(report.assignment), [report]))
    ids = (
        ranked_ids(report, {name for one in decisions for name in (one.left, one.right)}) if decisions else {}
    )
    ranked = [one for one in decisions if one.left in ids and one.right in ids]
    submissions = submissions_by_id(ids.values())
    rows = []
    for number, one in enumerate(ranked, case_count + 1):
        left, right = (submissions[ids[name]] for name in (one.left, one.right))
        if not names.in_order(one.left, one.right):
            left, right = right, left
        rows.append(Suspicion(number, left, right, one))
    return rows


def find_suspicion(
    report: Report, names: Names, ids: Collection[int], threshold: float | None = None
) -> Suspicion | None:
    """Return the case by hand of two submissions, by primary key; its number is that at a threshold."""
    every = suspicions(report, names, len(report_cases(report, threshold)))
    return next((one for one in every if {member.pk for member in one.members} == set(ids)), None)


def case_count(report: Report, threshold: float | None = None) -> int:
    """Return the number of all cases of a report, those by hand among them."""
    case_count = len(report_cases(report, threshold))
    return case_count + len(suspicions(report, Names(), case_count))


def suspicion_counts(course: Course, reports: Collection[Report]) -> Counter[int]:
    """Return the number of readable cases by hand of these newest reports of a course, by assignment."""
    of_course = Decision.objects.filter(assignment__course=course)
    hidden = [pk for report in reports for pk in report.assignment.withheld.hidden]
    for side in ("left", "right"):
        ranked = Submission.objects.filter(
            reports__in=reports, batch__assignment=OuterRef("assignment"), name=OuterRef(side)
        )
        of_course = of_course.filter(Exists(ranked.exclude(pk__in=hidden)))
    return Counter(_unlisted(of_course, reports).values_list("assignment", flat=True))


def _unlisted(decisions: QuerySet[Decision], reports: Collection[Report]) -> QuerySet[Decision]:
    """Return the suspected and confirmed ones whose pair no report of its assignment lists, oldest first."""
    listed = Pair.objects.filter(
        report__in=reports,
        report__assignment=OuterRef("assignment"),
        left__name=OuterRef("left"),
        right__name=OuterRef("right"),
    )
    suspected = decisions.filter(state__in=SUSPECTED).exclude(Exists(listed))
    return suspected.select_related("assignee").order_by("pk")
