from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import fingerprint

CODE = """
from fingerprint import kernel_cache
kernel_cache.compile_kernels = lambda: (__import__("time").sleep(1), print("compiled"))
kernel_cache.ensure_compiled()
"""


def test_when_processes_start_together_one_compiles_and_the_others_wait(tmp_path: Path) -> None:
    package = tmp_path / "fingerprint"
    shutil.copytree(
        Path(fingerprint.__file__).parent, package, ignore=shutil.ignore_patterns("kernels-*", "*.lock")
    )
    stale = package / "__pycache__" / "kernel.of-older-sources.nbi"
    stale.parent.mkdir(exist_ok=True)
    stale.touch()
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", CODE],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(tmp_path)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    outputs = [process.communicate(timeout=120)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert "".join(outputs) == "compiled\n"
    assert not stale.exists()
    again = subprocess.run(
        [sys.executable, "-c", CODE], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert again.stdout == ""
