"""Sources, documents and fingerprints, each stored once however often they are handed in."""

from __future__ import annotations

from django.db import models

from submissions.intake.archives.read_files import LEAST_SHARE


class Source(models.Model):
    """The bytes of one file, stored once however often it is handed in."""

    sha256 = models.CharField(max_length=64, unique=True)
    data = models.BinaryField()
    size = models.PositiveIntegerField()
    created = models.DateTimeField(auto_now_add=True)
    # When retention gave it up for a submission, and when its bytes were deleted; see `ingest.releasing`.
    given_up = models.DateTimeField(null=True, editable=False)
    emptied = models.DateTimeField(null=True, editable=False)

    class Meta:
        indexes = (
            models.Index(
                fields=("id",),
                condition=models.Q(given_up__isnull=False, emptied=None),
                name="source_given_up",
            ),
        )

    def __str__(self) -> str:
        return self.sha256[:12]


class Document(models.Model):
    """The result of one front-end for one source: its tokens and fingerprints, all stored or none."""

    class State(models.TextChoices):
        PENDING = "pending"
        READY = "ready"
        FAILED = "failed"
        # Kept for reading, and not compared; it has a profile of its own, and no tokens.
        KEPT = "kept"

    source = models.ForeignKey(Source, models.CASCADE, related_name="documents")
    profile = models.CharField(max_length=80)
    language = models.CharField(max_length=40)
    state = models.CharField(max_length=10, choices=State.choices, default=State.PENDING)
    reason = models.TextField(blank=True)
    # Number of times reading was started, so that a source that kills its worker is not retried for ever.
    attempts = models.PositiveSmallIntegerField(default=0)
    token_count = models.PositiveIntegerField(default=0)
    # The part, in [0, 1], of its characters of code that are in tokens.
    read_share = models.FloatField(default=1.0)
    # The first line, from 1, in which a literal or comment begins that never ends; null: there is none.
    unclosed_line = models.PositiveIntegerField(null=True)
    tokens = models.BinaryField(default=b"")
    # Names and literals that normalisation replaced by kinds, and imports that it dropped.
    lexical = models.BinaryField(default=b"")
    # Both digests of `engine.Spelling`, one after the other.
    spelling = models.BinaryField(default=b"")
    # The words of its strings, by which those of a task's statement are found.
    words = models.BinaryField(default=b"")
    # The stream that all languages share; empty for a language without one, and until a class needs it.
    coarse = models.BinaryField(default=b"")
    # Hashes and positions of its fingerprints, packed; which other documents have them: `PostingBlock`.
    fingerprints = models.BinaryField(default=b"")
    # Packed spans of Pygments' syntax colours; empty: not computed yet.
    styles = models.BinaryField(default=b"")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("source", "profile"), name="document_once_a_profile"),)

    def __str__(self) -> str:
        return f"{self.source} as {self.profile}"

    @property
    def is_read_in_part(self) -> bool:
        return bool(self.token_count) and self.read_share < LEAST_SHARE


class PostingRun(models.Model):
    """Sorted pairs of a hash and a document that has it; see `submissions.storage.posting_runs`.

    `documents` are their primary keys, packed; a document may have been deleted since.
    """

    documents = models.BinaryField()
    # The number of postings.
    size = models.BigIntegerField()
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"run {self.pk} of {self.size} postings"


class PostingBlock(models.Model):
    """Postings of a run, packed, from its hash `first` to its hash `last`.

    `frequency` is the number of documents that have the commonest of these hashes.
    """

    pk = models.CompositePrimaryKey("run", "first")
    run = models.ForeignKey(PostingRun, models.CASCADE, related_name="blocks", db_index=False)
    first = models.BigIntegerField()
    last = models.BigIntegerField()
    frequency = models.IntegerField()
    packed = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.first:x} to {self.last:x} of {self.run_id}"
