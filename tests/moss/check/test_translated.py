"""`moss check` of a class in several languages."""

import csv
import io
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.moss.check.test_check import check, folder
from tests.support.html import Page
from tests.support.processes import completed

SOURCES = Path(__file__).parents[3] / "bench/translations/tuned/files/class"
JAVA, PYTHON, JAVASCRIPT, COPY = "bank_original.java", "bank_translated.py", "bank_honest_b.js", "copy.py"


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """A class with a Java program, its translation, a copy of that, and a program that is honest."""
    files = {name: (SOURCES / name).read_bytes() for name in (JAVA, PYTHON, JAVASCRIPT)}
    files[COPY] = files[PYTHON].replace(b"owner", b"holder").replace(b"amount <= 0", b"amount < 1")
    return folder(tmp_path / "class", files)


def rows(path: Path) -> dict[tuple[str, str], Mapping[str, str]]:
    result = check(path, "--format", "csv")
    assert result.exit_code == 0, result.output
    return {(row["left"], row["right"]): row for row in csv.DictReader(io.StringIO(result.stdout))}


def test_a_translated_program_is_listed_and_marked(mixed: Path) -> None:
    pairs = rows(mixed)
    marks = {pair: row["mark"] for pair, row in pairs.items()}
    assert marks == {(JAVA, PYTHON): "translated", (JAVA, COPY): "translated", (PYTHON, COPY): ""}
    assert float(pairs[JAVA, PYTHON]["similarity"]) > 0.5


def test_the_table_and_the_html_file_show_the_mark(mixed: Path) -> None:
    table = check(mixed).stdout.splitlines()[1:]
    assert [line.endswith("translated") for line in table] == [JAVA in line for line in table]
    page = Page(check(mixed, "--format", "html").stdout)
    summaries = page.texts("summary")
    assert [text.endswith("translated") for text in summaries] == [JAVA in text for text in summaries]


@pytest.mark.slow
def test_the_html_file_is_written_in_a_process_without_the_service(mixed: Path) -> None:
    command = [sys.executable, "-m", "moss", "check", str(mixed), "--format", "html"]
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    run = completed(command, env=environment)
    assert run.returncode == 0, run.stderr
    assert "translated</em>" in run.stdout


def test_passages_of_a_translation_have_the_lines_of_both_files(mixed: Path) -> None:
    pairs = json.loads(check(mixed, "--format", "json").stdout)["pairs"]
    pair = next(pair for pair in pairs if (pair["left"], pair["right"]) == (JAVA, PYTHON))
    texts = {side: (SOURCES / pair[side]).read_text().splitlines() for side in ("left", "right")}
    longest = pair["passages"][0]
    part = {
        side: "\n".join(texts[side][longest[side]["first_line"] - 1 : longest[side]["last_line"]]) for side in texts
    }
    assert "addInterest" in part["left"]
    assert "add_interest" in part["right"]


def test_a_cached_reading_gives_the_same_pairs_with_and_without_other_languages(
    mixed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOSS_CACHE", str(tmp_path / "cache"))
    first = rows(mixed)
    assert rows(mixed) == first
    for name in (JAVA, JAVASCRIPT):
        (mixed / name).rename(tmp_path / name)
    assert rows(mixed) == {(PYTHON, COPY): first[PYTHON, COPY]}
