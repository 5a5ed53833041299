"""Fetch Git repositories, and take the files and commit times of one version."""

from __future__ import annotations

import logging
import stat
import tempfile
import time
import zipfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit

import requests
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db.models import F, QuerySet, Sum
from django.db.models.functions import Length
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from moss.integrations.repositories.change import end, gather
from moss.integrations.repositories.git import (
    ALL_TOO_LARGE,
    FILES_TOO_LARGE,
    OTHER_ANSWER,
    SECONDS,
    TOKEN_REFUSED,
    TOO_LARGE,
    TOO_MANY_FILES,
    Git,
    GitFailed,
    GitMissing,
    Remote,
    authorization,
    program,
)
from moss.integrations.repositories.models import Repository, RepositoryFetch
from moss.outgoing import ForbiddenHost, UnknownHost, answer_of, resolve
from submissions.intake.limits import Limits, format_size, outside_time
from submissions.intake.members import GIT, LOG, MOST_LOG_BYTES
from submissions.work import jobs

if TYPE_CHECKING:
    import subprocess

    from submissions.models import Job

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

# A job fetches for this time, and goes on after the work of others.
SLICE_SECONDS = 30
# What may work later is tried so often, with this time between.
ATTEMPTS, WAIT = 3, timedelta(minutes=1)
# Bytes of the archive of a repository: a worker has them in memory.
LARGEST = 50_000_000
LEFT_OUT_CHARACTERS = 4000
State = Repository.State

QUESTION = "/info/refs?service=git-upload-pack"
ADVERTISEMENT = "application/x-git-upload-pack-advertisement"
REDIRECTS, MOST_REDIRECTS = range(300, 400), 2
OK, SERVER_ERROR, TOO_MANY = 200, 500, 429
REASONS = {
    401: TOKEN_REFUSED,
    403: TOKEN_REFUSED,
    404: _("There is no such repository, or the token may not read it."),
    410: _("There is no such repository any more."),
}


class Wanted(NamedTuple):
    """The wanted commit: a given commit, or the last commit of a branch that is not later than `until`."""

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
    """Write the files of a commit to a zip archive; raise GitFailed, which says why, when that fails."""
    with tempfile.TemporaryDirectory(prefix="moss-git-") as folder:
        commit, history = wanted.commit, _bare(Path(folder) / "history", remote, seconds)
        if wanted.until and not commit:
            commit = _last_commit(history, wanted)
        git = _bare(Path(folder) / "tree", remote, seconds)
        size = f"--filter=blob:limit={LIMITS.file_bytes + 1}"
        _fetch(git, size, "--depth=1", source=commit or _ref(wanted.branch))
        (git.folder / "config").write_text(PLAIN_CONFIG)
        commit, _space, time = git.run("log", "-1", "--format=%H %ct", REF).decode().strip().partition(" ")
        committed = _time(time)
        files, left_out = _write(git, target, _commit_log(history, commit))
    return Snapshot(commit, committed, files, left_out)


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
    """Return the last commit that is early enough, of the branch itself and not of merged branches."""
    assert wanted.until is not None
    _fetch(git, "--filter=tree:0", source=_ref(wanted.branch))
    until = f"--min-age={int(wanted.until.timestamp())}"
    commit = git.run("rev-list", "-1", "--first-parent", until, REF).decode().strip()
    if not commit:
        raise GitFailed(_("It has no commit before the due date."))
    return commit


def _time(seconds: str) -> datetime:
    """Return the time of a commit, which its author wrote."""
    if seconds.isdecimal() and (time := outside_time(float(seconds))):
        return time
    raise GitFailed(_("The time of its commit is not valid."))


def _write(git: Git, target: IO[bytes], commit_log: bytes) -> tuple[int, list[str]]:
    """Write the files of the fetched tree; return their number, and the left-out files with the reasons."""
    count, size, left_out = 0, 0, list[str]()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive, git.started(["cat-file", "--batch"]) as objects:
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
    """Return the bytes of a file, or None if it is too large, whether Git fetched it or not."""
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


def fetch_repositories(job: Job) -> None:
    """Fetch repositories of a list that wait; make an upload when none does any more.

    Raises Again or Later when some are left, or are tried again. Raises Refused when there is no git program.
    """
    started = time.monotonic()
    for fetch in _running(job.subject).select_related("assignment"):
        _check_git()
        while row := _next(fetch):
            if not _running(fetch.pk).exists():
                return
            if time.monotonic() - started > SLICE_SECONDS:
                raise jobs.Again
            _fetch_one(fetch, row)
        if fetch.repositories.filter(state=State.WAITING).exists():
            raise jobs.Later(WAIT, "some repositories did not answer")
        gather(fetch)


def _check_git() -> None:
    try:
        program()
    except GitMissing as error:
        raise jobs.Refused(str(error), "git is missing") from error


def give_up(job: Job, message: str) -> None:
    """Fail a list whose job failed."""
    for fetch in _running(job.subject):
        end(fetch, RepositoryFetch.State.FAILED, message)


