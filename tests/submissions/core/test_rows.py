"""Rows inserted in bulk are those that Django inserts."""

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from submissions.core.database import insert
from submissions.models import Batch, Document, Entry, Source

pytestmark = pytest.mark.django_db


def test_rows_get_the_defaults_of_their_other_columns() -> None:
    insert(connection, Source, {"sha256": ["a", "b"], "data": [b"\0x", b""], "size": [2, 0]})
    first, second = Source.objects.order_by("sha256")
    assert (bytes(first.data), bytes(second.data), first.created == second.created) == (b"\0x", b"", True)
    columns: dict[str, list[Any]] = {"source_id": [first.pk], "profile": ["p"], "language": ["python"]}
    insert(connection, Document, columns)
    document, expected = Document.objects.get(), Document(source=first, profile="p", language="python")
    for field in ("state", "reason", "attempts", "token_count", "tokens"):
        assert getattr(document, field) == getattr(expected, field)


def test_rows_that_are_there_are_skipped_only_where_that_is_asked_for() -> None:
    rows: dict[str, list[Any]] = {"sha256": ["a"], "data": [b"x"], "size": [1]}
    insert(connection, Source, rows)
    both: dict[str, list[Any]] = {"sha256": ["a", "b"], "data": [b"y", b"z"], "size": [1, 1]}
    returned = insert(connection, Source, both, ("sha256", "id"))
    assert returned == [("b", Source.objects.get(sha256="b").pk)]
    Source.objects.filter(sha256="b").delete()
    assert bytes(Source.objects.get().data) == b"x"
    with pytest.raises(IntegrityError), transaction.atomic():
        insert(connection, Source, rows)


@pytest.mark.long
def test_what_postgres_cannot_store_is_replaced_in_names(batch: Batch) -> None:
    columns: dict[str, list[Any]] = {
        "batch_id": [batch.pk],
        "name": ["a\0b"],
        "size": [1],
        "accepted": [True],
        "reason": [""],
    }
    insert(connection, Entry, columns)
    assert Entry.objects.latest("pk").name == "a\ufffdb"


def test_no_rows_are_no_error() -> None:
    insert(connection, Source, {"sha256": [], "data": [], "size": []})
    assert not Source.objects.exists()
