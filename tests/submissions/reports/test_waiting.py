"""A waiting upload and a waiting report show how many are before them."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from submissions.models import Assignment, Batch, Course
from submissions.uploads import lifecycle
from submissions.work import heartbeats, jobs
from submissions.work.kinds import HEAVY, INTERACTIVE
from tests.conftest import wait_until
from tests.support.html import get_page
from tests.support.processes import stopped
from tests.support.sample_class import CLASS, zipped

pytestmark = pytest.mark.services


@pytest.fixture
def other_assignment(bob: User) -> Assignment:
    return Course.objects.create(owner=bob, name="Networks").assignments.create(name="Sockets")


def wait_in_queue(assignment: Assignment, queue: str = INTERACTIVE, **fields: object) -> Batch:
    owner = assignment.course.owner
    batch = Batch.objects.create(assignment=assignment, uploaded_by=owner, name="late.zip", **fields)
    jobs.enqueue("unpack", batch.pk, user=owner.pk, queue=queue)
    return batch


def progress_of(client: Client, batch: Batch) -> str:
    return get_page(client, reverse("batch_progress", args=[batch.pk])).text(".meta")


def test_a_waiting_upload_shows_how_many_are_before_it(
    assignment: Assignment, other_assignment: Assignment, alice_client: Client
) -> None:
    first = [wait_in_queue(other_assignment), wait_in_queue(assignment)]
    batch = wait_in_queue(assignment)
    wait_in_queue(assignment, queue=HEAVY)
    assert progress_of(alice_client, batch).startswith("Waiting; 2 uploads are before this one.")
    address = get_page(alice_client, batch.get_absolute_url()).values(".now[hx-get]", "hx-get")[0]
    jobs.cancel("unpack", [first[0].pk])
    assert alice_client.get(address).status_code == 200  # the fragment has changed
    assert progress_of(alice_client, batch).startswith("Waiting; 1 upload is before this one.")
    jobs.cancel("unpack", [first[1].pk])
    assert progress_of(alice_client, batch).startswith("Waiting; this one is next.")
    Batch.objects.filter(pk=batch.pk).update(state="unpacking")
    assert progress_of(alice_client, batch).startswith("Unpacking.")


def test_the_overview_shows_how_many_are_before_a_waiting_upload(
    assignment: Assignment, other_assignment: Assignment, alice_client: Client
) -> None:
    wait_in_queue(other_assignment)
    wait_in_queue(assignment)
    page = get_page(alice_client, reverse("activity", args=[assignment.pk]))
    assert page.text(".notice.busy p") == "late.zip · waiting; 1 upload is before this one"


def test_a_waiting_report_shows_how_many_are_before_it(
    assignment: Assignment, other_assignment: Assignment, alice_client: Client
) -> None:
    address = reverse("activity", args=[assignment.pk])
    for waiting in (other_assignment, assignment):
        lifecycle.enqueue_rank(waiting)
    page = get_page(alice_client, address)
    assert page.text(".notice.busy p") == "Ranking. Waiting: 1 ranking is before this one"
    lifecycle.cancel_reports(other_assignment)
    assert get_page(alice_client, address).text(".notice.busy p") == "Ranking. Waiting for a worker"


@pytest.mark.long
def test_an_upload_waits_while_the_worker_is_stopped_and_goes_on_with_it(
    assignment: Assignment,
    other_assignment: Assignment,
    alice_client: Client,
    bob_client: Client,
    celery_worker_process: Path,
) -> None:
    wait_until(lambda: bool(heartbeats.workers()), what="the worker")
    [worker] = heartbeats.workers()
    with stopped([worker.pid]):
        for client, where in ((bob_client, other_assignment), (alice_client, assignment)):
            client.post(reverse("upload", args=[where.pk]), {"files": zipped(CLASS)})
        batch = assignment.batches.get()
        assert progress_of(alice_client, batch).startswith("Waiting; 1 upload is before this one.")

    def is_done() -> bool:
        batch.refresh_from_db()
        return batch.state == Batch.State.DONE

    wait_until(is_done, what="the report")
