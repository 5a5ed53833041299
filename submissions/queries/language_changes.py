"""Changes of the language of an assignment: those that were made, and the effect of one before it is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from submissions.ingest.rereading import readings, stored_files

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from submissions.intake.archives.languages import ChosenLanguages
    from submissions.models import Assignment, LanguageChange


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
    new = readings(files, chosen)
    changed = [file for file in files if file.is_read_otherwise(new[file.pk])]
    kept = sum(new[file.pk].is_kept for file in changed)
    boilerplate = assignment.boilerplate.filter(first=None)
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
