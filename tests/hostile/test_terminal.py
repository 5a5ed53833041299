"""Submitted texts never reach a terminal as commands: `moss check` shows no control characters."""

import unicodedata
from pathlib import Path

import pytest

from tests.hostile.names import PAYLOADS
from tests.moss.check.test_check import check
from tests.support.notebooks import notebook_with
from tests.support.sample_class import COPIED

ESCAPES = "\x1b[31m\x9b2J\x07\u202e"


def control_characters(text: str) -> set[str]:
    """Return the control characters, and those that change the direction of text, but line ends and tabs."""
    return {char for char in text if unicodedata.category(char) in {"Cc", "Cf"}} - set("\n\t")


@pytest.fixture
def hostile_folder(tmp_path: Path) -> Path:
    """Return a folder of submissions with hostile names, some of which cannot be read."""
    root = tmp_path / "class"
    for number, name in enumerate(PAYLOADS.values()):
        folder = root / f"{number} {name}".replace("/", "\u2215").encode("utf-8", "replace").decode()
        folder.mkdir(parents=True)
        (folder / "main.py").write_text(COPIED + f"# {number}\n")
    (root / "0 a notebook.ipynb").write_bytes(notebook_with(nbformat=ESCAPES))
    (root / f"0 {ESCAPES}.ipynb").write_bytes(notebook_with(metadata=ESCAPES))
    (root / f"0 {ESCAPES}.zip").write_bytes(b"PK\x03\x04" + ESCAPES.encode())
    (root / f"0 {ESCAPES}.bin").write_bytes(bytes(100))
    return root


@pytest.mark.slow
@pytest.mark.parametrize("output_format", ["table", "csv", "html"])
def test_no_name_and_no_reason_writes_a_control_character(hostile_folder: Path, output_format: str) -> None:
    result = check(hostile_folder, "--format", output_format)
    assert result.exit_code == 0, result.output
    assert control_characters(result.stdout + result.stderr) == set()
    assert result.stderr.count("skipped ") >= 4


def test_an_upload_that_cannot_be_read_at_all_writes_no_control_character(tmp_path: Path) -> None:
    archive = tmp_path / f"{ESCAPES}.zip"
    archive.write_bytes(b"PK\x03\x04")
    result = check(archive)
    assert result.exit_code == 1
    assert control_characters(result.stderr) == set()
