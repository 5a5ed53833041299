"""Changes of the language of an assignment, with the state of reading its files again."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from submissions.models.courses import Assignment


class LanguageChange(models.Model):
    """One change of an assignment's language; a worker decides for every stored file how it is read then.

    It stays as a record of who changed the language, and when.
    """

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting")
        READING = "reading", _("Reading")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")
        # The language was changed again before all files were read.
        CANCELLED = "cancelled", _("Cancelled")

    RUNNING = (State.QUEUED, State.READING)

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="language_changes")
    changed_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    before = models.CharField(max_length=40, blank=True)
    after = models.CharField(max_length=40, blank=True)
    # The languages by name after it; see `ChosenLanguages`.
    patterns = models.TextField(blank=True)
    created = models.DateTimeField(auto_now_add=True)
    touched = models.DateTimeField(auto_now=True)
    # The time from which on it is in its state.
    since = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    message = models.TextField(blank=True)
    documents_total = models.PositiveIntegerField(default=0)
    documents_done = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"language of {self.assignment}: {self.before or 'any'} to {self.after or 'any'}"

    @property
    def is_running(self) -> bool:
        return self.state in self.RUNNING
