"""Benchmarks that start Django in the home of a server import its models only afterwards."""

import ast
from pathlib import Path

import pytest

from tests.support.paths import ROOT

MODULES = [path for path in sorted((ROOT / "bench").glob("*.py")) if "\nstart_django()\n" in path.read_text()]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: Path(path).stem)
def test_models_are_imported_after_django_was_started(path: Path) -> None:
    before = []
    for statement in ast.parse(path.read_text()).body:
        if isinstance(statement, ast.Expr) and ast.unparse(statement) == "start_django()":
            break
        if isinstance(statement, ast.ImportFrom):
            before.append(statement.module or "")
    assert [name for name in before if name.startswith(("submissions", "django.contrib"))] == []


def test_there_are_such_benchmarks() -> None:
    assert MODULES
