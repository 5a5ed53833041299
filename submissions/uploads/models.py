"""Tables of uploads: entries, submissions, files, students; sources, documents and fingerprints.

Sources and documents are stored once, however often they are handed in.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from submissions.core.database import OutsideTimeField
from submissions.core.models import Commits, RecordField, RecordListField, Refusal
from submissions.courses.models import Assignment, EnrolledStudent
from submissions.intake.choices import Choices
from submissions.intake.sentences import KEPT_FILE
from submissions.intake.unpacking import archive_stem
from submissions.intake.warnings import LEAST_SHARE

# Characters of an upload's name that are added to the names of submissions.
MAX_SUFFIX = 60
# The large columns of a file's document.
HEAVY = tuple(f"document__{name}" for name in ("tokens", "lexical", "lines", "coarse", "styles"))


class Source(models.Model):
    """The bytes of one file, stored once however often it is handed in."""

    sha256 = models.CharField(max_length=64, unique=True)
    data = models.BinaryField()
    size = models.PositiveIntegerField()
    created = models.DateTimeField(auto_now_add=True)
    # When retention gave it up for a submission, and when its bytes were deleted; see `submissions.courses.retention`.
    given_up = models.DateTimeField(null=True, editable=False)
    emptied = models.DateTimeField(null=True, editable=False)

    class Meta:
        indexes = (
            models.Index(
                fields=("id",), condition=models.Q(given_up__isnull=False, emptied=None), name="source_given_up"
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
    # Processor seconds that reading it took.
    seconds = models.FloatField(db_default=0.0, default=0.0)
    token_count = models.PositiveIntegerField(default=0)
    # The part, in [0, 1], of its characters of code that are in tokens.
    read_share = models.FloatField(default=1.0)
    # The first line, from 1, in which a literal or comment begins that never ends; null: there is none.
    unclosed_line = models.PositiveIntegerField(null=True)
    # The number of characters in words that nobody sees or that look like others of another script.
    disguised = models.PositiveIntegerField(db_default=0, default=0)
    tokens = models.BinaryField(default=b"")
    # Names and literals that normalisation replaced by kinds, and imports that it dropped.
    lexical = models.BinaryField(default=b"")
    # Both digests of `fingerprint.engine.Spelling`, one after the other.
    spelling = models.BinaryField(default=b"")
    # The words of its strings, which show whether a string comes from the task's statement.
    words = models.BinaryField(default=b"")
    # The stream that all languages share; empty for a language without one, and until a class needs it.
    coarse = models.BinaryField(default=b"")
    # Hashes of its lines, see `line_marks`; null: read by a version without.
    lines = models.BinaryField(null=True)
    # Hashes and positions of its fingerprints, packed; which other documents have them: `PostingBlock`.
    fingerprints = models.BinaryField(default=b"")
    # Packed spans of Pygments' syntax colours; empty: not computed yet.
    styles = models.BinaryField(default=b"")

    class Meta:
        constraints = (models.UniqueConstraint(fields=("source", "profile"), name="document_once_a_profile"),)

    def __str__(self) -> str:
        return f"{self.source} as {self.profile}"

    @property
    def why_not_compared(self) -> str:
        """Why a file with this document is not compared; empty where it is."""
        return KEPT_FILE if self.state == Document.State.KEPT else self.reason

    @property
    def is_read_in_part(self) -> bool:
        return bool(self.token_count) and self.read_share < LEAST_SHARE


class PostingRun(models.Model):
    """Sorted pairs of a hash and a document that has it; see `submissions.uploads.fingerprinting`.

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


