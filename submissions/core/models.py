"""Tables of accounts, and records that other tables store as JSON, each with its version.

Only this module reads and writes the JSON.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from pydantic import BaseModel, ConfigDict

from submissions.core.database import OutsideTimeField, SealedTextField
from submissions.courses.models import Course

# Records that a process keeps; that of a class of 5,000 takes about 3 MB.
CACHED_RECORDS = 32

if TYPE_CHECKING:
    JSONField = models.JSONField[Any, Any]
else:
    JSONField = models.JSONField  # takes no parameter at run time


class Record(BaseModel):
    """A typed JSON value.

    The release before and the one after read it too: a new field has a default, and unknown fields are
    ignored. When what a field means changes, increase `VERSION` and convert stored records in a migration.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    VERSION: ClassVar[int] = 1

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        """Return a stored record; raise ValueError when it has another version or lacks a field."""
        fields = dict(stored)
        version = fields.pop("version", None)
        if version != cls.VERSION:
            raise ValueError(f"{cls.__name__} of version {version}; this release reads {cls.VERSION}")
        return cls.model_validate(fields)


class DuplicateRecord(Record):
    """Primary keys of submissions that are duplicates; see `fingerprint.ranking.groups.Sameness`.

    `files`: they have an identical file; `file` is the primary key of that of one of them.
    """

    sameness: Literal["identical", "layout", "names", "lexical", "fingerprints", "files"]
    submissions: list[int]
    file: int | None = None


class BestMatch(Record):
    """The best match of a submission, by primary key; `match` is None where none shares code with it."""

    submission: int
    match: int | None
    similarity: float


class CommonPassage(Record):
    """Common code: tokens [`first`, `after`) of a document, contained in `submissions` submissions."""

    document: int
    first: int
    after: int
    submissions: int


class SharedCommon(Record):
    """Common code that most of a class share: `lines` lines of `passages`, in `submissions` of `all`."""

    submissions: int
    all: int
    lines: int
    passages: list[CommonPassage]


class MovedPair(Record):
    """A pair's similarity and larger share, with exclusions and (`_before`) without them."""

    left: int
    right: int
    similarity: float
    similarity_before: float
    share: float
    share_before: float


class ExclusionEffect(Record):
    """Number of tokens of all submissions, of boilerplate and of common code, and the effect on the pairs.

    `above` and `above_before`: number of pairs at or above the threshold, with and without exclusions; both
    are None where nothing is excluded. `moved`: the pairs that exclusions changed most.
    """

    tokens: int
    boilerplate: int
    common: int
    above: int | None = None
    above_before: int | None = None
    moved: list[MovedPair] = []


class Commits(Record):
    """The times of the first and the last commit of a submission, in seconds since 1970, and their number."""

    first: int
    last: int
    number: int

    @property
    def first_time(self) -> datetime:
        return datetime.fromtimestamp(self.first, UTC)

    @property
    def last_time(self) -> datetime:
        return datetime.fromtimestamp(self.last, UTC)


class NotComparedPair(Record):
    """Two submissions, by primary key, that were not compared: of one student or of one team."""

    left: int
    right: int
    reason: Literal["student", "team"]


class NotCompared(Record):
    """Submissions that were not compared with each other.

    `students`: number of pairs of one student; `teams`: number of other pairs of one team; `pairs`: the first
    of both; `earlier`: number of submissions of earlier work, and `models` of model solutions, which were
    compared with the class only.
    """

    students: int = 0
    teams: int = 0
    earlier: int = 0
    models: int = 0
    pairs: list[NotComparedPair] = []


class ComparedAssignment(Record):
    """Another assignment that a class was compared with, by primary key, and how it is called in the report.

    `submissions`: number of its submissions; `comparable`: those with a file in a language of the class;
    `another_version`: those whose files in such a language were read by another version only.
    """

    assignment: int
    label: str
    submissions: int
    comparable: int
    another_version: int = 0


class ComparedArchive(Record):
    """The part of the department's archive that was looked up, without the chosen assignments.

    `assignments`: number of assignments with submissions; the others as in `ComparedAssignment`.
    """

    assignments: int
    submissions: int
    comparable: int
    another_version: int = 0

    @property
    def incomparable(self) -> int:
        """Number of submissions without a file in a language of the class."""
        return self.submissions - self.comparable - self.another_version


