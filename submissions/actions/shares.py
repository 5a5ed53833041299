"""Share links: read-only links to a report or one pair, signed, expiring and revocable."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from django.core.signing import BadSignature, Signer
from django.utils import timezone
from django.utils.translation import gettext as _

from submissions.models import Share
from submissions.queries.withheld import for_reader

if TYPE_CHECKING:
    from datetime import date

    from django.contrib.auth.models import User

    from submissions.models import Assignment
    from submissions.queries.decisions import PairNames

# Salt of the signature, so that no other signed value of this server is accepted as a share token.
PURPOSE = "submissions.share"
DURATIONS = {"day": timedelta(days=1), "week": timedelta(weeks=1), "month": timedelta(days=30)}
LONGEST = timedelta(days=366)


class ForgedToken(Exception):
    """A token that this server did not sign."""


class ShareEnded(Exception):
    """A link that is no longer valid; the message says why."""


def create_share(
    assignment: Assignment,
    user: User,
    expires: datetime,
    *,
    pair: PairNames | None = None,
    anonymous: bool = True,
) -> Share:
    """Create a share link to an assignment's report, or to one pair of it.

    With `anonymous` its pages show aliases instead of names.
    """
    sides = {"left": pair.left, "right": pair.right} if pair else {}
    return Share.objects.create(
        assignment=assignment, created_by=user, expires=expires, anonymous=anonymous, **sides
    )


def revoke_share(share: Share) -> None:
    """Revoke a link now. A link that is already revoked keeps its time of revocation."""
    Share.objects.filter(pk=share.pk, revoked=None).update(revoked=timezone.now())


def share_token(share: Share) -> str:
    """Return the token for the URL of a link."""
    return _signer().sign(_identity(share))


def find_share(token: str) -> Share:
    """Return the share link of a token.

    Raises
    ------
    ForgedToken
        When this server did not sign the token.
    ShareEnded
        When the link has expired or was revoked, or its target was deleted.
    """
    try:
        signed = _signer().unsign(token)
    except BadSignature as error:
        raise ForgedToken from error
    share = (
        Share.objects.select_related("assignment__course__owner", "assignment__course__roster", "created_by")
        .filter(pk=signed.partition("-")[0])
        .first()
    )
    if not share or _identity(share) != signed:
        raise ShareEnded(_("What this link led to was deleted. Ask whoever sent it to you."))
    if share.revoked:
        raise ShareEnded(_("This link was revoked.") + f" {_whom_to_ask(share)}")
    if share.expires <= timezone.now():
        raise ShareEnded(_("This link has expired.") + f" {_whom_to_ask(share)}")
    # A link shows what its creator may see now.
    for_reader(share.assignment, share.created_by, shared=True)
    return share


def end_of_day(day: date) -> datetime:
    """Return the last moment of a day in the server's time zone."""
    return timezone.make_aware(datetime.combine(day, time.max)).astimezone(UTC)


def _signer() -> Signer:
    return Signer(salt=PURPOSE, sep=".")


def _identity(share: Share) -> str:
    """Return primary key and creation time; a database restored from a backup can reuse primary keys."""
    return f"{share.pk}-{share.created:%y%m%d%H%M%S%f}"


def _whom_to_ask(share: Share) -> str:
    """Return a sentence that names the creator of the link, but never by an e-mail address."""
    creator = share.created_by.get_full_name() or share.created_by.get_username()
    if "@" in creator:
        return _("Ask whoever sent it to you for a new one.")
    return _("Ask {name} for a new one.").format(name=creator)
