import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import fingerprint
from fingerprint import engine

NAMES = [
    (package, node.module or "", alias.name)
    for package in (fingerprint, engine)
    for node in ast.walk(ast.parse(Path(str(package.__file__)).with_suffix(".pyi").read_text()))
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
]


def test_every_public_name_comes_from_its_module() -> None:
    for package, module, name in NAMES:
        value = getattr(package, name)
        assert value is getattr(import_module(module), name), name
        assert name.isupper() or value.__doc__, name


def test_the_names_of_a_package_are_those_of_its_stub() -> None:
    for package in (fingerprint, engine):
        assert sorted(name for owner, _, name in NAMES if owner is package) == dir(package)
    assert "robust_winnow" in dir(fingerprint)
    assert "rank" in dir(engine)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="klingon"):
        getattr(fingerprint, "klingon")  # noqa: B009 - mypy refuses the attribute, as it should


def test_the_package_alone_loads_neither_the_library_of_kernels_nor_numpy() -> None:
    code = "import sys, fingerprint.engine; print({'numba', 'llvmlite', 'numpy'} & set(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert loaded.stdout.strip() == "set()"
