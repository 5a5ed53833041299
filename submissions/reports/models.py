"""Tables of reports: pairs, ignored tokens, proposals to ignore lines, and plans of rankings in shards."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from fingerprint.engine import Passage
from submissions.core.models import DuplicateRecord, Findings, IgnoringEffect, LineCounts, RecordField, RecordListField
from submissions.courses.models import Assignment
from submissions.uploads.models import Document, Submission

# How passages are packed: the columns of both files, and then the others.
KEYS, FIGURES = np.dtype("<i8"), np.dtype("<i4")
FILE_COLUMNS, OTHER_COLUMNS = [0, 2], [1, 3, 4, 5, 6]
ROW_BYTES = len(FILE_COLUMNS) * KEYS.itemsize + len(OTHER_COLUMNS) * FIGURES.itemsize

if TYPE_CHECKING:
    import numpy.typing as npt

    from fingerprint.kernels.types import Bounds, PassageRows

    BinaryField = models.BinaryField[Any, Any]
else:
    BinaryField = models.BinaryField  # takes no parameter at run time


class PassageRecord(Passage):
    """A passage of a stored pair; `left_file` and `right_file` are primary keys of `SubmissionFile`."""

    __slots__ = ()

    @property
    def key(self) -> str:
        """Identifier of the passage within its report, the same for either order of the sides.

        It does not reveal the primary keys of the files: they are in the order of an upload's entries.
        """
        sides = sorted(((self.left_file, self.left_token), (self.right_file, self.right_token)))
        return salted_hmac("passage", repr((sides, self.tokens))).hexdigest()


def pack_passages(rows: PassageRows, starts: Bounds, files: npt.NDArray[np.int64]) -> list[bytes]:
    """Return the passages of each pair as deflated columns of little-endian numbers; never empty.

    `rows` and `starts` as in `fingerprint.engine.PairPassages`; `files` int64: the primary keys of the files
    that they number.
    """
    keys, figures = files[rows[:, FILE_COLUMNS]].astype(KEYS), rows[:, OTHER_COLUMNS].astype(FIGURES)
    return [
        zlib.compress(keys[first:after].T.tobytes() + figures[first:after].T.tobytes(), level=1)
        for first, after in pairwise(starts.tolist())
    ]


def pack_records(passages: Sequence[PassageRecord]) -> bytes:
    """Return the passages of one pair as `pack_passages` does."""
    table = np.array(passages, dtype=np.int64).reshape(-1, len(Passage._fields))
    keys, places = np.unique(table[:, FILE_COLUMNS], return_inverse=True)
    table[:, FILE_COLUMNS] = places.reshape(-1, len(FILE_COLUMNS))
    return pack_passages(table.astype(np.int32), np.array([0, len(table)]), keys)[0]


def with_other_files(packed: bytes, files: Mapping[int, int], *, exchange: bool) -> bytes:
    """Return packed passages with `files` in place of their files, and with the sides exchanged."""
    keys, figures = _unpacked(packed)
    others = np.array([[files[key] for key in side] for side in keys.tolist()], dtype=KEYS)
    if exchange:
        others, figures = others[::-1], figures[[1, 0, *range(2, len(OTHER_COLUMNS))]]
    return zlib.compress(others.tobytes() + figures.tobytes(), level=1)


def _unpacked(packed: bytes) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Return the columns of the files, and the others; without rows of no bytes."""
    raw = zlib.decompress(packed) if packed else b""
    count = len(raw) // ROW_BYTES
    keys = np.frombuffer(raw, KEYS, len(FILE_COLUMNS) * count).reshape(len(FILE_COLUMNS), count)
    return keys, np.frombuffer(raw, FIGURES, offset=keys.nbytes).reshape(len(OTHER_COLUMNS), count)


def unpack(packed: bytes) -> list[PassageRecord]:
    """Return the passages that were packed; none if there are no bytes."""
    keys, figures = _unpacked(packed)
    columns = dict(zip(FILE_COLUMNS + OTHER_COLUMNS, [*keys.tolist(), *figures.tolist()], strict=True))
    *figures_of, common = (columns[number] for number in range(len(columns)))
    return [PassageRecord(*row) for row in zip(*figures_of, map(bool, common), strict=True)]


