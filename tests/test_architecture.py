"""Layers of imports, lazy loading of the engine, and the length of files and functions."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.paths import ROOT
from tests.support.processes import completed

SOURCES = sorted(
    path.relative_to(ROOT)
    for package in ("moss", "submissions", "fingerprint", "tests", "bench")
    for path in (ROOT / package).rglob("*.py")
    if not {"migrations", "sample", "golden"} & set(path.relative_to(ROOT).parts)
)
# Of the product: it may be one thing. Tests have no limit.
LONGEST_FILE = 600
LONGEST_FUNCTION = 40


def loaded_by(statement: str) -> set[str]:
    """Return the top-level packages that a fresh interpreter has loaded after a statement."""
    program = f"import sys; {statement}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    process = completed([sys.executable, "-c", program], cwd=ROOT)
    assert process.returncode == 0, process.stderr
    return set(process.stdout.split())


def test_imports_point_one_way() -> None:
    # In a process of its own: import-linter disables all loggers of the process that calls it.
    command = [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"]
    run = completed(command, cwd=ROOT)
    assert run.returncode == 0, run.stdout + run.stderr


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements in a node; expressions, which are most of a tree, hold no function."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        for child in getattr(node, field, ()):
            yield child
            yield from statements(child)


def longer_than_allowed(path: Path) -> dict[str, int]:
    """Return the lengths, in lines, of what is too long in a file: the file itself, its functions."""
    text = (ROOT / path).read_text()
    whole = text.count("\n")
    functions = {
        f"{path} {node.name}": (node.end_lineno or 0) - node.lineno + 1
        for node in statements(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    too_long = {name: length for name, length in functions.items() if length > LONGEST_FUNCTION}
    is_limited = "tests" not in path.parts
    return too_long | ({str(path): whole} if is_limited and whole > LONGEST_FILE else {})


@pytest.mark.slow
def test_files_and_functions_stay_short() -> None:
    assert len(SOURCES) > 700
    assert {name: length for path in SOURCES for name, length in longer_than_allowed(path).items()} == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statement", "expected", "never"),
    [
        (
            "import django; django.setup(); import moss.urls, moss.celery",
            "django celery submissions",
            "numba llvmlite",
        ),
        (
            "import moss.cli; moss.cli.main(['--help'], standalone_mode=False)",
            "click",
            "numba numpy django celery redis psycopg rich pygments",
        ),
        (
            "from fingerprint.engine import rank, front_end, open_kernels; open_kernels()",
            "numpy",
            "numba llvmlite django celery redis psycopg click rich",
        ),
    ],
    ids=["the web app", "the help of the command", "the engine"],
)
def test_each_part_loads_no_more_than_it_needs(statement: str, expected: str, never: str) -> None:
    loaded = loaded_by(statement)
    assert {*expected.split()} <= loaded
    assert not loaded & {*never.split()}
