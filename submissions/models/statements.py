"""Statements of students on file."""

from __future__ import annotations

from django.db import models

from submissions.models.courses import Assignment


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
