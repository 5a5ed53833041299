"""Build a release, twice, and compare the bytes: `make release`, which writes to `dist/`.

It refuses what is not committed, and a version that the changelog does not date. It publishes nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from pathlib import Path

from tests.support.paths import ROOT

DIST = ROOT / "dist"
# Run in the folder with the sources, in the environment of this process: its backend needs no network.
BUILD = "import sys; sys.path.insert(0, '.'); import build_backend as b; b.{kind}(sys.argv[1])"
NAMESPACE = "moss-server"
KINDS = ("build_sdist", "build_wheel")
HEADING = re.compile(r"^## \[(\S+)\] - (.+)$", re.MULTILINE)
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


class NotReady(Exception):
    """Nothing can be released yet; the message says what to do."""


def git(folder: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True).stdout


def version_to_release(folder: Path) -> str:
    """Return the version of a checkout.

    Raises
    ------
    NotReady
        When files are not committed, the changelog begins with another version or has no date for it, or
        another commit has its tag.
    """
    if git(folder, "status", "--porcelain"):
        raise NotReady("Files are not committed: commit them, or put them away.")
    version = str(tomllib.loads((folder / "pyproject.toml").read_text())["project"]["version"])
    heading = HEADING.search((folder / "CHANGELOG.md").read_text())
    if not heading or heading[1] != version:
        raise NotReady(f"CHANGELOG.md begins with another version than {version} of pyproject.toml.")
    if not DAY.fullmatch(heading[2]):
        raise NotReady(f"CHANGELOG.md says {heading[2]} of {version}: write the day, as in 2026-12-01.")
    tagged = git(folder, "tag", "--list", f"v{version}", "--format=%(objectname) %(*objectname)").decode()
    if tagged and git(folder, "rev-parse", "HEAD").decode().strip() not in tagged.split():
        raise NotReady(f"Another commit has the tag v{version}: raise the version in pyproject.toml.")
    return version


def build_twice(folder: Path, target: Path, prepare: Callable[[Path], None] = lambda _tree: None) -> list[Path]:
    """Build source distribution and wheel of what is committed, in two folders; return those in `target`.

    `prepare` is called with each copy of the sources.

    Raises
    ------
    NotReady
        When both do not have the same bytes.
    """
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        built = [_build(folder, Path(one), prepare) for one in (first, second)]
        names = [{file.name: _digest(file) for file in files} for files in built]
        if names[0] != names[1]:
            different = sorted(name for name, digest in names[0].items() if names[1].get(name) != digest)
            raise NotReady(f"Built twice, these have other bytes: {', '.join(different)}.")
        target.mkdir(exist_ok=True)
        return [Path(shutil.copy(file, target)) for file in built[0]]


def _build(folder: Path, temporary: Path, prepare: Callable[[Path], None]) -> list[Path]:
    tree, target = temporary / "sources", temporary / "built"
    target.mkdir()
    with tarfile.open(fileobj=BytesIO(git(folder, "archive", "HEAD"))) as archive:
        archive.extractall(tree, filter="data")
    # The commit, which git does not say in an archive.
    commit = git(folder, "rev-parse", "--short=12", "HEAD").decode()
    (tree / "moss" / "commit.txt").write_text(commit, encoding="ascii")
    prepare(tree)
    moment = git(folder, "log", "-1", "--format=%ct").decode().strip()
    environment = {"PATH": "/usr/bin:/bin", "SOURCE_DATE_EPOCH": moment, "PYTHONHASHSEED": "0"}
    for kind in KINDS:
        subprocess.run(
            [sys.executable, "-c", BUILD.format(kind=kind), target], cwd=tree, env=environment,
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
    return sorted(target.iterdir())


def _digest(file: Path) -> str:
    return sha256(file.read_bytes()).hexdigest()


def sign(file: Path, key: Path) -> Path:
    """Write the signature of a file with a private key of SSH beside it, as SECURITY.md says how to check."""
    subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", NAMESPACE, file], check=True)
    return file.with_name(f"{file.name}.sig")


def write_sums(files: list[Path], sums: Path, key: str) -> Path:
    """Write the checksums of files, signed where a key is named; no signature of earlier ones stays beside them."""
    sums.with_name(f"{sums.name}.sig").unlink(missing_ok=True)
    sums.write_text("".join(f"{_digest(file)}  {file.name}\n" for file in files))
    if key:
        print(f"Signed: {sign(sums, Path(key).expanduser())}")
    return sums


def main() -> None:
    try:
        version = version_to_release(ROOT)
        files = build_twice(ROOT, DIST)
    except NotReady as error:
        raise SystemExit(str(error)) from error
    sbom = DIST / f"moss_server-{version}.sbom.json"
    shutil.copy(ROOT / "artifacts" / "sbom.json", sbom)
    sums = write_sums([*files, sbom], DIST / "SHA256SUMS", os.environ.get("KEY", ""))
    print(sums.read_text(), end="")
    print(f"Both builds have these bytes. Then: make test, make nightly, git tag v{version}, and publish dist/.")


if __name__ == "__main__":
    main()
