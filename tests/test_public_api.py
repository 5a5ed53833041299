import subprocess
import sys
from importlib import import_module

import pytest

import fingerprint


@pytest.mark.parametrize("module", fingerprint.PUBLIC)
def test_every_public_name_comes_from_its_module_and_from_the_package(module: str) -> None:
    for name in fingerprint.PUBLIC[module].split():
        assert getattr(fingerprint, name) is getattr(import_module(f"fingerprint.{module}"), name)


@pytest.mark.parametrize("module", fingerprint.PUBLIC)
def test_every_public_name_says_what_it_is_for(module: str) -> None:
    for name in fingerprint.PUBLIC[module].split():
        assert name.isupper() or getattr(fingerprint, name).__doc__


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="klingon"):
        _ = fingerprint.klingon


def test_the_package_alone_loads_neither_numba_nor_numpy() -> None:
    code = "import sys, fingerprint; print([n for n in ('numba', 'numpy') if n in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
