from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from moss.check import cache
from moss.check.cache import Cache, folder, key_of


def test_what_was_kept_is_found_by_the_next_process(tmp_path: Path) -> None:
    with closing(Cache(tmp_path)) as first:
        first.keep({b"a": b"one", b"b": b"two"})
    with closing(Cache(tmp_path)) as second:
        assert second.find([b"a", b"b", b"c", b"a"]) == {b"a": b"one", b"b": b"two"}


def test_thousands_are_found_at_once(tmp_path: Path) -> None:
    readings = {str(n).encode(): bytes(3) for n in range(3 * cache.BOUND + 1)}
    with closing(Cache(tmp_path)) as kept:
        kept.keep(readings)
        assert kept.find(readings) == readings


def test_the_longest_unused_goes_first_when_room_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "ROOM", 250)
    for name in (b"a", b"b"):
        with closing(Cache(tmp_path)) as kept:
            kept.keep({name: bytes(100)})
    with closing(Cache(tmp_path)) as kept:
        kept.find([b"a"])
        kept.keep({b"c": bytes(100)})
        assert kept.find([b"a", b"b", b"c"]).keys() == {b"a", b"c"}


def test_a_key_depends_on_the_bytes_the_name_and_the_forced_language() -> None:
    keys = {
        key_of(b"x", "a.py", ""),
        key_of(b"y", "a.py", ""),
        key_of(b"x", "b.py", ""),
        key_of(b"x", "a.py", "c"),
    }
    assert len(keys) == 4
    assert key_of(b"x", "one/a.py", "") == key_of(b"x", "two/a.py", "")


def test_the_folder_is_what_the_variable_names_or_the_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSS_CACHE", "/somewhere")
    assert folder() == Path("/somewhere")
    monkeypatch.setenv("MOSS_CACHE", "off")
    assert folder() is None
    monkeypatch.delenv("MOSS_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert folder() == Path("/caches/moss-server")


def test_a_damaged_file_is_an_error_that_names_itself(tmp_path: Path) -> None:
    (tmp_path / "readings.sqlite3").write_bytes(b"not a database" * 100)
    with pytest.raises(sqlite3.DatabaseError):
        Cache(tmp_path)
