"""Read-only links to a report or to one pair: signed, expiring, revocable."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from django.core.signing import BadSignature, Signer
from django.utils import timezone

from submissions.models import Share

if TYPE_CHECKING:
    from datetime import date

    from django.contrib.auth.models import User

    from submissions.models import Assignment
    from submissions.queries.decisions import PairNames

# Part of every signature, so that nothing else that this server signs is a link.
PURPOSE = "submissions.share"
LASTING = {"day": timedelta(days=1), "week": timedelta(weeks=1), "month": timedelta(days=30)}
LONGEST = timedelta(days=366)


class Forged(Exception):
    """A token that this server never signed."""


class Ended(Exception):
    """A link that was valid once; the message says what became of it."""


def share(
    of: Assignment, who: User, expires: datetime, *, pair: PairNames | None = None, anonymous: bool = True
) -> Share:
    """Make a link to an assignment's report, or to one pair of it."""
    sides = {"left": pair.left, "right": pair.right} if pair else {}
    return Share.objects.create(assignment=of, created_by=who, expires=expires, anonymous=anonymous, **sides)


def revoke(made: Share) -> None:
    """End a link now; one that was revoked before keeps its time."""
    Share.objects.filter(pk=made.pk, revoked=None).update(revoked=timezone.now())


def token_of(made: Share) -> str:
    """Give what stands in the address of a link."""
    return _signer().sign(_written(made))


def shared(token: str) -> Share:
    """Find the link that a token stands for.

    Raises
    ------
    Forged
        When the token was not made by this server.
    Ended
        When the link has expired, was revoked, or what it led to was deleted.
    """
    try:
        signed = _signer().unsign(token)
    except BadSignature as error:
        raise Forged from error
    pk, _, _ = signed.partition("-")
    found = Share.objects.select_related("assignment__course__owner", "created_by").filter(pk=pk).first()
    if not found or _written(found) != signed:
        raise Ended("What this link led to was deleted. Ask whoever sent it to you.")
    if found.revoked:
        raise Ended(f"This link was revoked. {_ask(found)}")
    if found.expires <= timezone.now():
        raise Ended(f"This link has expired. {_ask(found)}")
    return found


def end_of(day: date) -> datetime:
    """Give the last moment of a day where the server is."""
    return timezone.make_aware(datetime.combine(day, time.max)).astimezone(UTC)


def _signer() -> Signer:
    return Signer(salt=PURPOSE, sep=".")


def _written(made: Share) -> str:
    """Name a link for ever: a database that was put back gives a number of its table out a second time."""
    return f"{made.pk}-{made.created:%y%m%d%H%M%S%f}"


def _ask(ended: Share) -> str:
    """Say whom to ask for another link, never by an address."""
    maker = ended.created_by.get_full_name() or ended.created_by.get_username()
    return f"Ask {'whoever sent it to you' if '@' in maker else maker} for a new one."
