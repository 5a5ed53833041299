"""Fetch the repositories of a list one after the other, in the background, then make an upload of them."""

from __future__ import annotations

import logging
import tempfile
import time
from datetime import timedelta
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import requests
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db.models import F, Sum
from django.db.models.functions import Length
from django.utils import timezone
from django.utils.translation import gettext_noop as _

from moss.integrations.repositories.actions import end, gather
from moss.integrations.repositories.git import (
    ALL_TOO_LARGE,
    OTHER_ANSWER,
    TOKEN_REFUSED,
    TOO_LARGE,
    GitFailed,
    GitMissing,
    Remote,
    authorization,
    program,
)
from moss.integrations.repositories.models import Repository, RepositoryFetch
from moss.integrations.repositories.snapshots import Wanted, take_snapshot
from moss.outgoing import ForbiddenHost, UnknownHost, answer_of, is_public, resolve
from submissions.intake.limits import format_size
from submissions.work import jobs

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.db.models import QuerySet

    from moss.outgoing import Address
    from submissions.models import Job

logger = logging.getLogger(__name__)

# A job fetches for this time, and goes on after the work of others.
SLICE_SECONDS = 30
# What may work later is tried so often, with this time between.
ATTEMPTS, WAIT = 3, timedelta(minutes=1)
# Bytes of the archive of a repository: a worker has them in memory.
LARGEST = 50_000_000
LEFT_OUT_CHARACTERS = 4000
State = Repository.State


def fetch_repositories(job: Job) -> None:
    """Fetch repositories of a list that wait; make an upload when none does any more.

    Raises
    ------
    Again, Later
        When some are left, or are tried again.
    Refused
        When there is no git program.
    """
    started = time.monotonic()
    for fetch in _running(job.subject).select_related("assignment"):
        _check_git()
        while row := _next(fetch):
            if not _running(fetch.pk).exists():
                return
            if time.monotonic() - started > SLICE_SECONDS:
                raise jobs.Again
            _fetch(fetch, row)
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
    """Return the repository that is next: a new one, or one whose last attempt is long enough ago."""
    waiting = fetch.repositories.filter(state=State.WAITING)
    early = timezone.now() - WAIT
    return (waiting.filter(tried=None) | waiting.filter(tried__lt=early)).order_by("attempts", "pk").first()


def _fetch(fetch: RepositoryFetch, row: Repository) -> None:
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


def reachable(address: str, token: str) -> Remote:
    """Return the repository at an address, or where its host says that it is now.

    Raises
    ------
    GitFailed
        When there is none that this service may fetch; the message says why.
    """
    for _attempt in range(MOST_REDIRECTS + 1):
        try:
            other = _ask(address, token)
            if not other:
                return Remote(address, str(resolve(address, may_ask(address))), token)
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


def may_ask(address: str) -> Callable[[Address], bool]:
    """Return which IP addresses may be asked: by HTTPS public and listed ones, by HTTP listed ones."""
    is_encrypted = urlsplit(address).scheme == "https"
    return lambda ip: (is_encrypted and is_public(ip)) or _is_listed(ip)


def _is_listed(ip: Address) -> bool:
    return any(ip in network for network in settings.GIT_NETWORKS)


def _ask(address: str, token: str) -> str:
    """Return the address that the server sends to; empty if the repository is here."""
    headers = {"User-Agent": "git/2 (moss)", "Git-Protocol": "version=2"}
    if token:
        headers["Authorization"] = authorization(token)
    with answer_of("GET", address + QUESTION, may_ask=may_ask(address), headers=headers) as answer:
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
