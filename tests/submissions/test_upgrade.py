"""A database as the first versions left it is migrated to this one, and its report still opens."""

from __future__ import annotations

import hashlib
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np
import psycopg
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.test import Client
from django.urls import reverse

from fingerprint.engine import read
from moss.installation import migrate
from submissions.models import Assignment, Decision, Document, Pair, PostingRun, Submission
from submissions.storage.fingerprints import load
from submissions.storage.posting_runs import forget
from submissions.storage.postings import look_up
from tests.support.html import get_page
from tests.support.sample_class import CLASS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from django.db.migrations.state import StateApps
    from pytest_django.plugin import DjangoDbBlocker

# The oldest migration with rows that a later one converts: lists by position became records with names.
OLDEST = ("submissions", "0004_clusters_of_a_line")
# (hash, position) of each document; hashes are signed in Postgres.
FINGERPRINTS = {"ada": [(-1, 300), (7, 0), (7, 9)], "ben": [(7, 70_000), *((n, n) for n in range(100, 200))]}
FRAMEWORK = ("auth", "contenttypes", "admin")


@pytest.fixture
def empty_database(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """Use a database without any table beside that of the other tests."""
    name = connection.settings_dict["NAME"]
    upgraded = f"{name}_upgraded"
    with django_db_blocker.unblock(), psycopg.connect(settings.DATABASE_URL, autocommit=True) as server:
        connection.close()
        server.execute(f'DROP DATABASE IF EXISTS "{upgraded}" WITH (FORCE)')
        server.execute(f'CREATE DATABASE "{upgraded}"')
        connection.settings_dict["NAME"] = upgraded
        try:
            yield
        finally:
            connection.close()
            connection.settings_dict["NAME"] = name
            server.execute(f'DROP DATABASE "{upgraded}" WITH (FORCE)')


def migrate_to_the_oldest() -> StateApps:
    """Return the models as they were then."""
    executor = MigrationExecutor(connection)
    leaves = [node for node in executor.loader.graph.leaf_nodes() if node[0] in FRAMEWORK]
    executor.migrate([OLDEST, *leaves])
    return executor.loader.project_state([OLDEST, *leaves]).apps


def packed_as_then(source: str) -> tuple[bytes, bytes, int]:
    """Return tokens and terms in the first form of their bytes: without lines, and without imports."""
    reading = read(source.encode(), "main.py")
    tokens, lexical = reading.tokens, reading.lexical
    kinds, codes = np.unique(tokens.kinds, return_inverse=True)
    columns = (
        np.array([len(kinds), len(tokens)], dtype="<u4"),
        kinds.astype("<u8"),
        codes.astype("<u4"),
        np.diff(tokens.starts, prepend=0).astype("<i4"),
        (tokens.ends - tokens.starts).astype("<i4"),
    )
    count = np.array([len(lexical.literals)], dtype="<u4").tobytes()
    terms = np.concatenate([lexical.literals, lexical.names]).astype("<u8").tobytes()
    return zlib.compress(b"".join(column.tobytes() for column in columns)), count + terms, len(tokens)


class OldRows:
    """A class of two students as a version of then stored it, with a report and a decision."""

    def __init__(self, apps: StateApps) -> None:
        self.apps = apps
        owner = apps.get_model("auth", "User").objects.create(username="alice")
        course = self.model("Course").create(owner=owner, name="Programming 1")
        self.assignment = self.model("Assignment").create(course=course, name="Statistics")
        self.batch = self.model("Batch").create(
            assignment=self.assignment, uploaded_by=owner, name="class.zip", state="done",
            documents_total=2, documents_done=2,
        )  # fmt: skip
        self.model("Entry").create(batch=self.batch, name="notes.bin", accepted=False, reason="binary")
        (left, first), (right, second) = (self.submission(name) for name in ("ada", "ben"))
        self.report(left, right, first, second)
        decision = self.model("Decision").create(
            assignment=self.assignment, left="ada", right="ben", state="confirmed", notes="Spoken to."
        )
        self.model("Change").create(
            decision=decision, who="alice", field="state", before="undecided", after="confirmed"
        )

    def model(self, name: str) -> Any:
        return self.apps.get_model("submissions", name).objects

    def submission(self, name: str) -> tuple[Any, Any]:
        text = CLASS["ada/main.py"] + f"# {name}\n"
        tokens, lexical, count = packed_as_then(text)
        source = self.model("Source").create(
            sha256=hashlib.sha256(text.encode()).hexdigest(), data=text.encode(), size=len(text)
        )
        document = self.model("Document").create(
            source=source, profile="python-1", language="python", state="ready",
            token_count=count, tokens=tokens, lexical=lexical,
        )  # fmt: skip
        self.fingerprints(document.pk, FINGERPRINTS[name])
        submission = self.model("Submission").create(batch=self.batch, name=name)
        self.model("Entry").create(batch=self.batch, name=f"{name}/main.py", accepted=True)
        file = self.model("SubmissionFile").create(
            submission=submission, path="main.py", source=source, document=document
        )
        return submission, file

    def fingerprints(self, document: int, rows: list[tuple[int, int]]) -> None:
        with connection.cursor() as cursor:
            statement = (
                "INSERT INTO submissions_fingerprint (document_id, hash, position) VALUES (%s, %s, %s)"
            )
            cursor.executemany(statement, [(document, *row) for row in rows])

    def report(self, left: Any, right: Any, first: Any, second: Any) -> None:
        tokens = first.document.token_count
        report = self.model("Report").create(
            assignment=self.assignment,
            state="done",
            parameters={
                "k": 9, "window": 4, "guarantee": 12, "submissions": 2, "common_limit": None,
                "engine_version": 1, "profiles": ["python-1"],
                "versions": {"moss": "0.1.0", "pygments": "2.21.0"},
                "threshold": {"value": 0.5, "reason": "gap"},
            },
            same=[],
            findings={
                "best": [[left.pk, right.pk, 0.97], [right.pk, left.pk, 0.97]],
                "scored": 1, "listed": 1, "identical": [], "common": [], "effect": None,
            },
        )  # fmt: skip
        report.submissions.set([left, right])
        self.model("Pair").create(
            report=report, left=left, right=right, similarity=0.97, left_share=1.0, right_share=1.0,
            tokens=tokens, lines=10, longest=tokens, structure=0.8, literals=0.1, names=0.07,
            passages=[[first.pk, 0, second.pk, 0, tokens, 2]],
        )  # fmt: skip


@pytest.mark.long
def test_a_report_and_a_decision_of_the_first_versions_open_after_an_upgrade(empty_database: None) -> None:
    old = OldRows(migrate_to_the_oldest())
    migrate()
    alice, assignment = User.objects.get(), Assignment.objects.get(pk=old.assignment.pk)
    client = Client()
    client.force_login(alice)
    pair = Pair.objects.get()
    report = get_page(client, reverse("pairs", args=[assignment.pk]))
    assert [row for row in report.rows("table.pairs tbody tr") if {"ada", "ben"} <= {*" ".join(row).split()}]
    page = get_page(client, reverse("pair", args=[assignment.pk, pair.left_id, pair.right_id]))
    assert page.all("mark"), page.text()
    assert (Decision.objects.get().state, Decision.objects.get().notes) == ("confirmed", "Spoken to.")
    assert "Spoken to." in page.text()
    assert "notes.bin" in get_page(client, reverse("batch", args=[old.batch.pk])).text()


@pytest.mark.long
def test_fingerprints_are_packed_by_the_upgrade_and_looked_up_as_before(empty_database: None) -> None:
    OldRows(migrate_to_the_oldest())
    migrate()
    ada, ben = Document.objects.order_by("pk")
    stored = load([ada.pk, ben.pk])
    assert stored[ada.pk].hashes.tolist() == [7, 7, 2**64 - 1]
    assert stored[ada.pk].positions.tolist() == [0, 9, 300]
    assert stored[ben.pk].positions.tolist() == [*range(100, 200), 70_000]
    for wanted, expected in (([7], [ada.pk, ben.pk]), ([2**64 - 1], [ada.pk]), ([150], [ben.pk]), ([8], [])):
        assert look_up(connection, np.array(wanted, dtype=np.uint64)).documents.tolist() == expected
    assert PostingRun.objects.get().size == 103
    Submission.objects.filter(name="ada").delete()
    Document.objects.filter(pk=ada.pk).delete()
    forget([ada.pk])
    assert PostingRun.objects.get().size == 101
