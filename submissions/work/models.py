"""Jobs: all background work that waits, is done now, or has failed; and how long work took."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone


class Job(models.Model):
    """A piece of background work of a kind (`submissions.work.kinds`); it is deleted when it is done."""

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        # It goes on when its parts are done.
        PARTS = "parts"
        FAILED = "failed"

    kind = models.CharField(max_length=40)
    # The primary key of what is worked on; 0 where there is one piece of work of this kind.
    subject = models.BigIntegerField(default=0)
    # Which of several jobs of one subject it is.
    part = models.BigIntegerField(default=0)
    # Whose work it is: users take turns.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    queue = models.CharField(max_length=20)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    # Number of times it was started.
    attempts = models.PositiveSmallIntegerField(default=0)
    # Why it waits or has failed.
    reason = models.TextField(blank=True)
    # The version of this package that enqueued it.
    version = models.CharField(max_length=100)
    # Progress; the total is 0 where it is not counted.
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    created = models.DateTimeField(auto_now_add=True)
    # When it changed last, and the time from which on it is in its state.
    touched = models.DateTimeField(default=timezone.now)
    since = models.DateTimeField(default=timezone.now)
    # It is not started before this time. When a message for it was sent last.
    due = models.DateTimeField(default=timezone.now)
    sent = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ("pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("kind", "subject", "part"), condition=models.Q(state="queued"), name="job_queued_once"
            ),
        )
        indexes = (models.Index(fields=("kind", "queue", "state", "id"), name="job_kind_queue_state"),)

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"


class Duration(models.Model):
    """The number of durations in one class, and their sum."""

    class Measure(models.TextChoices):
        # A task, by its name and its outcome.
        TASK = "task"
        # The time that work was in a state, by the kind of the work and the state.
        STATE = "state"

    measure = models.CharField(max_length=10, choices=Measure.choices)
    name = models.CharField(max_length=100)
    detail = models.CharField(max_length=20)
    # The upper limit of the class in seconds; infinite for the last one.
    at_most = models.FloatField()
    count = models.PositiveBigIntegerField()
    seconds = models.FloatField()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("measure", "name", "detail", "at_most"), name="duration_once_a_class"),
        )

    def __str__(self) -> str:
        return f"{self.measure} {self.name} {self.detail} up to {self.at_most} s"