class Batch(models.Model):
    class State(models.TextChoices):
        QUEUED = "queued", _("waiting")
        UNPACKING = "unpacking", _("Unpacking")
        LISTED = "listed", _("to be checked")
        FINGERPRINTING = "fingerprinting", _("Fingerprinting")
        RANKING = "ranking", _("Ranking")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")

    class Role(models.TextChoices):
        CLASS = "class", _("this class")
        EARLIER = "earlier", _("earlier or other work")
        MODEL = "model", _("model solutions")
        # Copies of the submissions of another assignment that share something with this one; no upload.
        OTHER = "other", _("another assignment")

    # A worker has begun these batches, and has not read them yet.
    STARTED = (State.UNPACKING, State.FINGERPRINTING)
    UNREAD = (State.QUEUED, *STARTED)
    RUNNING = (*UNREAD, State.RANKING)
    CANCELLABLE = (*RUNNING, State.LISTED)
    # All documents of these batches were read; only such batches contribute to a cohort.
    FULLY_READ = (State.RANKING, State.DONE)

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="batches")
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True)
    name = models.CharField(max_length=255)
    # Earlier work and model solutions are compared with the class, and not with each other.
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.CLASS)
    # The assignment of the role OTHER; null once that was deleted. Its label is the name of this batch.
    origin = models.ForeignKey(Assignment, models.SET_NULL, null=True, related_name="compared_as")
    # It was found in the department's archive, and was not chosen.
    from_archive = models.BooleanField(default=False)
    created = models.DateTimeField(auto_now_add=True)
    touched = models.DateTimeField(auto_now=True)
    # The time from which on it is in its state.
    since = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=20, choices=State.choices, default=State.QUEUED)
    message = models.TextField(blank=True)
    # A limit was reached or the archive is damaged: work of students is missing.
    incomplete = models.BooleanField(default=False, db_default=False)
    # It stops when it is unpacked, until its uploader has checked how it is read.
    preview = models.BooleanField(default=False)
    # How its uploader has it grouped; see `Choices`.
    choices: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField(default=dict)
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

    @property
    def is_listed(self) -> bool:
        return self.state == self.State.LISTED

    @property
    def grouping_choices(self) -> Choices:
        """Choices for grouping its files; the due date is always that of the assignment."""
        return replace(Choices.from_json(self.choices), due=self.assignment.due)

    @property
    def name_suffix(self) -> str:
        """End of the names of submissions that are not of the class: ` (lab1-2024)`; empty for the class."""
        match self.role:
            case self.Role.CLASS:
                return ""
            case self.Role.OTHER:
                return f" ({self.name})"
            case self.Role.MODEL:
                return f" (model solution, {archive_stem(self.name)[:MAX_SUFFIX]})"
        return f" ({archive_stem(self.name)[:MAX_SUFFIX]})"


class BoilerplateUpload(models.Model):
    """Files that were uploaded together as boilerplate, and the state of reading them."""

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting")
        READING = "reading", _("Reading")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")

    RUNNING = (State.QUEUED, State.READING)

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="boilerplate_uploads")
    name = models.CharField(max_length=255)
    statement = models.BooleanField(default=False)
    created = models.DateTimeField(auto_now_add=True)
    touched = models.DateTimeField(auto_now=True)
    # The time from which on it is in its state.
    since = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    message = models.TextField(blank=True)
    # The first refused entries, and the number of all of them.
    refusals: models.JSONField[list[Refusal], list[Refusal]] = RecordListField(Refusal, default=list)
    refused = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return self.name

    @property
    def is_running(self) -> bool:
        return self.state in self.RUNNING


class Upload(models.Model):
    """One uploaded file, stored until its batch is unpacked or its boilerplate is read."""

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="uploads", null=True)
    boilerplate_upload = models.ForeignKey(BoilerplateUpload, models.CASCADE, related_name="uploads", null=True)
    name = models.CharField(max_length=1000)
    file = models.FileField(upload_to="uploads/")
    size = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = (
            models.CheckConstraint(
                condition=models.Q(batch=None) ^ models.Q(boilerplate_upload=None), name="upload_has_one_owner"
            ),
        )

    def __str__(self) -> str:
        return self.name


class Entry(models.Model):
    """One entry of an upload: accepted, or skipped with a reason that the instructor can act on."""

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="entries")
    # Null for an entry that is no work of a student, or of a student without a submission.
    submission = models.ForeignKey("Submission", models.CASCADE, null=True, related_name="entries")
    name = models.CharField(max_length=1000)
    size = models.PositiveBigIntegerField(default=0)
    accepted = models.BooleanField()
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ("accepted", "name", "pk")

    def __str__(self) -> str:
        return self.name


class ListedEntry(models.Model):
    """One entry of an upload that was unpacked and not grouped yet: it waits for its uploader.

    `language` is the name of its front-end; where that is empty, `reason` says why it cannot be used.
    """

    batch = models.ForeignKey(Batch, models.CASCADE, related_name="listed_entries")
    name = models.CharField(max_length=1000)
    size = models.PositiveBigIntegerField()
    reason = models.TextField(blank=True)
    # Null for an entry without content that can be read.
    source = models.ForeignKey(Source, models.PROTECT, null=True, related_name="listed_entries")
    language = models.CharField(max_length=40, blank=True)
    # When it was last modified, in ISO format: without a zone it is local time of the uploader.
    modified = models.CharField(max_length=40, blank=True)
    # A digest of its bytes, and why its content leaves it out; see `left_out.Listing`. Empty: not unpacked.
    digest = models.BinaryField(default=b"")
    left_out = models.TextField(blank=True)
    # Of a log of Git.
    commits: models.JSONField[Commits | None, Commits | None] = RecordField(Commits, null=True)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.name


