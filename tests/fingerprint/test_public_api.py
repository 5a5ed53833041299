from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module

import pytest

import fingerprint
from fingerprint import engine
from tests.support.paths import ROOT

MODULES = [
    (package, module, name)
    for package in (fingerprint, engine)
    for module, names in package.SOURCES.items()
    for name in names.split()
]


@pytest.mark.parametrize(("package", "module", "name"), MODULES)
def test_every_public_name_comes_from_its_module(package: object, module: str, name: str) -> None:
    value = getattr(package, name)
    assert value is getattr(import_module(f"fingerprint.{module}"), name)
    assert name.isupper() or value.__doc__


@pytest.mark.parametrize("path", ["fingerprint/__init__.py", "fingerprint/engine.py"])
def test_the_names_that_mypy_sees_are_those_that_are_loaded(path: str) -> None:
    package = fingerprint if "__init__" in path else engine
    source = (ROOT / path).read_text()
    imported = {
        (module.removeprefix("fingerprint."), alias.name)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and (module := node.module or "").startswith("fingerprint.")
        for alias in node.names
        if alias.asname
    }
    assert imported == {(module, name) for owner, module, name in MODULES if owner is package}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="klingon"):
        getattr(fingerprint, "klingon")  # noqa: B009 - mypy refuses the attribute, as it should


def test_the_package_alone_loads_neither_the_library_of_kernels_nor_numpy() -> None:
    code = "import sys, fingerprint.engine; print({'numba', 'llvmlite', 'numpy'} & set(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "set()"
