"""Records: stored with a version, read back equal, and refused when this release cannot read them."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.core.serializers import deserialize, serialize
from django.db import IntegrityError, connection, models, transaction
from django.db.models import F
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from hypothesis import given, strategies as st
from pydantic import ValidationError as InvalidRecord
from pytest_django.fixtures import Settings

from fingerprint.engine import storable
from submissions.core.database import (
    OtherKey,
    OutsideTimeField,
    SealedTextField,
    copy,
    insert,
    opened,
    opened_or_empty,
    seal,
)
from submissions.core.models import BestMatch, DuplicateRecord, Findings, Record
from submissions.core.names import anonymous_names
from submissions.intake.limits import FIRST_YEAR, LAST_YEAR, outside_time
from submissions.models import Assignment, Document, Entry, Pair, Report, Source, Submission
from submissions.reports.identical import listed_duplicates
from submissions.reports.models import PassagesField, pack_records
from submissions.shares import links as shares
from tests.support.every_page import World
from tests.support.html import get_page
from tests.support.long_rows import rest_is_long
from tests.support.sample_class import CLASS, zipped
from tests.support.uploads import HandIn

BEST = [BestMatch(submission=1, match=2, similarity=0.5), BestMatch(submission=3, match=None, similarity=0)]
FINDINGS = Findings(best=BEST, scored=3, listed=1)
DUPLICATES = [DuplicateRecord(sameness="identical", submissions=[1, 2])]
FIELDS = [
    field
    for model in apps.get_models()
    if model.__module__.startswith(("submissions.", "moss."))
    for field in model._meta.concrete_fields
    if isinstance(field, models.DateTimeField)
]
# These are set to the time of the server's clock, by code alone.
BY_THE_CLOCK = frozenset({
    "accounts.Session.expire_date", "corpus.CorpusSweep.finished", "lti.Platform.keys_asked",
    "repositories.Repository.tried", "submissions.ApiToken.revoked", "submissions.ApiToken.used",
    "submissions.Assignment.retention_notice", "submissions.Assignment.sources_deleted",
    "submissions.Assignment.sources_notice", "submissions.Assignment.threshold_chosen",
    "submissions.Erasure.finished", "submissions.Report.finished", "submissions.ResumableUpload.ended",
    "submissions.Share.revoked", "submissions.Source.emptied", "submissions.Source.given_up",
    "submissions.Submission.released", "submissions.Visit.opened", "submissions.Visit.seen",
    "submissions.Visit.since", "webhooks.Delivery.tried",
})  # fmt: skip
OUTSIDE = [field for field in FIELDS if isinstance(field, OutsideTimeField)]
ZONES = [UTC, *(timezone(timedelta(hours=hours)) for hours in (-12, 14))]
times = st.datetimes(timezones=st.sampled_from([None, *ZONES]))


@pytest.fixture
def report(assignment: Assignment) -> Report:
    return Report.objects.create(assignment=assignment, findings=FINDINGS, duplicates=DUPLICATES)


def stored(report: Report, field: str) -> dict[str, Any]:
    """Return the JSON of a field as the database holds it."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {field} FROM submissions_report WHERE id = %s", [report.pk])
        fields: dict[str, Any] = json.loads(cursor.fetchone()[0])
    return fields


def test_a_record_is_stored_with_its_version_and_survives_dumpdata_and_loaddata(report: Report) -> None:
    report.refresh_from_db()
    assert (report.findings, report.duplicates) == (FINDINGS, DUPLICATES)
    assert stored(report, "findings")["version"] == stored(report, "duplicates")["version"] == 1
    dump = serialize("json", [report])
    Report.objects.all().delete()
    for restored in deserialize("json", dump):
        restored.save()
    report.refresh_from_db()
    assert (report.findings, report.duplicates) == (FINDINGS, DUPLICATES)


# The fields that the first release writes and no default stands for. A later field has a default.
FIRST_FIELDS = {
    "BestMatch": {"submission", "match", "similarity"},
    "Commits": {"first", "last", "number"},
    "CommonPassage": {"document", "first", "after", "submissions"},
    "ComparedArchive": {"assignments", "submissions", "comparable"},
    "ComparedAssignment": {"assignment", "label", "submissions", "comparable"},
    "DuplicateRecord": {"sameness", "submissions"},
    "ExclusionEffect": {"tokens", "boilerplate", "common"},
    "Findings": {"best", "scored", "listed"},
    "IgnoringEffect": {
        "threshold", "threshold_before", "cases", "cases_before", "lowered", "lowered_count", "raised_count",
    },
    "LineCounts": {"first", "counts", "submissions"},
    "LoweredPair": {"left", "right", "similarity", "similarity_before"},
    "MovedPair": {"left", "right", "similarity", "similarity_before", "share", "share_before"},
    "NotCompared": set(),
    "NotComparedPair": {"left", "right", "reason"},
    "Refusal": {"name", "reason"},
    "SharedCommon": {"submissions", "all", "lines", "passages"},
}  # fmt: skip


