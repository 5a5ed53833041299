"""Tokens with which other programs use the API as a user, and the answers that they may ask for again."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from submissions.models.courses import Course
from submissions.sealing import SealedTextField


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
