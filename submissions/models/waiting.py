"""Files that are uploaded in parts, contents of stored files, and lines that somebody may have ignored."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models

from submissions.models.batches import Batch, Submission
from submissions.models.courses import Assignment
from submissions.models.documents import Document
from submissions.models.records import IgnoringEffect, LineCounts, RecordField


class ResumableUpload(models.Model):
    """A file of `length` bytes, of which the first `offset` have arrived; see decision 6.

    They are in the `FileChunk` rows that are named `file`, until all have arrived: then they become `batch`.
    """

    # An upload is deleted this time after its last part; what becomes of it is said as long, too.
    KEPT = timedelta(hours=24)

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="resumable_uploads")
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    name = models.CharField(max_length=255)
    role = models.CharField(max_length=10, choices=Batch.Role.choices, default=Batch.Role.CLASS)
    preview = models.BooleanField(default=False)
    file = models.CharField(max_length=100, unique=True)
    length = models.PositiveBigIntegerField()
    offset = models.PositiveBigIntegerField(default=0)
    touched = models.DateTimeField(auto_now_add=True)
    ended = models.DateTimeField(null=True)
    batch = models.ForeignKey(Batch, models.SET_NULL, null=True, related_name="+")

    def __str__(self) -> str:
        return f"{self.name}, {self.offset} of {self.length} bytes"

    @property
    def expiry(self) -> datetime:
        """The time at which the upload is deleted if no part is added."""
        return self.touched + self.KEPT


class FileChunk(models.Model):
    """A part of a stored file; see `submissions.storage.database_files`.

    The migration has Postgres store `data` as it is: most uploads are compressed.
    """

    name = models.CharField(max_length=100)
    number = models.PositiveIntegerField()
    data = models.BinaryField()
    stored = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("name", "number"), name="chunk_once_a_file"),)

    def __str__(self) -> str:
        return f"{self.name}, part {self.number}"


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
