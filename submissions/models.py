"""Tables: who teaches what, what was uploaded, what was made of it, which pairs were found."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.urls import reverse

from submissions.corpus.models import (  # noqa: F401 - Django looks for an app's tables in this module
    Corpus,
    CorpusDocument,
    CorpusSweep,
    CorpusText,
)


class Course(models.Model):
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="courses")
    name = models.CharField(max_length=200)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name", "pk")
        constraints = (models.UniqueConstraint(fields=("owner", "name"), name="course_name_once_an_owner"),)

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("course", args=[self.pk])


class Assignment(models.Model):
    """One task of a course; its cohort is the newest upload of every submission name."""

    course = models.ForeignKey(Course, models.CASCADE, related_name="assignments")
    name = models.CharField(max_length=200)
    # Empty: told from each file's name and content.
    language = models.CharField(max_length=40, blank=True)
    # Passages in more submissions than this are common code; empty: 10, and none in a small cohort.
    common_limit = models.PositiveIntegerField(null=True, blank=True)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name", "pk")
        constraints = (
            models.UniqueConstraint(fields=("course", "name"), name="assignment_name_once_a_course"),
        )

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("assignment", args=[self.pk])


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


class Batch(models.Model):
    """One upload and how far it has come."""

    class State(models.TextChoices):
        QUEUED = "queued", "waiting"
        UNPACKING = "unpacking"
        FINGERPRINTING = "fingerprinting"
        RANKING = "ranking"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    RUNNING = (State.QUEUED, State.UNPACKING, State.FINGERPRINTING, State.RANKING)
    # Those of which every document was read: they make up cohorts.
    READ = (State.RANKING, State.DONE)

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="batches")
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    name = models.CharField(max_length=255)
    created = models.DateTimeField(auto_now_add=True)
    touched = models.DateTimeField(auto_now=True)
    state = models.CharField(max_length=20, choices=State.choices, default=State.QUEUED)
    message = models.TextField(blank=True)
    documents_total = models.PositiveIntegerField(default=0)
    documents_done = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("batch", args=[self.pk])

    @property
    def is_running(self) -> bool:
        return self.state in self.RUNNING


class Upload(models.Model):
    """One uploaded file, kept until its batch is unpacked."""

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="uploads")
    name = models.CharField(max_length=1000)
    file = models.FileField(upload_to="uploads/")

    def __str__(self) -> str:
        return self.name


class Entry(models.Model):
    """One entry found in an upload: taken, or skipped with a reason a student's teacher can act on."""

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="entries")
    name = models.CharField(max_length=1000)
    size = models.PositiveBigIntegerField(default=0)
    accepted = models.BooleanField()
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ("accepted", "name", "pk")

    def __str__(self) -> str:
        return self.name


class Submission(models.Model):
    batch = models.ForeignKey(Batch, models.CASCADE, related_name="submissions")
    name = models.CharField(max_length=400)

    class Meta:
        ordering = ("name", "pk")
        constraints = (
            models.UniqueConstraint(fields=("batch", "name"), name="submission_name_once_a_batch"),
        )

    def __str__(self) -> str:
        return self.name


class SubmissionFile(models.Model):
    """A named source of a submission; `document` is what its assignment's front-end made of it."""

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="files")
    path = models.CharField(max_length=1000)
    source = models.ForeignKey(Source, models.PROTECT, related_name="files")
    document = models.ForeignKey(Document, models.PROTECT, related_name="files")

    class Meta:
        ordering = ("path", "pk")
        constraints = (models.UniqueConstraint(fields=("submission", "path"), name="path_once_a_submission"),)

    def __str__(self) -> str:
        return self.path


class Boilerplate(models.Model):
    """Code handed out with the task; it counts on neither side of any percentage."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="boilerplate")
    name = models.CharField(max_length=1000)
    source = models.ForeignKey(Source, models.PROTECT, related_name="boilerplate")
    document = models.ForeignKey(Document, models.PROTECT, related_name="boilerplate")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name", "pk")
        constraints = (
            models.UniqueConstraint(fields=("assignment", "document"), name="boilerplate_once_an_assignment"),
        )

    def __str__(self) -> str:
        return self.name


class Report(models.Model):
    """One ranking of an assignment's cohort, with what it was made from."""

    class State(models.TextChoices):
        QUEUED = "queued", "waiting"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"

    UNFINISHED = (State.QUEUED, State.RUNNING)

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="reports")
    created = models.DateTimeField(auto_now_add=True)
    finished = models.DateTimeField(null=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    message = models.TextField(blank=True)
    # k, window, common limit in force, engine and front-end versions, the suggested threshold.
    parameters = models.JSONField(default=dict)
    submissions = models.ManyToManyField(Submission, related_name="reports")
    # See `groups`: submissions that are the same, and ids of those connected from the threshold on.
    same = models.JSONField(default=list)
    clusters = models.JSONField(default=list)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"report {self.pk} of {self.assignment}"


class Ignored(models.Model):
    """Tokens of a document that a report left out: boilerplate, and code common to the cohort."""

    report = models.ForeignKey(Report, models.CASCADE, related_name="ignored")
    document = models.ForeignKey(Document, models.CASCADE, related_name="+")
    # In order, [first token, token after the last].
    spans = models.JSONField(default=list)

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("report", "document"), name="ignored_once_a_document"),
        )

    def __str__(self) -> str:
        return f"ignored in {self.document}"


class Pair(models.Model):
    """Two submissions of a report that share more than the threshold; left's name sorts before right's."""

    report = models.ForeignKey(Report, models.CASCADE, related_name="pairs")
    left = models.ForeignKey(Submission, models.CASCADE, related_name="+")
    right = models.ForeignKey(Submission, models.CASCADE, related_name="+")
    similarity = models.FloatField()
    left_share = models.FloatField()
    right_share = models.FloatField()
    tokens = models.PositiveIntegerField()
    lines = models.PositiveIntegerField()
    longest = models.PositiveIntegerField()
    # What each kind of evidence adds to the similarity; together they are it.
    structure = models.FloatField()
    literals = models.FloatField()
    names = models.FloatField()
    # Longest first: [left file id, left first token, right file id, right first token, tokens,
    # submissions of the cohort that hold it].
    passages = models.JSONField(default=list)

    class Meta:
        ordering = ("-similarity", "-tokens", "pk")
        constraints = (
            models.UniqueConstraint(fields=("report", "left", "right"), name="pair_once_a_report"),
        )

    def __str__(self) -> str:
        return f"{self.left} / {self.right}"