class PassagesField(BinaryField):
    """A list of `PassageRecord`; packed bytes are stored as they are. Migrations see a BinaryField."""

    def deconstruct(self) -> Any:
        name, _, args, options = super().deconstruct()
        return name, "django.db.models.BinaryField", args, options

    def from_db_value(self, value: Any, _expression: Any, _connection: Any) -> list[PassageRecord]:
        return unpack(bytes(value))

    def get_prep_value(self, value: Any) -> Any:
        return value if isinstance(value, bytes) else pack_records(value)

    def get_default(self) -> list[PassageRecord]:
        return []

    def to_python(self, value: Any) -> Any:
        packed = super().to_python(value)  # `loaddata` passes the stored form as text
        return unpack(bytes(packed)) if isinstance(packed, bytes | memoryview) else packed

    def value_to_string(self, obj: models.Model) -> Any:
        packed = type(obj)(passages=pack_records(self.value_from_object(obj)))
        return super().value_to_string(packed)


class Report(models.Model):
    """One ranking of an assignment's cohort, with the submissions and parameters that it is based on."""

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting")
        RUNNING = "running", _("Running")
        DONE = "done", _("Done")
        FAILED = "failed", _("Failed")
        CANCELLED = "cancelled", _("Cancelled")

    UNFINISHED = (State.QUEUED, State.RUNNING)

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="reports")
    created = models.DateTimeField(auto_now_add=True)
    # The time of the last change of its state.
    touched = models.DateTimeField(auto_now=True)
    # The time from which on it is in its state.
    since = models.DateTimeField(default=timezone.now)
    finished = models.DateTimeField(null=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    message = models.TextField(blank=True)
    # See `submissions.reports.results.parameters`: k, window, common limit in force, versions; the suggested
    # threshold; how similar unrelated pairs are, as `fingerprint.engine.UnrelatedPairs` has it.
    parameters = models.JSONField(default=dict)
    submissions = models.ManyToManyField(Submission, related_name="reports")
    duplicates: models.JSONField[list[DuplicateRecord], list[DuplicateRecord]] = RecordListField(
        DuplicateRecord, default=list
    )
    # None until the ranking is stored.
    findings: models.JSONField[Findings | None, Findings | None] = RecordField(Findings, null=True)

    class Meta:
        ordering = ("-pk",)

    def __str__(self) -> str:
        return f"report {self.pk} of {self.assignment}"

    @property
    def is_incomplete(self) -> bool:
        """True if an upload of the report was not read to its end, so that work may be missing."""
        return bool(self.parameters.get("incomplete"))


class Ignored(models.Model):
    """Tokens of a document that a report ignored: boilerplate, common code, most of a table of literals."""

    report = models.ForeignKey(Report, models.CASCADE, related_name="ignored")
    document = models.ForeignKey(Document, models.CASCADE, related_name="+")
    # [first token, token after the last, whether they are only in a table], in order.
    spans = models.JSONField(default=list)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("report", "document"), name="ignored_once_a_document"),)

    def __str__(self) -> str:
        return f"ignored in {self.document}"


class Pair(models.Model):
    """A scored pair of a report; the name of `left` sorts before that of `right`."""

    report = models.ForeignKey(Report, models.CASCADE, related_name="pairs")
    left = models.ForeignKey(Submission, models.CASCADE, related_name="+")
    right = models.ForeignKey(Submission, models.CASCADE, related_name="+")
    similarity = models.FloatField()
    left_share = models.FloatField()
    right_share = models.FloatField()
    tokens = models.PositiveIntegerField()
    lines = models.PositiveIntegerField()
    longest = models.PositiveIntegerField()
    # Contribution of each kind of evidence to the similarity, which is their sum.
    structure = models.FloatField()
    literals = models.FloatField()
    names = models.FloatField()
    imports = models.FloatField(default=0.0)
    # The shares where common code counts too.
    left_with_common = models.FloatField()
    right_with_common = models.FloatField()
    # Compared across languages: its passages count tokens of the coarse streams.
    translated = models.BooleanField(default=False)
    # Of a student and the same student's earlier work: it is no case by itself.
    same_student = models.BooleanField(default=False)
    # One side is a model solution, which nobody handed in: it is no case either.
    with_model = models.BooleanField(default=False)
    # Number of files of both sides that are identical, and neither handed out nor common.
    same_files = models.PositiveIntegerField(default=0, db_default=0)
    # Longest first.
    passages = PassagesField()

    class Meta:
        ordering = ("-similarity", "-tokens", "pk")
        constraints = (models.UniqueConstraint(fields=("report", "left", "right"), name="pair_once_a_report"),)

    def __str__(self) -> str:
        return f"{self.left} / {self.right}"

    @property
    def can_make_case(self) -> bool:
        """True if both sides were handed in, and not by one student."""
        return not (self.same_student or self.with_model)

    @property
    def has_no_passage(self) -> bool:
        """True if it shares names, literals or imports only."""
        return not (self.structure or self.left_with_common)


