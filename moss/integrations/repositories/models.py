"""Lists of repositories, and what was fetched from each."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import ExpressionWrapper, F, Value
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from moss.integrations.repositories.git import LONGEST_ADDRESS, LONGEST_BRANCH, LONGEST_NAME
from submissions.core.database import OutsideTimeField, SealedTextField
from submissions.models import Assignment, Batch

# A month.
MOST_HOURS = 720


class FetchQuerySet(models.QuerySet["RepositoryFetch"]):
    def planned(self) -> RepositoryFetch | None:
        """Return the list that is fetched again when the due date has passed."""
        return self.filter(again_after_due=True).select_related("assignment").first()

    def due(self) -> Self:
        """Return the lists that are to be fetched again by now."""
        hour = Value(timedelta(hours=1), models.DurationField())
        begins = ExpressionWrapper(
            F("assignment__due") + F("hours_after_due") * hour, output_field=models.DateTimeField()
        )
        planned = self.filter(again_after_due=True).exclude(state=RepositoryFetch.State.FETCHING)
        return planned.alias(begins=begins).filter(begins__lte=timezone.now())


class RepositoryFetch(models.Model):
    """A list of repositories that are fetched together, and become one upload, or boilerplate."""

    STARTER = "starter"

    class State(models.TextChoices):
        FETCHING = "fetching", _("fetching")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="repository_fetches")
    started_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    state = models.CharField(max_length=10, choices=State.choices, default=State.FETCHING)
    message = models.TextField(blank=True)
    role = models.CharField(max_length=10, default=Batch.Role.CLASS)
    preview = models.BooleanField(default=False)
    # For the one host of the list; deleted when nothing is to be fetched with it any more.
    token = SealedTextField(blank=True, default="")
    # The same list is fetched once more when the due date of the assignment has passed.
    again_after_due = models.BooleanField(default=False)
    # So many hours after it.
    hours_after_due = models.PositiveSmallIntegerField(default=0, db_default=0)
    batch = models.ForeignKey(Batch, models.SET_NULL, null=True, related_name="repository_fetches")
    created = models.DateTimeField(auto_now_add=True)

    objects = FetchQuerySet.as_manager()

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"fetch {self.pk} of assignment {self.assignment_id}"

    @property
    def fetched_again(self) -> datetime | None:
        """The time at which the list is fetched again; None where the assignment has no due date."""
        due = self.assignment.due
        return due + timedelta(hours=self.hours_after_due) if due else None

    @property
    def is_running(self) -> bool:
        return self.state == self.State.FETCHING


class Repository(models.Model):
    """A repository of a list, and what came of it."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        FETCHED = "fetched", _("fetched")
        FAILED = "failed", _("failed")

    fetch = models.ForeignKey(RepositoryFetch, models.CASCADE, related_name="repositories")
    student = models.CharField(max_length=LONGEST_NAME)
    address = models.CharField(max_length=LONGEST_ADDRESS)
    branch = models.CharField(max_length=LONGEST_BRANCH, blank=True)
    # The commit that the list names; empty: the last one before the due date.
    commit = models.CharField(max_length=64, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    reason = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    tried = models.DateTimeField(null=True)
    # The fetched commit, its time by its committer, and its files that were left out with the reason, a line for each.
    fetched_commit = models.CharField(max_length=64, blank=True)
    committed = OutsideTimeField(null=True)
    left_out = models.TextField(blank=True)
    # A zip archive, until it is in the upload.
    data = models.BinaryField(null=True)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        """Return no address: it may name a student."""
        return f"repository {self.pk} of fetch {self.fetch_id}"
