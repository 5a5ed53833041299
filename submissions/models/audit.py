"""The audit log: who saw, decided, exported, shared or deleted whose work."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class AuditAction(models.TextChoices):
    SAW = "saw", _("Saw")
    DECIDED = "decided", _("Decided")
    EXPORTED = "exported", _("Exported")
    SHARED = "shared", _("Shared")
    UPLOADED = "uploaded", _("Uploaded")
    DELETED = "deleted", _("Deleted")
    CHANGED_PEOPLE = "people", _("Changed people")
    STATED_REASON = "reason", _("Stated a reason")
    CHANGED_COURSE = "course", _("Changed a course")
    ASKED = "asked", _("Asked to read")
    CHANGED_WEBHOOKS = "webhooks", _("Changed webhooks")
    ERASED = "erased", _("Erased a student")


class AuditEntry(models.Model):
    """One act. It names rows by text, because it outlives them; a trigger refuses to change or delete it.

    Only the erasure of a student replaces names in `subject`; see docs/decisions/031-one-student.md.
    """

    created = models.DateTimeField(auto_now_add=True, db_index=True)
    # The user name, or what the person came by who has no account.
    who = models.CharField(max_length=150)
    address = models.GenericIPAddressField(null=True)
    action = models.CharField(max_length=10, choices=AuditAction.choices)
    course = models.CharField(max_length=200, blank=True)
    assignment = models.CharField(max_length=200, blank=True)
    # Names of submissions, or what else the act was about.
    subject = models.TextField(blank=True)
    page = models.CharField(max_length=60)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"{self.who} {self.action} {self.subject}"
