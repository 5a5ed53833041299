"""Earlier work is compared with the class, is not compared among itself, and is labelled."""

import json
from pathlib import Path

import pytest

from tests.moss.check.test_check import check, folder, rows
from tests.support.html import Page
from tests.support.sample_class import CLASS, COPIED, HONEST, RENAMED, zipped

LAST_YEAR = {"gus/main.py": COPIED, "hal/main.py": RENAMED}
GUS, HAL = "gus (earlier work, lab1-2024)", "hal (earlier work, lab1-2024)"


@pytest.fixture
def this_year(tmp_path: Path) -> Path:
    return folder(tmp_path / "class", {"ada/main.py": COPIED, "cleo/main.py": HONEST})


@pytest.fixture
def last_year(tmp_path: Path) -> Path:
    archive = tmp_path / "lab1-2024.zip"
    archive.write_bytes(zipped(LAST_YEAR).read())
    return archive


def test_earlier_work_is_compared_with_the_class_and_not_among_itself(
    this_year: Path, last_year: Path
) -> None:
    pairs = {(row.left, row.right) for row in rows(this_year, "--earlier", last_year, "--all")}
    assert {("ada", GUS), ("ada", HAL)} <= pairs
    assert (GUS, HAL) not in pairs
    assert rows(this_year, "--earlier", last_year)[0].similarity == 1


def test_work_of_several_years_is_not_compared_with_each_other(
    this_year: Path, last_year: Path, tmp_path: Path
) -> None:
    other = folder(tmp_path / "lab1-2023", LAST_YEAR)
    pairs = rows(this_year, "--earlier", last_year, "--earlier", other, "--all")
    earlier = [sum("earlier work" in name for name in (row.left, row.right)) for row in pairs]
    assert set(earlier) <= {0, 1}
    assert {"gus (earlier work, lab1-2023)", GUS} <= {row.right for row in pairs}


def test_every_output_labels_earlier_work(this_year: Path, last_year: Path) -> None:
    table = check(this_year, "--earlier", last_year)
    assert "gus (earlier work" in table.stdout
    assert "Read as a folder or file for each student: 2 submissions.\n" in table.stderr
    assert "Earlier work: 2 submissions, compared with these and not with each other." in table.stderr
    assert "Pairs not compared" not in table.stderr
    output = json.loads(check(this_year, "--earlier", last_year, "--format", "json").stdout)
    assert output["earlier"] == [GUS, HAL]
    page = Page(check(this_year, "--earlier", last_year, "--format", "html").stdout)
    assert "of 4 submissions, of which 2 are earlier work that is not compared among itself" in page.text(
        ".lead"
    )
    assert any(GUS in summary for summary in page.texts("summary"))


def test_a_repeaters_own_earlier_work_is_a_pair_of_its_own_kind_in_every_output(
    this_year: Path, tmp_path: Path
) -> None:
    other = folder(tmp_path / "lab1-2024", {"ada/main.py": COPIED, "ben/main.py": HONEST})
    repeater, flag = ("ada", "ada (earlier work, lab1-2024)"), "the same student, 2024"
    flags = {(row.left, row.right): row.flag for row in rows(this_year, "--earlier", other, "--all")}
    assert flags[repeater] == flag
    assert flags["cleo", "ben (earlier work, lab1-2024)"] == ""
    output = json.loads(check(this_year, "--earlier", other, "--format", "json").stdout)
    assert [pair["flag"] for pair in output["pairs"] if (pair["left"], pair["right"]) == repeater] == [flag]
    page = Page(check(this_year, "--earlier", other, "--format", "html").stdout)
    assert [flag in text for text in page.texts("summary")].count(True) == 1
    assert "the same student" in check(this_year, "--earlier", other).stdout


def test_a_folder_without_one_year_in_its_name_is_named_itself(this_year: Path, tmp_path: Path) -> None:
    for name, label in (("lab-2023-2024", "lab-2023-2024"), ("last", "last"), ("SS19_2021", "2021")):
        other = folder(tmp_path / name, {"ada/main.py": COPIED})
        flags = {row.flag for row in rows(this_year, "--earlier", other, "--all")}
        assert f"the same student, {label}" in flags


def test_files_of_earlier_work_that_are_not_compared_are_listed_with_their_folder(
    this_year: Path, tmp_path: Path
) -> None:
    other = folder(tmp_path / "last", {**LAST_YEAR, "gus/Main.class": b"\xca\xfe\xba\xbe"})
    assert f"skipped {other}: gus/Main.class" in check(this_year, "--earlier", other).stderr


def test_earlier_work_alone_is_not_compared(tmp_path: Path, last_year: Path) -> None:
    empty = folder(tmp_path / "class", {"ada/photo.png": b"\x89PNG\r\n\x1a\n\0"})
    result = check(empty, "--earlier", last_year)
    assert result.exit_code == 1
    assert "Found no submission of the class that can be read" in result.stderr


def test_earlier_work_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    result = check(folder(tmp_path / "class", CLASS), "--earlier", tmp_path / "none")
    assert result.exit_code == 2
    assert "none" in result.stderr
