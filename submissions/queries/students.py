"""The submissions of a report, one row for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.db.models import Count

from submissions.models import Batch, Submission
from submissions.queries.cases import cases_by_member
from submissions.queries.flags import partly_read
from submissions.queries.withheld import readable_submissions

if TYPE_CHECKING:
    from submissions.models import Report
    from submissions.pseudonyms.names import Names
    from submissions.queries.cases import CasePairs


class ListedStudent(NamedTuple):
    """A submission of a report; `displayed` is the name that the reader sees.

    `match` is its best match, None where it shares nothing; `attempts` is the number of uploads of the
    assignment that have a submission of its name. `is_partly_read`: see `partly_read`.
    """

    displayed: str
    submission: Submission
    match: Submission | None
    similarity: float
    attempts: int
    case: CasePairs | None
    is_partly_read: bool


def listed_students(report: Report, names: Names) -> list[ListedStudent]:
    """Return the submissions of a report, by displayed name."""
    submissions = {row.pk: row for row in readable_submissions(report).select_related("batch")}
    best = {match.submission: match for match in (report.findings.best if report.findings else [])}
    uploaded = Submission.objects.filter(
        batch__assignment=report.assignment_id, batch__state__in=Batch.FULLY_READ
    )
    attempts = dict(uploaded.order_by().values_list("name").annotate(Count("pk")))
    by_member, partly = cases_by_member(report), partly_read(readable_submissions(report))
    rows = []
    for pk, submission in submissions.items():
        match = best.get(pk)
        rows.append(
            ListedStudent(
                names.display_name(submission.name),
                submission,
                submissions.get(match.match or 0) if match else None,
                match.similarity if match else 0.0,
                attempts.get(submission.name, 1),
                by_member.get(pk),
                pk in partly,
            )
        )
    return sorted(rows, key=lambda row: (row.displayed.casefold(), row.displayed))
