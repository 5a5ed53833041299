"""The wheel, installed in an environment of its own and run outside the checkout."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from zipfile import ZipFile

import pytest

from fingerprint.kernels import files
from moss.sample import SAMPLE
from tests.support.paths import ROOT
from tests.support.web_server import ask, web_server

pytestmark = pytest.mark.slow

FOLDERS = ("moss", "submissions", "fingerprint", "templates")
PIP: list[str | Path] = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy of the sources, because setuptools writes beside them."""
    tree = tmp_path_factory.mktemp("tree")
    for name in FOLDERS:
        ignored = shutil.ignore_patterns("__pycache__", "compiled")
        shutil.copytree(ROOT / name, tree / name, symlinks=True, ignore=ignored)
    library = files.ensure_compiled(level=files.LEVEL)  # compiled here already, in most cases
    (tree / "fingerprint" / "kernels" / "compiled").mkdir()
    shutil.copy(library, tree / "fingerprint" / "kernels" / "compiled")
    for name in ("pyproject.toml", "build_backend.py", "README.md", "LICENSE"):
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


@pytest.fixture(scope="module")
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


def run(programs: Path, folder: Path, *command: str | Path) -> str:
    """Return what an installed program writes when it runs in `folder`."""
    own = ("MOSS_", "DJANGO_", "SECRET_KEY", "PYTHONPATH")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(own)}
    environment |= {"MOSS_HOME": str(folder / "home")}
    program, *arguments = command
    done = subprocess.run(
        [programs / program, *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_has_no_package_with_a_name_that_others_may_use(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = archive.namelist()
    folders = {name.partition("/")[0] for name in names}
    assert {name for name in folders if not name.endswith(".dist-info")} == {
        "moss",
        "submissions",
        "fingerprint",
    }


def test_the_wheel_has_every_file_of_the_packages(wheel: Path) -> None:
    tracked = subprocess.run(
        ["git", "ls-files", *FOLDERS], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    # The link, and the translations before they are compiled.
    tracked = [name for name in tracked if name != "submissions/templates" and not name.endswith(".po")]
    expected = {re.sub("^templates/", "submissions/templates/", name) for name in tracked}
    with ZipFile(wheel) as archive:
        assert expected - set(archive.namelist()) == set()


def test_the_wheel_carries_the_compiled_engine_and_says_for_which_platform(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = archive.namelist()
    assert wheel.name.endswith("-py3-none-manylinux_2_17_x86_64.whl")
    assert [Path(name).name for name in names if name.endswith(".kernels")] == [files.file_name(files.LEVEL)]
    assert not any("build_backend" in name for name in names)


def test_the_installed_command_runs_outside_the_checkout(programs: Path, tmp_path: Path) -> None:
    assert run(programs, tmp_path, "moss", "--version").startswith("moss, version ")
    here = "import submissions, moss; print(submissions.__file__, moss.__file__)"
    assert str(ROOT) not in run(programs, tmp_path, "python", "-c", here)


def test_the_installed_command_ranks_and_writes_a_report(programs: Path, tmp_path: Path) -> None:
    for name in ("amara-okafor", "jonas-weidler"):
        shutil.copytree(SAMPLE / "submissions" / name, tmp_path / "class" / name)
    report = run(programs, tmp_path, "moss", "check", "class", "--format=html")
    assert "<!doctype html>" in report
    assert "amara-okafor" in report
    compiled = next(programs.parent.rglob("site-packages/fingerprint/kernels/compiled"))
    assert len(list(compiled.iterdir())) == 1  # nothing was compiled


@pytest.mark.long
@pytest.mark.services
def test_an_installed_server_answers_with_its_pages(
    django_db_setup: None, programs: Path, tmp_path: Path
) -> None:
    run(programs, tmp_path, "moss", "manage", "collectstatic", "--no-input", "-v0")
    variables = {"DJANGO_SETTINGS_MODULE": "moss.settings", "MOSS_STATIC_ROOT": str(tmp_path / "home/static")}
    with web_server(python=str(programs / "python"), folder=str(tmp_path), **variables) as port:
        assert ask(port, "/accounts/login/").status == 200
