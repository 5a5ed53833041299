"""The measured tools. Each is a command that writes the scores of all pairs of a folder to a CSV file.

The tools other than moss (peers) are not dependencies of this project; they are measured if installed:

- copydetect and compare50: in the interpreter named by --python or BENCH_PYTHON (default: this one);
- Dolos: `@dodona/dolos-lib`, in a folder of NODE_PATH or in those that `npm root` and `npm root -g` print.
"""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from bench.processes import BenchError, ProcessRun, run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PEERS = Path(__file__).with_name("peers")


class ToolError(BenchError):
    """A tool is not installed, or its output is not valid."""


@dataclass(frozen=True)
class Tool:
    """A command with its last arguments, which name the folder to read and the CSV file to write.

    `env` has environment variables for the run, such as a fixed hash seed; `measure` is the column of the CSV
    file with the scores.
    """

    name: str
    command: tuple[str, ...]
    arguments: tuple[str, ...] = ("{folder}", "{out}")
    env: Mapping[str, str] = field(default_factory=dict)
    measure: str = "similarity"

    def run(self, folder: Path, out: Path, env: Mapping[str, str] | None = None, timeout: float = 3600) -> ProcessRun:
        """Write the scores of all pairs of `folder` to `out`, within `timeout` seconds; raises RunFailed."""
        arguments = [argument.format(folder=folder, out=out) for argument in self.arguments]
        return run([*self.command, *arguments], {**self.env, **(env or {})}, timeout)

    def scores(self, folder: Path) -> dict[frozenset[str], float]:
        """Return the score of each reported pair of names in `folder`.

        Raises
        ------
        RunFailed, ToolError
        """
        with tempfile.TemporaryDirectory() as scratch:
            out = Path(scratch) / "pairs.csv"
            self.run(folder, out)
            return read_scores(out, self.measure, {entry.name for entry in folder.iterdir()})


def read_scores(path: Path, measure: str, names: set[str]) -> dict[frozenset[str], float]:
    """Return the scores in a tool's CSV file, by pair of names.

    Raises
    ------
    ToolError
        When a pair is repeated or has an unknown name. Without this check such a pair would silently get
        score 0, like a pair that is not reported.
    """
    scores: dict[frozenset[str], float] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            pair = frozenset((row["left"], row["right"]))
            if len(pair) != 2 or pair in scores or not pair <= names:  # noqa: PLR2004 - a pair
                raise ToolError(f"invalid pair in the output: {row['left']!r} and {row['right']!r}")
            scores[pair] = float(row[measure])
    return scores


def moss(name: str = "moss", *options: str) -> Tool:
    """Return `moss check` of this environment, without its cache, so that each run does all the work."""
    in_environment = Path(sys.executable).with_name("moss")
    command = str(in_environment) if in_environment.exists() else shutil.which("moss")
    if command is None:
        raise ToolError("the moss command is not installed: pip install -e .")
    arguments = ("{folder}", *options, "--format", "csv", "-o", "{out}")
    return Tool(name, (command, "check"), arguments, {"MOSS_CACHE": "off"})


def copydetect(python: str) -> Tool:
    _require(python, "copydetect")
    return Tool("copydetect", (python, str(PEERS / "copydetect_scores.py")), env={"PYTHONHASHSEED": "0"})


def compare50(python: str) -> Tool:
    _require(python, "compare50")
    return Tool("compare50", (python, str(PEERS / "compare50_scores.py")), env={"PYTHONHASHSEED": "0"})


def dolos(name: str = "dolos", measure: str = "similarity") -> Tool:
    node = shutil.which("node")
    if node is None:
        raise ToolError("node is not installed")
    folders = [folder for folder in _module_folders() if (Path(folder) / "@dodona" / "dolos-lib").is_dir()]
    if not folders:
        raise ToolError("@dodona/dolos-lib is not installed: npm install @dodona/dolos-lib, or set NODE_PATH")
    env = {"NODE_PATH": os.pathsep.join(folders)}
    return Tool(name, (node, str(PEERS / "dolos_scores.mjs")), env=env, measure=measure)


def find_tool(name: str, python: str | None = None) -> Tool:
    """Return the tool `name`, one of NAMES; `python` is the interpreter with the peers written in Python.

    Raises
    ------
    ToolError
        When it is not installed; the message explains what to do.
    """
    interpreter = python or os.environ.get("BENCH_PYTHON", sys.executable)
    factories: dict[str, Callable[[], Tool]] = {
        "moss": lambda: moss("moss", "--all"),
        "copydetect": lambda: copydetect(interpreter),
        "compare50": lambda: compare50(interpreter),
        "dolos": dolos,
        "dolos-overlap": lambda: dolos("dolos-overlap", "overlap"),
    }
    return factories[name]()


NAMES = ("moss", "copydetect", "compare50", "dolos", "dolos-overlap")


def _require(python: str, package: str) -> None:
    command = [python, "-c", f"import {package}"]
    try:
        process = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise ToolError(f"{python} cannot be run: {error.strerror}") from error
    if process.returncode:
        raise ToolError(
            f"{package} is not installed for {python}: install it with pip into a separate environment, and "
            f"name that environment's interpreter with --python or BENCH_PYTHON"
        )


@cache
def _module_folders() -> tuple[str, ...]:
    """Return the folders that may have node's packages: NODE_PATH, then npm's local and global folder."""
    npm = shutil.which("npm")
    commands = [[npm, "root"], [npm, "root", "-g"]] if npm else []
    npm_folders = [
        subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip() for command in commands
    ]
    node_path = os.environ.get("NODE_PATH", "").split(os.pathsep)
    return tuple(folder for folder in [*node_path, *npm_folders] if folder)
