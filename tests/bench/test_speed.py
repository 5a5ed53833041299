"""Measurements of speed: cohorts, targets, goals and load on small inputs."""

import ast
import io
import json
import os
import sys
import zipfile
from pathlib import Path

import pytest

from bench import goals, load_class
from bench.cohorts import join_files
from bench.goals import Goal, Result
from bench.load_figures import section
from bench.load_readers import Step
from bench.load_site import Run, Sizes
from bench.targets import FILES, PROJECTS, Targets, ToolTiming, target_results
from tests.support.paths import ROOT
from tests.support.processes import completed
from tests.support.sample_class import CLASS

MODULES = [path for path in sorted((ROOT / "bench").glob("*.py")) if "\nstart_django()\n" in path.read_text()]


def timings(**seconds: dict[int, float]) -> list[ToolTiming]:
    return [
        ToolTiming(tool, files, 3, elapsed, files * 200_000)
        for tool, seconds_by_files in seconds.items()
        for files, elapsed in seconds_by_files.items()
    ]


@pytest.mark.long
def test_a_folder_is_measured_and_sizes_larger_than_it_are_named(tmp_path: Path) -> None:
    for name, content in CLASS.items():
        path = tmp_path / "class" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    command = [
        sys.executable,
        "-m",
        "bench.speed",
        str(tmp_path / "class"),
        "--sizes",
        "2,999",
        "--repeat",
        "1",
    ]
    figures = tmp_path / "figures.json"
    process = completed([*command, "--no-peers", "--json", str(figures)])
    assert process.returncode == 0, process.stderr
    assert "size 999 is left out" in process.stderr
    assert "seconds for 2 files, 1.3 times the floor plus 0.7" in process.stdout
    assert {row["tool"] for row in json.loads(figures.read_text())["timings"]} == {
        "floor",
        "moss",
        "moss --all",
        "moss, warm",
    }


def test_a_project_is_one_file_for_tools_that_compare_files(tmp_path: Path) -> None:
    contents = {"a/One.java": "1", "a/src/Two.java": "2", "a/notes.txt": "-", "b/One.java": "3"}
    for name, content in contents.items():
        path = tmp_path / "class" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    joined = join_files(tmp_path / "class", tmp_path)
    assert {path.name: path.read_text() for path in joined.iterdir()} == {"a.java": "1\n2", "b.java": "3"}


@pytest.mark.long
def test_all_goals_beside_the_floor_are_measured_in_one_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = "\n".join(f"x{number} = [{number} + step for step in range(9)]" for number in range(30))
    for part in ("files", "python", "projects/one", "projects/two"):
        (tmp_path / part).mkdir(parents=True)
        for name in ("a.py", "b.py"):
            (tmp_path / part / name).write_text(program)
    assert goals.main([str(tmp_path), "--repeat", "1", "--divide", "1000"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if "floor" in line]
    assert len(rows) == sum("floor" in goal.others for goal in goals.GOALS)


SIZES = Sizes(submissions=120, readers=50, uploads=0, megabytes=0)


def test_a_generated_class_is_the_same_for_the_same_seed() -> None:
    assert load_class.zipped(11) == load_class.zipped(11)
    with zipfile.ZipFile(io.BytesIO(load_class.zipped(11))) as archive:
        names, sources = archive.namelist(), [archive.read(name).decode() for name in archive.namelist()]
    assert names[10] == "student-010/Work.java"
    assert all(100 < source.count("\n") < 400 for source in sources)


def test_a_class_of_files_has_each_file_as_the_work_of_one_student(tmp_path: Path) -> None:
    files = [tmp_path / f"{number}.java" for number in range(5)]
    for path in files:
        path.write_text(f"// {path.name}\n")
        os.utime(path, (0, 0))
    with zipfile.ZipFile(io.BytesIO(load_class.zipped_files(files, 4))) as archive:
        names = archive.namelist()
        assert all(archive.read(name).decode() == f"// {name.partition('/')[2]}\n" for name in names)
    assert [name.partition("/")[0] for name in names] == [f"student-000{number}" for number in range(4)]


def test_the_figures_name_percentiles_errors_and_memory() -> None:
    steps = [Step("pair", number / 1_000, 2_000, "") for number in range(1, 101)]
    run = Run("50 readers", 10, {"pair": [*steps, Step("pair", 0.05, 0, "500")]}, [100.0, 140.0, 120.0], 2.0)
    text = section([run], SIZES, 60, 1.0)
    row = next(line for line in text.splitlines() if line.startswith("| pair"))
    assert [cell.strip() for cell in row.strip("|").split("|")] == [
        "pair", "101", "1 (500)", "50", "95", "99", "2",
    ]  # fmt: skip
    assert "at most 140" in text
    assert "10 pages a second, 20 ms of processor time each" in text


def test_readers_of_a_link_are_reported_apart_and_may_find_no_place() -> None:
    signed_in = [Step("pair", number / 1_000, 2_000, "") for number in range(1, 101)]
    by_link = [Step("link: pair", 1.0, 2_000, ""), Step("link: pair", 0.2, 0, "503")]
    run = Run("both", 10, {"pair": signed_in, "link: pair": by_link}, [], 0.0)
    assert run.errors == 0
    assert run._replace(steps={"pair": [Step("pair", 0.1, 0, "503")], "link: pair": by_link}).errors == 1
    assert run._replace(steps={"link: pair": [Step("link: pair", 0.1, 0, "500")]}).errors == 1
    rows = {
        line.strip("|").split("|")[0].strip(): line.split("|")[2:4]
        for line in section([run], SIZES, 60, 1.0).splitlines()
        if line.startswith("| ")
    }
    assert [cell.strip() for cell in rows["all pages of who is signed in"]] == ["100", "0"]
    assert [cell.strip() for cell in rows["all pages by the link"]] == ["2", "1 (503)"]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: Path(path).stem)
