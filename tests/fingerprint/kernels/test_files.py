"""The place of the library, and the libraries that a process may load."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

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
    [("cx16 popcnt sse4_2 ssse3 avx", "x86-64-v2"), ("sse2 sse4a", "generic-x86_64")],
)
def test_a_processor_without_the_features_of_the_wheels_has_a_library_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, features: str, level: str
) -> None:
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "", "", "", "x86_64")))
    monkeypatch.setattr(building, "PROCESSOR", tmp_path / "cpuinfo")
    (tmp_path / "cpuinfo").write_text(f"processor : 0\nflags\t\t: fpu {features}\n")
    assert building.processor_level() == level


def test_without_a_compiler_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(building, "find_spec", lambda _name: None)
    with pytest.raises(RuntimeError, match=r"pip install 'moss-server\[compiler\]'"):
        building.build(tmp_path / "library", LEVEL)


@pytest.mark.skipif(not building.IS_READ_HERE, reason="object files are loaded by LLVM here")
def test_an_object_file_whose_code_is_of_another_form_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    index, data = building.Library(building.ensure_compiled()), dict[str, bytes]()
    load = building.load_object_file
    monkeypatch.setattr(building, "load_object_file", lambda content, names: data.setdefault(names[0], content) and {})
    for name in index._index:
        with suppress(KeyError):
            index.kernel(name)
    content = max(data.values(), key=len)
    assert load(content, []) == {}
    monkeypatch.setattr(building, "WHOLE_ADDRESS", 2)
    with pytest.raises(RuntimeError, match="relative addresses"):
        load(content, [])
