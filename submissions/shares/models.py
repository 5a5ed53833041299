"""Tables of share links, and of requests to read work of another course."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from submissions.cases.models import ChangeFields
from submissions.core.database import OutsideTimeField
from submissions.courses.models import Assignment
from submissions.uploads.models import Submission


class Share(models.Model):
    """A read-only link to an assignment's report or, with two submission names, to one pair."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="shares")
    left = models.CharField(max_length=400, blank=True)
    right = models.CharField(max_length=400, blank=True)
    anonymous = models.BooleanField(default=True)
    # Who made it or took it over: it shows what this person may read now. Null: the account was deleted.
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    expires = OutsideTimeField()
    revoked = models.DateTimeField(null=True)
    # The owner of the course was told that who made it may not share any more.
    owner_told = models.BooleanField(default=False)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"share {self.pk} of {self.assignment}"


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
