"""Dismissing hints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.models import DismissedHint

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def dismiss_hint(user: User, name: str) -> None:
    """Do not show the hint of this name to a user any more; a second time changes nothing."""
    DismissedHint.objects.get_or_create(user=user, name=name)
