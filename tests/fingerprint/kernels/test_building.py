import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fingerprint
from fingerprint.kernels import library as building
from fingerprint.kernels.registry import Kernel
from tests.fingerprint.kernels import samples
from tests.fingerprint.kernels.conftest import Built

pytestmark = pytest.mark.slow

# A kernel with an error, which names its file.
RAISES = "fingerprint.ranking.scoring._fill_coverage"
CODE = """
from fingerprint.kernels import library as building, library as files
def build(path, level, start_progress):
    __import__("time").sleep(1)
    path.touch()
    print("compiled")
building.build = build
print(files.ensure_compiled().parent == files.COMPILED)
"""


def test_when_processes_start_together_one_compiles_and_the_others_wait(tmp_path: Path) -> None:
    package = tmp_path / "fingerprint"
    shutil.copytree(Path(fingerprint.__file__).parent, package, ignore=shutil.ignore_patterns("compiled"))
    level = building.processor_level()
    older, other = (package / "kernels/compiled" / f"{name}.kernels" for name in (f"0-{level}", "0-other"))
    older.parent.mkdir()
    older.touch()
    other.touch()
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
    assert sorted("".join(outputs).split()) == ["True", "True", "True", "compiled"]
    assert not older.exists()
    assert other.exists()


@pytest.mark.long
def test_the_progress_counts_each_function_once(built: Built) -> None:
    assert built.announced == built.advances == len(samples.KERNELS) + 2  # and the functions that two of them call


def test_kernels_that_call_the_same_functions_are_compiled_together() -> None:
    groups = building.group_kernels(building.exported_kernels())
    functions = [name for _, names in groups for name in names]
    assert len(functions) == len(set(functions))
    (ranking,) = (names for names, _ in groups if "fingerprint.ranking.tiling.tile_pair" in names)
    assert "fingerprint.ranking.scoring._fill_coverage" in ranking


def test_a_kernel_that_cannot_be_compiled_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    broken = Kernel(test_the_progress_counts_each_function_once, is_exported=True)
    monkeypatch.setattr(building, "exported_kernels", lambda: [broken])
    with pytest.raises(RuntimeError, match="could not be compiled"):
        building.build(tmp_path / "library", building.processor_level())
    assert "Error" in capfd.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.long
def test_the_machine_code_does_not_depend_on_the_folder_of_the_sources(tmp_path: Path) -> None:
    variables = {
        "PYTHONHASHSEED": "0",
        "NUMBA_DISABLE_JIT": "0",
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",
        "NUMBA_OPT": "0",
    }
    codes = []
    for name in ("one", "another folder"):
        package, built = tmp_path / name / "fingerprint", tmp_path / name / "built"
        shutil.copytree(building.PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__", "compiled"))
        built.mkdir()
        subprocess.run(
            [sys.executable, "-m", "fingerprint.kernels.compiler", str(built), RAISES],
            cwd=package.parent,
            env={**os.environ, **variables},
            check=True,
            stdout=subprocess.DEVNULL,
        )
        codes.append((built / f"{RAISES}.o").read_bytes())
    assert b"fingerprint/ranking/scoring.py" in codes[0]
    assert codes[0] == codes[1]