class DeletedBatch(models.Model):
    """A record that a batch was deleted, so that its old address can say so; it still counts as an upload."""

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="deleted_batches")
    batch = models.PositiveBigIntegerField(unique=True)
    name = models.CharField(max_length=255)
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    uploaded = OutsideTimeField(null=True)
    deleted = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Submission(models.Model):
    batch = models.ForeignKey(Batch, models.CASCADE, related_name="submissions")
    name = models.CharField(max_length=400)
    # Ids, logins or e-mail addresses of its students as the platform has them; empty where it names none.
    identifier = models.CharField(max_length=400, blank=True, default="")
    # The latest modification time of its files; null where it is not known, see `submission_times`.
    handed_in = OutsideTimeField(null=True)
    # Whether the platform marked it as late; where there is a due date, the time decides.
    late = models.BooleanField(default=False, db_default=False)
    # As the `.git` of the upload has them, or the repository that was fetched; null where there is none.
    commits: models.JSONField[Commits | None, Commits | None] = RecordField(Commits, null=True)
    # The submission of another assignment that this is a copy of; it is deleted with that one.
    origin = models.ForeignKey("self", models.CASCADE, null=True, related_name="copies")
    # When retention gave its sources up: pages show none, and their bytes go once nothing else needs them.
    released = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ("name", "pk")
        constraints = (models.UniqueConstraint(fields=("batch", "name"), name="submission_name_once_a_batch"),)

    def __str__(self) -> str:
        return self.name


class SubmissionFile(models.Model):
    """A named source of a submission; `document` is the result of its front-end."""

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="files")
    path = models.CharField(max_length=1000)
    source = models.ForeignKey(Source, models.PROTECT, related_name="files")
    document = models.ForeignKey(Document, models.PROTECT, related_name="files")
    # The name of the front-end that its name and content suggest; empty: not found out yet.
    detected = models.CharField(max_length=40, blank=True, default="")
    # Replaces `document` at the next ranking, once it is read: the language of the assignment was changed.
    next_document = models.ForeignKey(Document, models.PROTECT, null=True, related_name="next_files")

    class Meta:
        ordering = ("path", "pk")
        constraints = (models.UniqueConstraint(fields=("submission", "path"), name="path_once_a_submission"),)

    def __str__(self) -> str:
        return self.path


class Boilerplate(models.Model):
    """Code that the instructor registered as handed out; percentages do not count it in any submission.

    It is a whole file, or a passage: the tokens [`first`, `after`) of a submission's document. For a file
    both fields are null. A file may be the `statement` of the task, which is read as prose: its words,
    numbers and names do not count either.
    """

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="boilerplate")
    name = models.CharField(max_length=1000)
    source = models.ForeignKey(Source, models.PROTECT, related_name="boilerplate")
    document = models.ForeignKey(Document, models.PROTECT, related_name="boilerplate")
    # As of a file of a submission; a passage stays a passage of its document.
    next_document = models.ForeignKey(Document, models.PROTECT, null=True, related_name="next_boilerplate")
    first = models.PositiveIntegerField(null=True)
    after = models.PositiveIntegerField(null=True)
    statement = models.BooleanField(default=False)
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name", "pk")
        constraints = (
            models.UniqueConstraint(
                fields=("assignment", "document", "first", "after", "statement"),
                name="boilerplate_once_an_assignment",
                nulls_distinct=False,
            ),
        )

    def __str__(self) -> str:
        return self.name


class ResumableUpload(models.Model):
    """A file of `length` bytes, of which the first `offset` have arrived; see decision 6.

    They are in the `FileChunk` rows that are named `file`, until all have arrived: then they become `batch`.
    """

    # An upload is deleted this time after its last part; what becomes of it is said as long, too.
    KEPT = timedelta(hours=24)

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="resumable_uploads")
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    name = models.CharField(max_length=255)
    role = models.CharField(max_length=10, choices=Batch.Role.choices, default=Batch.Role.CLASS)
    preview = models.BooleanField(default=False)
    file = models.CharField(max_length=100, unique=True)
    length = models.PositiveBigIntegerField()
    offset = models.PositiveBigIntegerField(default=0)
    touched = models.DateTimeField(auto_now_add=True)
    ended = models.DateTimeField(null=True)
    batch = models.ForeignKey(Batch, models.SET_NULL, null=True, related_name="+")

    def __str__(self) -> str:
        return f"{self.name}, {self.offset} of {self.length} bytes"

    @property
    def expiry(self) -> datetime:
        """The time at which the upload is deleted if no part is added."""
        return self.touched + self.KEPT


class FileChunk(models.Model):
    """A part of a stored file; see `submissions.uploads.files`.

    The migration has Postgres store `data` as it is: most uploads are compressed.
    """

    name = models.CharField(max_length=100)
    number = models.PositiveIntegerField()
    data = models.BinaryField()
    stored = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("name", "number"), name="chunk_once_a_file"),)

    def __str__(self) -> str:
        return f"{self.name}, part {self.number}"


class SubmissionStudent(models.Model):
    """One of the students who handed in a submission, as the platform calls them.

    `enrolled` is the student of the course's roster; null where there is no roster or the student is not in it.
    """

    submission = models.ForeignKey(Submission, models.CASCADE, related_name="students")
    name = models.CharField(max_length=400)
    identifier = models.CharField(max_length=400, blank=True)
    enrolled = models.ForeignKey(EnrolledStudent, models.SET_NULL, null=True, related_name="submission_students")

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.name
