"""Lines of requests and of their tasks have the id of the request; with MOSS_LOG_FORMAT=json, each is an object."""

import json
import logging
import os
import re
import subprocess
import sys
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from moss.log_lines import REQUEST, JsonLine, Line, clean
from submissions.models import Assignment, Batch
from submissions.shares import links as shares
from tests.conftest import running_worker, wait_until
from tests.moss.test_logged_data import BROKEN_NOTEBOOK, FILE, SECRET, STUDENT, send, visit
from tests.support.api import api_client, send as send_json
from tests.support.paths import ROOT
from tests.support.sample_class import CLASS, zipped
from tests.support.web_server import ask, web_server

JSON = {"MOSS_LOG_FORMAT": "json"}
METRICS_TOKEN = "marked-token-of-the-metrics"
SUPERVISED = """
import sys
from moss.serving.supervisor import write_line
write_line("web", '{"message": "as it is"}', sys.stdout)
write_line("web", "Fatal Python error", sys.stdout)
"""
WORKER = """
import django, logging
from moss.celery import app
django.setup()
app.log.setup(loglevel="ERROR", redirect_stdouts=False)
logging.getLogger("submissions.work.jobs").info("a state change")
logging.getLogger("celery.app.trace").info("a task")
"""


def record(message: str, *args: object, error: Exception | None = None) -> dict[str, Any]:
    info = (type(error), error, error.__traceback__) if error else None
    line = JsonLine().format(logging.LogRecord("moss", logging.ERROR, "", 0, message, args, info))
    assert "\n" not in line
    return dict(json.loads(line))


def objects(log: Path) -> list[dict[str, Any]]:
    """Return the lines of a log; fail where one is no JSON object."""
    return [dict(json.loads(line)) for line in log.read_text().splitlines()]


def request_of(line: str) -> str:
    """Return the id of the request in a line: a field of an object, in a text between brackets before the message."""
    if line.startswith("{"):
        return str(json.loads(line)["request"])
    return line.partition(" [")[2].partition("]: ")[0]


def test_a_line_has_the_cleaned_message_and_an_error_without_its_message() -> None:
    fields = record("GET /shared/%s/?q=Ada\nDETAIL: Ada", "the-key", error=ValueError(STUDENT))
    assert fields.items() >= {"level": "ERROR", "logger": "moss", "message": "GET /shared/-/"}.items()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", fields["time"])
    assert fields["error"].endswith("builtins.ValueError")
    assert STUDENT not in str(fields)
    assert not {"request", "task", "task_id"} & fields.keys()


@pytest.mark.django_db
@pytest.mark.parametrize("header", ["7f3a9c02-trace.id_1", "0" * 64])
def test_the_id_of_a_proxy_is_taken_over(client: Client, header: str) -> None:
    assert client.get("/healthz", HTTP_X_REQUEST_ID=header).headers["X-Request-ID"] == header


@pytest.mark.django_db
@pytest.mark.parametrize("header", ["", "short", "0" * 65, "Ada Lovelace", "12345678\n", '12345678"', "1234567é"])
def test_an_id_with_anything_else_in_it_is_replaced(client: Client, header: str) -> None:
    names = {client.get("/healthz", HTTP_X_REQUEST_ID=header).headers["X-Request-ID"] for _ in range(2)}
    assert len(names) == 2
    assert all(re.fullmatch("[0-9a-f]{32}", name) for name in names)
    assert REQUEST.get() == ""


@pytest.mark.parametrize("form", [Line, JsonLine])
def test_the_lines_of_refused_requests_have_their_ids(alice: User, form: type[Line]) -> None:
    written = StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(form())
    logging.getLogger("django.request").addHandler(handler)
    try:
        client = api_client(alice)
        answers = [client.get("/nowhere/"), send_json(client, "POST", "/courses", [])]
    finally:
        logging.getLogger("django.request").removeHandler(handler)
    lines = written.getvalue().splitlines()
    assert [request_of(line) for line in lines] == [answer.headers["X-Request-ID"] for answer in answers]
    assert [answer.status_code for answer in answers] == [404, 422]


def test_what_the_interpreter_writes_becomes_an_object_under_the_supervisor() -> None:
    command = [sys.executable, "-c", SUPERVISED]
    run = subprocess.run(command, env=os.environ | JSON, cwd=ROOT, capture_output=True, text=True, check=True)
    kept, wrapped = (json.loads(line) for line in run.stdout.splitlines())
    assert kept == {"message": "as it is"}
    assert (wrapped["logger"], wrapped["message"]) == ("web", "Fatal Python error")


@pytest.mark.long
def test_the_lines_of_a_task_name_the_request_that_caused_it_and_no_line_a_secret(
    transactional_db: None, alice: User, assignment: Assignment, tmp_path: Path
) -> None:
    files = {path.replace("ada", STUDENT).replace("main", FILE): source for path, source in CLASS.items()}
    files[f"{STUDENT}/{FILE}.ipynb"] = BROKEN_NOTEBOOK
    share = shares.create_share(assignment, alice, timezone.now() + timedelta(days=1))
    web, worker = tmp_path / "web.log", tmp_path / "worker.log"
    variables_of_worker = JSON | {"MOSS_TEST_QUEUES": f"test-{uuid4()}:"}
    web_log, variables = os.fspath(web), variables_of_worker | {"MOSS_METRICS_TOKEN": METRICS_TOKEN}
    with (
        running_worker(worker, **variables_of_worker),
        web_server("--access-logfile=-", log=web_log, **variables) as port,
    ):
        upload = zipped(files, f"{STUDENT}.zip")
        assert send(port, alice, assignment, upload, X_Request_ID="the-upload-1") == 302
        ask(port, "/metrics", Authorization=f"Bearer {METRICS_TOKEN}")
        visit(port, share, alice)
        wait_until(lambda: not Batch.objects.filter(state__in=Batch.RUNNING).exists(), 120, what="the batch")
        # A change is logged a moment after it is stored. Read this before the worker ends, which Celery
        # announces in plain text.
        wait_until(lambda: any("-> done" in line["message"] for line in objects(worker)), what="the log")
        lines = [line for line in objects(worker) if line["logger"] == "submissions.work.jobs"]
        [asked] = [line for line in objects(web) if "/upload/ 302 " in line["message"]]
    assert any(line["message"].endswith("-> done") for line in lines), worker.read_text()
    assert {line.get("request") for line in lines} == {"the-upload-1"}
    assert {line["task"] for line in lines} >= {"work.unpack", "work.rank"}
    assert all(line["task_id"] for line in lines)
    assert asked["message"].endswith(" the-upload-1")
    for log in (web.read_text(), worker.read_text()):
        for marked in (STUDENT, FILE, SECRET, METRICS_TOKEN, shares.share_token(share)):
            assert marked not in log


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize(("level", "lines"), [("INFO", ["a state change"]), ("WARNING", [])])
def test_a_worker_logs_state_changes_but_not_each_task(level: str, lines: list[str]) -> None:
    env = os.environ | {"MOSS_LOG_LEVEL": level, "DJANGO_SETTINGS_MODULE": "moss.settings"}
    run = subprocess.run([sys.executable, "-c", WORKER], env=env, capture_output=True, text=True, check=True)
    assert [line.rpartition(": ")[2] for line in run.stderr.splitlines()] == lines


@pytest.mark.slow
def test_no_line_has_the_key_of_a_result_page() -> None:
    assert clean("Not Found: /results/12/0123456789abcdef/match0.html") == "Not Found: /results/-/match0.html"
