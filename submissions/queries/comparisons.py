"""The other assignments that one is or may be compared with, and changes of its language."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from submissions.ingest.rereading import languages_of_files, stored_files
from submissions.models import Assignment, Batch
from submissions.permissions import Right, courses_with
from submissions.queries.withheld import readable_submissions

if TYPE_CHECKING:
    from django.contrib.auth.models import User
    from django.db.models import QuerySet

    from submissions.intake.archives.languages import ChosenLanguages
    from submissions.models import LanguageChange, Report
    from submissions.models.records import ComparedAssignment


class ListedComparison(NamedTuple):
    """Another assignment that a report was compared with, and how many of its submissions are in a pair.

    `assignment` is None once it was deleted.
    """

    compared: ComparedAssignment
    assignment: Assignment | None
    listed: int

    @property
    def incomparable(self) -> int:
        """Number of submissions without a file in a language of the class."""
        return self.compared.submissions - self.compared.comparable - self.compared.another_version


def comparable_assignments(assignment: Assignment, user: User) -> QuerySet[Assignment]:
    """Return the other assignments that an assignment can be compared with, by course, newest first.

    They are of courses that `user` may change and that have the same owner, who reads the pairs.
    """
    readable = courses_with(user, Right.CHANGE).filter(owner=assignment.course.owner_id)
    others = Assignment.objects.filter(course__in=readable).exclude(pk=assignment.pk)
    return others.select_related("course").order_by("course__name", "course", "-created", "-pk")


def comparisons_of_others(assignment: Assignment, user: User) -> QuerySet[Assignment]:
    """Return the assignments that an assignment is compared with and that `user` cannot choose."""
    offered = comparable_assignments(assignment, user)
    return assignment.compared_with.exclude(pk__in=offered.order_by().values("pk"))


def listed_comparisons(report: Report) -> list[ListedComparison]:
    """Return the other assignments that a report was compared with, in the order of their labels."""
    compared = report.findings.compared if report.findings else []
    if not compared:
        return []
    existing = Assignment.objects.in_bulk([one.assignment for one in compared])
    origins = readable_submissions(report).filter(batch__role=Batch.Role.OTHER).order_by()
    assignment_ids = list(origins.values_list("batch__origin", flat=True))
    listed = [
        ListedComparison(one, existing.get(one.assignment), assignment_ids.count(one.assignment))
        for one in compared
    ]
    return sorted(listed, key=lambda row: row.compared.label.casefold())


def has_earlier_work(report: Report) -> bool:
    """Return whether a report has submissions that are not of the class itself."""
    return readable_submissions(report).exclude(batch__role=Batch.Role.CLASS).exists()


class Rereading(NamedTuple):
    """The effect of another language: files read again, files no longer compared, and their uploads.

    `unknown` counts files whose language must be detected first. `boilerplate` counts files of it;
    `passages` counts passages that are ignored, which apply only to files as they are read now.
    """

    read: int
    kept: int
    uploads: int
    unknown: int
    boilerplate: int
    passages: int

    @property
    def changes_nothing(self) -> bool:
        return not (self.read or self.kept or self.unknown or self.boilerplate)


def rereading_of(assignment: Assignment, chosen: ChosenLanguages) -> Rereading:
    """Return the effect of changing the languages of an assignment to these."""
    files = stored_files(assignment)
    new = languages_of_files(files, chosen)
    changed = [file for file in files if file.is_read_otherwise(new[file.pk])]
    kept = sum(new[file.pk].is_kept for file in changed)
    boilerplate = assignment.boilerplate.filter(first=None, statement=False)
    if chosen.language:
        boilerplate = boilerplate.exclude(document__language=chosen.language)
    return Rereading(
        read=len(changed) - kept,
        kept=kept,
        uploads=len({file.batch for file in changed}),
        unknown=sum(not file.detected for file in files),
        boilerplate=boilerplate.count(),
        passages=assignment.boilerplate.exclude(first=None).count(),
    )


def changes_of_language(assignment: Assignment) -> QuerySet[LanguageChange]:
    """Return the changes of an assignment's language, newest first, with their users."""
    return assignment.language_changes.select_related("changed_by").order_by("-pk")


def open_language_change(assignment: Assignment) -> LanguageChange | None:
    """Return the newest change of an assignment's language if it goes on or has failed."""
    newest = assignment.language_changes.order_by("-pk").first()
    return newest if newest and (newest.is_running or newest.state == newest.State.FAILED) else None
