"""Find small mistakes that no test notices: `python -m tests.tools.mutants --count 20 --contexts .coverage`.

Each mistake is made alone, in a worktree of the last commit: in Python a comparison, a number, a condition
or a comparison in a text of SQL is changed; in a template an `if` or a variable. The tests that ran its line,
by a file of coverage with contexts (of `pytest --cov --cov-context=test`), or else those of the folder of the
same name, are run: first those of `make test`, then, where they saw nothing, those marked `long`. Files with
compiled functions are left out, since each change would compile all of them.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import islice
from pathlib import Path
from queue import Queue
from typing import NamedTuple

from coverage import CoverageData

from tests.support.paths import ROOT

PACKAGES = ("fingerprint", "moss", "submissions", "templates")
LEFT_OUT = re.compile(r"/migrations/|^moss/sample/|^submissions/(?:templates|static)$")
COMPILED = re.compile(r"@(?:kernel|njit|bare_\w+)\b")
OPERATORS = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip
OTHERS = {
    "==": "!=", "!=": "==", "<": "<=", "<=": "<", ">": ">=", ">=": ">", "in": "not in", "not in": "in",
    "is": "is not", "is not": "is", "and": "or", "or": "and", "=": "<>", "<>": "=", "AND": "OR", "OR": "AND",
}  # fmt: skip
SQL = re.compile(r"\b(?:SELECT|UPDATE|DELETE|WHERE|JOIN)\b")
IN_SQL = re.compile(r"(?<= )(?:<=|>=|<>|<|>|=|AND|OR)(?= )")
IN_TEMPLATES = re.compile(r"\{% (?:el)?if (?!not )|\{\{ [\w.]+")
# The second finds a text that the catalogues do not have, such as one that lost a variable.
TESTS_OF_TEMPLATES = ("tests/submissions/pages", "tests/moss/test_translations.py", "tests/moss/integrations")
# Tests of one mistake, of `make test` and of those marked `long`.
MOST_TESTS = 60
SECONDS = 300


class Mutant(NamedTuple):
    """The file with its text from `start` to `end` replaced."""

    file: str
    line: int
    start: int
    end: int
    replacement: str

    @property
    def path(self) -> Path:
        return ROOT / self.file

    def __str__(self) -> str:
        old = self.path.read_text()[self.start : self.end]
        return f"{self.file}:{self.line} {' '.join(old.split())!r} -> {self.replacement.strip()!r}"


def mutants(file: str, text: str) -> Iterator[Mutant]:
    """Yield the mistakes that can be made in a file."""
    for start, end, replacement in _Source(text).changes() if file.endswith(".py") else _in_template(text):
        yield Mutant(file, text.count("\n", 0, start) + 1, start, end, replacement)


def _in_template(text: str) -> Iterator[tuple[int, int, str]]:
    for match in IN_TEMPLATES.finditer(text):
        if match[0].startswith("{%"):
            yield match.end(), match.end(), "not "
        else:
            yield match.start() + 3, match.end(), '""'


class _Source:
    """A text of Python and the offsets of its lines; a text that is not ASCII has no changes."""

    def __init__(self, text: str) -> None:
        self.text = text if text.isascii() else ""
        self.lines = [0]
        for line in self.text.splitlines(keepends=True):
            self.lines.append(self.lines[-1] + len(line))

    def changes(self) -> Iterator[tuple[int, int, str]]:
        for node in ast.walk(ast.parse(self.text)):
            match node:
                case ast.Compare(left=left, ops=[operator], comparators=[right]):
                    yield from self._between(left, right, OPERATORS[type(operator)])
                case ast.BoolOp(op=operator, values=[left, right, *_]):
                    yield from self._between(left, right, "and" if isinstance(operator, ast.And) else "or")
                case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                    start, end = self._span(test)
                    yield start, end, f"not ({self.text[start:end]})"
                case ast.Constant(value=bool() as value):
                    yield *self._span(node), str(not value)
                case ast.Constant(value=int() as value):
                    yield *self._span(node), str(value + 1)
                case ast.Constant(value=str() as value) if SQL.search(value):
                    start, end = self._span(node)
                    for match in IN_SQL.finditer(self.text, start, end):
                        yield match.start(), match.end(), OTHERS[match[0]]

    def _span(self, node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start, end = self.lines[node.lineno - 1], self.lines[node.end_lineno - 1]
        return start + node.col_offset, end + node.end_col_offset

    def _between(self, left: ast.expr, right: ast.expr, operator: str) -> Iterator[tuple[int, int, str]]:
        """Yield the change of an operator, unless a bracket or a comment stands beside it, too."""
        start, end = self._span(left)[1], self._span(right)[0]
        if " ".join(self.text[start:end].split()) == operator:
            yield start, end, self.text[start:end].replace(operator, OTHERS[operator])


class Contexts:
    """The tests that ran each line, of a file of coverage, as far as they are still there."""

    def __init__(self, path: Path) -> None:
        self._data = CoverageData(str(path))
        self._data.read()
        self._lines = cache(self._data.contexts_by_lineno)
        self._files = self._data.measured_files()
        self.now, self.long = collected("not long and not hostile"), collected("long")

    def tests(self, mutant: Mutant) -> list[str]:
        file = next((one for one in self._files if one.endswith("/" + mutant.file)), "")
        names = self._lines(file).get(mutant.line, []) if file else []
        ran = sorted({name.rsplit("|", 1)[0] for name in names})
        return [test for among in (self.now, self.long) for test in _spread(among.intersection(ran))]


def collected(selection: str) -> set[str]:
    """Return the names of tests; the empty context, of lines that run at an import, is none."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", selection]
    lines = subprocess.check_output(command, cwd=ROOT, text=True).splitlines()
    return {line for line in lines if "::" in line}


