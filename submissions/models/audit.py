"""The audit log: who saw, decided, exported, shared or deleted whose work."""

from __future__ import annotations

from typing import Any

from django.db import models, transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from fingerprint.engine import storable
from submissions.audit_chain import digest_of
from submissions.work.locks import Work, transaction_lock


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
    CHANGED_TOKENS = "tokens", _("Changed tokens")
    ERASED = "erased", _("Erased a student")
    SHORTENED = "shortened", _("Shortened the log")


class AuditEntry(models.Model):
    """One act. It names rows by text, because it outlives them; a trigger refuses to change or delete it.

    Only the erasure of a student replaces names in `subject`; see docs/work/decisions/08-erasure.md. The
    owner of the table deletes old entries (`submissions.actions.audit_log`).
    """

    # Set when it is stored, as are the number and the digest; see `submissions.audit_chain`.
    created = models.DateTimeField(default=timezone.now, db_index=True, editable=False)
    number = models.BigIntegerField(db_index=True, editable=False)
    digest = models.CharField(max_length=64, editable=False)
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

    @transaction.atomic
    def save(self, **options: Any) -> None:
        """Store a new entry as the last one of the chain; one transaction at a time does so."""
        transaction_lock(Work.AUDIT, wait=True)
        last = AuditEntry.objects.order_by("-number").first()
        self.created, self.number = timezone.now(), last.number + 1 if last else 1
        for name in ("who", "course", "assignment", "page"):
            setattr(self, name, storable(getattr(self, name)))
        self.digest = digest_of(self, last.digest if last else "")
        super().save(**options)
