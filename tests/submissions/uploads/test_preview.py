"""A batch with a preview: it waits, unpacked and unread, until its uploader has checked it."""

import pytest
from django.contrib.auth.models import User
from django.core.files.storage import default_storage

from moss.operations import maintenance
from submissions.core.accounts import stored_bytes
from submissions.courses.retention import delete_batch
from submissions.models import Assignment, Batch, Document, Entry, ListedEntry, Source, Submission
from submissions.uploads.change import create_batch, list_again, read_listed
from submissions.uploads.ingestion import ingest_batch
from submissions.uploads.lifecycle import cancel_batch
from tests.support.sample_class import CLASS, loose, zipped
from tests.support.uploads import Committing

pytestmark = pytest.mark.usefixtures("eager_tasks")


@pytest.fixture
def listed(assignment: Assignment, alice: User, django_capture_on_commit_callbacks: Committing) -> Batch:
    """Return a batch that waits for Alice."""
    files: dict[str, str | bytes] = {
        **CLASS,
        "ada/photo.png": b"\x89PNG\r\n\x1a\n\0\0",
        "node_modules/x/index.js": "x",
    }
    with django_capture_on_commit_callbacks(execute=True):
        batch = create_batch(assignment, alice, [zipped(files)], preview=True)
    batch.refresh_from_db()
    return batch


def test_a_batch_with_a_preview_is_listed_and_nothing_of_it_is_read(listed: Batch) -> None:
    assert listed.state == "listed"
    assert not Document.objects.exists()
    assert not Submission.objects.exists()
    assert not Entry.objects.exists()
    rows = {row.name: row for row in listed.listed_entries.all()}
    assert {name for name, row in rows.items() if row.language == "python"} == CLASS.keys()
    assert rows["ada/photo.png"].reason
    assert rows["node_modules/"].reason


def test_a_checked_batch_is_read_without_unpacking_it_again(
    listed: Batch, django_capture_on_commit_callbacks: Committing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("submissions.uploads.ingestion.list_entries", None)
    with django_capture_on_commit_callbacks(execute=True):
        assert read_listed(listed)
    listed.refresh_from_db()
    assert (listed.state, listed.preview) == ("done", False)
    assert listed.submissions.count() == len(CLASS)
    assert listed.entries.filter(accepted=True).count() == len(CLASS)
    assert listed.entries.filter(accepted=False).count() == 2
    assert not ListedEntry.objects.exists()
    assert not read_listed(listed)


def test_a_listed_batch_keeps_its_files_and_sources_until_it_is_deleted(
    listed: Batch, alice: User, django_capture_on_commit_callbacks: Committing
) -> None:
    Source.objects.update(created="2020-01-01T00:00:00Z")
    maintenance.sweep()
    assert Source.objects.count() == len(CLASS)
    assert listed.uploads.count() == 1
    assert stored_bytes(alice) >= sum(map(len, CLASS.values()))
    name = listed.uploads.get().file.name
    assert default_storage.exists(name)
    with django_capture_on_commit_callbacks(execute=True):
        delete_batch(listed)
    assert not Source.objects.exists()
    assert not default_storage.exists(name)


def test_a_listed_batch_can_be_cancelled(listed: Batch) -> None:
    assert cancel_batch(listed)
    listed.refresh_from_db()
    assert listed.state == "cancelled"


def test_a_listed_batch_is_unpacked_again_for_other_patterns(
    listed: Batch, django_capture_on_commit_callbacks: Committing
) -> None:
    listed.assignment.include_patterns = "node_modules/"
    listed.assignment.save()
    with django_capture_on_commit_callbacks(execute=True):
        assert list_again(listed)
    listed.refresh_from_db()
    assert listed.state == "listed"
    assert listed.listed_entries.filter(name="node_modules/x/index.js", language="javascript").exists()


def test_an_upload_of_nothing_that_can_be_used_fails_without_a_preview(
    assignment: Assignment, alice: User, django_capture_on_commit_callbacks: Committing
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        batch = create_batch(assignment, alice, [loose("a.py", b"")], preview=True)
    batch.refresh_from_db()
    assert (batch.state, batch.entries.get().reason) == ("failed", "empty")


def test_a_batch_whose_worker_ended_before_it_was_listed_is_unpacked_again(
    listed: Batch, django_capture_on_commit_callbacks: Committing
) -> None:
    Batch.objects.update(state="unpacking")
    ingest_batch(Batch.objects.select_related("assignment").get())
    listed.refresh_from_db()
    assert listed.state == "listed"
    assert listed.listed_entries.count() == len(CLASS) + 2
