"""The page for staff: what the service does, what is stuck, and what can be tried again."""

import logging
from dataclasses import replace
from datetime import timedelta
from importlib.metadata import version

import pytest
from django.conf import LazySettings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from moss.celery import app
from moss.operations import maintenance
from submissions.models import Assignment, Batch, Job, Report, Upload
from submissions.reports import results as ranking
from submissions.uploads import lifecycle
from submissions.uploads.change import create_batch
from submissions.uploads.files import KEPT_FOR_RETRY
from submissions.work import heartbeats, jobs
from submissions.work.kinds import BROKEN, HEAVY, INTERACTIVE, OUT_OF_TIME, QUEUES
from submissions.work.locks import Work, session_names, work_lock
from tests.support.every_page import STAFF_PAGES
from tests.support.html import get_page, page_of
from tests.support.jobs import work_once
from tests.support.sample_class import CLASS, loose, zipped
from tests.support.uploads import Committing, CountQueries, HandIn

WORKER = heartbeats.Worker("worker@host", 4711, [*QUEUES], 2, "0.1.0", "", "2026-01-02T03:04:00+00:00")


def post(client: Client, name: str, pk: int) -> str:
    return page_of(client.post(reverse(name, args=[pk]), follow=True)).text(".notices .notice")


def test_the_menu_of_staff_leads_to_it_and_its_versions(admin_client: Client, alice_client: Client) -> None:
    for client, leads in ((admin_client, True), (alice_client, False)):
        assert (reverse("service") in get_page(client, reverse("courses")).links()) == leads
    heartbeats.save_end(heartbeats.MAINTENANCE)
    text = get_page(admin_client, reverse("service")).text("[aria-labelledby=workers]")
    for name in ("Score ", "Python 3.", "Django 5.", "Celery 5.", "Postgres 18", "Valkey "):
        assert name in text
    assert f"moss {version('moss-server')}" in text
    assert "Maintenance ended its last round at" in text
    assert "are free on the disk" in text


def test_queues_are_shown_with_what_waits_and_runs(assignment: Assignment, admin_client: Client) -> None:
    app.control.purge()
    for _ in range(2):
        jobs.enqueue("unpack", assignment.batches.create(name="late.zip").pk)
    for lane in range(2):
        jobs.enqueue("read_documents", assignment.batches.create(name="late.zip").pk, lane)
    for job in Job.objects.filter(kind="read_documents")[:1]:
        assert jobs.start(job)
    Job.objects.filter(kind="read_documents", state="queued").delete()
    jobs.enqueue("rank", assignment.pk, queue=HEAVY)
    page = get_page(admin_client, reverse("service"))
    assert page.rows("[aria-labelledby=queues] tbody tr") == [
        [INTERACTIVE, "2", "1", "0"],
        [HEAVY, "1", "0", "0"],
    ]


