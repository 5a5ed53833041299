"""A child can open nothing, knows no secret, and ends with its parent."""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from fingerprint.engine import Unreadable
from submissions.intake.sandbox.child import TCP_VERSION, give_up_files
from submissions.intake.sandbox.documents import DocumentReader
from submissions.intake.sandbox.process import Child, NotStarted
from tests.conftest import wait_until
from tests.support import harmful_jobs
from tests.support.paths import ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"),
]

MEMORY = 1_000_000_000
# Starts a reader, says which process its child is, and then reads a file that takes for ever, or waits.
PARENT = """
import sys
from submissions.intake.sandbox.documents import DocumentReader
reader = DocumentReader(1_000_000_000, "tests.support.harmful_jobs")
reader.start().wait_until_ready()
print(reader.start().pid, flush=True)
sys.stdin.read(1)
reader.read(b"harm: sleep", "python", 60)
"""


@pytest.fixture(scope="module")
def reader() -> Iterator[DocumentReader]:
    reader = DocumentReader(MEMORY, harmful_jobs.__name__)
    reader.start().wait_until_ready()
    yield reader
    reader.close()


def test_a_child_can_neither_open_nor_change_nor_signal_anything(reader: DocumentReader) -> None:
    with pytest.raises(Unreadable) as refused:
        reader.read(b"harm: attack", "python", 5)
    errors = dict(attempt.split("=") for attempt in str(refused.value).split())
    for attempt in ("read", "write", "list", "socket", "pipe", "copy"):
        assert errors[attempt] in {"OSError", "PermissionError"}, attempt
    if _landlock() >= TCP_VERSION:
        assert {errors[attempt] for attempt in ("delete", "rename", "make")} == {"PermissionError"}
    if not _scopes_signals():
        pytest.skip("this kernel's Landlock does not confine signals")
    assert errors["signal"] == "PermissionError"


def _landlock() -> int:
    """Return the version of Landlock here, found out by a process of its own."""
    return _run("import ctypes; ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)")


def _scopes_signals() -> bool:
    return _landlock() >= 6


def _run(first: str) -> int:
    module, name = give_up_files.__module__, give_up_files.__name__
    program = f"{first}; from {module} import {name}; raise SystemExit({name}())"
    return subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode


@pytest.mark.long
def test_a_child_gets_no_environment(reader: DocumentReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://moss:password@localhost/moss")
    child = Child(harmful_jobs.__name__, MEMORY)
    child.wait_until_ready()  # a process has no environment yet while it becomes another program
    environment = Path(f"/proc/{child.pid}/environ").read_bytes()
    child.end()
    names = {variable.split(b"=")[0] for variable in environment.split(b"\0") if variable}
    assert names == {b"PYTHONPATH", b"OPENBLAS_NUM_THREADS", b"LC_ALL"}


def test_a_child_has_only_pipes_within_limits_and_imports_no_django_or_numba(reader: DocumentReader) -> None:
    process = Path(f"/proc/{reader.start().pid}")
    opened = {str(descriptor.readlink()).split(":")[0] for descriptor in (process / "fd").iterdir()}
    assert opened == {"pipe", os.devnull}
    assert resource.prlimit(reader.start().pid, resource.RLIMIT_AS) == (MEMORY, MEMORY)
    for name in ("NOFILE", "FSIZE", "CORE", "NPROC"):
        assert resource.prlimit(reader.start().pid, getattr(resource, f"RLIMIT_{name}")) == (0, 0), name
    assert "NoNewPrivs:\t1" in (process / "status").read_text()
    mapped = (process / "maps").read_text()
    assert "numpy" in mapped
    assert "rwxp" not in mapped
    assert "numba" not in mapped
    assert "llvmlite" not in mapped
    assert "psycopg" not in mapped


@pytest.mark.parametrize("working", [False, True])
def test_a_child_ends_with_a_parent_that_is_killed(working: bool) -> None:  # noqa: FBT001 - a parameter of the test
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert parent.stdin is not None
    assert parent.stdout is not None
    with parent:
        child = psutil.Process(int(parent.stdout.readline()))
        if working:
            parent.stdin.write("x")
            parent.stdin.flush()
            wait_until(lambda: child.status() == psutil.STATUS_SLEEPING)
        parent.send_signal(signal.SIGKILL)
        child.wait(60)


def test_a_child_that_cannot_start_is_no_fault_of_a_file() -> None:
    reader = DocumentReader(MEMORY, "tests.support.no_such_jobs")
    with pytest.raises(NotStarted):
        reader.read(b"x = 1\n", "python", 5)
