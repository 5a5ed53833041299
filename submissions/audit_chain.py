"""The chain over the audit log: each entry has a number and a keyed digest of itself and of the entry before.

So an entry that somebody removed, changed or inserted in the database is found, unless that somebody has
`SECRET_KEY`. Subjects are left out, because the erasure of a student replaces names in them.
"""

from __future__ import annotations

import json
import re
from datetime import UTC
from ipaddress import ip_address
from typing import TYPE_CHECKING, NamedTuple, Protocol

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

PURPOSE = "moss.audit"
# What `cut_text` writes.
CUT = re.compile(r"entries to (\d+): ([0-9a-f]{64})")


class Entry(Protocol):
    """The fields of an entry of the log that are in its digest; see `models.AuditEntry`."""

    number: int
    digest: str
    created: datetime
    who: str
    address: str | None
    action: str
    course: str
    assignment: str
    page: str


class Verdict(NamedTuple):
    """The entries of the chain up to `digest`, counted, and the number of the first broken one, or 0."""

    entries: int
    digest: str
    broken: int


def digest_of(entry: Entry, before: str, secret: str = "") -> str:
    """Return the digest of an entry whose predecessor has the digest `before`."""
    address = ip_address(entry.address).packed.hex() if entry.address else ""
    texts = [entry.who, entry.action, entry.course, entry.assignment, entry.page]
    content = [before, entry.number, entry.created.astimezone(UTC).isoformat(), address, *texts]
    key = secret or settings.SECRET_KEY
    return salted_hmac(PURPOSE, json.dumps(content), secret=key, algorithm="sha256").hexdigest()


def cut_text(number: int, digest: str) -> str:
    """Return what an entry says of a log that begins after the entry of this number and digest now."""
    return f"entries to {number}: {digest}"


def verify(entries: Iterable[Entry], cuts: Iterable[str] = ()) -> Verdict:
    """Follow the chain over its entries, in the order of their numbers, to its end or its first fault.

    `cuts` are the texts by which entries say after which one the log begins. Such an entry is in the chain
    too, so that a text that somebody else wrote breaks it there.
    """
    begins = {int(match[1]): match[2] for match in map(CUT.fullmatch, cuts) if match}
    count, before, number = 0, "", 0
    for entry in entries:
        if not count and (known := begins.get(entry.number - 1)):
            number, before = entry.number - 1, known
        number += 1
        if entry.number != number or not _is_right(entry, before):
            return Verdict(count, before, number)
        count, before = count + 1, entry.digest
    return Verdict(count, before, 0)


def _is_right(entry: Entry, before: str) -> bool:
    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(constant_time_compare(entry.digest, digest_of(entry, before, one)) for one in secrets)
