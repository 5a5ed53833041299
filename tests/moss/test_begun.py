"""Ids of uploads that `moss submit` began, kept for the next command."""

import os
from pathlib import Path

import pytest

from moss.commands.submit import KEPT_SECONDS, BegunUpload, pack


def begun(archive: Path, *about: str) -> BegunUpload:
    return BegunUpload.of(archive, *(about or ("https://moss.example.org", "/assignments/7", "class")))


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MOSS_CACHE", str(tmp_path / "cache"))
    (tmp_path / "a.zip").write_bytes(b"archive")
    return tmp_path / "a.zip"


def test_an_id_is_found_for_the_same_archive_and_place_only(archive: Path, tmp_path: Path) -> None:
    assert begun(archive).read() is None
    begun(archive).write(12)
    assert begun(archive).read() == 12
    assert begun(archive, "https://moss.example.org", "/assignments/8", "class").read() is None
    other = tmp_path / "b.zip"
    other.write_bytes(b"another")
    assert begun(other).read() is None
    begun(archive).forget()
    assert begun(archive).read() is None


def test_old_ids_are_deleted_when_one_is_kept(archive: Path, tmp_path: Path) -> None:
    begun(archive).write(12)
    (file,) = (tmp_path / "cache" / "uploads").iterdir()
    os.utime(file, (0, file.stat().st_mtime - KEPT_SECONDS - 1))
    begun(archive, "https://another.example.org").write(13)
    assert begun(archive).read() is None
    assert begun(archive, "https://another.example.org").read() == 13


def test_a_cache_that_is_off_or_cannot_be_written_keeps_nothing(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for cache in ("off", str(archive / "no folder")):
        monkeypatch.setenv("MOSS_CACHE", cache)
        begun(archive).write(12)
        assert begun(archive).read() is None
        begun(archive).forget()


def test_a_folder_is_packed_to_the_same_bytes_again(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    for name in ("b/main.py", "a/main.py", "a/other.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"print({name!r})")
    archives = [tmp_path / "first.zip", tmp_path / "second.zip"]
    assert [pack(folder, archive) for archive in archives] == [3, 3]
    assert archives[0].read_bytes() == archives[1].read_bytes()
