"""The tools that are measured, each a command that scores all pairs of a folder into a CSV file.

A peer runs in its own interpreter or in node, found through an option or the environment, so that it is
measured only where somebody installed it:

- copydetect and compare50: BENCH_PYTHON, an interpreter that imports them (default: this one);
- Dolos: `@dodona/dolos-lib` in a folder of NODE_PATH, or where `npm root` or `npm root -g` say.
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

from bench.processes import Run, run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PEERS = Path(__file__).with_name("peers")


class ToolError(RuntimeError):
    """A tool that is not installed, or whose output is not what it should be."""


@dataclass(frozen=True)
class Tool:
    """`command` scores the folder and writes the file at its end; `measure` is the column read of that.

    Set-up that belongs to the run but not to the tool, such as a fixed hash seed, is in `env`.
    """

    name: str
    command: tuple[str, ...]
    ending: tuple[str, ...] = ("{folder}", "{out}")
    env: Mapping[str, str] = field(default_factory=dict)
    measure: str = "similarity"

    def run(
        self, folder: Path, out: Path, env: Mapping[str, str] | None = None, timeout: float = 3600
    ) -> Run:
        """Score all pairs of `folder`, within `timeout` seconds; raises RunFailed."""
        ending = [part.format(folder=folder, out=out) for part in self.ending]
        return run([*self.command, *ending], {**self.env, **(env or {})}, timeout)

    def scores(self, folder: Path) -> dict[frozenset[str], float]:
        """Score of each reported pair of names in `folder`.

        Raises
        ------
        RunFailed, ToolError
        """
        with tempfile.TemporaryDirectory() as scratch:
            out = Path(scratch) / "pairs.csv"
            self.run(folder, out)
            return read_scores(out, self.measure, {entry.name for entry in folder.iterdir()})


def read_scores(path: Path, measure: str, names: set[str]) -> dict[frozenset[str], float]:
    """Read a tool's CSV; a pair or a name that cannot be would otherwise pass as a score of zero.

    Raises
    ------
    ToolError
    """
    found: dict[frozenset[str], float] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            pair = frozenset((row["left"], row["right"]))
            if len(pair) != 2 or pair in found or not pair <= names:  # noqa: PLR2004 - a pair
                raise ToolError(f"a pair that cannot be: {row['left']!r} and {row['right']!r}")
            found[pair] = float(row[measure])
    return found


def moss(name: str = "moss", *options: str) -> Tool:
    """Return the `moss` command of this environment; without its cache, so that each run does all work."""
    beside = Path(sys.executable).with_name("moss")
    command = str(beside) if beside.exists() else shutil.which("moss")
    if command is None:
        raise ToolError("the moss command is not installed here: pip install -e .")
    ending = ("{folder}", *options, "--format", "csv", "-o", "{out}")
    return Tool(name, (command, "check"), ending, {"MOSS_CACHE": "off"})


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


def find(name: str, python: str | None = None) -> Tool:
    """Return one of NAMES; `python` is the interpreter that has the peers written in Python.

    Raises
    ------
    ToolError
        When it is not installed; the message says what to do.
    """
    interpreter = python or os.environ.get("BENCH_PYTHON", sys.executable)
    makers: dict[str, Callable[[], Tool]] = {
        "moss": lambda: moss("moss", "--all"),
        "copydetect": lambda: copydetect(interpreter),
        "compare50": lambda: compare50(interpreter),
        "dolos": dolos,
        "dolos-overlap": lambda: dolos("dolos-overlap", "overlap"),
    }
    return makers[name]()


NAMES = ("moss", "copydetect", "compare50", "dolos", "dolos-overlap")


def _require(python: str, package: str) -> None:
    command = [python, "-c", f"import {package}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise ToolError(f"{python} cannot be run: {error.strerror}") from error
    if done.returncode:
        raise ToolError(
            f"{package} is not installed for {python}: pip install it into an environment of its own and "
            f"name that interpreter with --python or BENCH_PYTHON"
        )


@cache
def _module_folders() -> tuple[str, ...]:
    """Where node's packages may lie: NODE_PATH, then what npm says of this folder and of the machine."""
    npm = shutil.which("npm")
    asked = [[npm, "root"], [npm, "root", "-g"]] if npm else []
    answers = [
        subprocess.run(ask, capture_output=True, text=True, check=False).stdout.strip() for ask in asked
    ]
    named = os.environ.get("NODE_PATH", "").split(os.pathsep)
    return tuple(folder for folder in [*named, *answers] if folder)
