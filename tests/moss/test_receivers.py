"""Every receiver of a signal is connected when Django starts, whatever module has it."""

import ast
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.support.paths import ROOT

STARTED = "import django, sys; django.setup(); print('\\n'.join(sys.modules))"


def modules_with_receivers() -> Iterator[str]:
    for package in ("moss", "submissions"):
        for path in (ROOT / package).rglob("*.py"):
            text = path.read_bytes()
            if b"@receiver" in text and any(map(is_receiver, ast.walk(ast.parse(text)))):
                yield ".".join(path.relative_to(ROOT).with_suffix("").parts)


def is_receiver(node: ast.AST) -> bool:
    """Return whether a node is a function that `receiver` decorates.

    The end of a request does not count: what serves requests imports the middleware that waits for it.
    """
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(one, ast.Call)
        and ast.unparse(one.func) == "receiver"
        and ast.unparse(one.args[0]) != "request_finished"
        for one in node.decorator_list
    )


@pytest.mark.slow
def test_start_up_imports_every_module_that_has_receivers() -> None:
    modules = set(modules_with_receivers())
    assert len(modules) > 4
    command = [sys.executable, "-c", STARTED]
    imported = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.split()
    assert modules - set(imported) == set()
