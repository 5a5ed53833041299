"""The groups of identical submissions of a report."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.utils.translation import gettext_lazy as _

from submissions.queries.submissions import submissions_by_id

if TYPE_CHECKING:
    from submissions.models import Report, Submission
    from submissions.pseudonyms.names import Names


class ListedDuplicates(NamedTuple):
    """Submissions of a report that are duplicates; `description` says what they have in common."""

    description: str
    submissions: list[Submission]


SAMENESS = {
    "identical": _("the same bytes"),
    "layout": _("the same but for layout and comments"),
    "names": _("the same but for names, layout and comments"),
    "lexical": _("the same but for names, values, types, layout and comments"),
}


def listed_duplicates(report: Report, names: Names, member: int | None = None) -> list[ListedDuplicates]:
    """Return the groups of identical submissions, the strongest sameness and the largest group first.

    Each is sorted by displayed name. With `member`, the primary key of a submission, only those it is in.
    """
    duplicates = [
        group
        for group in report.duplicates
        if group.sameness in SAMENESS and (member is None or member in group.submissions)
    ]
    submissions = submissions_by_id(pk for group in duplicates for pk in group.submissions)
    groups = [
        ListedDuplicates(
            str(SAMENESS[group.sameness]),
            sorted(
                (submissions[pk] for pk in group.submissions if pk in submissions),
                key=lambda submission: names.display_name(submission.name),
            ),
        )
        for group in duplicates
    ]
    strength = {str(description): place for place, description in enumerate(SAMENESS.values())}
    return sorted(
        groups,
        key=lambda group: (
            strength[group.description],
            -len(group.submissions),
            _first_name(group, names),
        ),
    )


def _first_name(group: ListedDuplicates, names: Names) -> str:
    return names.display_name(group.submissions[0].name) if group.submissions else ""
