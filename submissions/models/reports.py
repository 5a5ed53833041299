"""What a ranking found."""

from __future__ import annotations

from django.db import models

from submissions.models.batches import Submission
from submissions.models.courses import Assignment
from submissions.models.records import (
    DuplicateGroup,
    Findings,
    PassageRecord,
    RecordField,
    RecordListField,
)
from submissions.models.sources import Document


class Report(models.Model):
    """One ranking of an assignment's cohort, with what it was made from."""

    class State(models.TextChoices):
        QUEUED = "queued", "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    UNFINISHED = (State.QUEUED, State.RUNNING)

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="reports")
    created = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    message = models.TextField(blank=True)
    # k, window, common limit in force, engine and front-end versions, the suggested threshold.
    parameters = models.JSONField(default=dict)
    submissions = models.ManyToManyField(Submission, related_name="reports")
    duplicates: models.JSONField[list[DuplicateGroup], list[DuplicateGroup]] = RecordListField(
        DuplicateGroup, default=list
    )
    # None in a report that was made before findings were kept.
    findings: models.JSONField[Findings | None, Findings | None] = RecordField(Findings, null=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"report {self.pk} of {self.assignment}"


class Ignored(models.Model):
    """Tokens of a document that a report left out: boilerplate, and code common to the cohort."""

    report = models.ForeignKey(Report, models.CASCADE, related_name="ignored")
    document = models.ForeignKey(Document, models.CASCADE, related_name="+")
    # In order, [first token, token after the last].
    spans = models.JSONField(default=list)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("report", "document"), name="ignored_once_a_document"),
        )

    def __str__(self) -> str:
        return f"ignored in {self.document}"


class Pair(models.Model):
    """Two submissions of a report that share more than the threshold; left's name sorts before right's."""

    report = models.ForeignKey(Report, models.CASCADE, related_name="pairs")
    left = models.ForeignKey(Submission, models.CASCADE, related_name="+")
    right = models.ForeignKey(Submission, models.CASCADE, related_name="+")
    similarity = models.FloatField()
    left_share = models.FloatField()
    right_share = models.FloatField()
    tokens = models.PositiveIntegerField()
    lines = models.PositiveIntegerField()
    longest = models.PositiveIntegerField()
    # What each kind of evidence adds to the similarity; together they are it.
    structure = models.FloatField()
    literals = models.FloatField()
    names = models.FloatField()
    # Longest first.
    passages: models.JSONField[list[PassageRecord], list[PassageRecord]] = RecordListField(
        PassageRecord, default=list
    )

    class Meta:
        ordering = ("-similarity", "-tokens", "pk")
        constraints = (
            models.UniqueConstraint(fields=("report", "left", "right"), name="pair_once_a_report"),
        )

    def __str__(self) -> str:
        return f"{self.left} / {self.right}"