def records_of(value: object) -> Iterator[dict[str, Any]]:
    """Yield all objects in a JSON value."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from records_of(inner)


@pytest.mark.parametrize("record", Record.__subclasses__(), ids=lambda record: record.__name__)
@given(data=st.data())
def test_releases_beside_each_other_read_the_records_of_the_other(record: type[Record], data: st.DataObject) -> None:
    required = {name for name, field in record.model_fields.items() if field.is_required()}
    assert required == FIRST_FIELDS[record.__name__]
    value = data.draw(st.builds(record, **dict.fromkeys(record.model_fields, ...)))
    stored = {"version": record.VERSION, **value.model_dump()}
    of_newer = json.loads(json.dumps(stored))
    for inner in list(records_of(of_newer)):
        inner["of a later release"] = [{"any": None}]
    assert repr(record.from_json(of_newer)) == repr(value)
    absent = data.draw(st.sets(st.sampled_from(sorted({*record.model_fields} - required) or ["none"])))
    older = record.from_json({name: part for name, part in stored.items() if name not in absent})
    for name, field in record.model_fields.items():
        assert repr(getattr(older, name)) == repr(field.default if name in absent else getattr(value, name))


def test_a_record_of_another_version_or_without_a_field_of_the_first_release_is_refused() -> None:
    row = {"version": 1, "submission": 1, "match": 2, "similarity": 0.5}
    assert BestMatch.from_json(row) == BestMatch(submission=1, match=2, similarity=0.5)
    for version in (None, 0, 2):
        with pytest.raises(ValueError, match=f"BestMatch of version {version}; this release reads 1"):
            BestMatch.from_json({**row, "version": version})
    with pytest.raises(InvalidRecord):
        BestMatch.from_json({key: row[key] for key in ("version", "submission", "match")})


def test_ids_in_addresses_do_not_follow_names(world: World) -> None:
    names = list(Submission.objects.filter(batch=world.batch).order_by("pk").values_list("name", flat=True))
    assert len(names) == 30
    assert names != sorted(names), "by chance once in 30! times"


@pytest.mark.long
@pytest.mark.parametrize("side", rest_is_long(["left", "right"]))
def test_an_anonymous_page_is_sorted_by_the_aliases(side: str, world: World, client: Client) -> None:
    address = reverse("shared_pairs", args=[shares.share_token(world.share)])
    for sort, descending in ((side, False), (f"-{side}", True)):
        column = whole_column(client, address, sort, f"tr.pair .{side} a")
        assert len(column) == world.report.pairs.count()
        assert len(set(column)) > 15
        assert column == sorted(column, reverse=descending)


def whole_column(client: Client, address: str, sort: str, selector: str) -> list[str]:
    """Return a column of a table over all pages of its list."""
    column: list[str] = []
    query = {"sort": sort}
    while query:
        page = get_page(client, address, **query)
        column += page.texts(selector)
        following = page.values(".pages a[rel=next]", "href")
        query = {"sort": sort, "page": parse_qs(urlsplit(following[0]).query)["page"][0]} if following else {}
    return column


@pytest.mark.parametrize(("name", "column"), [("submissions", "submission"), ("pairs", "left")])
def test_tables_are_sorted_by_their_names(name: str, column: str, world: World, alice_client: Client) -> None:
    alice_client.post(reverse("switch_names"), {"names": "made-up"})
    response = alice_client.get(reverse("table", args=[world.assignment.pk, name, "csv"]), {"sort": "left"})
    text = b"".join(cast("Iterable[bytes]", response)).decode()
    displayed = [row[column] for row in csv.DictReader(text.splitlines())]
    assert len(displayed) >= 30
    assert displayed == sorted(displayed)


def test_identical_submissions_are_sorted_by_shown_names(assignment: Assignment, hand_in: HandIn) -> None:
    source = next(iter(CLASS.values()))
    hand_in(zipped({f"student-{n:02}/main.py": source for n in range(9)}))
    names = anonymous_names(assignment)
    (group,) = listed_duplicates(assignment.reports.get(), names)
    displayed = [names.display_name(submission.name) for submission in group.submissions]
    assert len(displayed) == 9
    assert displayed == sorted(displayed)


@given(times | st.text() | times.map(datetime.isoformat) | st.floats() | st.integers() | st.none())
def test_every_time_from_outside_can_be_shown_in_every_time_zone(value: Any) -> None:
    time = outside_time(value)
    if time is None:
        if isinstance(value, datetime) and 1 < value.year < 9_999:
            in_utc = value.astimezone(UTC) if value.tzinfo else value
            assert not FIRST_YEAR <= in_utc.year <= LAST_YEAR
        return
    for zone in ZONES:
        assert time.astimezone(zone).astimezone(UTC) == time.astimezone(UTC)


@pytest.mark.parametrize("year", [FIRST_YEAR, LAST_YEAR])
@given(hours=st.integers(-14, 14), minute=st.integers(-2000, 2000))
def test_a_time_that_was_taken_is_taken_again_after_it_was_read_in_any_zone(year: int, hours: int, minute: int) -> None:
    zone = timezone(timedelta(hours=hours))
    time = outside_time(datetime(year, 1, 1, tzinfo=zone) + timedelta(minutes=minute))
    last = outside_time(datetime(year, 12, 31, 23, 59, tzinfo=zone) + timedelta(minutes=minute))
    for taken in filter(None, (time, last)):
        assert all(outside_time(taken.astimezone(other)) for other in (UTC, *ZONES))


def test_every_column_of_times_is_of_the_clock_or_of_the_type_for_times_from_outside() -> None:
    """Whoever adds a column says here whether anything but the clock can set it."""
    plain = {
        f"{field.model._meta.label}.{field.name}"
        for field in FIELDS
        if type(field) is models.DateTimeField and not (field.auto_now or field.auto_now_add or field.has_default())
    }
    assert plain == BY_THE_CLOCK


@pytest.mark.parametrize("field", OUTSIDE, ids=str)
@given(time=times)
def test_no_column_stores_another_year(field: models.DateTimeField[Any, Any], time: datetime) -> None:
    aware = time if time.tzinfo else time.replace(tzinfo=UTC)
    if outside_time(aware):
        assert field.get_db_prep_save(aware, connection)
        field.run_validators(aware)
        return
    for store in (lambda: field.get_db_prep_save(aware, connection), lambda: field.run_validators(aware)):
        with pytest.raises(ValidationError, match="a year from 1970 to 9998"):
            store()


@pytest.mark.django_db
def test_rows_get_the_defaults_of_their_other_columns() -> None:
    insert(connection, Source, {"sha256": ["a", "b"], "data": [b"\0x", b""], "size": [2, 0]})
    first, second = Source.objects.order_by("sha256")
    assert (bytes(first.data), bytes(second.data), first.created == second.created) == (b"\0x", b"", True)
    columns: dict[str, list[Any]] = {"source_id": [first.pk], "profile": ["p"], "language": ["python"]}
    insert(connection, Document, columns)
    document, expected = Document.objects.get(), Document(source=first, profile="p", language="python")
    for field in ("state", "reason", "attempts", "token_count", "tokens"):
        assert getattr(document, field) == getattr(expected, field)


@pytest.mark.django_db
@pytest.mark.parametrize("count", [0, 1, 3])
def test_rows_that_are_copied_are_read_as_rows_that_are_inserted(assignment: Assignment, count: int) -> None:
    batch, report = assignment.batches.create(name="class"), assignment.reports.create()
    first, *others = [Submission.objects.create(batch=batch, name=str(n)).pk for n in range(count + 1)]
    values: dict[type, list[Any]] = {
        models.FloatField: [0.1, 1.0, 5e-324],
        models.PositiveIntegerField: [2**31 - 1, 0, 256],
        models.BooleanField: [True, False, True],
        PassagesField: [pack_records([]), b"x" * 70_000, b"y"],
    }
    fields = {one.column: values[type(one)][:count] for one in Pair._meta.concrete_fields if type(one) in values}
    columns = {"report_id": [report.pk] * count, "left_id": [first] * count, "right_id": others} | fields
    stored = []
    for store in (insert, copy):
        store(connection, Pair, columns)
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {', '.join(columns)} FROM submissions_pair ORDER BY right_id")
            stored.append([[bytes(one) if isinstance(one, memoryview) else one for one in row] for row in cursor])
        Pair.objects.all().delete()
    assert stored[0] == stored[1] == [list(row) for row in zip(*columns.values(), strict=True)]


@pytest.mark.django_db
def test_a_list_of_keys_is_one_parameter_and_finds_what_is_in_it() -> None:
    insert(connection, Source, {"sha256": list("abc"), "data": [b""] * 3, "size": [1, 2, 3]})
    keys = list(Source.objects.order_by("pk").values_list("pk", flat=True))
    columns: dict[str, list[Any]] = {"source_id": keys, "profile": ["p"] * 3, "language": ["python"] * 3}
    insert(connection, Document, columns)
    for chosen in (
        [],
        keys[:1],
        [*keys[:2], keys[0], None],
        [*keys, 0, 10**30],
        (*keys, 2**63),
        {*keys, -(2**63)},
        dict.fromkeys(keys),
        Source.objects.filter(size=2),
    ):
        wanted = {one.pk if isinstance(one, Source) else one for one in chosen} & set(keys)
        for column in ("source", "source_id", "source__pk"):
            found = Document.objects.filter(**{f"{column}__in": chosen})
            assert set(found.values_list("source", flat=True)) == wanted
            assert set(Document.objects.exclude(pk__in=found).values_list("source", flat=True)) == {*keys} - wanted
        assert Source.objects.in_bulk([one for one in wanted if one]).keys() == wanted
    with CaptureQueriesContext(connection) as queries:
        assert Source.objects.filter(pk__in=range(keys[0], keys[0] + 5_000)).count() == len(keys)
    assert "= ANY('{" in queries[0]["sql"]
    # A number that is too large for the column is in no row.
    assert Source.objects.filter(size__in=[1, 2**40]).count() == 1
    waiting = [*keys]
    rows = Source.objects.filter(pk__in=waiting)
    waiting.clear()
    assert rows.count() == len(keys)
    # An expression in a list is no key.
    assert Source.objects.filter(pk__in=[F("pk"), 0]).count() == len(keys)


@pytest.mark.django_db
def test_rows_that_are_there_are_skipped_only_where_that_is_asked_for(assignment: Assignment) -> None:
    insert(connection, Source, {"sha256": [], "data": [], "size": []})
    assert not Source.objects.exists()
    rows: dict[str, list[Any]] = {"sha256": ["a"], "data": [b"x"], "size": [1]}
    insert(connection, Source, rows)
    both: dict[str, list[Any]] = {"sha256": ["a", "b"], "data": [b"y", b"z"], "size": [1, 1]}
    returned = insert(connection, Source, both, ("sha256", "id"))
    assert returned == [("b", Source.objects.get(sha256="b").pk)]
    Source.objects.filter(sha256="b").delete()
    assert bytes(Source.objects.get().data) == b"x"
    with pytest.raises(IntegrityError), transaction.atomic():
        insert(connection, Source, rows)
    # What Postgres cannot store is replaced in names.
    entry = {
        "batch_id": assignment.batches.create().pk,
        "name": "a\0b",
        "size": 1,
        "accepted": True,
        "reason": "",
    }
    insert(connection, Entry, {column: [value] for column, value in entry.items()})
    assert Entry.objects.get().name == "a\ufffdb"


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_what_was_sealed_is_opened_again_and_says_nothing(text: str) -> None:
    assert opened(seal(text)) == storable(text)
    assert seal(text) != seal(text)
    assert seal(text).isascii()


def test_a_former_key_opens_and_another_one_does_not(settings: Settings) -> None:
    sealed, former = seal("a secret"), settings.SECRET_KEY
    settings.SECRET_KEY = "a new key"
    with pytest.raises(OtherKey):
        opened(sealed)
    assert opened_or_empty(sealed) == ""
    settings.SECRET_KEY_FALLBACKS = [former]
    assert opened(sealed) == "a secret"
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = former, []
    with pytest.raises(OtherKey):
        opened(sealed[:-8] + "AAAAAAA=")


def test_migrations_see_a_plain_column() -> None:
    assert SealedTextField().deconstruct()[1] == "django.db.models.TextField"


@pytest.mark.parametrize(("column", "value"), [("same_student", None), ("similarity", None), ("tokens", 2**31)])
def test_a_number_that_is_none_of_its_column_is_not_copied(column: str, value: int | None) -> None:
    with pytest.raises(ValueError, match=f"A value of {column} is no "):
        copy(connection, Pair, {column: np.array([value]), "passages": [b""]})
