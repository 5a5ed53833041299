"""Decisions on pairs, their changes, and share links."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from submissions.models.courses import Assignment


class Decision(models.Model):
    """A decision on a pair of submission names, independent of reports. `left` sorts before `right`."""

    class State(models.TextChoices):
        UNDECIDED = "undecided"
        CLEAR = "clear"
        SUSPICIOUS = "suspicious"
        CONFIRMED = "confirmed"

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="decisions")
    left = models.CharField(max_length=400)
    right = models.CharField(max_length=400)
    state = models.CharField(max_length=10, choices=State.choices, default=State.UNDECIDED)
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    notes = models.TextField(blank=True)
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("assignment", "left", "right"), name="decision_once_a_pair"),
        )

    def __str__(self) -> str:
        return f"{self.left} / {self.right}: {self.state}"


class Change(models.Model):
    """One change of a decision's `field` (state, assignee, notes), as displayed before and after."""

    decision = models.ForeignKey(Decision, models.CASCADE, related_name="changes")
    # The user name, stored as text because the account may be deleted.
    who = models.CharField(max_length=150)
    changed_at = models.DateTimeField(auto_now_add=True)
    field = models.CharField(max_length=20)
    before = models.TextField(blank=True)
    after = models.TextField(blank=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.who}: {self.field}"


class Share(models.Model):
    """A read-only link to an assignment's report or, with two submission names, to one pair."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="shares")
    left = models.CharField(max_length=400, blank=True)
    right = models.CharField(max_length=400, blank=True)
    anonymous = models.BooleanField(default=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField()
    revoked = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"share {self.pk} of {self.assignment}"
