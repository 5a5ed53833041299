"""What was handed in, as bytes and as tokens, each stored once."""

from __future__ import annotations

from django.db import models


class Source(models.Model):
    """The bytes of one file, stored once however often they are handed in."""

    sha256 = models.CharField(max_length=64, unique=True)
    data = models.BinaryField()
    size = models.PositiveIntegerField()
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.sha256[:12]


class Document(models.Model):
    """What one front-end made of one source: tokens and fingerprints, whole or not at all."""

    class State(models.TextChoices):
        PENDING = "pending"
        READY = "ready"
        FAILED = "failed"

    source = models.ForeignKey(Source, models.CASCADE, related_name="documents")
    profile = models.CharField(max_length=80)
    language = models.CharField(max_length=40)
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    reason = models.TextField(blank=True)
    # Counts starts, so that a source that killed its worker is not tried for ever.
    attempts = models.PositiveSmallIntegerField(default=0)
    token_count = models.PositiveIntegerField(default=0)
    tokens = models.BinaryField(default=b"")
    # Names and literals that folding took away.
    lexical = models.BinaryField(default=b"")
    # What Pygments colours, packed; empty: not known yet.
    styles = models.BinaryField(default=b"")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("source", "profile"), name="document_once_a_profile"),)

    def __str__(self) -> str:
        return f"{self.source} as {self.profile}"


class Fingerprint(models.Model):
    """One selected k-gram of a document. Written and read in bulk by `store`, which also makes the table."""

    # What names a row; the table itself has leaner indexes, and deletes with its document.
    pk = models.CompositePrimaryKey("document", "position")
    document = models.ForeignKey(Document, models.DO_NOTHING, related_name="fingerprints", db_index=False)
    hash = models.BigIntegerField()
    position = models.IntegerField()

    def __str__(self) -> str:
        return f"{self.hash:x} at {self.position} of {self.document_id}"
