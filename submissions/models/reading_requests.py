"""Requests of the readers of one course to read a pair with a submission of another course."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from submissions.models.batches import Submission
from submissions.models.decisions import ChangeFields


class ReadingRequest(models.Model):
    """A request about one pair: `new` in the report of who asks, `old` in the course of who answers.

    It belongs to the two submissions, so that it survives a new ranking of them.
    """

    class State(models.TextChoices):
        ASKED = "asked", _("asked")
        AGREED = "agreed", _("agreed")
        REFUSED = "refused", _("refused")
        WITHDRAWN = "withdrawn", _("withdrawn")

    new = models.ForeignKey(Submission, models.CASCADE, related_name="+")
    old = models.ForeignKey(Submission, models.CASCADE, related_name="reading_requests")
    similarity = models.FloatField()
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    state = models.CharField(max_length=10, choices=State.choices, default=State.ASKED)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)
        constraints = (models.UniqueConstraint(fields=("new", "old"), name="reading_request_once_a_pair"),)

    def __str__(self) -> str:
        return f"{self.new} / {self.old}: {self.state}"


class ReadingRequestChange(ChangeFields):
    request = models.ForeignKey(ReadingRequest, models.CASCADE, related_name="changes")

    @property
    def label(self) -> str:
        """The state after the change, in the language of the reader."""
        return str(ReadingRequest.State(self.after).label)
