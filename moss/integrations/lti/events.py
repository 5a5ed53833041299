"""Reactions to events of the app that concern pushed submissions: uploads that end, and erased students."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import Q
from django.dispatch import receiver

from moss.integrations.lti.models import PushedSubmission
from submissions.events import erasing, state_changed
from submissions.models import Batch
from submissions.work import jobs

if TYPE_CHECKING:
    from submissions.students.receipts import Counts
    from submissions.students.scope import Scope

ENDED = {Batch.State.DONE, Batch.State.FAILED, Batch.State.CANCELLED}


@receiver(state_changed, dispatch_uid="lti")
def tell_platform(sender: type, *, pk: int, state: str, **_: Any) -> None:
    """Have the platform told that the upload of its submissions has ended."""
    if sender is Batch and state in ENDED:
        pushed = PushedSubmission.objects.filter(batch=pk)
        jobs.enqueue_all("report_submission", pushed.values_list("pk", flat=True))


@receiver(erasing, dispatch_uid="lti")
def erase_pushed(sender: type, *, scope: Scope, counts: Counts, **_: Any) -> None:  # noqa: ARG001 - a receiver's
    """Delete what platforms pushed of a student who is erased, with the files that were not read yet."""
    held = [one.pk for one in scope.held]
    for course in sorted(scope.courses):
        spellings = scope.spellings(course)
        rows = PushedSubmission.objects.filter(assignment__course=course).exclude(assignment__in=held)
        own = Q(subject__in=spellings.ids) | Q(name__in=spellings.names)
        counts.delete(rows.filter(own))
