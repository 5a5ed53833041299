"""Adding to a corpus: stopped with Ctrl-C and resumed, and only one process at a time."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.db import connection
from psycopg import connect

from submissions.archive.models import Corpus, CorpusDocument, CorpusSweep
from submissions.archive.signatures import RECIPE
from submissions.work.locks import Work
from tests.conftest import wait_until
from tests.moss.check.test_check import folder
from tests.submissions.archive.test_corpus import edited, error_output, prose, run_json

pytestmark = pytest.mark.services

DOCUMENTS = 2000
LOCK = "LOCK TABLE corpus_corpusdocument IN SHARE MODE"
WAITING_LOCKS = """
SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = database
WHERE NOT granted AND datname = current_database() AND relation = 'corpus_corpusdocument'::regclass
"""


def database_url() -> str:
    return urlsplit(settings.DATABASE_URL)._replace(path=f"/{connection.settings_dict['NAME']}").geturl()


def start_adding(root: Path, name: str, *options: str) -> subprocess.Popen[str]:
    # Tests that run in the background ignore SIGINT, and children would inherit that.
    command = ["env", "--default-signal=INT", sys.executable, "-m", "moss", "corpus", "add", str(root)]
    return subprocess.Popen(
        [*command, "--name", name, "--json", *options],
        env={**os.environ, "DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "tests.settings"},
        cwd=settings.BASE_DIR,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def stored(name: str) -> list[Any]:
    """Return the rows of a corpus without their primary keys."""
    fields = ("name", "sha256", "reason", "text__digest", "text__sketch", "text__features", "text__simhash")
    documents = CorpusDocument.objects.filter(sweep__corpus__name=name)
    return [
        tuple(bytes(value) if isinstance(value, memoryview) else value for value in row)
        for row in documents.order_by("name").values_list("sweep__number", *fields)
    ]


def waiting_locks() -> int:
    with connection.cursor() as cursor:
        cursor.execute(WAITING_LOCKS)
        return int(cursor.fetchone()[0])


@pytest.mark.long
@pytest.mark.usefixtures("transactional_db")
def test_a_sweep_that_was_stopped_and_resumed_ends_as_an_uninterrupted_one(tmp_path: Path) -> None:
    documents: dict[str, str | bytes] = {f"{n:04}.txt": prose(n, 300) for n in range(DOCUMENTS)}
    documents |= {"0001 again.txt": prose(1, 300), "1999 binary.txt": b"\0\1\2\xff" * 400}
    root = folder(tmp_path / "many", documents)
    with connect(database_url()) as first, connect(database_url()) as second, ThreadPoolExecutor(1) as thread:
        # Locks are granted in turn: the sweep writes documents once, between the two, however slow this is.
        first.execute(LOCK)
        stopped = start_adding(root, "stopped")
        wait_until(lambda: waiting_locks() == 1, what="the sweep")
        locked = thread.submit(second.execute, LOCK)
        wait_until(lambda: waiting_locks() == 2, what="the second lock")
        first.commit()
        locked.result(60)
        stopped.send_signal(signal.SIGINT)
    output, errors = stopped.communicate(timeout=60)
    assert (stopped.returncode, output) == (130, ""), errors
    assert "run the same command to continue" in errors
    assert CorpusSweep.objects.get().finished is None
    before = dict(CorpusDocument.objects.values_list("name", "pk"))
    assert 0 < len(before) < DOCUMENTS

    resumed = run_json("add", root, "--name", "stopped")
    assert resumed["resumed"]
    assert before.items() <= dict(CorpusDocument.objects.values_list("name", "pk")).items()
    whole = run_json("add", root, "--name", "whole")
    assert resumed | {"corpus": "whole", "resumed": False} == whole
    assert (whole["new"], len(whole["identical"]), len(whole["skipped"])) == (DOCUMENTS, 1, 1)
    assert stored("stopped") == stored("whole")


def test_documents_that_changed_while_a_sweep_was_stopped_are_read_again(db: None, tmp_path: Path) -> None:
    root = folder(tmp_path / "archive", {f"{n}.txt": prose(n) for n in range(4)})
    run_json("add", root)
    CorpusSweep.objects.update(finished=None)
    (root / "0.txt").write_text(edited(prose(0), 5))
    (root / "1.txt").unlink()
    run_json("add", root)
    run_json("add", root, "--name", "fresh")
    assert stored("default") == stored("fresh")


def test_only_one_process_adds_to_a_corpus(db: None, tmp_path: Path) -> None:
    root = folder(tmp_path / "archive", {"a.txt": prose(1)})
    corpus = Corpus.objects.create(name="default", recipe=RECIPE.key)
    with connect(database_url(), autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s::int, %s::int)", [Work.CORPUS, corpus.pk])
        assert "another process is adding to corpus 'default'" in error_output("add", root)
    assert run_json("add", root)["new"] == 1


def test_with_json_nothing_but_json_is_written(db: None, tmp_path: Path) -> None:
    root = folder(tmp_path / "archive", {"a.txt": prose(1), "\u202eevil.txt": prose(2)})
    run_json("add", root)
    assert json.loads(json.dumps(run_json("cluster"))) == {
        "corpus": "default",
        "threshold": 0.5,
        "clusters": [],
    }
