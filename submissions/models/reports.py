"""Reports, their pairs, and the tokens that they ignored."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from submissions.models.batches import Submission
from submissions.models.courses import Assignment
from submissions.models.passages import PassagesField
from submissions.models.records import DuplicateRecord, Findings, RecordField, RecordListField
from submissions.models.sources import Document


class Report(models.Model):
    """One ranking of an assignment's cohort, with the submissions and parameters that it is based on."""

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting")
        RUNNING = "running", _("Running")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")

    UNFINISHED = (State.QUEUED, State.RUNNING)

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="reports")
    created = models.DateTimeField(auto_now_add=True)
    # The time of the last change of its state.
    touched = models.DateTimeField(auto_now=True)
    # The time from which on it is in its state.
    since = models.DateTimeField(default=timezone.now)
    finished = models.DateTimeField(null=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    message = models.TextField(blank=True)
    # See `ranking.rank.parameters`: k, window, common limit in force, versions, the suggested threshold.
    parameters = models.JSONField(default=dict)
    submissions = models.ManyToManyField(Submission, related_name="reports")
    duplicates: models.JSONField[list[DuplicateRecord], list[DuplicateRecord]] = RecordListField(
        DuplicateRecord, default=list
    )
    # None in a report from before findings were stored.
    findings: models.JSONField[Findings | None, Findings | None] = RecordField(Findings, null=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"report {self.pk} of {self.assignment}"


class Ignored(models.Model):
    """Tokens of a document that a report ignored: boilerplate and common code."""

    report = models.ForeignKey(Report, models.CASCADE, related_name="ignored")
    document = models.ForeignKey(Document, models.CASCADE, related_name="+")
    # [first token, token after the last], in order.
    spans = models.JSONField(default=list)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("report", "document"), name="ignored_once_a_document"),
        )

    def __str__(self) -> str:
        return f"ignored in {self.document}"


class Pair(models.Model):
    """A scored pair of a report; the name of `left` sorts before that of `right`."""

    report = models.ForeignKey(Report, models.CASCADE, related_name="pairs")
    left = models.ForeignKey(Submission, models.CASCADE, related_name="+")
    right = models.ForeignKey(Submission, models.CASCADE, related_name="+")
    similarity = models.FloatField()
    left_share = models.FloatField()
    right_share = models.FloatField()
    tokens = models.PositiveIntegerField()
    lines = models.PositiveIntegerField()
    longest = models.PositiveIntegerField()
    # Contribution of each kind of evidence to the similarity, which is their sum.
    structure = models.FloatField()
    literals = models.FloatField()
    names = models.FloatField()
    imports = models.FloatField(default=0.0)
    # The shares where common code counts too; None in a report from before it was shown.
    left_with_common = models.FloatField(null=True)
    right_with_common = models.FloatField(null=True)
    # Compared across languages: its passages count tokens of the coarse streams.
    translated = models.BooleanField(default=False)
    # Of a student and the same student's earlier work: it is no case by itself.
    same_student = models.BooleanField(default=False)
    # Longest first.
    passages = PassagesField()

    class Meta:
        ordering = ("-similarity", "-tokens", "pk")
        constraints = (
            models.UniqueConstraint(fields=("report", "left", "right"), name="pair_once_a_report"),
        )

    def __str__(self) -> str:
        return f"{self.left} / {self.right}"

    @property
    def has_no_passage(self) -> bool:
        """True if it shares names, literals or imports only."""
        return not self.structure