class Findings(Record):
    """Results of a ranking besides its pairs.

    `best`: best match of every submission, in cohort order; `scored`: number of pairs that were scored;
    `listed`: number of pairs that the report stores.
    `above`: number of pairs at or above the threshold; `cases`: the submissions that these connect, the
    strongest case first. Pairs of one student or one team are in neither. Both are None where the reader may
    not see every pair: they follow from the others then. `shared`: see `SharedCommon`; None where no code is
    shared so. `compared`: the other assignments whose submissions
    were looked up.
    `archive`: what of the department's archive was; None where the class is not compared with it.
    """

    best: list[BestMatch]
    scored: int
    listed: int
    common: list[CommonPassage] = []
    shared: SharedCommon | None = None
    effect: ExclusionEffect | None = None
    not_compared: NotCompared = NotCompared()
    above: int | None = None
    cases: list[list[int]] | None = None
    compared: list[ComparedAssignment] = []
    archive: ComparedArchive | None = None


class LineCounts(Record):
    """The number of submissions that have each line of a document from line `first` on.

    `submissions`: number of submissions of the class; 0 for a line on which no token begins.
    """

    first: int
    counts: list[int]
    submissions: int


class LoweredPair(Record):
    """A pair that would fall below the threshold: its similarity then and (`_before`) now."""

    left: int
    right: int
    similarity: float
    similarity_before: float


class IgnoringEffect(Record):
    """Effect of ignoring some code: on the threshold, the number of cases, and the pairs that reach it.

    `lowered`: the pairs that would fall below the threshold, the most similar ones first, of `lowered_count`;
    `raised_count`: the number of pairs that would reach it.
    """

    threshold: float
    threshold_before: float
    cases: int
    cases_before: int
    lowered: list[LoweredPair]
    lowered_count: int
    raised_count: int


class Refusal(Record):
    """A refused entry of an upload, with the reason."""

    name: str
    reason: str


class RecordField(JSONField):
    """A field that stores one record or None.

    Migrations see a plain JSONField, so that they do not depend on the current record classes.
    """

    def __init__(self, record: type[Record], **options: Any) -> None:
        self.record = record
        super().__init__(**options)

    def deconstruct(self) -> Any:
        name, _, args, options = super().deconstruct()
        return name, "django.db.models.JSONField", args, options

    def clone(self) -> Any:
        _, _, _, options = self.deconstruct()
        return type(self)(self.record, **options)

    def from_db_value(self, value: Any, *_: Any) -> Any:
        return value if value is None else _record_of_text(self, value)

    def get_prep_value(self, value: Any) -> Any:
        return super().get_prep_value(self.write(value))

    def to_python(self, value: Any) -> Any:
        return self.read(value) if isinstance(value, dict) else value  # `loaddata` passes the stored form

    def value_to_string(self, obj: models.Model) -> Any:
        return self.write(self.value_from_object(obj))

    def read(self, stored: Any) -> Any:
        return None if stored is None else self.record.from_json(stored)

    def write(self, value: Any) -> Any:
        return None if value is None else {"version": value.VERSION, **value.model_dump()}


@lru_cache(maxsize=CACHED_RECORDS)
def _record_of_text(field: RecordField, text: str) -> Any:
    """Return what JSON text stands for, not to be changed: pages read the same report again and again."""
    return field.read(json.loads(text))


class RecordListField(RecordField):
    """A field that stores a list of records of one type, with one version for all."""

    def read(self, stored: Any) -> Any:
        if not stored:
            return []
        return [self.record.from_json({"version": stored["version"], **row}) for row in stored["rows"]]

    def write(self, value: Any) -> Any:
        return {"version": self.record.VERSION, "rows": [record.model_dump() for record in value]}


class DismissedHint(models.Model):
    """A hint, by name, that is not shown to a user any more."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="dismissed_hints")
    name = models.CharField(max_length=40)

    class Meta:
        constraints = (models.UniqueConstraint(fields=("user", "name"), name="dismissed_hint_once_a_user"),)

    def __str__(self) -> str:
        return self.name


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
    expires = OutsideTimeField()
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
