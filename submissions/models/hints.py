"""Hints that users have dismissed."""

from __future__ import annotations

from django.conf import settings
from django.db import models


class DismissedHint(models.Model):
    """A hint, by name, that is not shown to a user any more."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="dismissed_hints")
    name = models.CharField(max_length=40)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "name"), name="dismissed_hint_once_a_user"),)

    def __str__(self) -> str:
        return self.name
