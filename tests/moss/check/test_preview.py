"""`moss check --preview`: who handed in what, before anything is read; and the options that change it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.moss.check.test_check import check, folder, rows
from tests.submissions.intake.layouts.samples import SAMPLES
from tests.support.sample_class import CLASS, HONEST, STARTER, zipped

SECTIONS = {"A/ada/main.py": STARTER, "A/ben/main.py": HONEST, "B/cleo/main.py": HONEST}
ATTEMPTS = {
    f"{name} - 2026-03-0{day}T12:00:00/main.py": text
    for name, days, text in (("Ada", 3, STARTER), ("Ben", 1, STARTER))
    for day in range(1, days + 1)
}


def preview(path: Path, *options: str | Path) -> dict[str, Any]:
    result = check(path, "--preview", "--format", "json", *options)
    assert result.exit_code == 0, result.output
    parsed: dict[str, Any] = json.loads(result.stdout)
    return parsed


def names(path: Path, *options: str | Path) -> list[str]:
    return [one["name"] for one in preview(path, *options)["submissions"]]


def test_a_preview_of_an_export_has_its_students_and_reads_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moss.check.rank.rank_path", None)
    archive = tmp_path / "export.zip"
    archive.write_bytes(zipped(SAMPLES["moodle"]).read())
    text = check(archive, "--preview").stdout
    assert "7 submissions found, read as a Moodle export; 3 entries do not count." in text
    assert "Next: a folder or file for each student (--layout folders" in text
    assert [line.split()[:4] for line in text.splitlines() if line.startswith("Bruno")] == [
        ["Bruno", "Popescu", "Participant", "1002"]
    ]
    assert "an online text without any text" in text
    assert "Ada Byron (Participant 1001), Ada Byron (Participant 1005)" in " ".join(text.split())


def test_json_has_ids_files_bytes_attempts_and_reasons(tmp_path: Path) -> None:
    previewed = preview(folder(tmp_path, ATTEMPTS))
    assert previewed["layout"]["key"] == "codegrade"
    assert previewed["runner_up"]["key"] == "folders"
    assert previewed["submissions"][0] == {
        "name": "Ada",
        "identifier": "",
        "students": [{"name": "Ada", "identifier": ""}],
        "files": 1,
        "bytes": len(STARTER),
        "attempt": 3,
        "attempts": 3,
        "submitted": "2026-03-03T12:00:00",
        "late": False,
    }
    assert [(group["reason"], group["entries"]) for group in previewed["ignored"]] == [
        ("an earlier attempt", 2)
    ]


def test_a_preview_of_one_submission_is_no_error(tmp_path: Path) -> None:
    assert names(folder(tmp_path, {"ada/main.py": STARTER})) == ["ada"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--depth", "1"], ["A", "B"]),
        (["--depth", "2"], ["ada", "ben", "cleo"]),
        (["--depth", "0"], ["A-ada-main.py", "A-ben-main.py", "B-cleo-main.py"]),
        (["--depth", "1", "--split", "A"], ["B", "ada", "ben"]),
        (["--depth", "2", "--rename", "ada=Ada Byron", "--rename", "ben = Ada Byron"], ["Ada Byron", "cleo"]),
    ],
)
def test_depth_split_and_rename_change_the_submissions(
    tmp_path: Path, options: list[str], expected: list[str]
) -> None:
    assert names(folder(tmp_path, SECTIONS), *options) == expected


def test_the_due_date_is_a_whole_day_or_a_time(tmp_path: Path) -> None:
    root = folder(tmp_path, ATTEMPTS)
    day = preview(root, "--due", "2026-03-02")["submissions"]
    assert [(one["name"], one["attempt"], one["late"]) for one in day] == [
        ("Ada", 2, False),
        ("Ben", 1, False),
    ]
    time = preview(root, "--due", "2026-03-01T11:00")["submissions"]
    assert [(one["name"], one["attempt"], one["late"]) for one in time] == [
        ("Ada", 3, True),
        ("Ben", 1, True),
    ]


def test_attempts_of_one_student_are_not_compared_with_each_other(tmp_path: Path) -> None:
    root = folder(tmp_path, ATTEMPTS)
    ranked = rows(root, "--attempts", "all", "--all")
    assert {(row.left, row.right) for row in ranked} == {
        (f"Ada (attempt {number})", "Ben") for number in (1, 2, 3)
    }
    assert (
        "Pairs not compared because they have one student or team: 3."
        in check(root, "--attempts", "all").stderr
    )


ROSTER = (
    "\ufeffName;Login;Matriculation number;Team\nAda Byron;ada;007;1\nBen Ode;ben;8;1\nDora Ito;dora;9;\n"
)


def test_a_roster_names_submissions_and_says_whom_it_does_not_know_and_who_is_absent(tmp_path: Path) -> None:
    root = folder(tmp_path / "class", SECTIONS)
    roster = folder(tmp_path, {"roster.csv": ROSTER}) / "roster.csv"
    previewed = preview(root, "--depth", "2", "--roster", roster)
    assert [(one["name"], one["identifier"]) for one in previewed["submissions"]] == [
        ("Ada Byron", "007"),
        ("Ben Ode", "8"),
        ("cleo", ""),
    ]
    texts = {one["kind"]: one["text"] for one in previewed["warnings"]}
    assert texts["roster-unknown"] == "Students whom the roster does not know (1): cleo."
    assert texts["roster-absent"] == "Students of the roster who handed in nothing (1): Dora Ito."


def test_team_mates_of_a_roster_are_not_compared(tmp_path: Path) -> None:
    roster = folder(tmp_path, {"roster.csv": ROSTER}) / "roster.csv"
    root = folder(tmp_path / "class", CLASS)
    pairs = {(row.left, row.right) for row in rows(root, "--all")}
    assert ("ada", "ben") in pairs
    with_roster = check(root, "--all", "--roster", roster, "--format", "csv")
    assert "Ada Byron,Ben Ode" not in with_roster.stdout
    assert "Ada Byron" in with_roster.stdout
    assert "Pairs not compared because they have one student or team: 1." in with_roster.stderr


def test_a_student_in_two_exports_is_one_submission_by_the_roster(tmp_path: Path) -> None:
    files = {
        "moodle/Ada Byron_1_assignsubmission_file/a.py": STARTER,
        "moodle/ada_2_assignsubmission_file/b.py": HONEST,
        "moodle/Cleo Roy_3_assignsubmission_file/c.py": HONEST,
    }
    roster = folder(tmp_path, {"roster.csv": ROSTER}) / "roster.csv"
    root = folder(tmp_path / "class", files)
    assert names(root, "--roster", roster) == ["Ada Byron", "Cleo Roy"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--due", "tomorrow"], "'tomorrow' is no date; write it as 2026-03-31 or 2026-03-31T23:59."),
        (["--depth", "40"], "The depth is a number from 0 (each file) to 12, not 40."),
        (["--depth", "2", "--layout", "moodle"], "Choose a layout or a depth"),
        (["--rename", "ada"], "'ada' has no equals sign; write OLD=NEW."),
        (["--rename", "ada="], "'' cannot be the name of a submission"),
        (["--format", "csv"], "use --format table or --format json"),
        (["--attempts", "first"], "is not one of 'last', 'all'"),
    ],
)
def test_an_option_that_is_none_is_refused_with_what_to_write(
    tmp_path: Path, options: list[str], message: str
) -> None:
    result = check(folder(tmp_path, SECTIONS), "--preview", *options)
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())


def test_a_file_that_is_no_roster_is_refused_by_name(tmp_path: Path) -> None:
    root = folder(tmp_path / "class", SECTIONS)
    roster = folder(tmp_path, {"colours.csv": "colour,size\nred,3\n"}) / "colours.csv"
    result = check(root, "--preview", "--roster", roster)
    assert result.exit_code == 1
    assert str(roster) in result.stderr


def test_a_preview_can_be_written_to_a_file(tmp_path: Path) -> None:
    output = tmp_path / "preview.json"
    assert not check(
        folder(tmp_path / "class", SECTIONS), "--preview", "--format", "json", "-o", output
    ).stdout
    assert len(json.loads(output.read_text())["submissions"]) == 2


def test_names_that_no_submission_has_are_said_with_the_ranking(tmp_path: Path) -> None:
    result = check(folder(tmp_path, CLASS), "--rename", "nobody=Ada")
    assert result.exit_code == 0
    assert "not renamed: nobody." in result.stderr
