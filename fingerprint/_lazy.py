"""Lazy re-exports: a module offers names of other modules and imports each one when it is first used."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def lazy_names(
    module: str, sources: Mapping[str, str]
) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` of a module.

    `sources` maps a module below `fingerprint` to the names to re-export from it, separated by spaces.
    """
    origins = {name: f"fingerprint.{source}" for source, names in sources.items() for name in names.split()}

    def load(name: str) -> object:
        if name not in origins:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value = getattr(import_module(origins[name]), name)
        setattr(sys.modules[module], name, value)
        return value

    return load, lambda: sorted(origins), sorted(origins)
