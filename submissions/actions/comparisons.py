"""Choose the other assignments that an assignment is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from submissions.actions.languages import change_language
from submissions.comparisons import compared_assignments
from submissions.ingest.rereading import has_outdated
from submissions.lifecycle import enqueue_rank
from submissions.models import Batch

if TYPE_CHECKING:
    from collections.abc import Collection

    from django.contrib.auth.models import User

    from submissions.models import Assignment


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