def test_a_worker_is_shown_with_what_it_does_or_without_a_sign_of_life(
    admin_client: Client, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The tests' own database session, with the name that all sessions of a process have.
    mine = replace(WORKER, session_name=settings.SESSION_NAME)
    heartbeats.save_worker(mine)
    try:
        jobs.enqueue("unpack", 12)
        job = Job.objects.get()
        with work_lock(Work.JOB, job.pk):
            assert (settings.SESSION_NAME, Work.JOB, job.pk) in session_names()
            page = get_page(admin_client, reverse("service"))
        monkeypatch.setattr(heartbeats, "FRESH", timedelta(0))
        silent = get_page(admin_client, reverse("service"))
    finally:
        heartbeats.delete_worker(mine.name)
    [row] = [row for row in page.rows("[aria-labelledby=workers] tr") if row[0].startswith(mine.name)]
    assert row[1:] == ["unpacks upload 12", "interactive, heavy", "2 Jan 2026, 03:04 UTC", "2"]
    assert "no answer since" in silent.text("[aria-labelledby=workers] tbody")


def test_started_work_that_stopped_is_shown_as_stuck(assignment: Assignment, admin_client: Client) -> None:
    [address] = get_page(admin_client, reverse("service")).values("[hx-get]", "hx-get")
    assert admin_client.get(address).status_code == 204
    for state in ("queued", "fingerprinting"):
        batch = assignment.batches.create(name="late.zip", state=state)
        Batch.objects.filter(pk=batch.pk).update(touched=timezone.now() - timedelta(hours=1))
    assert admin_client.get(address).status_code == 200
    Report.objects.create(assignment=assignment, state="running")
    rows = get_page(admin_client, reverse("service")).rows("[aria-labelledby=under-way] tbody tr")
    assert [row[1] for row in rows] == ["waiting", "fingerprinting stuck", "running"]


def test_no_name_of_an_upload_or_a_student_is_shown(
    assignment: Assignment, alice: User, admin_client: Client, eager_tasks: None
) -> None:
    batch = create_batch(assignment, alice, [loose("ada-lovelace.zip", b"PK\x03\x04 cut off")])
    work_once("unpack")
    batch.refresh_from_db()
    assert "ada-lovelace" in batch.message
    page = get_page(admin_client, reverse("service"))
    [row] = page.rows("[aria-labelledby=failed-uploads] tbody tr")
    assert row[0].startswith(f"Upload {batch.pk} assignment")
    assert row[2] == date_format(timezone.localtime(batch.touched), "j M Y, H:i T")
    for name in STAFF_PAGES:
        assert "ada-lovelace" not in get_page(admin_client, reverse(name)).html


def test_an_upload_that_failed_while_it_was_unpacked_is_tried_again_with_its_files(
    assignment: Assignment,
    admin_client: Client,
    eager_tasks: None,
    caplog: pytest.LogCaptureFixture,
    committing: Committing,
) -> None:
    alice = assignment.course.owner
    batch = create_batch(assignment, alice, [zipped(CLASS)])
    Job.objects.update(attempts=3)
    lifecycle.fail_batch(batch.pk, OUT_OF_TIME)
    maintenance.sweep()
    page = get_page(admin_client, reverse("service"))
    address = reverse("retry_batch", args=[batch.pk])
    assert page.values("[aria-labelledby=failed-uploads] form[method=post]", "action") == [address]
    caplog.set_level(logging.INFO, "submissions")
    with committing(execute=True):
        assert post(admin_client, "retry_batch", batch.pk) == f"Upload {batch.pk} is tried again."
    batch.refresh_from_db()
    assert batch.state == "done"
    change = f"batch {batch.pk} of assignment {assignment.pk}: failed -> queued (retried by staff)"
    assert change in caplog.messages


def test_a_failed_upload_whose_files_were_deleted_cannot_be_tried_again(
    assignment: Assignment, alice: User, admin_client: Client, eager_tasks: None
) -> None:
    batch = create_batch(assignment, alice, [zipped(CLASS)])
    lifecycle.fail_batch(batch.pk, OUT_OF_TIME)
    Batch.objects.update(touched=timezone.now() - 2 * KEPT_FOR_RETRY)
    maintenance.sweep()
    assert not Upload.objects.exists()
    page = get_page(admin_client, reverse("service"))
    assert not page.has("[aria-labelledby=failed-uploads] button")
    assert "upload its files again" in post(admin_client, "retry_batch", batch.pk)


def test_a_failed_ranking_is_tried_again_with_the_uploads_that_failed_with_it(
    hand_in: HandIn, admin_client: Client, monkeypatch: pytest.MonkeyPatch, committing: Committing
) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(ranking, "rank", None)
        with pytest.raises(TypeError):
            hand_in(zipped(CLASS))
    batch, report = Batch.objects.get(), Report.objects.get()
    assert (batch.state, report.state) == ("failed", "failed")
    with committing(execute=True):
        assert post(admin_client, "retry_report", report.pk) == f"Ranking {report.pk} is tried again."
    batch.refresh_from_db()
    report.refresh_from_db()
    assert (batch.state, report.state) == ("done", "done")


def test_a_failed_ranking_with_a_newer_stays(assignment: Assignment, admin_client: Client) -> None:
    old = assignment.reports.create(state="failed", message=BROKEN)
    assignment.reports.create(state="queued")
    assert not get_page(admin_client, reverse("service")).has("[aria-labelledby=failed-rankings] button")
    assert "not the newest" in post(admin_client, "retry_report", old.pk)


def test_lists_are_paged_and_take_the_same_queries_for_many_rows(
    assignment: Assignment, admin_client: Client, django_assert_max_num_queries: CountQueries
) -> None:
    for _ in range(30):
        assignment.batches.create(name="x", state="failed")
        assignment.batches.create(name="x")
    with django_assert_max_num_queries(25):
        page = get_page(admin_client, reverse("service"))
    assert len(page.rows("[aria-labelledby=failed-uploads] tbody tr")) == 25
    second = get_page(admin_client, reverse("service"), failed_uploads_page=2, uploads_page=2)
    assert len(second.rows("[aria-labelledby=failed-uploads] tbody tr")) == 5
    assert len(second.rows("[aria-labelledby=under-way] tbody tr")) == 5
