"""No name of a student or a file, no password, link or search is in any log, whatever happens."""

import json
import logging
import os
import re
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.urls import reverse
from django.utils import timezone

from moss.log_lines import Line
from submissions.core.database import is_no_room
from submissions.models import Assignment, Batch, Share
from submissions.shares import links as shares
from tests.conftest import wait_until
from tests.support.sample_class import CLASS, loose, zipped
from tests.support.web_server import ask, web_server

STUDENT, FILE, SECRET = "Marked-Student", "marked_file", "a marked password"
TOKEN = "c" * 32
BROKEN_NOTEBOOK = json.dumps({"nbformat": 4, "cells": [{"cell_type": FILE, "source": STUDENT}]})


def formatted(message: str, *args: object, error: Exception | None = None) -> str:
    info = (type(error), error, error.__traceback__) if error else None
    return Line().format(logging.LogRecord("moss", logging.ERROR, "", 0, message, args, info))


@pytest.mark.parametrize(
    ("message", "logged"),
    [
        ("Not Found: /shared/abc:def_-1/pairs/1/2/", "Not Found: /shared/-/pairs/1/2/"),
        ("Error handling request GET /assignments/1/?q=Ada", "Error handling request GET /assignments/1/"),
        ("duplicate key\nDETAIL:  Key (name)=(Ada) already exists.", "duplicate key"),
        ("two\nlines and \x1b[31mcolour", "two\\nlines and \\x1b[31mcolour"),
    ],
)
def test_a_line_has_no_link_no_search_no_value_of_a_row_and_no_control_character(message: str, logged: str) -> None:
    line = formatted("%s", message)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z ERROR moss: (.*)", line)
    assert line.endswith(f": {logged}")


def broken() -> None:
    try:
        int(STUDENT)
    except ValueError as cause:
        raise KeyError(FILE) from cause


def test_an_error_is_logged_as_its_type_and_place_without_its_message() -> None:
    with pytest.raises(KeyError) as caught:
        broken()
    line = formatted("it broke", error=caught.value)
    assert "builtins.ValueError\nwhich caused:\n" in line
    assert "in broken" in line
    assert line.endswith("builtins.KeyError")


def test_an_error_that_is_its_own_cause_is_logged_once() -> None:
    error = ValueError(SECRET)
    error.__cause__ = KeyError(SECRET)
    error.__cause__.__cause__ = error
    assert formatted("failed", error=error).count("ValueError") == 1
    assert not is_no_room(error)


def test_a_failed_task_is_logged_without_the_message_of_its_error() -> None:
    args = {"name": "rank", "exc": f"ValueError({STUDENT!r})"}
    line = formatted("Task %(name)s raised unexpected: %(exc)s", args, error=ValueError(STUDENT))
    assert "Task rank raised unexpected: ValueError" in line
    assert STUDENT not in line


def send(port: int, user: User, assignment: Assignment, *files: SimpleUploadedFile, **headers: str) -> int:
    """Upload files to a real server; return the status."""
    client = Client()
    client.force_login(user)
    body = encode_multipart(BOUNDARY, {"csrfmiddlewaretoken": TOKEN, "files": files})
    cookies = f"csrftoken={TOKEN}; sessionid={client.session.session_key}"
    path = f"{reverse('upload', args=[assignment.pk])}?q={STUDENT}"
    return ask(port, path, "POST", body, Cookie=cookies, Content_Type=MULTIPART_CONTENT, **headers).status


def visit(port: int, share: Share, user: User) -> None:
    """Use and misuse links, searches and the sign-in page."""
    link = reverse("shared", args=[shares.share_token(share)])
    for path in (
        link,
        f"{link}?q={STUDENT}",
        f"{link}pairs/1/2/",
        f"/shared/{SECRET.replace(' ', '')}/",
        "/nowhere/",
    ):
        ask(port, path)
    form = f"csrfmiddlewaretoken={TOKEN}&username={user.get_username()}&password={SECRET}"
    for body in (form, form.replace(TOKEN, "x")):
        header = {"Cookie": f"csrftoken={TOKEN}", "Content_Type": "application/x-www-form-urlencoded"}
        ask(port, reverse("login"), "POST", body, **header)


def violate_a_constraint() -> None:
    """Make Postgres refuse a row with the name of a student."""
    insert = f"INSERT INTO marked VALUES ('{STUDENT}')"
    with psycopg.connect(settings.DATABASE_URL) as connection:
        connection.execute("CREATE TEMPORARY TABLE marked (name text UNIQUE)")
        connection.execute(insert)
        with pytest.raises(psycopg.errors.UniqueViolation):
            connection.execute(insert)


@pytest.mark.long
def test_an_upload_leaves_no_name_file_or_secret_in_any_log(
    celery_worker_process: Path, alice: User, assignment: Assignment, tmp_path: Path
) -> None:
    """Run good and broken files through a real web server and a real worker, and read all their logs."""
    files = {path.replace("ada", STUDENT).replace("main", FILE): source for path, source in CLASS.items()}
    files[f"{STUDENT}/{FILE}.ipynb"] = BROKEN_NOTEBOOK
    cut = loose(f"{FILE}.zip", zipped(files).read()[:-30])
    share = shares.create_share(assignment, alice, timezone.now() + timedelta(days=1))
    web_log = tmp_path / "web.log"
    with web_server("--access-logfile=-", log=os.fspath(web_log)) as port:
        assert send(port, alice, assignment, zipped(files, f"{STUDENT}.zip")) == 302
        assert send(port, alice, assignment, cut) == 302
        wait_until(lambda: not Batch.objects.filter(state__in=Batch.RUNNING).exists(), 120, what="batches")
        visit(port, share, alice)
    assert set(Batch.objects.values_list("state", flat=True)) == {"done", "failed"}
    violate_a_constraint()
    home_logs = (Path(os.environ["MOSS_TEST_HOME"]) / "log").glob("*.log")
    paths = (web_log, celery_worker_process, *home_logs)
    logs = {path.name: path.read_text(errors="replace") for path in paths}
    assert {"web.log", "worker.log", "postgres.log", "valkey.log"} <= logs.keys()
    assert re.search(r"GET /shared/-/pairs/1/2/ \d\d\d ", logs["web.log"]), logs["web.log"]
    assert re.search(r"POST /accounts/login/ \d\d\d ", logs["web.log"])
    assert "-> failed (nothing of the upload can be read)" in logs["worker.log"]
    assert "duplicate key value violates unique constraint" in logs["postgres.log"]
    for name, log in logs.items():
        for marked in (STUDENT, FILE, SECRET, SECRET.replace(" ", ""), shares.share_token(share)):
            assert marked not in log, (name, marked)