def _spread(tests: Iterable[str]) -> list[str]:
    """Return at most MOST_TESTS, of all files: the first alone would be of a few."""
    ordered = sorted(tests)
    return ordered[:: -(-len(ordered) // MOST_TESTS) or 1]


def tests_of(mutant: Mutant, contexts: Contexts | None) -> list[str]:
    """Return the tests that are likely to see a mistake."""
    if contexts and (tests := contexts.tests(mutant)):
        return tests
    if mutant.file.startswith("templates/"):
        return [*TESTS_OF_TEMPLATES]
    folder = Path("tests", mutant.file).parent
    while not (ROOT / folder).is_dir():
        folder = folder.parent
    return [str(folder)]


def outcome(mutant: Mutant, tests: Sequence[str], tree: Path) -> str:
    """Return which tests saw a mistake: "now", "long" or "none"; all else of the tree is left as it is."""
    path = tree / mutant.file
    text = path.read_text()
    path.write_text(text[: mutant.start] + mutant.replacement + text[mutant.end :])
    _rename_library(tree)
    try:
        for name, selection in (("now", "not long and not hostile"), ("long", "long and not hostile")):
            if _fails(tests, selection, tree):
                return name
        return "none"
    finally:
        path.write_text(text)


def _rename_library(tree: Path) -> None:
    """Rename the compiled library for the sources with the mistake; else all kernels are compiled again."""
    program = "from fingerprint.kernels import library as files; print(files.file_name(files.processor_level()))"
    name = subprocess.check_output([sys.executable, "-c", program], cwd=tree, text=True).strip()
    library = next((tree / "fingerprint/kernels/compiled").glob("*.kernels"))
    library.rename(library.with_name(name))


def _fails(tests: Sequence[str], selection: str, tree: Path) -> bool:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-m",
        selection,
        "--hypothesis-profile=few",
        *tests,
    ]
    environment = {name: value for name, value in os.environ.items() if name != "MOSS_TEST_HOME"}
    try:
        done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return True  # it hangs, which somebody sees
    if done.returncode not in {0, 1, 5}:  # 5: none is selected
        raise RuntimeError(done.stdout.decode())
    return done.returncode == 1


def candidates(within: Sequence[str]) -> list[Mutant]:
    files = subprocess.check_output(["git", "ls-files", *PACKAGES], cwd=ROOT, text=True).splitlines()
    chosen = [file for file in files if file.startswith(tuple(within)) and file.endswith((".py", ".html", ".txt"))]
    texts = {file: (ROOT / file).read_text() for file in chosen if not LEFT_OUT.search(file)}
    return [one for file, text in texts.items() if not COMPILED.search(text) for one in mutants(file, text)]


def worktree(folder: Path, number: int) -> Path:
    """Return a copy of the last commit that uses this environment and its compiled kernels."""
    tree = folder / str(number)
    subprocess.run(["git", "worktree", "add", "-q", "--detach", tree], cwd=ROOT, check=True)
    (tree / ".venv").symlink_to(ROOT / ".venv")
    shutil.copytree(ROOT / "fingerprint/kernels/compiled", tree / "fingerprint/kernels/compiled")
    return tree


def main() -> None:
    """Choose mistakes by a seed, and print which of them the tests see."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--contexts", type=Path, help="a file of coverage with contexts")
    parser.add_argument("--within", nargs="*", default=[""], help="beginnings of the paths to change")
    parser.add_argument("--ran-by-long", action="store_true", help="change only lines that a long test ran")
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    if options.ran_by_long and not options.contexts:
        parser.error("--ran-by-long needs --contexts")
    contexts = Contexts(options.contexts) if options.contexts else None
    possible = candidates(options.within)
    random.Random(options.seed).shuffle(possible)
    work = ((mutant, tests_of(mutant, contexts)) for mutant in possible)
    if options.ran_by_long and contexts:
        work = ((mutant, tests) for mutant, tests in work if contexts.long.intersection(tests))
    chosen = list(islice(work, options.count))
    counts = dict.fromkeys(("now", "long", "none"), 0)
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.processes) as pool:
        trees: Queue[Path] = Queue()
        for number in range(options.processes):
            trees.put(worktree(Path(folder), number))

        def run(one: tuple[Mutant, list[str]]) -> str:
            tree = trees.get()
            try:
                return outcome(*one, tree)
            finally:
                trees.put(tree)

        for (mutant, _), seen in zip(chosen, pool.map(run, chosen), strict=True):
            counts[seen] += 1
            print(seen, mutant, flush=True)
    subprocess.run(["git", "worktree", "prune"], cwd=ROOT, check=True)
    print(counts)


if __name__ == "__main__":
    main()
