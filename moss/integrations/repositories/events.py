"""A student who is erased leaves the lists of repositories, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db.models import Q
from django.dispatch import receiver

from moss.integrations.repositories.models import Repository
from submissions.events import erasing

if TYPE_CHECKING:
    from submissions.students.receipts import Counts
    from submissions.students.scope import Scope


@receiver(erasing, dispatch_uid="repositories")
def erase_repositories(sender: type, *, scope: Scope, counts: Counts, **_: Any) -> None:  # noqa: ARG001 - a receiver's
    """Delete the repositories of a student who is erased, with the files that are in no upload yet."""
    held = [one.pk for one in scope.held]
    for course in sorted(scope.courses):
        spellings = scope.spellings(course)
        rows = Repository.objects.filter(fetch__assignment__course=course)
        own = Q(student__in=spellings.names) | Q(student__in=spellings.ids)
        counts.delete(rows.exclude(fetch__assignment__in=held).filter(own))
