"""Boilerplate and the statement of a task: stored by the web request, read by a worker, shown and removed."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from unittest.mock import Mock

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from moss.operations import maintenance
from submissions.core.models import Refusal
from submissions.courses.retention import delete_assignment, delete_course
from submissions.intake.entries import Entry
from submissions.intake.sandbox.documents import DocumentReader
from submissions.models import (
    Assignment,
    Batch,
    Boilerplate,
    BoilerplateUpload,
    Course,
    Document,
    Job,
    Report,
    Source,
    Upload,
)
from submissions.uploads import lifecycle
from submissions.uploads.change import add_boilerplate
from submissions.uploads.files import UPLOADS_FOLDER
from submissions.work import jobs
from submissions.work.jobs import GAVE_UP, kind_of
from submissions.work.kinds import OUT_OF_TIME
from tests.conftest import wait_until
from tests.support.html import get_page, page_of
from tests.support.jobs import carry_out
from tests.support.sample_class import HONEST, STARTER, loose, zipped
from tests.support.tabs import tab
from tests.support.uploads import Committing

# Detecting the language of so many empty lines took seconds for each file.
NEWLINES = b"\n" * 400_000


@pytest.fixture
def upload(assignment: Assignment) -> BoilerplateUpload:
    """Return uploaded boilerplate that nobody reads yet."""
    return add_boilerplate(assignment, [loose("starter.py", STARTER)])


def change(upload: BoilerplateUpload, **fields: object) -> None:
    BoilerplateUpload.objects.filter(pk=upload.pk).update(**fields)


def stored_files() -> list[str]:
    return default_storage.listdir(UPLOADS_FOLDER)[1] if default_storage.exists(UPLOADS_FOLDER) else []


def test_no_web_request_reads_boilerplate(
    alice_client: Client, assignment: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(*_: object) -> None:
        time.sleep(60)

    monkeypatch.setattr(DocumentReader, "identify", slow)
    files = [loose(f"{number}.txt", NEWLINES) for number in range(8)]
    address = reverse("add_boilerplate", args=[assignment.pk])
    started = time.monotonic()
    response = alice_client.post(address, {"files": files})
    assert time.monotonic() - started < 30
    assert response.headers["Location"] == f"{tab(assignment, 'ignored')}#boilerplate-heading"
    page = get_page(alice_client, assignment.get_absolute_url())
    assert page.texts("#boilerplate .notice.busy p")[0] == "0.txt and 7 more · waiting"
    assert page.has(f'#boilerplate [hx-get^="{reverse("boilerplate_progress", args=[assignment.pk])}"]')


def test_a_file_whose_language_takes_too_long_is_refused_and_the_others_are_read(
    assignment: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    identify = DocumentReader.identify

    def identify_slowly(
        reader: DocumentReader, files: Sequence[Entry], language: str, seconds: float, likely: str = ""
    ) -> Iterator[object]:
        for file in files:
            limit = 1e-9 if file.name == "slow.py" else seconds
            yield from identify(reader, [file], language, limit, likely)

    monkeypatch.setattr(DocumentReader, "identify", identify_slowly)
    files = [loose("slow.py", HONEST * 500), loose("starter.py", STARTER)]
    upload = add_boilerplate(assignment, files)
    carry_out("read_boilerplate", upload.pk)
    upload.refresh_from_db()
    assert [(refusal.name, bool(refusal.reason)) for refusal in upload.refusals] == [("slow.py", True)]
    assert [row.name for row in assignment.boilerplate.all()] == ["starter.py"]


def test_what_was_uploaded_is_deleted_when_it_is_read(upload: BoilerplateUpload) -> None:
    assert len(stored_files()) == 1
    carry_out("read_boilerplate", upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.refused) == ("done", 0)
    assert Boilerplate.objects.get().name == "starter.py"
    assert not Upload.objects.exists()
    assert stored_files() == []


def test_an_upload_belongs_to_a_batch_or_to_boilerplate(upload: BoilerplateUpload, alice: User) -> None:
    batch = Batch.objects.create(assignment=upload.assignment, uploaded_by=alice, name="a.zip")
    for owners in ({}, {"batch": batch, "boilerplate_upload": upload}):
        with pytest.raises(IntegrityError, match="upload_has_one_owner"), transaction.atomic():
            Upload.objects.create(name="a.py", file="uploads/a", **owners)


@pytest.mark.long
def test_refused_entries_are_listed_until_they_are_dismissed(
    alice_client: Client, assignment: Assignment, upload: BoilerplateUpload
) -> None:
    starter = zipped({f"starter/{n}.class": "x" for n in range(300)}, "starter.zip")
    refused = add_boilerplate(assignment, [starter])
    for pk in (upload.pk, refused.pk):
        carry_out("read_boilerplate", pk)
    page = get_page(alice_client, assignment.get_absolute_url())
    assert page.texts("#boilerplate .notice p")[0] == "300 files of starter.zip were not taken:"
    assert len(page.texts("#boilerplate .notice li")) == 50
    assert page.text("#boilerplate .notice .hint") == "These are 50 of 300."
    assert page.text("#activity .notice") == "starter.zip · boilerplate, 300 files not taken: see why"
    dismissal = reverse("dismiss_boilerplate_upload", args=[refused.pk])
    page = page_of(alice_client.post(dismissal, follow=True))
    assert not page.has("#boilerplate .notice")
    assert Boilerplate.objects.count() == 1


def test_the_fragment_is_sent_again_when_something_changed_and_shows_a_failure_with_what_to_do(
    alice_client: Client, upload: BoilerplateUpload
) -> None:
    address = reverse("boilerplate_progress", args=[upload.assignment_id])
    polled = get_page(alice_client, address).values("[hx-get]", "hx-get")[0]
    assert alice_client.get(polled).status_code == 204
    lifecycle.start_boilerplate(upload.pk)
    assert page_of(alice_client.get(polled)).texts(".notice.busy p")[0] == "starter.py · reading"
    lifecycle.fail_boilerplate(upload.pk, OUT_OF_TIME)
    page = get_page(alice_client, address)
    assert page.text(".notice.bad p") == f"starter.py was not registered. {OUT_OF_TIME}"
    assert not page.has("[hx-get]")


def test_the_page_asks_for_the_report_while_it_is_read(alice_client: Client, report: Report) -> None:
    add_boilerplate(report.assignment, [loose("starter.py", STARTER)])
    page = get_page(alice_client, report.assignment.get_absolute_url())
    assert page.has('#activity [hx-trigger="every 1s"]')
    assert page.text("#activity .notice") == "starter.py · boilerplate, waiting"


def test_the_sweep_keeps_uploads_that_wait_and_deletes_others(upload: BoilerplateUpload) -> None:
    maintenance.sweep()
    assert upload.uploads.count() == len(stored_files()) == 1
    lifecycle.fail_boilerplate(upload.pk, "out of time")
    maintenance.sweep()
    assert upload.uploads.count() == len(stored_files()) == 0


def test_boilerplate_shows_what_becomes_of_its_job(upload: BoilerplateUpload) -> None:
    job = jobs.claim(kind_of("read_boilerplate"), "interactive")
    assert job
    upload.refresh_from_db()
    assert upload.state == "reading"
    assert jobs.requeue_lost(job)
    upload.refresh_from_db()
    assert upload.state == "queued"
    assert jobs.fail(Job.objects.get(), GAVE_UP)
    upload.refresh_from_db()
    assert (upload.state, upload.message) == ("failed", GAVE_UP)


def test_boilerplate_that_takes_a_worker_too_long_fails_with_what_to_do(
    upload: BoilerplateUpload, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DocumentReader, "identify", Mock(side_effect=SoftTimeLimitExceeded))
    carry_out("read_boilerplate", upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.message) == ("failed", OUT_OF_TIME)
    maintenance.sweep()
    assert not Upload.objects.exists()


@pytest.mark.parametrize("deleted", ["assignment", "course"])
def test_nothing_is_left_of_what_is_deleted_unread(upload: BoilerplateUpload, deleted: str) -> None:
    if deleted == "course":
        delete_course(upload.assignment.course)
    else:
        delete_assignment(upload.assignment)
    carry_out("read_boilerplate", upload.pk)
    assert stored_files() == []
    assert not Upload.objects.exists()
    assert not BoilerplateUpload.objects.exists()


def test_nothing_is_registered_of_boilerplate_that_is_deleted_while_it_is_read(
    upload: BoilerplateUpload, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish = lifecycle.finish_boilerplate

    def deleted_meanwhile(pk: int, refusals: list[Refusal], refused: int) -> bool:
        delete_assignment(upload.assignment)
        return finish(pk, refusals, refused)

    monkeypatch.setattr(lifecycle, "finish_boilerplate", deleted_meanwhile)
    carry_out("read_boilerplate", upload.pk)
    assert not Boilerplate.objects.exists()
    assert not Source.objects.exists()


def test_a_real_worker_reads_boilerplate(alice: User, celery_worker_process: Path) -> None:
    course = Course.objects.create(owner=alice, name="Programming 1")
    assignment = Assignment.objects.create(course=course, name="Statistics")
    files = [loose("starter.py", STARTER), *(loose(f"{n}.txt", NEWLINES) for n in range(8))]
    upload = add_boilerplate(assignment, files)
    done = BoilerplateUpload.objects.filter(pk=upload.pk, state="done")
    wait_until(done.exists, 60, what="the worker")
    assert "starter.py" in assignment.boilerplate.values_list("name", flat=True)
    documents = Document.objects.filter(boilerplate__assignment=assignment)
    wait_until(lambda: not documents.filter(state="pending").exists(), 60, what="reading")


def test_boilerplate_that_cannot_be_read_is_named_with_its_reason(
    alice_client: Client, assignment: Assignment, eager_tasks: None, committing: Committing
) -> None:
    sent = {"files": [loose("scan.pdf", b"%PDF-1.7 \0\0")]}
    with committing(execute=True):
        alice_client.post(reverse("add_boilerplate", args=[assignment.pk]), sent)
    page = get_page(alice_client, assignment.get_absolute_url())
    assert page.text("#boilerplate .notice .path") == "scan.pdf"
    assert "PDF document" in page.text("#boilerplate .notice .meta")
    assert not Boilerplate.objects.exists()


@pytest.mark.long
def test_boilerplate_lowers_what_is_ranked_and_its_removal_brings_it_back(
    alice_client: Client, report: Report, eager_tasks: None, committing: Committing
) -> None:
    assignment = report.assignment

    def best_pair_lines() -> int:
        return int(Report.objects.filter(assignment=assignment, state="done")[0].pairs.all()[0].lines)

    before = best_pair_lines()
    with committing(execute=True):
        alice_client.post(reverse("add_boilerplate", args=[assignment.pk]), {"files": [loose("main.py", STARTER)]})
    assert best_pair_lines() < before
    removal = reverse("remove_boilerplate", args=[Boilerplate.objects.get().pk])
    page = get_page(alice_client, tab(assignment, "ignored"))
    assert page.has(f'form[method=post][action="{removal}"]')
    with committing(execute=True):
        alice_client.post(removal)
    assert best_pair_lines() == before
    assert not Boilerplate.objects.exists()
