"""Packages that add a language or a layout: one is installed, and `moss check` knows both."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fingerprint import extensions
from moss.sample import SAMPLE
from tests.support.paths import ROOT

EXAMPLE = ROOT / "tests" / "support" / "extension"
FILES = {"ada": "amara-okafor", "ben": "jonas-weidler", "cleo": "arjun-bhatt"}


def installed(source: Path, folder: Path) -> None:
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(source)], check=True)


@pytest.mark.slow
def test_a_package_adds_a_language_and_a_layout(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for file in EXAMPLE.iterdir():
        if file.is_file():
            (source / file.name).write_bytes(file.read_bytes())
    installed(source, tmp_path / "target")
    (tmp_path / "class").mkdir()
    for name, student in FILES.items():
        text = next(file for file in (SAMPLE / "submissions" / student).rglob("*.*")).read_bytes()
        (tmp_path / "class" / f"{name}@2026_fines.tide").write_bytes(text)
    command = [sys.executable, "-m", "moss", "check", str(tmp_path / "class"), "--format", "json"]
    variables = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path / "target"), str(ROOT)]), "MOSS_CACHE": "off"}
    output = subprocess.run(command, env=variables, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    report = json.loads(output)
    assert {report["pairs"][0]["left"], report["pairs"][0]["right"]} == {"ada", "ben"}
    assert "tide" in output


def test_an_entry_point_to_something_else_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "wrong-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: wrong\nVersion: 1\n")
    (folder / "entry_points.txt").write_text(f"[{extensions.LANGUAGES}]\nx = os:sep\n")
    monkeypatch.syspath_prepend(tmp_path)
    extensions._groups.cache_clear()
    with pytest.raises(TypeError, match=r"must be objects of int: os:sep\."):
        extensions.added(extensions.LANGUAGES, int)
    extensions._groups.cache_clear()
