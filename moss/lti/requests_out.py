"""Requests to platforms: only to their stored hosts, with limits of time and size."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import requests
from urllib3.exceptions import HTTPError

from moss.lti.refusals import PlatformFailed
from moss.outgoing import answer_of

if TYPE_CHECKING:
    from moss.lti.models import Platform

# Seconds for a whole answer.
ANSWER_SECONDS = 20
LARGEST_ANSWER = 5_000_000
PART = 65_536
SUCCESS = (requests.codes.ok, requests.codes.created)


class Answer(NamedTuple):
    """The JSON of an answer, and the address of the next page of a list; empty after the last one."""

    content: Any
    next_page: str


def get_json(platform: Platform, address: str, headers: dict[str, str] | None = None) -> Answer:
    """Return what a platform answers to a GET.

    Raises
    ------
    PlatformFailed
        When the address is not one of the platform's, or the answer is late, large, no success or no JSON.
    """
    return _ask(platform, "GET", address, headers=headers or {})


def post_form(platform: Platform, address: str, fields: dict[str, str]) -> Answer:
    """Return what a platform answers to a form; raises as `get_json` does."""
    return _ask(platform, "POST", address, data=fields, headers={})


def post_json(platform: Platform, address: str, content: Any, headers: dict[str, str]) -> Answer:
    """Return what a platform answers to JSON; raises as `get_json` does."""
    return _ask(platform, "POST", address, json=content, headers=headers)


def _ask(platform: Platform, method: str, address: str, **options: Any) -> Answer:
    if not platform.has_address(address):
        raise PlatformFailed(f"{address:.200} is at no host that is stored of {platform}")
    try:
        with answer_of(method, address, **options) as response:
            if response.status_code not in SUCCESS:
                raise PlatformFailed(f"{address:.200} answered {response.status_code}")
            content = _limited_body(address, response)
            next_page = response.links.get("next", {}).get("url", "")
        return Answer(json.loads(content), next_page)
    except (requests.RequestException, HTTPError, OSError, ValueError, RecursionError) as error:
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