def test_models_are_imported_after_django_was_started(path: Path) -> None:
    before = []
    for statement in ast.parse(path.read_text()).body:
        if isinstance(statement, ast.Expr) and ast.unparse(statement) == "start_django()":
            break
        if isinstance(statement, ast.ImportFrom):
            before.append(statement.module or "")
    assert [name for name in before if name.startswith(("submissions", "django.contrib"))] == []


@pytest.mark.parametrize(
    ("measured", "targets", "expected"),
    [
        (
            {
                "moss": {500: 2.0, 1000: 4.0, 1500: 4.0, 2000: 9.0},
                "floor": {500: 1.0, 1000: 2.0, 1500: 2.6, 2000: 3.0},
                "dolos": {1000: 40.0}, "copydetect": {1500: 60.0}, "compare50": {500: 1.5},
            },
            FILES,
            {
                "seconds for 1,500 files, 1.3 times the floor plus 0.7": (4.0, True),
                "times as fast as dolos on 1,000 files": (10.0, True),
                "times as fast as copydetect on 1,500 files": (15.0, False),
                "times as fast as compare50 on 500 files": (0.75, False),
                "times as long for 2,000 files as for 500": (4.5, False),
                "MB for 2,000 files": (400.0, True),
            },
        ),
        (
            {"moss": {60: 10.0, 120: 40.0}, "floor": {60: 5.0, 120: 10.0}},
            PROJECTS,
            {
                "seconds for 120 projects, 2 times the floor plus 1": (40.0, False),
                "times as long for 120 projects as for 60": (4.0, True),
                "MB for 120 projects": (24.0, True),
            },
        ),
        (
            {"moss": {250: 2.6}, "floor": {250: 1.0}},
            FILES,
            {
                "seconds for 250 files, 1.3 times the floor plus 0.7": (2.6, False),
                "MB for 250 files": (50.0, True),
            },
        ),
    ],
    ids=["files", "projects", "without some timings"],
)  # fmt: skip
def test_every_target_with_its_timings_is_listed_with_its_measurement(
    measured: dict[str, dict[int, float]], targets: Targets, expected: dict[str, tuple[float, bool]]
) -> None:
    rows = target_results(timings(**measured), targets)
    assert {row.target: (round(row.measured, 9), row.met) for row in rows} == expected


@pytest.mark.parametrize(
    ("seconds", "last"),
    [
        ({"moss": 2.6, "compare50": 2.0, "dolos": 4.0}, ["compare50 2.00, dolos 4.00", "1.30", "1.3", "yes"]),
        ({"moss": 2.7, "compare50": 2.0, "dolos": 4.0}, ["compare50 2.00, dolos 4.00", "1.35", "1.3", "no"]),
        ({"moss": 1.0}, ["-", "-", "1.3", "-"]),
    ],
)
def test_a_goal_is_met_within_its_part_of_the_quickest_other_tool_that_is_installed(
    seconds: dict[str, float], last: list[str]
) -> None:
    goal = Goal("files", 30, "moss", ("compare50", "dolos"), 1.3)
    assert Result(goal, 30, seconds).row() == ["30 files", f"moss {seconds['moss']:.2f}", *last]