def _running(key: int) -> QuerySet[RepositoryFetch]:
    return RepositoryFetch.objects.filter(pk=key, state=RepositoryFetch.State.FETCHING)


def _next(fetch: RepositoryFetch) -> Repository | None:
    """Return the next repository: a new repository, or a repository whose last attempt is long enough ago."""
    waiting = fetch.repositories.filter(state=State.WAITING)
    early = timezone.now() - WAIT
    return (waiting.filter(tried=None) | waiting.filter(tried__lt=early)).order_by("attempts", "pk").first()


def _fetch_one(fetch: RepositoryFetch, row: Repository) -> None:
    """Fetch a repository, and store what came, or why nothing did."""
    mine = fetch.repositories.filter(pk=row.pk)
    # Counted first: what ends this process is not tried for ever.
    mine.update(attempts=F("attempts") + 1, tried=timezone.now())
    try:
        _store(fetch, row)
    except SoftTimeLimitExceeded:
        mine.update(reason=_("It took too long."))
        raise
    except GitFailed as error:
        logger.info("%s, attempt %d: %s", row, row.attempts + 1, error)
        is_tried_again = error.passing and row.attempts + 1 < ATTEMPTS
        mine.update(state=State.WAITING if is_tried_again else State.FAILED, reason=str(error))


def _store(fetch: RepositoryFetch, row: Repository) -> None:
    if row.attempts >= ATTEMPTS:
        raise GitFailed(_("Fetching it was interrupted too often."))
    remote = reachable(row.address, fetch.token)
    with tempfile.TemporaryFile() as target:
        wanted = Wanted(row.branch, row.commit, fetch.assignment.due)
        snapshot = take_snapshot(remote, wanted, target)
        size = target.seek(0, 2)
        target.seek(0)
        _check_size(fetch, size)
        fetch.repositories.filter(pk=row.pk).update(
            state=State.FETCHED,
            reason="",
            fetched_commit=snapshot.commit,
            committed=snapshot.committed,
            left_out="\n".join(snapshot.left_out)[:LEFT_OUT_CHARACTERS],
            data=target.read(),
        )


def _check_size(fetch: RepositoryFetch, size: int) -> None:
    if size > LARGEST:
        raise GitFailed(TOO_LARGE.format(size=format_size(LARGEST)))
    stored = fetch.repositories.aggregate(size=Sum(Length("data")))["size"] or 0
    if stored + size > settings.MAX_UPLOAD_BYTES:
        raise GitFailed(ALL_TOO_LARGE.format(size=format_size(settings.MAX_UPLOAD_BYTES)))


def reachable(address: str, token: str) -> Remote:
    """Return the repository at an address, or at the address to which its host redirects.

    Raises GitFailed when there is no repository that this service may fetch; the message says why.
    """
    for _attempt in range(MOST_REDIRECTS + 1):
        try:
            other = _ask(address, token)
            if not other:
                return Remote(address, str(resolve(address, settings.GIT_NETWORKS)), token)
        except UnknownHost as error:
            raise GitFailed(_("The name of its host is not known."), passing=True) from error
        except ForbiddenHost as error:
            raise GitFailed(
                _(
                    "This service may not fetch from the network of its host. Ask the administrator of "
                    "this service to allow it."
                )
            ) from error
        except requests.exceptions.SSLError as error:
            raise GitFailed(_("The certificate of its host is not valid for its name.")) from error
        except requests.RequestException as error:
            raise GitFailed(_("Its host does not answer."), passing=True) from error
        address = other
    raise GitFailed(_("Its server redirects too often."))


def _ask(address: str, token: str) -> str:
    """Return the address that the server sends to; empty if the repository is here."""
    headers = {"User-Agent": "git/2 (moss)", "Git-Protocol": "version=2"}
    if token:
        headers["Authorization"] = authorization(token)
    with answer_of("GET", address + QUESTION, networks=settings.GIT_NETWORKS, headers=headers) as answer:
        status, kind = answer.status_code, answer.headers.get("Content-Type", "")
        if status in REDIRECTS:
            return _sent_to(address, answer.headers.get("Location", ""))
    if status != OK:
        passing = status >= SERVER_ERROR or status == TOO_MANY
        raise GitFailed(REASONS.get(status, OTHER_ANSWER.format(status=status)), passing=passing)
    if kind.partition(";")[0].strip() != ADVERTISEMENT:
        raise GitFailed(_("There is no Git repository at this address."))
    return ""


def _sent_to(address: str, location: str) -> str:
    """Return where a redirect leads, if that is a repository of the same host."""
    target = urljoin(address + QUESTION, location)
    old, new = urlsplit(address), urlsplit(target)
    if (new.scheme, new.netloc) != (old.scheme, old.netloc):
        raise GitFailed(_("Its server redirects to another host. Enter the address there."))
    if not target.endswith(QUESTION) or target == address + QUESTION:
        raise GitFailed(REASONS[401])  # A page to sign in at.
    return target.removesuffix(QUESTION)
