"""The tests that documents and lists name."""

import ast

from tests.support.paths import ROOT


def named_test_exists(name: str) -> bool:
    """Return whether a file has the test of a name such as `tests/test_site.py::test_x`, or any test."""
    path, _, function = name.partition("::")
    if not (ROOT / path).is_file():
        return False
    tree = ast.parse((ROOT / path).read_text())
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    return function in functions if function else any(one.startswith("test_") for one in functions)
