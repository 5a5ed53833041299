"""Lazy re-exports: a module offers what its stub imports, and imports each name when it is first used."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from itertools import pairwise


def lazy_names(module: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a module whose stub lies beside its `file`."""
    origins = stub_names(f"{file.removesuffix('.py')}.pyi")

    def load(name: str) -> object:
        if name not in origins:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value = getattr(import_module(origins[name]), name)
        setattr(sys.modules[module], name, value)
        return value

    return load, lambda: sorted(origins), sorted(origins)


def stub_names(path: str) -> dict[str, str]:
    """Return the names that a stub re-exports, each with its module.

    All of its statements are `from module import name as name`: to load `ast` for them takes 20 ms.
    """
    with open(path, encoding="ascii") as stub:  # noqa: PTH123 - pathlib takes 20 ms, too
        statements = stub.read().split("from ")[1:]
    return {
        name: module
        for module, _, names in (statement.partition(" import ") for statement in statements)
        for name, following in pairwise(names.replace("(", " ").split())
        if following == "as"
    }
