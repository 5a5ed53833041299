"""The wheel of these sources, and an environment in which it is installed."""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from fingerprint.kernels import library as files
from tests.support.paths import ROOT

FOLDERS = ("moss", "submissions", "fingerprint", "templates")
PIP: list[str | Path] = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy of the sources, because setuptools writes beside them."""
    tree = tmp_path_factory.mktemp("tree")
    for name in FOLDERS:
        ignored = shutil.ignore_patterns("__pycache__", "compiled")
        shutil.copytree(ROOT / name, tree / name, symlinks=True, ignore=ignored)
    library = files.ensure_compiled(level=files.LEVEL)  # compiled here already, in most cases
    (tree / "fingerprint" / "kernels" / "compiled").mkdir()
    shutil.copy(library, tree / "fingerprint" / "kernels" / "compiled")
    for name in ("pyproject.toml", "build_backend.py", "requirements.lock", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tree / name)
    build: list[str | Path] = [
        *PIP,
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        f"--wheel-dir={tree}",
        tree,
    ]
    subprocess.run(build, check=True)
    (path,) = tree.glob("moss_server-*.whl")
    return path


@pytest.fixture(scope="session")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel, with the dependencies of this environment; return the folder of its programs."""
    folder = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    # Only this folder is added: the link to the checkout that is in it is not followed.
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    install: list[str | Path] = [
        "--python",
        folder / "bin" / "python",
        "install",
        "--no-deps",
        "--no-index",
        wheel,
    ]
    subprocess.run([*PIP, *install], check=True)
    return folder / "bin"
