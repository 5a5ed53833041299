"""Fetch one commit of a repository, and write its files to a zip archive, without a working tree."""

from __future__ import annotations

import logging
import stat
import tempfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from django.utils.translation import gettext_noop as _

from moss.integrations.repositories.git import (
    FILES_TOO_LARGE,
    SECONDS,
    TOO_MANY_FILES,
    Git,
    GitFailed,
    Remote,
)
from submissions.intake.limits import Limits, format_size
from submissions.intake.members import GIT, LOG, MOST_LOG_BYTES

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator

logger = logging.getLogger(__name__)

LIMITS = Limits()
MOST_BYTES = 200_000_000
LISTING_BYTES = 20_000_000
REF = "refs/heads/fetched"
# Without what a partial fetch adds: git would fetch the missing files when they are read.
PLAIN_CONFIG = "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
# A line of the log for each commit, without names.
LOG_LINE = "--format=%H %H - <> %ct +0000%x09commit:"
LINK, SUBMODULE = "120000", "160000"


class Wanted(NamedTuple):
    """The wanted commit: a given one, or the last one of a branch that is not later than `until`."""

    branch: str = ""
    commit: str = ""
    until: datetime | None = None


class Snapshot(NamedTuple):
    """The fetched files of a repository: the commit, its time by its committer, and what was left out."""

    commit: str
    committed: datetime
    files: int
    left_out: list[str]


def take_snapshot(remote: Remote, wanted: Wanted, target: IO[bytes], seconds: float = SECONDS) -> Snapshot:
    """Write the files of a commit to a zip archive.

    Raises
    ------
    GitFailed
        When it cannot be fetched; the message says why.
    """
    with tempfile.TemporaryDirectory(prefix="moss-git-") as folder:
        commit, history = wanted.commit, _bare(Path(folder) / "history", remote, seconds)
        if wanted.until and not commit:
            commit = _last_commit(history, wanted)
        git = _bare(Path(folder) / "tree", remote, seconds)
        size = f"--filter=blob:limit={LIMITS.file_bytes + 1}"
        _fetch(git, size, "--depth=1", source=commit or _ref(wanted.branch))
        (git.folder / "config").write_text(PLAIN_CONFIG)
        commit, seconds_of_commit = git.run("log", "-1", "--format=%H %ct", REF).decode().split()
        files, left_out = _write(git, target, _commit_log(history, commit))
    return Snapshot(commit, _time(int(seconds_of_commit)), files, left_out)


def _commit_log(git: Git, commit: str) -> bytes:
    """Return the times of the commits that led to one, as Git writes its log; empty if they are too many."""
    try:
        if not git.run("for-each-ref", REF):
            _fetch(git, "--filter=tree:0", source=commit)
        return git.run("rev-list", "--no-commit-header", LOG_LINE, commit, most=MOST_LOG_BYTES)
    except GitFailed:
        logger.info("the times of the commits before %s are not known", commit, exc_info=True)
        return b""


def _bare(folder: Path, remote: Remote, seconds: float) -> Git:
    folder.mkdir()
    git = Git(folder, remote, seconds)
    git.run("init", "--quiet", "--bare", "--template=", ".")
    return git


def _ref(branch: str) -> str:
    return f"refs/heads/{branch}" if branch else "HEAD"


def _fetch(git: Git, *options: str, source: str) -> None:
    quiet = ("--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
    git.run("fetch", *quiet, *options, "--", git.remote.address, f"+{source}:{REF}")


def _last_commit(git: Git, wanted: Wanted) -> str:
    """Return the last commit of the branch itself, not of what was merged into it, that is early enough."""
    assert wanted.until is not None
    _fetch(git, "--filter=tree:0", source=_ref(wanted.branch))
    until = f"--min-age={int(wanted.until.timestamp())}"
    commit = git.run("rev-list", "-1", "--first-parent", until, REF).decode().strip()
    if not commit:
        raise GitFailed(_("It has no commit before the due date."))
    return commit


def _time(seconds: int) -> datetime:
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError) as error:
        raise GitFailed(_("The time of its commit is not valid.")) from error


def _write(git: Git, target: IO[bytes], commit_log: bytes) -> tuple[int, list[str]]:
    """Write the files of the fetched tree; return their number, and what was left out, with the reason."""
    count, size, left_out = 0, 0, list[str]()
    with (
        zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive,
        git.started(["cat-file", "--batch"]) as objects,
    ):
        for mode, identifier, name in _entries(git):
            count += 1
            if count > LIMITS.entries:
                raise GitFailed(TOO_MANY_FILES.format(n=f"{LIMITS.entries:,}"))
            data = None if mode == SUBMODULE else _read(objects, identifier)
            if data is None:
                largest = f"larger than {format_size(LIMITS.file_bytes)}"
                left_out.append(f"{name}: {'a submodule' if mode == SUBMODULE else largest}")
                continue
            size += len(data)
            if size > MOST_BYTES:
                raise GitFailed(FILES_TOO_LARGE.format(size=format_size(MOST_BYTES)))
            archive.writestr(_member(name, mode), data)
        if commit_log:
            archive.writestr(GIT + LOG, commit_log)
    if count == len(left_out):
        raise GitFailed(_("It has only submodules and files that are too large."))
    return count - len(left_out), left_out


def _entries(git: Git) -> Iterator[tuple[str, str, str]]:
    """Yield the mode, the id and the path of each file of the fetched tree."""
    listed = git.run("ls-tree", "-r", "-z", "--full-tree", REF, most=LISTING_BYTES)
    for entry in listed.split(b"\0")[:-1]:
        described, _, path = entry.partition(b"\t")
        mode, _kind, identifier = described.decode("ascii").split()
        yield mode, identifier, path.decode("utf-8", "replace")


def _read(objects: subprocess.Popen[bytes], identifier: str) -> bytes | None:
    """Return the bytes of a file; None for one that was not fetched, since it is too large."""
    assert objects.stdin is not None
    assert objects.stdout is not None
    try:
        objects.stdin.write(f"{identifier}\n".encode())
        objects.stdin.flush()
        header = objects.stdout.readline().split()
        if header[-1:] == [b"missing"]:
            return None
        size = int(header[2])
        if size > LIMITS.file_bytes:
            _skip(objects.stdout, size + 1)
            return None
        data = objects.stdout.read(size)
        objects.stdout.read(1)
    except (BrokenPipeError, IndexError, ValueError) as error:
        raise GitFailed(_("Git could not read what it fetched.")) from error
    return data


def _skip(source: IO[bytes], size: int) -> None:
    while size > 0:
        size -= len(source.read(min(size, 1 << 20))) or size


def _member(name: str, mode: str) -> zipfile.ZipInfo:
    """Return the record of a file; a link stays one, so that the upload lists it as refused."""
    info = zipfile.ZipInfo(name.replace("\\", "_"))
    info.compress_type = zipfile.ZIP_DEFLATED
    kind = stat.S_IFLNK if mode == LINK else stat.S_IFREG
    info.external_attr = (kind | 0o644) << 16
    return info
