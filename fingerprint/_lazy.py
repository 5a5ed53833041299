"""Names of a module that are imported from elsewhere when they are first used."""

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

    `sources` maps a module below `fingerprint` to the names that it defines, separated by spaces.
    """
    homes = {name: f"fingerprint.{source}" for source, names in sources.items() for name in names.split()}

    def load(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(sys.modules[module], name, value)
        return value

    return load, lambda: sorted(homes), sorted(homes)
