"""Requests to platforms, refusals, and texts of platforms as the database can store them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeGuard

import requests
from django.conf import settings
from urllib3.exceptions import HTTPError

from moss.integrations.lti.models import LONGEST_ID, Platform
from moss.outgoing import ForbiddenHost, UnknownHost, answer_of
from submissions.core.database import storable_json

REPLACED = "\ufffd"

# Seconds for a whole answer.
ANSWER_SECONDS = 20
LARGEST_ANSWER = 5_000_000
PART = 65_536
SUCCESS = (requests.codes.ok, requests.codes.created, requests.codes.accepted, requests.codes.no_content)


class LaunchRefused(Exception):
    """A launch that is refused: the message says why, `remedy` what to do.

    Both are translated texts, for the person in front of the page. `detail` is for the log.
    """

    def __init__(self, reason: str, remedy: str, detail: str = "") -> None:
        super().__init__(reason)
        self.remedy = remedy
        self.detail = detail


class RegistrationRefused(LaunchRefused):
    """A registration of a platform that is refused; see `LaunchRefused`."""


class PlatformFailed(Exception):
    """A platform did not answer, or with something else than LTI says; the message is for the log."""


def _refuse_constant(name: str) -> None:
    """Refuse NaN and Infinity, which neither JSON nor Postgres has."""
    raise ValueError(f"{name} is no number of JSON")


def is_id(value: object, longest: int = LONGEST_ID) -> TypeGuard[str]:
    """Return whether a value can name something; not where something in it was replaced."""
    return isinstance(value, str) and 0 < len(value) <= longest and REPLACED not in value


def text_of(fields: dict[str, Any], name: str) -> str:
    """Return a field that is a text, without white space around it; empty where it is none."""
    value = fields.get(name)
    return value.strip() if isinstance(value, str) else ""


class Answer(NamedTuple):
    """The JSON of an answer, and the address of the next page of a list; empty after the last one.

    An answer without a body has None.
    """

    content: Any
    next_page: str


def get_json(platform: Platform, address: str, headers: dict[str, str] | None = None) -> Answer:
    """Return what a platform answers to a GET.

    Raises PlatformFailed when the address is not one of the platform's, or the answer is late, large, no
    success or no JSON.
    """
    return _ask(platform, "GET", address, headers=headers or {})


def post_form(platform: Platform, address: str, fields: dict[str, str]) -> Answer:
    """Return what a platform answers to a form; raises as `get_json` does."""
    return _ask(platform, "POST", address, data=fields, headers={})


def post_json(platform: Platform, address: str, content: Any, headers: dict[str, str]) -> Answer:
    """Return what a platform answers to JSON; raises as `get_json` does."""
    return _ask(platform, "POST", address, json=content, headers=headers)


def _ask(platform: Platform, method: str, address: str, **options: Any) -> Answer:
    with _answer(platform, method, address, **options) as response:
        if response.status_code not in SUCCESS:
            raise PlatformFailed(f"{address:.200} answered {response.status_code}")
        content = _limited_body(address, response)
        next_page = response.links.get("next", {}).get("url", "")
        return Answer(
            storable_json(json.loads(content, parse_constant=_refuse_constant)) if content else None, next_page
        )


@contextmanager
def _answer(platform: Platform, method: str, address: str, **options: Any) -> Iterator[requests.Response]:
    if not platform.has_address(address):
        raise PlatformFailed(f"{address:.200} is at no host that is stored of {platform}")
    try:
        with answer_of(method, address, networks=settings.WEBHOOK_NETWORKS, **options) as response:
            yield response
    except ForbiddenHost as error:
        raise PlatformFailed(f"{error}, which is neither public nor in MOSS_WEBHOOK_NETWORKS") from error
    except (UnknownHost, requests.RequestException, HTTPError, OSError, ValueError, RecursionError) as error:
        raise PlatformFailed(f"{address:.200} failed: {error!s:.300}") from error


def _limited_body(address: str, response: requests.Response) -> bytes:
    deadline, body = time.monotonic() + ANSWER_SECONDS, bytearray()
    # By `read1`, which returns what has come: an answer in drops does not outlast the deadline in one read.
    while part := response.raw.read1(PART):
        body += part
        if len(body) > LARGEST_ANSWER:
            raise PlatformFailed(f"{address:.200} answered with more than {LARGEST_ANSWER:,} bytes")
        if time.monotonic() > deadline:
            raise PlatformFailed(f"{address:.200} took longer than {ANSWER_SECONDS} s")
    return bytes(body)
