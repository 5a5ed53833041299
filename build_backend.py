"""Build the wheel with setuptools; for Linux on x86-64 it carries the compiled engine.

Elsewhere, and where numba is missing, the wheel has Python alone, and the engine is compiled when it is
first used.
"""

from __future__ import annotations

import platform
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403 - the hooks that are not replaced here
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

NUMBA = "numba>=0.68,<0.69"
# The compiled engine calls malloc, memcpy and the like, which every Linux since 2014 has.
PLATFORM = "manylinux_2_17_x86_64"


def is_compiled() -> bool:
    """Return whether this wheel carries the compiled engine."""
    return sys.platform == "linux" and platform.machine() == "x86_64" and find_spec("numba") is not None


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Return what builds a wheel: numba too, which an editable installation does not need for that."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), NUMBA]


class BuildWithEngine(build_py):
    """Copy the packages, and add the compiled engine."""

    def run(self) -> None:
        super().run()
        if self.editable_mode or not is_compiled():
            return
        from fingerprint.kernels.files import LEVEL, ensure_compiled  # noqa: PLC0415 - below this folder

        library = ensure_compiled(level=LEVEL)
        folder = Path(self.build_lib) / "fingerprint" / "kernels" / "compiled"
        folder.mkdir(exist_ok=True)
        self.copy_file(str(library), str(folder / library.name))


class PlatformWheel(bdist_wheel):
    """A wheel for any Python; for one platform where it carries the compiled engine."""

    def get_tag(self) -> tuple[str, str, str]:
        return ("py3", "none", PLATFORM) if is_compiled() else super().get_tag()