class RankingPlan(models.Model):
    """A started ranking whose pairs are scored and aligned in shards; it is deleted when the report is done.

    `selection`: what the cohort consists of, see `submissions.reports.cohort.Selection`; `digest`: of the
    engine's input; `batches`: the uploads that are done with this report.
    """

    report = models.OneToOneField(Report, models.CASCADE, related_name="plan")
    selection: models.JSONField[dict[str, Any], dict[str, Any]] = models.JSONField()
    digest = models.BinaryField()
    # The version of this package: another version might score otherwise.
    version = models.CharField(max_length=100)
    batches: models.JSONField[list[int], list[int]] = models.JSONField(default=list)
    submissions = models.PositiveIntegerField()
    pairs = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"plan of {self.report}"


class RankingShard(models.Model):
    """Pairs of a plan that a worker scores or aligns, and what it computed.

    Pairs to score are of the `job` with this number, see `submissions.reports.shards`; `sides` has them as
    two int32 arrays. Pairs to align are those that the report lists; two more arrays have their units.
    `result` has the packed scores, or the packed passages.
    """

    class Kind(models.TextChoices):
        SCORES = "scores"
        PASSAGES = "passages"

    plan = models.ForeignKey(RankingPlan, models.CASCADE, related_name="shards")
    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.SCORES)
    # Shards that align have higher numbers than shards that score.
    number = models.PositiveIntegerField()
    job = models.PositiveSmallIntegerField(default=0)
    pairs = models.PositiveIntegerField()
    sides = models.BinaryField()
    # The migration has Postgres store it as it is: it is packed already.
    result = models.BinaryField(null=True)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("plan", "number"), name="shard_once_a_plan"),)

    def __str__(self) -> str:
        return f"shard {self.number} of {self.plan}"


class Visit(models.Model):
    """When a user read an assignment's report last: `opened`, with the report made at `seen`.

    `since` is when the report was made that the user read in the visit before; later work is new.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="visits")
    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="visits")
    since = models.DateTimeField()
    seen = models.DateTimeField()
    opened = models.DateTimeField()

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "assignment"), name="visit_once_a_user_and_assignment"),)

    def __str__(self) -> str:
        return f"{self.user} to {self.assignment}"


class IgnoringProposal(models.Model):
    """A part of a document, the tokens [`first`, `after`), of which some lines may be ignored.

    `chosen_first` and `chosen_after` are the tokens of the chosen lines; a worker chooses those that are in
    many submissions while both are null. It sets `counts` and `effect`, or a `message` that says why not.
    """

    assignment = models.ForeignKey(Assignment, models.CASCADE, related_name="ignoring_proposals")
    document = models.ForeignKey(Document, models.CASCADE, related_name="+")
    path = models.CharField(max_length=1000)
    first = models.PositiveIntegerField()
    after = models.PositiveIntegerField()
    chosen_first = models.PositiveIntegerField(null=True)
    chosen_after = models.PositiveIntegerField(null=True)
    counts: models.JSONField[LineCounts | None, LineCounts | None] = RecordField(LineCounts, null=True)
    effect: models.JSONField[IgnoringEffect | None, IgnoringEffect | None] = RecordField(IgnoringEffect, null=True)
    message = models.TextField(blank=True)
    # The pair on whose page it was proposed; both are null for lines that most submissions have.
    left = models.ForeignKey(Submission, models.SET_NULL, null=True, related_name="+")
    right = models.ForeignKey(Submission, models.SET_NULL, null=True, related_name="+")
    created = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return f"tokens {self.first} to {self.after} of {self.document}"

    @property
    def is_pending(self) -> bool:
        """True until a worker has measured the effect, or failed to."""
        return self.effect is None and not self.message

    @property
    def pair(self) -> tuple[Any, Any] | None:
        """The primary keys of the pair on whose page it was proposed, if both are still there."""
        return (self.left_id, self.right_id) if self.left_id and self.right_id else None
