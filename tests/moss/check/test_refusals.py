"""Input and output that `moss check` refuses, and cohorts that are too small to compare."""

import json
import os
import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest
from click.testing import Result

from tests.moss.check.test_check import COLUMNS, check, folder
from tests.support.archives import zipped
from tests.support.processes import completed
from tests.support.sample_class import CLASS, HONEST, STARTER

ALONE = which("unshare") and not subprocess.run(["unshare", "-rm", "true"], check=False).returncode
BINARY = b"\x00\x01\x02binary\xff" * 50


def assert_refused(result: Result, *parts: str) -> None:
    assert result.exit_code in {1, 2}, result.output
    assert isinstance(result.exception, SystemExit)
    assert [part for part in parts if part not in result.stderr] == []


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def test_a_pipe_is_refused_by_name_without_waiting_for_it(tmp_path: Path, pipe: Path) -> None:
    assert_refused(check(pipe), str(pipe), "neither a regular file nor a folder")
    root = folder(tmp_path / "class", CLASS)
    assert_refused(check(root, "-b", pipe), "'-b'", str(pipe), "neither a regular file nor a folder")


def test_a_device_is_refused_by_name() -> None:
    assert_refused(check("/dev/zero"), "/dev/zero", "neither a regular file nor a folder")


def test_boilerplate_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    root = folder(tmp_path, {f"class/{name}": text for name, text in CLASS.items()} | {"bin.dat": BINARY})
    assert_refused(check(root / "class", "-b", root / "bin.dat"), f"{root / 'bin.dat'}: ", "NUL byte")


def test_boilerplate_without_a_file_that_can_be_read_is_named(tmp_path: Path) -> None:
    root = folder(tmp_path / "class", CLASS)
    other = folder(tmp_path / "handed-out", {"a.dat": BINARY, "b.dat": BINARY})
    assert_refused(check(root, "-b", other), f"{other}: none of its files can be read")
    (tmp_path / "empty.zip").write_bytes(zipped({}))
    assert_refused(check(root, "-b", tmp_path / "empty.zip"), "empty.zip: an empty archive: it holds no file")
    (tmp_path / "cut.zip").write_bytes(zipped({"a.py": b"a"})[:40])
    assert_refused(check(root, "-b", tmp_path / "cut.zip"), "cut.zip: damaged or cut off")


@pytest.mark.skipif(not ALONE, reason="the kernel lets nobody mount a folder of his own")
def test_without_shared_memory_it_says_what_is_missing(tmp_path: Path) -> None:
    large = {f"{number}/main.py": f"tide = {number}\n" * 2_500 for number in range(16)}  # read by children
    root = folder(tmp_path / "class", CLASS | large)
    script = 'mount -t tmpfs -o ro tmpfs /dev/shm && exec "$0" -m moss check "$1"'
    command = ["unshare", "-rm", "sh", "-c", script, sys.executable, str(root)]
    done = completed(command, env={"PATH": os.environ["PATH"], "MOSS_CACHE": "off"})
    assert done.returncode == 1
    assert "/dev/shm must be a folder that you can write" in done.stderr


def test_an_output_in_a_missing_folder_is_refused_before_the_ranking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moss.check.rank.rank_path", None)
    missing = tmp_path / "nope"
    assert_refused(check(folder(tmp_path, CLASS), "-o", missing / "x.csv"), "'-o'", f"no folder {str(missing)!r}")


def test_a_full_disk_is_an_error_that_names_the_output(tmp_path: Path) -> None:
    assert_refused(check(folder(tmp_path, CLASS), "-o", "/dev/full"), "cannot write to /dev/full: No space left")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "Found no submission"),
        ({"ada.py": STARTER}, "Found 1 submission that"),
        ({"bin.dat": BINARY}, "Found no submission"),
        ({"ada.py": STARTER, "bin.dat": BINARY}, "Found 1 submission that"),
    ],
)
def test_fewer_than_two_submissions_are_an_error_that_names_the_path(
    tmp_path: Path, files: dict[str, str | bytes], message: str
) -> None:
    result = check(folder(tmp_path, files))
    assert_refused(result, str(tmp_path), message, "at least two are needed")
    assert result.exit_code == 1
    assert not result.stdout


def test_a_single_file_is_too_few(tmp_path: Path) -> None:
    alone = folder(tmp_path, {"ada.py": STARTER}) / "ada.py"
    assert_refused(check(alone), str(alone), "Found 1 submission that")


def test_with_too_few_submissions_machine_readable_reports_are_still_written(tmp_path: Path) -> None:
    results = {export_format: check(tmp_path, "--format", export_format) for export_format in ("csv", "json", "html")}
    assert {result.exit_code for result in results.values()} == {1}
    assert results["csv"].stdout == COLUMNS + "\n"
    assert json.loads(results["json"].stdout)["pairs"] == []
    assert "at least two are needed" in results["html"].stdout


def test_two_submissions_that_share_nothing_are_no_error(tmp_path: Path) -> None:
    result = check(folder(tmp_path, {"ada.py": STARTER, "cleo.txt": HONEST[:40]}))
    assert result.exit_code == 0
    assert "No two submissions share anything." in result.stdout


def test_names_in_the_csv_are_no_formulas(tmp_path: Path) -> None:
    root = folder(tmp_path, {f"{name}/main.py": CLASS["ada/main.py"] for name in ("=1+1", "@ben")})
    assert check(root, "--format", "csv").stdout.splitlines()[1].startswith("'=1+1,'@ben,")
