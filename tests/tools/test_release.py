"""A release says which commit it is of, and is the same bytes whoever builds it."""

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from zipfile import ZipFile

import pytest

from fingerprint.kernels import library as files
from moss import release
from tests.support.paths import ROOT
from tests.tools.release import HEADING, NAMESPACE, NotReady, build_twice, git, sign, version_to_release, write_sums


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a repository with the sources as they are now, in one commit, and a dated changelog."""
    folder = tmp_path / "checkout"
    tracked = git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard", "-z").decode().split("\0")
    for name in filter(None, tracked):
        if (ROOT / name).exists() and not name.startswith(("tests/", "bench/")):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name, follow_symlinks=False)
    changelog = (folder / "CHANGELOG.md").read_text()
    (folder / "CHANGELOG.md").write_text(HEADING.sub(r"## [\1] - 2026-12-01", changelog, count=1))
    git(folder, "init", "-q")
    commit(folder)
    return folder


def commit(folder: Path) -> None:
    git(folder, "add", "-A")
    who = ("-c", "user.name=ada", "-c", "user.email=ada@example.org")
    git(folder, *who, "commit", "-q", "--no-verify", "-m", "A commit")


def compiled_before(tree: Path) -> None:
    """Copy the compiled engine, which takes a minute of all cores to build."""
    library = files.ensure_compiled(level=files.LEVEL)
    (tree / "fingerprint" / "kernels" / "compiled").mkdir()
    shutil.copy(library, tree / "fingerprint" / "kernels" / "compiled")


@pytest.mark.slow
def test_the_version_names_the_commit_of_a_checkout(checkout: Path) -> None:
    short = git(checkout, "rev-parse", "--short=12", "HEAD").decode().strip()
    assert release.commit_of(checkout) == short
    (checkout / "README.md").write_text("changed")
    assert release.commit_of(checkout) == f"{short}+"
    assert release.commit_of(checkout.parent) == ""
    printed = subprocess.run(
        [sys.executable, "-m", "moss", "--version"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert printed.stdout.strip() == f"moss, version {release.this_release()}"


@pytest.mark.long
def test_what_is_built_twice_has_the_same_bytes_and_its_commit(checkout: Path, tmp_path: Path) -> None:
    wheel, sources = build_twice(checkout, tmp_path / "dist", compiled_before)
    short = git(checkout, "rev-parse", "--short=12", "HEAD").decode().strip()
    with ZipFile(wheel) as archive:
        assert archive.read("moss/commit.txt").decode().strip() == short
    with tarfile.open(sources) as packed:
        names = packed.getnames()
        written = packed.extractfile(f"{names[0]}/moss/commit.txt")
        assert written
        assert written.read().decode().strip() == short
    assert f"{names[0]}/build_backend.py" in names


@pytest.mark.long
def test_what_differs_is_not_released(checkout: Path, tmp_path: Path) -> None:
    def changed(tree: Path) -> None:
        compiled_before(tree)
        (tree / "moss" / "place.py").write_text(f"PLACE = {str(tree)!r}\n")

    with pytest.raises(NotReady, match="these have other bytes: moss_server-"):
        build_twice(checkout, tmp_path / "dist", changed)
    assert not (tmp_path / "dist").exists()


@pytest.mark.slow
def test_only_a_dated_committed_and_new_version_is_released(checkout: Path) -> None:
    version = version_to_release(checkout)
    git(checkout, "tag", f"v{version}")
    assert version_to_release(checkout) == version
    changelog = checkout / "CHANGELOG.md"
    dated = changelog.read_text()
    for text, reason in (
        (dated.replace("- 2026-12-01", "- unreleased"), "says unreleased of"),
        (dated.replace(f"## [{version}]", "## [9.9.9]"), "begins with another version"),
        (dated + "\n", f"Another commit has the tag v{version}"),
    ):
        changelog.write_text(text)
        with pytest.raises(NotReady, match="not committed"):
            version_to_release(checkout)
        commit(checkout)
        with pytest.raises(NotReady, match=reason):
            version_to_release(checkout)


def test_a_signature_is_checked_as_the_document_says_and_a_changed_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not shutil.which("ssh-keygen"):
        pytest.skip("ssh-keygen is not installed")
    key, sums = tmp_path / "key", tmp_path / "SHA256SUMS"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ada", "-f", key], check=True)
    (tmp_path / "release_keys").write_text(f"{NAMESPACE} {key.with_suffix('.pub').read_text()}")
    shutil.copy(key, tmp_path / "a key")
    signature = tmp_path / "SHA256SUMS.sig"
    for named in ("", str(key), "~/a key", ""):
        monkeypatch.setenv("HOME", str(tmp_path))
        write_sums([key], sums, named)
        assert signature.exists() == bool(named), named
    sums.write_text("of one release\n")
    assert sign(sums, key) == signature
    command = next(one for one in re.findall(r"`(ssh-keygen [^`]+)`", (ROOT / "SECURITY.md").read_text()))
    for text, status in (("of one release\n", 0), ("of another\n", 255)):
        sums.write_text(text)
        done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == status, done.stderr


def test_the_command_is_also_called_like_the_package_so_that_uvx_finds_it() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["scripts"][project["name"]] == project["scripts"]["moss"]
