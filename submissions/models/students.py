"""Students: those of a course's roster, those who handed in a submission, and those who were erased."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from submissions.intake.rosters import RosterStudent
from submissions.models.batches import Submission
from submissions.models.courses import Course


class CourseRoster(models.Model):
    """The roster of a course: the file that it was read from, and the problems of its rows."""

    course = models.OneToOneField(Course, models.CASCADE, related_name="roster")
    name = models.CharField(max_length=255)
    created = models.DateTimeField(auto_now_add=True)
    # Messages, the first of them.
    problems = models.JSONField(default=list)
    # The number of all of them.
    problem_count = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return self.name


class EnrolledStudent(models.Model):
    """A student of a course's roster; empty where the roster does not say. See `rosters.RosterStudent`."""

    roster = models.ForeignKey(CourseRoster, models.CASCADE, related_name="students")
    name = models.CharField(max_length=400, blank=True)
    identifier = models.CharField(max_length=400, blank=True)
    login = models.CharField(max_length=400, blank=True)
    email = models.CharField(max_length=400, blank=True)
    section = models.CharField(max_length=400, blank=True)
    team = models.CharField(max_length=400, blank=True)
    # Further ids and logins.
    other_ids = models.JSONField(default=list)

    class Meta:
        ordering = ("name", "pk")

    def __str__(self) -> str:
        return self.name or self.login or self.email or self.identifier

    @property
    def as_roster_student(self) -> RosterStudent:
        return RosterStudent(
            self.name,
            self.identifier,
            self.login,
            self.email,
            self.section,
            self.team,
            tuple(map(str, self.other_ids)),
        )


class SubmissionStudent(models.Model):
    """One of the students who handed in a submission, as the platform calls them.

    `enrolled` is the student of the course's roster; null where there is no roster or the student is not
    in it.
    """

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="students")
    name = models.CharField(max_length=400)
    identifier = models.CharField(max_length=400, blank=True)
    enrolled = models.ForeignKey(
        EnrolledStudent, models.SET_NULL, null=True, related_name="submission_students"
    )

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.name


class Erasure(models.Model):
    """An erasure that was asked for, and what it removed: it names the student by digests only, once done."""

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")

    # The user name, stored as text because the account may be deleted.
    who = models.CharField(max_length=150)
    reason = models.TextField()
    # The name or id that was asked for; emptied when the erasure has ended.
    student = models.CharField(max_length=400, blank=True)
    # Primary keys of the courses that were chosen.
    courses: models.JSONField[list[int], list[int]] = models.JSONField(default=list)
    # Keyed digests of every name and id of the student, see `students.spellings.digest`.
    digests: models.JSONField[list[str], list[str]] = models.JSONField(default=list)
    created = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    message = models.TextField(blank=True)
    # See `students.receipts.Receipt`.
    result: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"erasure {self.pk}"
