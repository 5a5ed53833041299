"""The place of the library, and the libraries that a process may load."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from llvmlite import binding

from fingerprint.kernels import library as building

LEVEL = building.LEVEL


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the package read-only and empty, and have temporary files in a folder of this test."""
    monkeypatch.setattr(building, "COMPILED", tmp_path / "package" / "compiled")
    monkeypatch.setattr(building, "build", lambda path, *_: path.write_text("built"))
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(os, "access", lambda *_: False)
    monkeypatch.delenv("MOSS_HOME", raising=False)
    return tmp_path


@pytest.fixture(autouse=True)
def _no_kept_answers() -> Iterator[None]:
    building.processor_level.cache_clear()
    yield
    building.processor_level.cache_clear()


def test_where_the_package_is_read_only_the_library_is_in_a_private_folder(temporary: Path) -> None:
    assert building.compiled_library(LEVEL) is None
    library = building.ensure_compiled(level=LEVEL)
    assert library.parent.parent == temporary
    assert library.parent.stat().st_mode & 0o077 == 0
    assert building.compiled_library(LEVEL) == library


def test_a_unit_with_temporary_files_of_its_own_compiles_once(temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSS_HOME", str(temporary / "home"))
    library = building.ensure_compiled(level=LEVEL)
    assert library.is_relative_to(temporary / "home")
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(temporary / "of the next start"))
    assert building.compiled_library(LEVEL) == library


def test_a_library_in_a_folder_that_others_can_write_is_not_loaded(temporary: Path) -> None:
    library = building.ensure_compiled(level=LEVEL)
    library.parent.chmod(0o777)
    assert building.compiled_library(LEVEL) is None
    with pytest.raises(PermissionError, match="Other users may write"):
        building.ensure_compiled(level=LEVEL)


def test_a_link_in_place_of_the_private_folder_is_not_followed(temporary: Path) -> None:
    library = building.ensure_compiled(level=LEVEL)
    library.parent.rename(temporary / "elsewhere")
    library.parent.symlink_to(temporary / "elsewhere")
    assert building.compiled_library(LEVEL) is None


@pytest.mark.parametrize(
    ("features", "level"),
    [(["cx16", "popcnt", "sse4.2", "ssse3", "avx"], "x86-64-v2"), (["sse2"], "generic-x86_64")],
)
def test_a_processor_without_the_features_of_the_wheels_has_a_library_of_its_own(
    monkeypatch: pytest.MonkeyPatch, features: list[str], level: str
) -> None:
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "", "", "", "x86_64")))
    monkeypatch.setattr(binding, "get_host_cpu_features", lambda: {**dict.fromkeys(features, True), "sse4a": False})
    assert building.processor_level() == level
