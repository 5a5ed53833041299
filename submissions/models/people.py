"""Tables of people in a course: members, invitations, administrators who gave a reason, requests to read.

Hints that a user does not want to see any more are here too.
"""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from submissions.models.batches import Submission
from submissions.models.courses import Course
from submissions.models.decisions import ChangeFields
from submissions.sealing import SealedTextField


class Role(models.TextChoices):
    """The roles that a course gives; its owner is a field of the course. See `submissions.permissions`."""

    INSTRUCTOR = "instructor", _("Instructor")
    ASSISTANT = "assistant", _("Teaching assistant")
    OBSERVER = "observer", _("Observer")


class Membership(models.Model):
    Role = Role

    course = models.ForeignKey(Course, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices)
    # The campus group that gave the role; empty if a person did.
    group = models.CharField(max_length=200, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("user__username",)
        constraints = (models.UniqueConstraint(fields=("course", "user"), name="membership_once_a_user"),)

    def __str__(self) -> str:
        return f"{self.user}: {self.role}"


class CampusGroup(models.Model):
    """A group of the campus accounts whose members join a course with a role when they sign in."""

    course = models.ForeignKey(Course, models.CASCADE, related_name="campus_groups")
    group = models.CharField(max_length=200)
    role = models.CharField(max_length=10, choices=Role.choices)
    # Who gave it the role, and gets none by it.
    added_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ("group",)
        constraints = (
            models.UniqueConstraint(fields=("course", "group"), name="campus_group_once_a_course"),
        )

    def __str__(self) -> str:
        return f"{self.group}: {self.role}"


class Invitation(models.Model):
    """An invitation to a course, for whoever signs in and opens its link first; deleted once accepted."""

    course = models.ForeignKey(Course, models.CASCADE, related_name="invitations")
    email = models.EmailField()
    role = models.CharField(max_length=10, choices=Role.choices)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    created = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField()

    class Meta:
        ordering = ("email",)
        constraints = (
            models.UniqueConstraint(fields=("course", "email"), name="invitation_once_an_address"),
        )

    def __str__(self) -> str:
        return f"{self.email}: {self.role}"


class StatedReason(models.Model):
    """The reason of an administrator to read a course that is not theirs, and its end; rows are kept."""

    course = models.ForeignKey(Course, models.CASCADE, related_name="stated_reasons")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    reason = models.TextField()
    created = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField()

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.user}: {self.reason}"


class DismissedHint(models.Model):
    """A hint, by name, that is not shown to a user any more."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="dismissed_hints")
    name = models.CharField(max_length=40)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "name"), name="dismissed_hint_once_a_user"),)

    def __str__(self) -> str:
        return self.name


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


class ApiToken(models.Model):
    """A token of a user. Only the digest of its secret is stored, and the first characters to know it by."""

    class Scope(models.TextChoices):
        READ = "read", _("Read only")
        WRITE = "write", _("Read and write")

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=100)
    prefix = models.CharField(max_length=12)
    digest = models.CharField(max_length=64, unique=True)
    scope = models.CharField(max_length=5, choices=Scope.choices, default=Scope.READ)
    # Whether it is for `courses` only: without this, deleting the last of them would open all others.
    restricted = models.BooleanField(default=False)
    courses = models.ManyToManyField(Course, related_name="api_tokens", blank=True)
    created = models.DateTimeField(auto_now_add=True)
    expires = models.DateTimeField()
    used = models.DateTimeField(null=True)
    revoked = models.DateTimeField(null=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"

    @property
    def is_valid(self) -> bool:
        return self.revoked is None and self.expires > timezone.now() and self.user.is_active


class ApiAnswer(models.Model):
    """The answer to a request with an idempotency key, stored with what the request changed."""

    token = models.ForeignKey(ApiToken, models.CASCADE, related_name="answers")
    key = models.CharField(max_length=255)
    # A digest of the method, the address and the body.
    request = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    headers: models.JSONField[dict[str, str], dict[str, str]] = models.JSONField(default=dict)
    # It may have a secret, and names of students.
    body = SealedTextField(blank=True)
    created = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("token", "key"), name="api_answer_once_a_key"),)

    def __str__(self) -> str:
        return f"answer {self.pk} to a request with {self.token}"
