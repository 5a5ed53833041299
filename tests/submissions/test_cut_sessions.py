"""A database session that is cut fails no upload, and is no attempt of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from django.db import OperationalError as DatabaseAway, connection
from django.utils import timezone

from submissions import actions, lifecycle, recovery, tasks
from submissions.models import Batch, Document
from submissions.work.finding import STARTING
from tests.support.sample_class import CLASS, zipped
from tests.support.sessions import cut

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from submissions.models import Assignment

pytestmark = pytest.mark.usefixtures("empty_queues")


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
    Batch.objects.update(touched=timezone.now() - 2 * STARTING)
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
