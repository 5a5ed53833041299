"""A database session that is cut fails no upload, and is no attempt of a file."""

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError as DatabaseAway, connection
from django.utils import timezone

from submissions.models import Assignment, Document, Job
from submissions.uploads.change import create_batch
from submissions.uploads.jobs import LANES
from submissions.work.jobs import TASKS
from submissions.work.running import STARTING, sweep_jobs
from tests.support.jobs import let_time_pass, work_once
from tests.support.sample_class import CLASS, zipped
from tests.support.sessions import cut

pytestmark = pytest.mark.usefixtures("empty_queues")


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_a_cut_session_fails_no_upload(
    assignment: Assignment, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("unpack", "read_documents"):  # No other process may take part.
        monkeypatch.setattr(TASKS[kind], "apply_async", lambda *_, **__: None)
    batch = create_batch(assignment, alice, [zipped(CLASS)])
    with monkeypatch.context() as patch:
        patch.setattr("submissions.uploads.ingestion.store_sources", cut)
        with pytest.raises(DatabaseAway):
            work_once("unpack")
    connection.close()
    batch.refresh_from_db()
    assert batch.state == "unpacking"
    let_time_pass()
    Job.objects.update(touched=timezone.now() - 2 * STARTING)
    sweep_jobs()
    work_once("unpack")
    batch.refresh_from_db()
    assert batch.state == "fingerprinting"


@pytest.mark.django_db(transaction=True)
def test_a_session_that_is_cut_is_no_attempt_of_the_file(
    assignment: Assignment, alice: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("unpack", "read_documents"):  # No other process may take part.
        monkeypatch.setattr(TASKS[kind], "apply_async", lambda *_, **__: None)
    create_batch(assignment, alice, [zipped(CLASS)])
    work_once("unpack")
    key = Document.objects.earliest("pk").pk
    Job.objects.filter(kind="read_documents").exclude(part=key % LANES).delete()
    monkeypatch.setattr("submissions.uploads.fingerprinting._save", cut)
    with pytest.raises(DatabaseAway):
        work_once("read_documents")
    connection.close()
    assert Document.objects.get(pk=key).attempts == 0
