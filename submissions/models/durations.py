"""Durations that `/metrics` tells: counted in the database, so that they are those of all processes."""

from __future__ import annotations

from django.db import models


class Duration(models.Model):
    """How many durations were in one class, and their sum."""

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
            models.UniqueConstraint(
                fields=("measure", "name", "detail", "at_most"), name="duration_once_a_class"
            ),
        )

    def __str__(self) -> str:
        return f"{self.measure} {self.name} {self.detail} up to {self.at_most} s"
