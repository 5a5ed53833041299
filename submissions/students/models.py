"""The table of students who were erased."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _


class Erasure(models.Model):
    """An erasure that was asked for, and what it removed: it names the student by digests only, once done."""

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")

    # The user name, stored as text because the account may be deleted.
    who = models.CharField(max_length=150)
    reason = models.TextField()
    # The name or id that was asked for; emptied when the erasure has ended.
    student = models.CharField(max_length=400, blank=True)
    # Primary keys of the courses that were chosen.
    courses: models.JSONField[list[int], list[int]] = models.JSONField(default=list)
    # Keyed digests of every name and id of the student, see `submissions.students.naming.digest`.
    digests: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    created = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    message = models.TextField(blank=True)
    # See `submissions.students.register`.
    result: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"erasure {self.pk}"
