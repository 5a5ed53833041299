"""The commands of the README, run exactly as they are written."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path
from urllib.request import urlopen

import psutil
import pytest

from moss.commands.service import planted_pairs
from moss.environment import TABLES, VARIABLES, with_tables
from tests.support.paths import ROOT
from tests.support.processes import descendants, kill_group

README = (ROOT / "README.md").read_text()
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) for line in block.splitlines()]


def test_every_command_of_the_readme_is_run_here() -> None:
    assert COMMANDS == ["make demo", "make test", ".venv/bin/moss check moss/sample/submissions"]


def test_the_readme_is_read_in_a_few_minutes() -> None:
    assert len(README.split()) <= 700


def test_make_test_runs_pytest_ruff_and_mypy() -> None:
    plan = subprocess.run(["make", "-n", "test"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert ".venv/bin/pytest" in plan
    assert ".venv/bin/ruff check" in plan
    assert ".venv/bin/mypy" in plan


def test_moss_check_ranks_the_sample_class() -> None:
    ranked = subprocess.run(COMMANDS[2].split(), cwd=ROOT, capture_output=True, text=True, check=True)
    top = ranked.stdout.splitlines()[1:4]
    assert any("amara-okafor" in line and "jonas-weidler" in line for line in top)


@pytest.mark.long
@pytest.mark.services
@pytest.mark.timeout(400)
def test_make_demo_ranks_serves_and_leaves_no_process_running(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    environment |= {"MOSS_HOME": str(tmp_path / "home"), "DJANGO_SETTINGS_MODULE": "moss.settings"}
    output = tmp_path / "output"
    with output.open("w") as file:
        demo = subprocess.Popen(
            COMMANDS[0].split(), cwd=ROOT, env=environment, stdout=file, stderr=file, start_new_session=True
        )
    try:
        text = _wait_until_serving(demo, output)
        planted = len(planted_pairs())
        assert f"The top {planted} pairs contain {planted} of the {planted} planted pairs." in text
        address = re.search(r"Open (\S+) and sign in as instructor with password \S+", text)
        assert address, text
        assert b"Sign in" in urlopen(address[1], timeout=60).read()
        family = descendants(demo.pid)
    finally:
        kill_group(demo.pid, signal.SIGINT)
        demo.wait(90)
    _, alive = psutil.wait_procs(family, timeout=60)
    assert alive == []


def _wait_until_serving(demo: subprocess.Popen[bytes], output: Path) -> str:
    deadline = time.monotonic() + 300
    while "Ctrl-C stops" not in output.read_text():
        assert demo.poll() is None, output.read_text()
        assert time.monotonic() < deadline, output.read_text()
        time.sleep(0.2)
    return output.read_text()


def test_every_variable_is_explained_by_the_list_that_reads_it() -> None:
    pages = [ROOT / "docs/do/running.md", ROOT / "docs/do/sign-in.md"]
    assert [path.name for path in pages if with_tables(path.read_text()) != path.read_text()] == []
    tables = re.findall("<!-- variables: (.*) -->", "".join(path.read_text() for path in pages))
    assert tables == list(TABLES)


def test_no_variable_is_read_without_the_list() -> None:
    names = re.compile(r'"((?:MOSS_|DATABASE_|REDIS_|SECRET_)[A-Z_]+)"')
    sources = [ROOT / "moss/settings.py", ROOT / "moss/environment.py", ROOT / "moss/log_lines.py"]
    tables = re.compile(r"^TABLES: .*?^}", re.DOTALL | re.MULTILINE)
    used = {name for path in sources for name in names.findall(tables.sub("", path.read_text()))}
    assert used - {"MOSS_TOKEN"} <= set(VARIABLES)
    assert set(VARIABLES) - used == {"MOSS_HOME", "MOSS_CACHE"}


def test_every_file_that_the_readme_links_to_is_there() -> None:
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


# The sets of the README's table, as the document on the score names them.
SETS = {
    "IR-Plag": "irplag", "ConPlag raw": "conplag, raw", "ConPlag clean": "conplag, clean",
    "SOCO Java": "soco_java", "SOCO C": "soco_c", "SOCO C++": "soco_test_c",
    "Java refactored": "p19, refactor", "Java rewritten by a model": "p19, gptobf",
    "C++ rewritten": "z5z5, gptobf", "Python rewritten": "gpt_python",
}  # fmt: skip


def cells(line: str) -> list[str]:
    return [cell.strip().strip("*") for cell in line.strip("|").split("|")]


def test_the_readme_states_the_figures_of_the_score_as_the_document_on_it_does() -> None:
    lines = README.splitlines()
    header = next(number for number, line in enumerate(lines) if "IR-Plag |" in line)
    _, *sets = cells(lines[header])
    stated = dict(zip(sets, cells(lines[header + 2])[1:], strict=True))
    document = (ROOT / "docs" / "know" / "score.md").read_text()
    rows = map(cells, document.partition("| **this score** |")[2].partition("\n\n")[0].splitlines())
    measured = {row[0]: row[3] for row in rows if len(row) == 5}
    assert stated == {name: measured[known] for name, known in SETS.items()}
