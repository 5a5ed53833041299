"""Files that are uploaded in parts, and the contents of stored files in the database."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import models

from submissions.models.batches import Batch
from submissions.models.courses import Assignment


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
