"""Tables of decisions on pairs and on cases, their changes, and statements of students on file."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from submissions.courses.models import Assignment


class State(models.TextChoices):
    UNDECIDED = "undecided", _("Undecided")
    CLEAR = "clear", _("Clear")
    SUSPICIOUS = "suspicious", _("Suspicious")
    CONFIRMED = "confirmed", _("Confirmed")


class DecisionFields(models.Model):
    """State, notes and assignee of a decision on a pair or on a case."""

    State = State

    state = models.CharField(max_length=10, choices=State.choices, default=State.UNDECIDED)
    assignee = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    notes = models.TextField(blank=True)
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        abstract = True


class ChangeFields(models.Model):
    """One change of a decision's `field` (state, assignee, notes), as displayed before and after."""

    # The user name, stored as text because the account may be deleted.
    who = models.CharField(max_length=150)
    changed_at = models.DateTimeField(auto_now_add=True)
    field = models.CharField(max_length=20)
    before = models.TextField(blank=True)
    after = models.TextField(blank=True)

    class Meta:
        abstract = True
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.who}: {self.field}"


class Decision(DecisionFields):
    """A decision on a pair of submission names, independent of reports. `left` sorts before `right`."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="decisions")
    left = models.CharField(max_length=400)
    right = models.CharField(max_length=400)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("assignment", "left", "right"), name="decision_once_a_pair"),)

    def __str__(self) -> str:
        return f"{self.left} / {self.right}: {self.state}"


class Change(ChangeFields):
    decision = models.ForeignKey(Decision, models.CASCADE, related_name="changes")


class CaseDecision(DecisionFields):
    """A decision on a case, stored for the names of its members, independent of reports.

    It applies to each pair of members with a similarity of at least `threshold`, the threshold of the report
    on which the case was decided, unless the pair has a decision of its own.
    """

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="case_decisions")
    threshold = models.FloatField()

    def __str__(self) -> str:
        return f"case decision {self.pk}: {self.state}"


class CaseMember(models.Model):
    """A submission, by name, that was in a case when it was decided; it is in one case decision at most."""

    decision = models.ForeignKey(CaseDecision, models.CASCADE, related_name="members")
    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="+")
    name = models.CharField(max_length=400)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("assignment", "name"), name="case_decision_once_a_name"),)

    def __str__(self) -> str:
        return self.name


class CaseChange(ChangeFields):
    decision = models.ForeignKey(CaseDecision, models.CASCADE, related_name="changes")


class Statement(models.Model):
    """A text or PDF in which a student says something on a pair or case of the submission of this name.

    Like a decision it belongs to the name, and stays when the class is ranked again.
    """

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="statements")
    name = models.CharField(max_length=400)
    file_name = models.CharField(max_length=255)
    is_text = models.BooleanField()
    data = models.BinaryField()
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)
    # The user name, stored as text because the account may be deleted.
    added_by = models.CharField(max_length=150)
    added = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.file_name

    @property
    def text(self) -> str:
        """The words of a text; empty for a PDF, which is never shown on a page."""
        return bytes(self.data).decode() if self.is_text else ""
