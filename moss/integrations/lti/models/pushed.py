"""Submissions that platforms push (LTI Asset Processor), and the assignments that they belong to."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from moss.integrations.lti.models.platforms import LONGEST_ID, PlatformCourse
from submissions.models import Assignment, Batch, Submission


class AttachedActivity(models.Model):
    """An activity of a platform, such as its assignment, whose submissions an assignment here gets."""

    platform_course = models.ForeignKey(PlatformCourse, models.CASCADE, related_name="activities")
    activity = models.CharField(max_length=LONGEST_ID)
    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="activities")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("platform_course", "activity", "assignment"), name="lti_activity_once"
            ),
        )

    def __str__(self) -> str:
        return f"activity of assignment {self.assignment_id}"


class PushedSubmission(models.Model):
    """A submission that a platform told of: fetched from there, then read in an upload with others."""

    class State(models.TextChoices):
        WAITING = "waiting", _("to be fetched")
        FETCHED = "fetched", _("fetched")
        READ = "read", _("in an upload")
        # The same student's later submission came first.
        REPLACED = "replaced", _("replaced by a later one")
        FAILED = "failed", _("failed")

    class Problem(models.TextChoices):
        """The reason for which the last attempt to fetch it failed."""

        NOTHING = "nothing", _("The platform named no file.")
        TOO_LARGE = "too large", _("A file is too large, or all files together are.")
        HOST = (
            "host",
            _(
                "A file is on a host that is not among the stored addresses of the platform. Ask the "
                "administrator of this service to add it."
            ),
        )
        GONE = "gone", _("The platform no longer has the file.")
        OTHER_BYTES = "other bytes", _("What came is not the file that the platform named.")
        NO_ANSWER = "no answer", _("The platform did not send the file.")
        NO_ROOM = "no room", _("The owner's courses have no storage left. Delete old assignments or uploads.")

    # Those whose files are still to come, or to be read.
    UNDER_WAY = (State.WAITING, State.FETCHED)

    platform_course = models.ForeignKey(PlatformCourse, models.CASCADE, related_name="pushed")
    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="pushed")
    # What the platform calls it, and the student.
    submission = models.CharField(max_length=LONGEST_ID)
    subject = models.CharField(max_length=LONGEST_ID)
    name = models.CharField(max_length=400, blank=True)
    submitted = models.DateTimeField()
    # Its files: `asset_id`, `url`, `sha256_checksum`, `size` and `name` of each.
    assets: models.JSONField[list[dict[str, Any]], list[dict[str, Any]]] = models.JSONField(default=list)
    report_url = models.CharField(max_length=2000, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    problem = models.CharField(max_length=20, choices=Problem.choices, blank=True)
    # Which file, host or limit the problem is about.
    detail = models.TextField(blank=True)
    fetched = models.DateTimeField(null=True)
    batch = models.ForeignKey(Batch, models.SET_NULL, null=True, related_name="pushed")
    # What the platform was told last.
    reported = models.CharField(max_length=20, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-pk",)
        constraints = (
            models.UniqueConstraint(
                fields=("platform_course", "assignment", "submission"), name="lti_pushed_once"
            ),
        )

    def __str__(self) -> str:
        return f"submission {self.pk} of platform course {self.platform_course_id}"

    def read_submission(self) -> Submission | None:
        """Return what it became in its upload; None where it is not read, or only another attempt is."""
        rows = Submission.objects.filter(batch=self.batch_id, batch__state__in=Batch.FULLY_READ)
        return rows.filter(students__identifier=self.subject, students__name=self.name).first()


class PushedFile(models.Model):
    """The bytes of a file of a pushed submission, until it is in an upload."""

    submission = models.ForeignKey(PushedSubmission, models.CASCADE, related_name="files")
    name = models.CharField(max_length=1000)
    data = models.BinaryField()

    def __str__(self) -> str:
        return self.name
