"""Database tables of archive screening; docs/work/decisions/03-fingerprints.md explains their design."""

from __future__ import annotations

from django.db import models


class Corpus(models.Model):
    """A collection of documents that are compared with each other; `recipe` is the key of its recipe."""

    name = models.CharField(max_length=100, unique=True)
    recipe = models.CharField(max_length=100)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)
        verbose_name_plural = "corpora"

    def __str__(self) -> str:
        return self.name


class CorpusSweep(models.Model):
    """One reading of a folder or archive; while `finished` is null, it runs or can be resumed."""

    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="sweeps")
    number = models.PositiveIntegerField()
    source = models.TextField()
    started = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True)

    class Meta:
        ordering = ("corpus", "number")
        constraints = (models.UniqueConstraint(fields=("corpus", "number"), name="sweep_number_once_a_corpus"),)

    def __str__(self) -> str:
        return f"sweep {self.number} of {self.corpus}"


class CorpusText(models.Model):
    """The signatures of the bytes of one or more documents, stored once.

    `sketch` and `features` are arrays of 64-bit integers, 8 bytes each; `simhash` is a signed integer with the bits of
    the SimHash. `digest` is a hash of the token kinds, so lexically identical texts have equal digests. A text too
    short for a shingle has an empty sketch and no features; one too short for a k-gram of the SimHash has none.
    """

    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="texts")
    sha256 = models.CharField(max_length=64)
    profile = models.CharField(max_length=100)
    kind = models.CharField(max_length=10)
    language = models.CharField(max_length=60)
    tokens = models.PositiveIntegerField()
    digest = models.CharField(max_length=32)
    sketch = models.BinaryField()
    features = models.BinaryField()
    simhash = models.BigIntegerField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("corpus", "sha256", "profile"), name="text_once_a_corpus"),)
        indexes = (models.Index(fields=("corpus", "digest"), name="corpus_text_digest"),)

    def __str__(self) -> str:
        return f"{self.profile} {self.sha256}"


class CorpusDocument(models.Model):
    """A named document of a sweep; `text` is null when it could not be read, and `reason` says why."""

    sweep = models.ForeignKey(CorpusSweep, models.CASCADE, related_name="documents")
    name = models.CharField(max_length=1000)
    sha256 = models.CharField(max_length=64)
    text = models.ForeignKey(CorpusText, models.CASCADE, null=True, related_name="documents")
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ("pk",)
        constraints = (models.UniqueConstraint(fields=("sweep", "name"), name="document_name_once_a_sweep"),)

    def __str__(self) -> str:
        return self.name


class CorpusShard(models.Model):
    """A part of adding to a corpus, or of clustering it, that a worker computes; see `corpus.sharing`.

    `sweep`: what the documents of the part are added to; null for values to count. `payload`: what is
    computed with, and `result` what came out, null until then.
    """

    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="shards")
    sweep = models.ForeignKey(CorpusSweep, models.CASCADE, null=True, related_name="shards")
    # The migration has Postgres store both as they are, and not in its log: they are needed for seconds.
    payload = models.BinaryField()
    result = models.BinaryField(null=True)

    def __str__(self) -> str:
        return f"shard {self.pk} of {self.corpus}"
