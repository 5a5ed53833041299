"""Adding to a corpus and clustering it on workers: the same results; lost workers and messages."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.utils import timezone
from hypothesis import given, strategies as st

from fingerprint import Sketches
from moss.celery import app
from submissions.archive import jobs as adding
from submissions.archive.corpora import CorpusError
from submissions.archive.models import Corpus, CorpusDocument, CorpusShard, CorpusSweep, CorpusText
from submissions.archive.signatures import (
    RECIPE,
    RawDocument,
    pack_documents,
    pack_sketches,
    store_documents,
    unpack_documents,
    unpack_sketches,
)
from submissions.models import Job
from submissions.work import heartbeats, jobs
from submissions.work.heartbeats import package_version
from tests.conftest import wait_until
from tests.moss.check.test_check import folder
from tests.submissions.archive.test_corpus import (
    edited,
    error_output,
    moss,
    prose,
    run_json,
    start_adding,
    stored,
)
from tests.support.jobs import carry_out, let_time_pass

NAMES = st.text(st.characters(exclude_characters="\0"), max_size=20)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Return a folder with near-copies, duplicates, a document that is no text and one without tokens."""
    texts: dict[str, str | bytes] = {f"{n:02}.txt": edited(prose(n // 3), n % 3 * 9) for n in range(40)}
    texts |= {"05 again.txt": texts["05.txt"], "binary.txt": b"\0\1\2\xff" * 400, "größe.txt": b"."}
    return folder(tmp_path / "archive", texts)


@pytest.fixture
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding, "PART_DOCUMENTS", 4)
    monkeypatch.setattr(adding, "RANGE_VALUES", 500)


@pytest.fixture
def ready(celery_worker_process: Path) -> Path:
    """Return the log of a worker that has given a sign of life."""
    wait_until(adding.has_workers, what="a sign of life")
    return celery_worker_process


@pytest.fixture
def sweep(db: None) -> CorpusSweep:
    corpus = Corpus.objects.create(name="default", recipe=RECIPE.key)
    return CorpusSweep.objects.create(corpus=corpus, number=1, source="/x")


@pytest.fixture
def sign_of_life(db: None) -> Iterator[None]:
    """Have a worker of this version that takes no message."""
    heartbeats.save_worker(_worker(package_version()))
    yield
    heartbeats.delete_worker("asleep@host")


def _worker(version: str) -> heartbeats.Worker:
    return heartbeats.Worker("asleep@host", 1, ["heavy"], 1, version, "asleep", timezone.now().isoformat())


@pytest.mark.usefixtures("ready", "_small_parts")
def test_workers_add_and_cluster_to_the_last_number_as_one_process_does(archive: Path) -> None:
    shared = run_json("add", archive, "--name", "shared", "--workers")
    alone = run_json("add", archive, "--name", "alone", "--here")
    assert shared | {"corpus": "alone"} == alone
    assert (alone["new"], len(alone["identical"]), len(alone["skipped"])) == (41, 1, 1)
    assert stored("shared") == stored("alone")
    clusters = run_json("cluster", "--name", "shared", "--workers")
    assert clusters | {"corpus": "alone"} == run_json("cluster", "--name", "alone", "--here")
    assert [len(cluster) for cluster in clusters["clusters"]][:2] == [4, 3]
    assert not CorpusShard.objects.exists()


@pytest.mark.long
@pytest.mark.usefixtures("ready")
def test_a_sweep_on_workers_that_was_stopped_is_resumed(archive: Path, tmp_path: Path) -> None:
    for n in range(1_500):
        (archive / f"more {n}.txt").write_text(prose(n, 60))
    stopped = start_adding(archive, "stopped", "--workers")
    wait_until(CorpusDocument.objects.exists, what="the first documents")
    stopped.send_signal(signal.SIGINT)
    _, errors = stopped.communicate(timeout=60)
    assert stopped.returncode == 130, errors
    assert "run the same command to continue" in errors
    assert not CorpusShard.objects.exists()
    assert 0 < CorpusDocument.objects.count() < 1_500
    assert run_json("add", archive, "--name", "stopped", "--workers")["resumed"]
    run_json("add", archive, "--name", "whole", "--here")
    assert stored("stopped") == stored("whole")


def test_documents_and_texts_that_are_written_twice_are_there_once(sweep: CorpusSweep) -> None:
    documents = [RawDocument("a.txt", prose(1).encode()), RawDocument("b.txt", prose(1).encode())]
    for _ in range(2):
        store_documents(sweep, documents)
    assert sorted(CorpusDocument.objects.values_list("name", flat=True)) == ["a.txt", "b.txt"]
    assert CorpusText.objects.count() == 1


def test_what_was_read_is_written_now_and_then(sweep: CorpusSweep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("submissions.archive.signatures.WRITE_SECONDS", -1.0)
    documents = [RawDocument("a.txt", prose(1).encode()), RawDocument("bad.txt", b"\0\1\2\xff" * 400)]

    def stop(name: str, data: bytes) -> None:
        del name, data
        raise KeyboardInterrupt

    store_documents(sweep, documents)
    monkeypatch.setattr("submissions.archive.signatures.decode_document", stop)
    with pytest.raises(KeyboardInterrupt):
        store_documents(sweep, [RawDocument("c.txt", b"")])
    assert sorted(CorpusDocument.objects.values_list("name", flat=True)) == ["a.txt", "bad.txt"]


@pytest.mark.usefixtures("sign_of_life", "empty_queues")
def test_a_lost_message_is_sent_again(sweep: CorpusSweep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding, "CHECK_SECONDS", 0.0)
    queued = jobs.enqueue

    def lose(kind: str, subject: int, **fields: Any) -> None:
        queued(kind, subject, **fields)
        app.conf.task_always_eager = True  # The next message is taken at once.
        let_time_pass()

    monkeypatch.setattr(jobs, "enqueue", lose)
    payload = pack_documents([RawDocument("a.txt", prose(1).encode())])
    try:
        assert list(adding.compute_on_workers(sweep.corpus, [payload], sweep)) == [b""]
    finally:
        app.conf.task_always_eager = False
    assert CorpusDocument.objects.get().name == "a.txt"


@pytest.mark.usefixtures("sign_of_life", "empty_queues")
def test_a_part_that_fails_is_told(sweep: CorpusSweep, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding, "CHECK_SECONDS", 0.0)
    queued = jobs.enqueue

    def fail(kind: str, subject: int, **fields: Any) -> None:
        queued(kind, subject, **fields)
        with pytest.raises(ValueError, match="Expecting value"):
            carry_out(kind, subject)

    monkeypatch.setattr(jobs, "enqueue", fail)
    with pytest.raises(CorpusError, match="failed; the logs of the workers say why"):
        list(adding.compute_on_workers(sweep.corpus, [b"\5" + bytes(7) + b"nojson"], sweep))
    assert not CorpusShard.objects.exists()
    assert not Job.objects.exists()


def test_a_worker_of_another_version_is_refused_by_name(archive: Path, db: None) -> None:
    heartbeats.save_worker(_worker("0.0.1"))
    try:
        message = error_output("add", archive, "--workers")
    finally:
        heartbeats.delete_worker("asleep@host")
    assert f"this is version {package_version()}, but there are asleep@host (0.0.1)" in message


def test_without_a_worker_it_is_said_what_to_start(archive: Path, db: None) -> None:
    assert "no worker answers; start one" in error_output("add", archive, "--workers")


def test_with_a_broker_and_no_worker_this_process_does_it(
    archive: Path, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "REDIS_URL", "redis://127.0.0.1:1/0")
    result = moss("add", archive, "--json")
    assert result.exit_code == 0, result.output
    assert "No worker answers: this process does the work alone." in result.stderr
    assert CorpusDocument.objects.count() == 43


@given(st.lists(st.tuples(NAMES, st.binary(max_size=30)).map(lambda pair: RawDocument(*pair))))
def test_packed_documents_are_unpacked_as_they_were(documents: list[RawDocument]) -> None:
    assert unpack_documents(pack_documents(documents)) == documents


@given(st.lists(st.sets(st.integers(0, 2**64 - 1), max_size=5)))
def test_packed_sketches_are_unpacked_as_they_were(values: list[set[int]]) -> None:
    sketches = Sketches.from_sketches(np.array(sorted(sketch), dtype=np.uint64) for sketch in values)
    unpacked, duplicates = unpack_sketches(pack_sketches(sketches, np.arange(len(values))))
    assert [unpacked[n].tolist() for n in range(len(unpacked))] == [sorted(sketch) for sketch in values]
    assert duplicates.tolist() == list(range(len(values)))
