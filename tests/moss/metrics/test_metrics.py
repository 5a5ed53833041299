"""`/metrics`: who may read it, and what it says of a server at work."""

import os
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families
from pytest_django.fixtures import Settings

from moss.operations.maintenance import maintain_once
from submissions.models import Assignment, Batch, Report
from tests.conftest import wait_until
from tests.moss.test_logged_data import STUDENT, send
from tests.support.sample_class import CLASS, zipped
from tests.support.web_server import read_answer, web_server

pytestmark = pytest.mark.services

TOKEN = "a-token-of-twenty-and-more"
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def open_metrics(settings: Settings) -> None:
    settings.METRICS_TOKEN = TOKEN


def samples(text: str) -> dict[str, float]:
    """Return the figures by name and labels, `name{label="value"}` with the labels in order."""
    return {
        f"{sample.name}{{{','.join(f'{k}={v}' for k, v in sorted(sample.labels.items()))}}}": sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_without_a_token_in_the_settings_there_is_no_such_address(client: Client, db: None) -> None:
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


@pytest.mark.parametrize("stated", ["", "Bearer ", f"Bearer {TOKEN}x", TOKEN, f"Token {TOKEN}", "Bearer é"])
def test_without_that_token_nothing_is_told(admin_client: Client, open_metrics: None, stated: str) -> None:
    answer = admin_client.get("/metrics", headers={"Authorization": stated})
    assert (answer.status_code, answer.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert b"moss_" not in answer.content


@pytest.mark.django_db
def test_states_with_no_work_are_told_as_none(client: Client, open_metrics: None, empty_queues: None) -> None:
    figures = samples(client.get("/metrics", headers=BEARER).content.decode())
    assert {figures[f"moss_work{{kind=upload,state={state}}}"] for state in Batch.State.values} == {0}
    assert figures["moss_queue_messages{queue=heavy}"] == 0
    assert figures["moss_up{part=database}"] == figures["moss_up{part=broker}"] == 1
    assert 0 < figures["moss_disk_free_bytes{}"] < figures["moss_disk_bytes{}"]


@pytest.mark.django_db(transaction=True)
def test_a_database_that_does_not_answer_leaves_the_other_figures(
    client: Client, open_metrics: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    connection.close()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "HOST", str(tmp_path))
        figures = samples(client.get("/metrics", headers=BEARER).content.decode())
        connection.close()
    assert (figures["moss_up{part=database}"], figures["moss_up{part=broker}"]) == (0, 1)
    assert not [name for name in figures if name.startswith(("moss_work{", "moss_database_bytes"))]


@pytest.mark.long
def test_a_server_tells_its_uploads_its_workers_and_its_requests(
    celery_worker_process: Path, alice: User, assignment: Assignment
) -> None:
    maintain_once()
    tasks = "moss_task_seconds_count{{outcome=done,task={}}}"
    with web_server("--workers=2", MOSS_METRICS_TOKEN=TOKEN) as port:

        def figures_now() -> dict[str, float]:
            status, text = read_answer(port, "/metrics", Authorization=f"Bearer {TOKEN}")
            assert (status, STUDENT in text) == (200, False)
            return samples(text)

        for name in ("first", "second"):
            assert send(port, alice, assignment, zipped(CLASS, f"{STUDENT}-{name}.zip")) == 302
        wait_until(lambda: Report.objects.filter(state="done").exists(), 120, what="a report")
        wait_until(lambda: not Batch.objects.filter(state__in=Batch.RUNNING).exists(), what="the batches")
        for path in ("/healthz", "/healthz", f"/nowhere/{STUDENT}/"):
            read_answer(port, path)
        # A task is counted a moment after what it did is stored.
        wait_until(lambda: tasks.format("rank") in figures_now(), what="the count of the ranking")
        figures = figures_now()
    assert figures["moss_work{kind=upload,state=done}"] == 2
    assert figures["moss_work{kind=ranking,state=done}"] >= 1
    assert figures["moss_files{}"] == figures["moss_files_read{}"] == 2 * len(CLASS)
    assert figures["moss_database_bytes{}"] > figures["moss_source_bytes{}"] > 0
    assert figures["moss_waiting_bytes{}"] == 0
    ages = {name: age for name, age in figures.items() if name.startswith("moss_heartbeat_age_seconds")}
    assert "moss_heartbeat_age_seconds{process=maintenance}" in ages
    assert any("process=celery@" in name for name in ages)
    assert all(age >= 0 for age in ages.values())
    assert figures[tasks.format("unpack")] >= 2
    assert figures[tasks.format("rank")] >= 1
    for state in ("queued", "unpacking", "fingerprinting", "ranking"):
        assert figures[f"moss_state_seconds_count{{kind=upload,state={state}}}"] == 2
    assert figures["moss_state_seconds_sum{kind=upload,state=fingerprinting}"] > 0
    count = "moss_request_seconds_count{{address={},method={},status={}}}"
    assert figures[count.format("upload", "POST", 302)] == 2
    assert figures[count.format("healthz", "GET", 200)] == 2
    assert figures[count.format("other", "GET", 404)] == 1


@pytest.mark.long
def test_the_folder_of_the_counts_is_deleted_with_the_server(transactional_db: None, tmp_path: Path) -> None:
    with web_server(MOSS_METRICS_TOKEN=TOKEN, TMPDIR=os.fspath(tmp_path)) as port:
        read_answer(port, "/healthz")
        (folder,) = tmp_path.glob("moss-metrics-*")
        assert [*folder.glob("histogram_*.db")]
    assert not folder.exists()
