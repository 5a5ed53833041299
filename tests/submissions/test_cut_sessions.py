"""A database session that is cut fails no upload, and is no attempt of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest
from django.db import OperationalError as DatabaseAway, connection, transaction
from django.utils import timezone

from submissions import actions, lifecycle, recovery, tasks
from submissions.models import Batch, Document
from tests.conftest import wait_until
from tests.support.sample_class import CLASS, zipped

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from submissions.models import Assignment

pytestmark = pytest.mark.usefixtures("empty_queues")


def cut(*_: object) -> None:
    """Have Postgres end the session of this process, and notice it."""
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as other:
        pid = connection.connection.info.backend_pid
        other.execute("SELECT pg_terminate_backend(%s)", [pid])
        wait_until(lambda: not _is_there(other, pid), what="the end of the session")
    with transaction.atomic():
        Batch.objects.count()


@pytest.mark.django_db(transaction=True)
def test_a_cut_session_fails_no_upload(
    assignment: Assignment, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for task in (tasks.unpack_next, tasks.fingerprint):  # No other process may take part.
        monkeypatch.setattr(task, "apply_async", lambda *_, **__: None)
    batch = actions.create_batch(assignment, alice, [zipped(CLASS)])
    with monkeypatch.context() as patch:
        patch.setattr("submissions.ingest.contents.store_sources", cut)
        with pytest.raises(DatabaseAway):
            tasks.unpack_next(batch.queue)
    connection.close()
    batch.refresh_from_db()
    assert (batch.state, batch.attempts) == ("unpacking", 1)
    Batch.objects.update(touched=timezone.now() - 2 * recovery.STARTING)
    assert recovery.lost_uploads() == [(batch.pk, batch.queue)]
    assert lifecycle.requeue_batch(batch.pk, "as the sweep does")
    tasks.unpack_next(batch.queue)
    batch.refresh_from_db()
    assert batch.state == "fingerprinting"


@pytest.mark.django_db(transaction=True)
def test_a_session_that_is_cut_is_no_attempt_of_the_file(
    assignment: Assignment, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for task in (tasks.unpack_next, tasks.fingerprint):  # No other process may take part.
        monkeypatch.setattr(task, "apply_async", lambda *_, **__: None)
    batch = actions.create_batch(assignment, alice, [zipped(CLASS)])
    tasks.unpack_next(batch.queue)
    key = Document.objects.earliest("pk").pk
    monkeypatch.setattr("submissions.ingest.documents._save", cut)
    with pytest.raises(DatabaseAway):
        tasks.fingerprint(batch.pk, [key])
    connection.close()
    assert Document.objects.get(pk=key).attempts == 0


def _is_there(session: psycopg.Connection, pid: int) -> bool:
    return bool(session.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", [pid]).fetchone())
