"""The audit log: who saw, decided, exported, shared or deleted whose work.

Each entry has a number and a keyed digest of itself and of the entry before. So an entry that somebody
removed, changed or inserted in the database is found, unless that somebody has `SECRET_KEY`. A subject is in
it by a keyed digest of its own, because the erasure of a student replaces names in it; an entry of the
erasure says of each replaced subject which one is right now (`replace_subjects`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Any, NamedTuple, Protocol

from django.conf import settings
from django.db import connection, models, transaction
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext_lazy as _

from fingerprint.engine import storable
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
    owner of the table deletes old entries (`submissions.audit.log`).
    """

    # Set when it is stored, as are the number and the digest; see `digest_of`.
    created = models.DateTimeField(default=timezone.now, db_index=True, editable=False)
    number = models.BigIntegerField(db_index=True, editable=False)
    digest = models.CharField(max_length=64, editable=False)
    # Of the subject when it was stored; empty in entries of versions before.
    subject_digest = models.CharField(max_length=64, editable=False, default="", db_default="")
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
        self._join_chain()
        super().save(**options)

    def _join_chain(self) -> None:
        transaction_lock(Work.AUDIT, wait=True)
        last = AuditEntry.objects.order_by("-number").first()
        self.created, self.number = timezone.now(), last.number + 1 if last else 1
        for name in ("who", "course", "assignment", "subject", "page"):
            setattr(self, name, storable(getattr(self, name)))
        self.subject_digest = subject_digest(self.number, self.subject)
        self.digest = digest_of(self, last.digest if last else "")

    @classmethod
    @transaction.atomic
    def replace_subjects(cls, subjects: dict[int, str], who: str, subject: str) -> None:
        """Replace the subjects of entries, by their numbers, with an entry in the chain that proves it."""
        replaced = [f"{number} {subject_digest(number, text)}" for number, text in subjects.items()]
        proof = cls(who=who, action=AuditAction.ERASED, page=REPLACED, subject="; ".join([subject, *replaced]))
        proof._join_chain()
        columns = {field.column: getattr(proof, field.attname) for field in cls._meta.concrete_fields}
        entry = json.dumps(columns, default=str)
        with connection.cursor() as cursor:
            cursor.callproc("submissions_replace_subjects", [entry, [*subjects], [*subjects.values()]])


PURPOSE = "moss.audit"
# The page of an entry that proves replaced subjects, and what it says of each: its number and its new digest.
REPLACED = "replace_subjects"
REPLACEMENT = re.compile(r"(\d+) ([0-9a-f]{64})")
# What `cut_text` writes.
CUT = re.compile(r"entries to (\d+): ([0-9a-f]{64})")


class Entry(Protocol):
    """The fields of an entry of the log that are in its digest; see `models.AuditEntry`."""

    number: int
    digest: str
    created: datetime
    who: str
    address: str | None
    action: str
    course: str
    assignment: str
    page: str
    subject: str
    subject_digest: str


class Verdict(NamedTuple):
    """The entries of the chain up to `digest`, counted, and the number of the first broken one, or 0."""

    entries: int
    digest: str
    broken: int


def digest_of(entry: Entry, before: str, secret: str = "") -> str:
    """Return the digest of an entry whose predecessor has the digest `before`."""
    address = ip_address(entry.address).packed.hex() if entry.address else ""
    texts = [entry.who, entry.action, entry.course, entry.assignment, entry.page]
    content = [before, entry.number, entry.created.astimezone(UTC).isoformat(), address, *texts]
    content += [entry.subject_digest] if entry.subject_digest else []
    key = secret or settings.SECRET_KEY
    return salted_hmac(PURPOSE, json.dumps(content), secret=key, algorithm="sha256").hexdigest()


def subject_digest(number: int, subject: str, secret: str = "") -> str:
    """Return the keyed digest of the subject of the entry with this number."""
    key = secret or settings.SECRET_KEY
    content = json.dumps([number, subject])
    return salted_hmac(f"{PURPOSE}.subject", content, secret=key, algorithm="sha256").hexdigest()


def cut_text(number: int, digest: str) -> str:
    """Return what an entry says of a log that begins after the entry of this number and digest now."""
    return f"entries to {number}: {digest}"


def verify(entries: Iterable[Entry], cuts: Iterable[str] = (), proofs: Iterable[str] = ()) -> Verdict:
    """Follow the chain over its entries, in the order of their numbers, to its end or its first fault.

    `cuts` are the texts by which entries say after which one the log begins, `proofs` the subjects of those
    that prove replaced subjects, in their order. Such an entry is in the chain too, so that a text that
    somebody else wrote breaks it there.
    """
    matches = (REPLACEMENT.fullmatch(part) for text in proofs for part in text.split("; "))
    replaced = {int(match[1]): match[2] for match in matches if match}
    begins = {int(match[1]): match[2] for match in map(CUT.fullmatch, cuts) if match}
    count, before, number = 0, "", 0
    for entry in entries:
        if not count and (known := begins.get(entry.number - 1)):
            number, before = entry.number - 1, known
        number += 1
        of_subject = replaced.get(number, entry.subject_digest)
        if entry.number != number or not _is_right(entry, before, of_subject):
            return Verdict(count, before, number)
        count, before = count + 1, entry.digest
    return Verdict(count, before, 0)


def _is_right(entry: Entry, before: str, of_subject: str) -> bool:
    """Return whether an entry has its digest and its subject, which versions before did not prove."""
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    subjects = [subject_digest(entry.number, entry.subject, one) for one in secrets] if of_subject else [""]
    digests = [digest_of(entry, before, one) for one in secrets]
    return any(constant_time_compare(entry.digest, one) for one in digests) and any(
        constant_time_compare(of_subject, one) for one in subjects
    )
