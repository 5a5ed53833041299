"""`moss check` of what its user may not read or write, and of what is no file."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from fingerprint.engine import import_encodings
from tests.moss.check.test_check import check, folder
from tests.moss.check.test_refusals import assert_refused
from tests.support.sample_class import CLASS

NOBODY = 65_534
LINK = "a symbolic link"
DENIED = "cannot be read: Permission denied"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have a class in the current folder, and no rights of the superuser, whom no permission stops."""
    # These load every module, which another user may not be able to.
    import_encodings()
    check(folder(tmp_path / "class", CLASS))
    check(tmp_path / "class", "--preview")
    for name, mode in (("closed", 0), ("sealed", 0o555)):
        (tmp_path / name).mkdir(mode)
    tmp_path.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    superuser = os.geteuid() == 0
    if superuser:
        os.setresuid(NOBODY, NOBODY, 0)
    yield
    if superuser:
        os.setresuid(0, 0, 0)
    for path in tmp_path.glob("**/closed*"):
        path.chmod(0o755)


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    """A class with folders and a file that nobody may read, a pipe, and links that lead nowhere."""
    root = folder(
        tmp_path / "class", {"ada/closed/part.py": "x", "ada/closed.py": "x", "closed/main.py": "x"}
    )
    for name in ("ada/closed", "ada/closed.py", "closed"):
        (root / name).chmod(0)
    os.mkfifo(root / "ada" / "pipe.py")
    for name, target in (("dangling", "nowhere"), ("loop", "again"), ("again", "loop"), ("up", "..")):
        (root / "ada" / name).symlink_to(target)
    return root


@pytest.fixture
def shared_memory() -> None:
    """Skip where a user without rights cannot start child processes; `moss check` says so there."""
    if not Path("/dev/shm").stat().st_mode & stat.S_IWOTH:
        pytest.skip("not every user may write to /dev/shm")


@pytest.mark.usefixtures("shared_memory", "closed", "here")
def test_what_cannot_be_read_is_skipped_with_its_reason_and_the_rest_is_compared() -> None:
    result = check("class", "--format", "json")
    assert {one["name"]: one["reason"] for one in json.loads(result.stdout)["skipped"]} == {
        "ada/again": LINK,
        "ada/closed.py": DENIED,
        "ada/closed/": DENIED,
        "ada/dangling": LINK,
        "ada/loop": LINK,
        "ada/pipe.py": "not a file but a device, pipe or socket",
        "ada/up": LINK,
        "closed/": DENIED,
    }
    assert json.loads(result.stdout)["pairs"] != []
    assert "skipped 4 files, such as ada/again: a symbolic link" in result.stderr


@pytest.mark.usefixtures("closed", "here")
def test_a_preview_shows_reasons_and_examples_whole_and_names_whose_work_is_missing() -> None:
    text = check("class", "--preview").stdout
    assert " ".join(text.split()).count("ada/again, ada/dangling, ada/loop, ...") == 1
    assert "not a file but a device, pipe or socket  " in text
    assert "ignored, left out or unreadable: closed." in text
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("path", "reason"),
    [("sealed", "'sealed' is not writable"), ("closed/inner", "there is no folder 'closed/inner'")],
)
def test_an_output_that_cannot_be_written_is_refused(path: str, reason: str) -> None:
    assert_refused(check("class", "-o", f"{path}/pairs.csv"), "'-o'", reason)


@pytest.mark.usefixtures("here")
def test_a_cache_folder_that_cannot_be_made_is_named_with_the_variable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MOSS_CACHE", "sealed/cache")
    assert_refused(check("class"), "sealed/cache cannot be used", "set MOSS_CACHE=off")
