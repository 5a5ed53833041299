"""An assignment whose uploads are read and ranked by the real tasks, in the test's own process."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from django.conf import settings as used_settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django.fixtures import Settings

from moss.celery import app
from submissions.intake.sandbox.documents import DocumentReader
from submissions.intake.sandbox.groupings import GroupingReader
from submissions.models import Assignment, Batch, Course, Report
from submissions.uploads.change import add_boilerplate, create_batch
from tests.support import harmful_jobs
from tests.support.jobs import carry_out, work_off
from tests.support.judge import judge
from tests.support.kept_classes import fixed_id, stored
from tests.support.sample_class import CLASS, STARTER, loose, zipped

Committing = Callable[..., AbstractContextManager[list[Callable[[], object]]]]
HandIn = Callable[..., Batch]
CountQueries = Callable[..., AbstractContextManager[object]]

MANY = {f"student-{n:02}/main.py": source for n, source in enumerate(list(CLASS.values()) * 8)}


def register_boilerplate(assignment: Assignment, *files: SimpleUploadedFile, statement: bool = False) -> None:
    """Register files as boilerplate, as a worker does; the next ranking needs their documents."""
    upload = add_boilerplate(assignment, files, statement=statement)
    carry_out("read_boilerplate", upload.pk)
    work_off("fingerprint_boilerplate")
    upload.refresh_from_db()
    assert (upload.state, upload.refusals) == ("done", [])


@pytest.fixture
def committing(django_capture_on_commit_callbacks: Committing) -> Committing:
    """Return the function whose context does what a transaction leaves for its end."""
    return django_capture_on_commit_callbacks


@pytest.fixture
def empty_queues(services: None) -> None:
    """Discard the messages of earlier tests: what waits counts as lost only while its queue is empty."""
    app.control.purge()


@pytest.fixture
def folder_storage(settings: Settings, tmp_path: Path) -> Path:
    """Keep uploads in a folder, as MOSS_UPLOADS=folder does; return the folder."""
    backend = {"BACKEND": "django.core.files.storage.FileSystemStorage"}
    settings.STORAGES = {**settings.STORAGES, "default": backend}
    settings.MEDIA_ROOT = tmp_path / "media"
    return tmp_path / "media"


@pytest.fixture
def eager_tasks() -> Iterator[None]:
    """Run tasks in the process of the test, as soon as they are enqueued."""
    app.conf.task_always_eager = app.conf.task_eager_propagates = True
    yield
    app.conf.task_always_eager = app.conf.task_eager_propagates = False


@pytest.fixture
def assignment(alice: User) -> Assignment:
    """Return an empty assignment of Alice's."""
    course = Course(id=fixed_id(Course, "Programming 1"), owner=alice, name="Programming 1")
    course.save(force_insert=True)
    return course.assignments.create(id=fixed_id(Assignment, "Statistics"), name="Statistics")


@pytest.fixture
def hand_in(
    alice: User, assignment: Assignment, eager_tasks: None, django_capture_on_commit_callbacks: Committing
) -> HandIn:
    """Return a function that uploads files and returns their batch once it is ranked and judged."""

    def upload(*files: SimpleUploadedFile) -> Batch:
        with django_capture_on_commit_callbacks(execute=True):
            batch = create_batch(assignment, alice, files)
        batch.refresh_from_db()
        judge(assignment)
        return batch

    return upload


@pytest.fixture
def harmful_reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Read documents in a child that files can harm (`tests.support.harmful_jobs`)."""
    reader = DocumentReader(used_settings.READER_MEMORY, harmful_jobs.__name__)
    for module in ("fingerprinting", "ingestion"):
        monkeypatch.setattr(f"submissions.uploads.{module}.document_reader", lambda: reader)
    yield
    reader.close()


@pytest.fixture
def batch(hand_in: HandIn, assignment: Assignment) -> Batch:
    """Return a batch of three submissions; Ada's and Ben's are equal except for renamed variables."""
    files = CLASS | {"notes/photo.py": b"\x89PNG\r\n\x1a\n\0\0"}
    stored("three submissions", lambda: hand_in(zipped(files)))
    return assignment.batches.latest("pk")


@pytest.fixture
def report(batch: Batch) -> Report:
    """Return the report of `batch`."""
    return Report.objects.get(assignment=batch.assignment, state=Report.State.DONE)


@pytest.fixture
def starter(
    assignment: Assignment, eager_tasks: None, django_capture_on_commit_callbacks: Committing
) -> Callable[[], None]:
    """Return a function that registers the starter file as boilerplate."""

    def register() -> None:
        with django_capture_on_commit_callbacks(execute=True):
            add_boilerplate(assignment, [loose("main.py", STARTER)])

    return register


@pytest.fixture
def harmful_groupings(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Group uploads in a child that does the harm that they ask for, and that has a second for it."""
    for limit in ("GROUP_SECONDS", "PREVIEW_SECONDS"):
        monkeypatch.setattr(f"submissions.intake.sandbox.groupings.{limit}", 1.0)
    reader = GroupingReader(used_settings.READER_MEMORY, "tests.support.harmful_groupings")
    for module in ("submissions.uploads.ingestion", "submissions.uploads.read", "submissions.courses.change"):
        monkeypatch.setattr(f"{module}.grouping_reader", lambda: reader)
    yield
    reader.close()
