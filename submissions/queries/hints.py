"""Hints that a user has dismissed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from submissions.models import DismissedHint

if TYPE_CHECKING:
    from django.contrib.auth.models import User


def has_dismissed(user: User, hint: str) -> bool:
    return DismissedHint.objects.filter(user=user, name=hint).exists()
