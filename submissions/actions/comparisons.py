"""Choose what an assignment is compared with, its language and its threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone

from submissions import language_changes
from submissions.comparisons import compared_assignments
from submissions.ingest.rereading import has_outdated
from submissions.intake.archives.languages import ChosenLanguages
from submissions.lifecycle import enqueue_rank
from submissions.models import Batch

if TYPE_CHECKING:
    from collections.abc import Collection

    from django.contrib.auth.models import User

    from submissions.models import Assignment, LanguageChange


@transaction.atomic
def compare_with(
    assignment: Assignment,
    others: Collection[Assignment],
    *,
    course: bool,
    archive: bool = False,
    user: User | None = None,
) -> bool:
    """Store the other assignments that an assignment is compared with, and enqueue a ranking.

    With `course`, these are every earlier assignment of its course besides, with `archive` those of the
    department's archive. Return whether anything changed; only then is it ranked, and only if something was
    uploaded. What an earlier version has read of the others is read again in the background, and then all of
    them are ranked again; `user` is who asked for that. Nothing of the archive is read again.
    """
    before = set(assignment.compared_with.values_list("pk", flat=True))
    stored = assignment.compare_course, assignment.compare_archive
    if before == {other.pk for other in others} and stored == (course, archive):
        return False
    assignment.compared_with.set(others)
    assignment.compare_course, assignment.compare_archive = course, archive
    assignment.save(update_fields=["compare_course", "compare_archive"])
    for other in filter(has_outdated, compared_assignments(assignment)):
        change_language(other, user, other.language)
    if assignment.batches.filter(state__in=Batch.FULLY_READ).exists():
        enqueue_rank(assignment)
    return True


@transaction.atomic
def change_language(
    assignment: Assignment, user: User | None, language: str, patterns: str | None = None
) -> LanguageChange:
    """Set the language of an assignment, and enqueue reading its files again.

    `patterns` are its languages by name, see `ChosenLanguages`; with None they stay.
    The last report stays until all of them are read. A change that is not finished is given up for this one.
    """
    kept = assignment.language_patterns if patterns is None else patterns
    return language_changes.queue(assignment, user, ChosenLanguages(language, kept))


def choose_threshold(assignment: Assignment, user: User, percent: int | None) -> None:
    """Store the threshold of an assignment, in percent from 1 to 100; None: as each report suggests."""
    assignment.threshold = None if percent is None else percent / 100
    assignment.threshold_by = None if percent is None else user
    assignment.threshold_chosen = None if percent is None else timezone.now()
    assignment.save(update_fields=["threshold", "threshold_by", "threshold_chosen"])
