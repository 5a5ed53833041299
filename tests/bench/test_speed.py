import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.cohorts import join_files
from bench.targets import FILES, PROJECTS, Targets, target_results
from bench.timings import ToolTiming
from tests.support.sample_class import CLASS


def timings(**seconds: dict[int, float]) -> list[ToolTiming]:
    return [
        ToolTiming(tool, files, 3, elapsed, files * 200_000)
        for tool, seconds_by_files in seconds.items()
        for files, elapsed in seconds_by_files.items()
    ]


def results(measured: list[ToolTiming], targets: Targets = FILES) -> dict[str, tuple[float, bool]]:
    rows = target_results(measured, targets)
    return {result.target: (round(result.measured, 9), result.met) for result in rows}


def test_every_target_is_listed_with_its_measurement() -> None:
    moss = {500: 2.0, 1000: 4.0, 1500: 4.0, 2000: 9.0}
    floor = {500: 1.0, 1000: 2.0, 1500: 2.6, 2000: 3.0}
    measured = timings(
        moss=moss, floor=floor, dolos={1000: 40.0}, copydetect={1500: 60.0}, compare50={500: 1.5}
    )
    assert results(measured) == {
        "seconds for 1,500 files, 1.3 times the floor plus 0.7": (4.0, True),
        "times as fast as dolos on 1,000 files": (10.0, True),
        "times as fast as copydetect on 1,500 files": (15.0, False),
        "times as fast as compare50 on 500 files": (0.75, False),
        "times as long for 2,000 files as for 500": (4.5, False),
        "MB for 2,000 files": (400.0, True),
    }


def test_projects_have_targets_of_their_own() -> None:
    measured = timings(moss={60: 10.0, 120: 40.0}, floor={60: 5.0, 120: 10.0})
    assert results(measured, PROJECTS) == {
        "seconds for 120 projects, 2 times the floor plus 1": (40.0, False),
        "times as long for 120 projects as for 60": (4.0, True),
        "MB for 120 projects": (24.0, True),
    }


def test_targets_without_their_timings_are_not_listed() -> None:
    measured = timings(moss={250: 2.6}, floor={250: 1.0})
    assert results(measured) == {
        "seconds for 250 files, 1.3 times the floor plus 0.7": (2.6, False),
        "MB for 250 files": (50.0, True),
    }


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
    process = subprocess.run(
        [*command, "--no-peers", "--json", str(figures)], capture_output=True, text=True, check=False
    )
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
