"""Records that reports store as JSON. Each is written with its version and read only here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from django.db import models
from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    JSONField = models.JSONField[Any, Any]
else:
    JSONField = models.JSONField  # takes no parameter at run time


class Record(BaseModel):
    """A typed value. Raise `VERSION` with its fields, and convert stored ones in a migration."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    VERSION: ClassVar[int] = 1

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        """Read what `RecordField` stored.

        Raises
        ------
        ValueError
            When it was stored by another version, or is not such a record.
        """
        fields = dict(stored)
        version = fields.pop("version", None)
        if version != cls.VERSION:
            raise ValueError(f"{cls.__name__} of version {version}; this release reads {cls.VERSION}")
        return cls.model_validate(fields)


class PassageRecord(Record):
    """`tokens` equal tokens of two files, by the ids of the files; tokens count within their file.

    `submissions`: how many submissions of the cohort hold the rarest part of it.
    """

    left_file: int
    left_token: int
    right_file: int
    right_token: int
    tokens: int
    submissions: int

    @property
    def key(self) -> str:
        """Identify the passage for as long as its report exists."""
        places = (self.left_file, self.left_token, self.right_file, self.right_token, self.tokens)
        return ":".join(map(str, places))


class DuplicateGroup(Record):
    """Submissions that are the same, by id; see `fingerprint.ranking.duplicates.Sameness`."""

    sameness: Literal["identical", "lexical", "fingerprints"]
    submissions: list[int]


class BestMatch(Record):
    """The submission that is most similar to one submission; None where none shares anything with it."""

    submission: int
    match: int | None
    similarity: float


class CommonPassage(Record):
    """Tokens [`first`, `after`) of a document that more submissions hold than the common limit allows."""

    document: int
    first: int
    after: int
    submissions: int


class MovedPair(Record):
    """A pair's similarity and larger share as they are, and as they were with nothing left out."""

    left: int
    right: int
    similarity: float
    similarity_before: float
    share: float
    share_before: float


class ExclusionEffect(Record):
    """Tokens of all submissions, those left out, and what leaving them out changed.

    `above` and `above_before` count the pairs from the threshold on, as they are and with nothing left out;
    both are None where nothing was left out.
    """

    tokens: int
    boilerplate: int
    common: int
    above: int | None = None
    above_before: int | None = None
    moved: list[MovedPair] = []


class Findings(Record):
    """What a ranking found beside its pairs.

    `best` has every submission in cohort order; of `scored` pairs the report keeps `listed`; `identical` are
    groups of submissions with the same bytes.
    """

    best: list[BestMatch]
    scored: int
    listed: int
    identical: list[list[int]] = []
    common: list[CommonPassage] = []
    effect: ExclusionEffect | None = None


class RecordField(JSONField):
    """One record, or None. To migrations it is a JSONField, so that they do not depend on today's records."""

    def __init__(self, record: type[Record], **options: Any) -> None:
        self.record = record
        super().__init__(**options)

    def deconstruct(self) -> Any:
        name, _, args, options = super().deconstruct()
        return name, "django.db.models.JSONField", args, options

    def clone(self) -> Any:
        _, _, _, options = self.deconstruct()
        return type(self)(self.record, **options)

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        return self.read(super().from_db_value(value, expression, connection))

    def get_prep_value(self, value: Any) -> Any:
        return super().get_prep_value(self.write(value))

    def value_to_string(self, obj: models.Model) -> Any:
        return self.write(self.value_from_object(obj))

    def read(self, stored: Any) -> Any:
        return None if stored is None else self.record.from_json(stored)

    def write(self, value: Any) -> Any:
        return None if value is None else {"version": value.VERSION, **value.model_dump()}


class RecordListField(RecordField):
    """A list of records of one type, with one version for all."""

    def read(self, stored: Any) -> Any:
        if not stored:
            return []
        return [self.record.from_json({"version": stored["version"], **row}) for row in stored["rows"]]

    def write(self, value: Any) -> Any:
        return {"version": self.record.VERSION, "rows": [record.model_dump() for record in value]}
