"""Build the wheel with setuptools; for Linux on x86-64 it carries the compiled engine.

Elsewhere, and where numba is missing, the wheel has Python alone, and the engine is compiled when it is
first used.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import platform
import re
import shutil
import sys
import tarfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403 - the hooks that are not replaced here
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

# What the engine imports while it is compiled; the versions are those of the dependencies.
NEEDED_BY_ENGINE = ("numpy", "pygments")
LOCKED = re.compile(r"^([a-z0-9-]+)==([^\s;]+)", re.MULTILINE)
# The compiled engine calls malloc, memcpy and the like, which every Linux since 2014 has.
PLATFORM = "manylinux_2_17_x86_64"


def is_compiled() -> bool:
    """Return whether this wheel carries the compiled engine."""
    return sys.platform == "linux" and platform.machine() == "x86_64" and find_spec("numba") is not None


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Return what builds a wheel; only an editable installation does not compile the engine."""
    return [*build_meta.get_requires_for_build_wheel(config_settings), *_needed_by_engine()]


def _needed_by_engine() -> list[str]:
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = [one for one in project["dependencies"] if one.partition(">")[0] in NEEDED_BY_ENGINE]
    return [*needed, *project["optional-dependencies"]["compiler"]]


@contextmanager
def nothing_of_other_builds() -> Iterator[None]:
    """Delete what setuptools leaves in the folder of these sources, before and after; nothing else in `build/`.

    It would put modules of `build/lib` that this version no longer has into the wheel, and read the list of files in
    `moss_server.egg-info`. What is left here would go into the wheel of another version of these sources.
    """
    _delete_builds()
    yield
    _delete_builds()


def _delete_builds() -> None:
    for folder in (*Path("build").glob("lib*"), *Path("build").glob("bdist.*"), Path("moss_server.egg-info")):
        if folder.is_symlink():
            folder.unlink()
        elif folder.exists():
            shutil.rmtree(folder)


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Build a wheel of what is in the folder now."""
    with nothing_of_other_builds():
        name: str = build_meta.build_wheel(wheel_directory, config_settings, metadata_directory)
    return name


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Build a source distribution; with SOURCE_DATE_EPOCH, its bytes depend on its files alone."""
    with nothing_of_other_builds():
        name: str = build_meta.build_sdist(sdist_directory, config_settings)
    if moment := os.environ.get("SOURCE_DATE_EPOCH"):
        _write_reproducibly(Path(sdist_directory) / name, int(moment))
    return name


def _write_reproducibly(archive: Path, moment: int) -> None:
    """Write a .tar.gz again, sorted, with one time and no owner."""
    with tarfile.open(archive) as packed:
        members = [(one, packed.extractfile(one)) for one in packed.getmembers()]
        contents = {one.name: (one, file.read() if file else b"") for one, file in members}
    with (
        archive.open("wb") as target,
        gzip.GzipFile("", "wb", fileobj=target, mtime=moment) as zipped,
        tarfile.open(fileobj=zipped, mode="w", format=tarfile.PAX_FORMAT) as written,
    ):
        for name in sorted(contents):
            member, content = contents[name]
            member.mtime, member.uid, member.gid, member.uname, member.gname = moment, 0, 0, "", ""
            member.pax_headers = {}
            written.addfile(member, io.BytesIO(content))


def list_of_packages(name: str, version: str) -> str:
    """Return the packages of requirements.lock, on which this version depends, in the format of CycloneDX."""
    locked = LOCKED.findall(Path("requirements.lock").read_text(encoding="utf-8"))
    this, *others = [
        {"type": kind, "bom-ref": purl, "name": package, "version": number, "purl": purl}
        for kind, package, number in [("application", name, version), *(("library", *one) for one in locked)]
        for purl in [f"pkg:pypi/{package}@{number}"]
    ]
    uses = [{"ref": this["bom-ref"], "dependsOn": [one["bom-ref"] for one in others]}]
    document = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "metadata": {"component": this}}
    return json.dumps({**document, "components": others, "dependencies": uses}, indent=1)


def write_commit(folder: Path) -> None:
    """Write the commit of these sources into a copy of the package `moss`."""
    from moss.release import FILE, commit  # noqa: PLC0415 - below this folder

    (folder / FILE.name).write_text(commit() + "\n", encoding="ascii")


class SourcesWithCommit(sdist):
    """The sources with the commit that they are of: git does not know those who unpack them."""

    def make_release_tree(self, base_dir: str, files: Any) -> None:
        super().make_release_tree(base_dir, files)
        write_commit(Path(base_dir) / "moss")


class BuildWithEngine(build_py):
    """Copy the packages, and add the commit and the compiled engine."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        write_commit(Path(self.build_lib) / "moss")
        if not is_compiled():
            return
        from fingerprint.kernels.library import LEVEL, ensure_compiled  # noqa: PLC0415 - below this folder

        library = ensure_compiled(level=LEVEL)
        folder = Path(self.build_lib) / "fingerprint" / "kernels" / "compiled"
        folder.mkdir(exist_ok=True)
        self.copy_file(str(library), str(folder / library.name))


class PlatformWheel(bdist_wheel):
    """A wheel for any Python; for one platform where it carries the compiled engine."""

    def write_wheelfile(self, folder: str, *arguments: Any) -> None:
        """Add the list of packages that this version is tested with, where PEP 770 has it."""
        super().write_wheelfile(folder, *arguments)
        lists = Path(folder) / "sboms"
        lists.mkdir()
        text = list_of_packages(self.distribution.get_name(), self.distribution.get_version())
        (lists / "moss_server.cdx.json").write_text(text, encoding="utf-8")

    def get_tag(self) -> tuple[str, str, str]:
        return ("py3", "none", PLATFORM) if is_compiled() else super().get_tag()
