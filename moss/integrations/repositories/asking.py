"""Find out whether a repository can be fetched before git is started: where its host is, what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import requests
from django.conf import settings
from django.utils.translation import gettext_noop as _

from moss.integrations.repositories.git import TOKEN_REFUSED, GitFailed, Remote, authorization
from moss.outgoing import ForbiddenHost, UnknownHost, answer_of, is_public, resolve

if TYPE_CHECKING:
    from collections.abc import Callable

    from moss.outgoing import Number

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


def may_ask(address: str) -> Callable[[Number], bool]:
    """Return which numbers may be asked: by HTTPS public and listed ones, by HTTP those that are listed."""
    is_encrypted = urlsplit(address).scheme == "https"
    return lambda number: (is_encrypted and is_public(number)) or _is_listed(number)


def _is_listed(number: Number) -> bool:
    return any(number in network for network in settings.GIT_NETWORKS)


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
        raise GitFailed(REASONS.get(status, f"Its server answered {status}."), passing=passing)
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
