"""Lines that somebody may have ignored, with what that would change: stored until they are, or for a day."""

from __future__ import annotations

from typing import Any

from django.db import models

from submissions.models.batches import Submission
from submissions.models.courses import Assignment
from submissions.models.records import IgnoringEffect, LineCounts, RecordField
from submissions.models.sources import Document


class IgnoringProposal(models.Model):
    """A part of a document, the tokens [`first`, `after`), of which some lines may be ignored.

    `chosen_first` and `chosen_after` are the tokens of the chosen lines; a worker chooses those that are in
    many submissions while both are null. It sets `counts` and `effect`, or a `message` that says why not.
    """

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="ignoring_proposals")
    document = models.ForeignKey(Document, models.CASCADE, related_name="+")
    path = models.CharField(max_length=1000)
    first = models.PositiveIntegerField()
    after = models.PositiveIntegerField()
    chosen_first = models.PositiveIntegerField(null=True)
    chosen_after = models.PositiveIntegerField(null=True)
    counts: models.JSONField[LineCounts | None, LineCounts | None] = RecordField(LineCounts, null=True)
    effect: models.JSONField[IgnoringEffect | None, IgnoringEffect | None] = RecordField(
        IgnoringEffect, null=True
    )
    message = models.TextField(blank=True)
    # The pair on whose page it was proposed; both are null for lines that most submissions have.
    left = models.ForeignKey(Submission, models.SET_NULL, null=True, related_name="+")
    right = models.ForeignKey(Submission, models.SET_NULL, null=True, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"tokens {self.first} to {self.after} of {self.document}"

    @property
    def is_pending(self) -> bool:
        """True until a worker has measured the effect, or failed to."""
        return self.effect is None and not self.message

    @property
    def pair(self) -> tuple[Any, Any] | None:
        """The primary keys of the pair on whose page it was proposed, if both are still there."""
        return (self.left_id, self.right_id) if self.left_id and self.right_id else None
