"""Packages that add a language or a layout: one is installed, and `moss check` knows both or says what is wrong."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fingerprint import extensions
from moss.sample import SAMPLE
from tests.support.paths import ROOT

EXAMPLE = ROOT / "tests" / "support" / "extension"
FILES = {"ada": "amara-okafor", "ben": "jonas-weidler", "cleo": "arjun-bhatt"}


def sources(folder: Path, old: str = "", new: str = "") -> Path:
    """Copy the example package, with one text of it replaced."""
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "build"))
    module = folder / "moss_example.py"
    assert old in module.read_text()
    if old:
        module.write_text(module.read_text().replace(old, new))
    return folder


def installed(source: Path, folder: Path) -> Path:
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(source)], check=True)
    return folder


def developed(source: Path, _folder: Path) -> Path:
    """Write a folder `*.egg-info` beside the sources, as an installation by `setup.py develop` has it."""
    command = [sys.executable, "-c", "from setuptools import setup; setup()", "-q", "egg_info"]
    subprocess.run(command, cwd=source, check=True)
    assert list(source.glob("*.egg-info/entry_points.txt"))
    return source


def checked(path: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Compare a class of the example's language and layout with the package at a path of Python."""
    (folder / "class").mkdir()
    for name, student in FILES.items():
        text = next(file for file in (SAMPLE / "submissions" / student).rglob("*.*")).read_bytes()
        (folder / "class" / f"{name}@2026_fines.tide").write_bytes(text)
    command = [sys.executable, "-m", "moss", "check", str(folder / "class"), "--format", "json"]
    variables = os.environ | {"PYTHONPATH": os.pathsep.join([str(path), str(ROOT)]), "MOSS_CACHE": "off"}
    return subprocess.run(command, env=variables, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("install", [installed, developed])
def test_a_package_adds_a_language_and_a_layout(tmp_path: Path, install: Callable[[Path, Path], Path]) -> None:
    answer = checked(install(sources(tmp_path / "source"), tmp_path / "target"), tmp_path)
    assert answer.returncode == 0, answer.stderr
    report = json.loads(answer.stdout)
    assert {report["pairs"][0]["left"], report["pairs"][0]["right"]} == {"ada", "ben"}
    assert "tide" in answer.stdout


def test_literals_of_an_added_language_are_marked(tmp_path: Path) -> None:
    target = installed(sources(tmp_path / "source"), tmp_path / "target")
    program = (
        "from fingerprint.ranking.weights import _table_marks, literal_marks\n"
        "assert all(map(lambda *sides: (sides[0] == sides[1]).all(), _table_marks(), literal_marks()))\n"
    )
    variables = os.environ | {"PYTHONPATH": os.pathsep.join([str(target), str(ROOT)])}
    subprocess.run([sys.executable, "-c", program], env=variables, check=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"harbour"', '"moodle"'), "'moodle' of the package moss-example is a name of this service in"),
        (('"title": "Tide"', '"title": "Python"'), "'python' of the package moss-example is a name of this service in"),
        (('"name": "tide"', '"nam": "tide"'), "moss_example:TIDE of the package moss-example cannot be added to"),
        (("HARBOUR = by_name", "HARBOUR = len, by_name"), "moss_example:HARBOUR of the package moss-example cannot"),
    ],
)
def test_what_a_package_cannot_add_is_named_with_the_package(
    tmp_path: Path, change: tuple[str, str], message: str
) -> None:
    answer = checked(installed(sources(tmp_path / "source", *change), tmp_path / "target"), tmp_path)
    assert answer.returncode == 1
    assert answer.stderr.startswith(f"Error: {message}"), answer.stderr


def test_two_packages_with_one_name_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("first", "second"):
        folder = tmp_path / f"{package}-1.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
        (folder / "entry_points.txt").write_text(f"[{extensions.LANGUAGES}]\n{package} = os:sep\n")
    monkeypatch.syspath_prepend(tmp_path)
    extensions._groups.cache_clear()
    with pytest.raises(extensions.ExtensionError, match=r"'/' of the package second is a name of the package first"):
        extensions.added(extensions.LANGUAGES, str, lambda row: [row], ())
    extensions._groups.cache_clear()
