"""Choose the threshold of an assignment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils import timezone

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from submissions.models import Assignment


def choose_threshold(assignment: Assignment, user: User, percent: int | None) -> None:
    """Store the threshold of an assignment, in percent from 1 to 100; None: as each report suggests."""
    assignment.threshold = None if percent is None else percent / 100
    assignment.threshold_by = None if percent is None else user
    assignment.threshold_chosen = None if percent is None else timezone.now()
    assignment.save(update_fields=["threshold", "threshold_by", "threshold_chosen"])
