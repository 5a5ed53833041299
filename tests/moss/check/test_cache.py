import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from moss.check import readings as cache
from moss.check.readings import ReadingCache, reading_key
from moss.compiling import cache_folder


def test_added_readings_are_found_when_the_cache_is_opened_again(tmp_path: Path) -> None:
    with closing(ReadingCache(tmp_path)) as first:
        first.add({b"a": b"one", b"b": b"two"})
    with closing(ReadingCache(tmp_path)) as second:
        assert second.find([b"a", b"b", b"c", b"a"]) == {b"a": b"one", b"b": b"two"}


def test_thousands_of_readings_are_found_in_one_call(tmp_path: Path) -> None:
    readings = {str(n).encode(): bytes(3) for n in range(3 * cache.MAX_VARIABLES + 1)}
    with closing(ReadingCache(tmp_path)) as reading_cache:
        reading_cache.add(readings)
        assert reading_cache.find(readings) == readings


def test_the_least_recently_used_is_deleted_first_beyond_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MAX_BYTES", 250)
    for name in (b"a", b"b"):
        with closing(ReadingCache(tmp_path)) as reading_cache:
            reading_cache.add({name: bytes(100)})
    with closing(ReadingCache(tmp_path)) as reading_cache:
        reading_cache.find([b"a"])
        reading_cache.add({b"c": bytes(100)})
        assert reading_cache.find([b"a", b"b", b"c"]).keys() == {b"a", b"c"}


def test_a_key_depends_on_the_bytes_the_name_and_the_forced_language() -> None:
    keys = {
        reading_key(b"x", "a.py", ""),
        reading_key(b"y", "a.py", ""),
        reading_key(b"x", "b.py", ""),
        reading_key(b"x", "a.py", "c"),
    }
    assert len(keys) == 4
    assert reading_key(b"x", "one/a.py", "") == reading_key(b"x", "two/a.py", "")


def test_the_folder_is_that_of_the_variable_or_the_users_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSS_CACHE", "/somewhere")
    assert cache_folder() == Path("/somewhere")
    monkeypatch.setenv("MOSS_CACHE", "off")
    assert cache_folder() is None
    monkeypatch.delenv("MOSS_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert cache_folder() == Path("/caches/moss-server")


def test_a_damaged_file_is_a_database_error(tmp_path: Path) -> None:
    (tmp_path / "readings.sqlite3").write_bytes(b"not a database" * 100)
    with pytest.raises(sqlite3.DatabaseError):
        ReadingCache(tmp_path)
    left_open = [Path(link).resolve() for link in Path("/proc/self/fd").iterdir()]
    assert tmp_path / "readings.sqlite3" not in left_open
