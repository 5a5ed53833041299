"""MOSS_LOG_LEVEL alone sets the level of the log, in workers too: docs/do/stuck-batch.md relies on it."""

import os
import subprocess
import sys

import pytest

from moss.log_lines import clean

pytestmark = pytest.mark.slow

WORKER = """
import django, logging
from moss.celery import app
django.setup()
app.log.setup(loglevel="ERROR", redirect_stdouts=False)
logging.getLogger("submissions.work.jobs").info("a state change")
logging.getLogger("celery.app.trace").info("a task")
"""


@pytest.mark.long
@pytest.mark.parametrize(("level", "lines"), [("INFO", ["a state change"]), ("WARNING", [])])
def test_a_worker_logs_state_changes_but_not_each_task(level: str, lines: list[str]) -> None:
    env = os.environ | {"MOSS_LOG_LEVEL": level, "DJANGO_SETTINGS_MODULE": "moss.settings"}
    run = subprocess.run([sys.executable, "-c", WORKER], env=env, capture_output=True, text=True, check=True)
    assert [line.rpartition(": ")[2] for line in run.stderr.splitlines()] == lines


def test_no_line_has_the_key_of_a_result_page() -> None:
    assert clean("Not Found: /results/12/0123456789abcdef/match0.html") == "Not Found: /results/-/match0.html"
