"""Choose the other assignments that an assignment is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import transaction

from submissions import tasks
from submissions.models import Batch

if TYPE_CHECKING:
    from collections.abc import Collection

    from submissions.models import Assignment


@transaction.atomic
def compare_with(assignment: Assignment, others: Collection[Assignment], *, course: bool) -> bool:
    """Store the other assignments that an assignment is compared with, and enqueue a ranking.

    With `course`, these are every earlier assignment of its course besides. Return whether anything changed;
    only then is it ranked, and only if something was uploaded.
    """
    before = set(assignment.compared_with.values_list("pk", flat=True))
    if before == {other.pk for other in others} and assignment.compare_course == course:
        return False
    assignment.compared_with.set(others)
    assignment.compare_course = course
    assignment.save(update_fields=["compare_course"])
    if assignment.batches.filter(state__in=Batch.FULLY_READ).exists():
        tasks.enqueue_rank(assignment)
    return True
