"""Share links: read-only links to a report or one pair, signed, expiring and revocable; requests to read.

A link ends where whoever made it may not share any more.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from datetime import UTC, date, datetime, time, timedelta
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings
from django.contrib.auth.models import User
from django.core.signing import BadSignature, Signer
from django.db import transaction
from django.db.models import BooleanField, Case, Q, QuerySet, When
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy

from submissions.core.access import WithheldPair, for_reader, readable_pairs
from submissions.core.mails import Mail
from submissions.core.rights import Right, may, require, still_has, visible_courses
from submissions.models import Assignment, Course, Pair, ReadingRequest, Report, Share

if TYPE_CHECKING:
    from submissions.cases.read import PairNames

# Maximum number of expired and revoked links on a page; older ones stay in the database.
ENDED_LISTED = 50

logger = logging.getLogger(__name__)

# Salt of the signature, so that no other signed value of this server is accepted as a share token.
PURPOSE = "submissions.share"
DURATIONS = {"day": timedelta(days=1), "week": timedelta(weeks=1), "month": timedelta(days=30)}
LONGEST = timedelta(days=366)

State = ReadingRequest.State
# The answers that a state leaves open.
ANSWERS = {
    State.ASKED: {State.AGREED, State.REFUSED},
    State.AGREED: {State.WITHDRAWN},
    State.REFUSED: {State.AGREED},
    State.WITHDRAWN: {State.AGREED},
}


class Shares(NamedTuple):
    """Share links of an assignment: links that work, links that stopped, and the newest links that ended.

    Links that `stopped` would still be valid, but their makers may not share any more. Links that `ended`
    expired or were revoked.
    """

    working: list[Share]
    stopped: list[Share]
    ended: list[Share]


def shares_of(assignment: Assignment) -> Shares:
    """Return the share links of an assignment, newest first."""
    links = assignment.shares.select_related("created_by")
    works = Case(When(_maker_may_share(), then=True), default=False, output_field=BooleanField())
    valid = list(links.filter(_is_valid()).annotate(works=works))
    return Shares(
        [share for share in valid if share.works],
        [share for share in valid if not share.works],
        list(links.exclude(_is_valid())[:ENDED_LISTED]),
    )


def stopped_shares() -> QuerySet[Share]:
    """Return the links of all courses that stopped, because who made them may not share any more."""
    return Share.objects.filter(_is_valid()).exclude(_maker_may_share())


def working_shares() -> QuerySet[Share]:
    """Return the links of all courses that open, those that end soonest first."""
    rows = Share.objects.filter(_is_valid()).filter(_maker_may_share()).order_by("expires", "pk")
    return rows.select_related("assignment__course", "created_by")


def assignments_with_stopped_shares(course: Course) -> QuerySet[Assignment]:
    return course.assignments.filter(pk__in=stopped_shares().order_by().values("assignment"))


def _is_valid() -> Q:
    return Q(revoked=None, expires__gt=timezone.now())


def _maker_may_share() -> Q:
    return still_has(Right.SHARE, "created_by", "assignment__course")


def pair_by_names(report: Report, left: str, right: str) -> Pair | None:
    """Return a report's pair by the names of its submissions, `left` sorted before `right`."""
    pairs = readable_pairs(report).select_related("left__batch", "right__batch")
    return pairs.filter(left__name=left, right__name=right).first()


class ForgedToken(Exception):
    """A token that this server did not sign."""


class ShareEnded(Exception):
    """A link that is no longer valid; the message says why."""


def create_share(
    assignment: Assignment, user: User, expires: datetime, *, pair: PairNames | None = None, anonymous: bool = True
) -> Share:
    """Create a share link to an assignment's report, or to one pair of it.

    With `anonymous` its pages show aliases instead of names.
    """
    sides = {"left": pair.left, "right": pair.right} if pair else {}
    return Share.objects.create(assignment=assignment, created_by=user, expires=expires, anonymous=anonymous, **sides)


def revoke_share(share: Share) -> None:
    """Revoke a link now. A link that is already revoked keeps its time of revocation."""
    Share.objects.filter(pk=share.pk, revoked=None).update(revoked=timezone.now())


def take_over_share(share: Share, user: User) -> None:
    """Make a link that of another user: from now on it shows what this user may read."""
    Share.objects.filter(pk=share.pk).update(created_by=user, owner_told=False)


def tell_owners() -> None:
    """Tell the owners of courses by mail which links stopped, once; the page of the course says it, too."""
    stopped = stopped_shares().filter(owner_told=False).select_related("assignment__course__owner")
    by_course: dict[Course, list[Share]] = defaultdict(list)
    for share in stopped:
        by_course[share.assignment.course].append(share)
    for course, shares in by_course.items():
        Share.objects.filter(pk__in=[share.pk for share in shares]).update(owner_told=True)
        logger.info("%d links of course %d stopped with the right of who made them", len(shares), course.pk)
        if settings.MAIL:
            assignments = sorted({share.assignment.name for share in shares})
            context = {"course": course, "number": len(shares), "assignments": assignments}
            subject, names = gettext_lazy("Links to {course} do not work any more"), {"course": course.name}
            Mail(subject, "submissions/shares/links_stopped.txt", context, names).send_to(course.owner)


def share_token(share: Share) -> str:
    return _signer().sign(_identity(share))


def share_of_token(token: str) -> Share:
    """Return the share link of a token.

    Raises ForgedToken when this server did not sign the token. Raises ShareEnded when the link has expired or
    was revoked, its target was deleted, or its maker may not share any more.
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
        raise ShareEnded(_("This link was revoked.") + f" {_whom_to_ask(share.created_by)}")
    if share.expires <= timezone.now():
        raise ShareEnded(_("This link has expired.") + f" {_whom_to_ask(share.created_by)}")
    course = share.assignment.course
    if not share.created_by or not may(share.created_by, Right.SHARE, course):
        raise ShareEnded(_("The person who made this link may no longer share it.") + f" {_whom_to_ask(course.owner)}")
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


def _whom_to_ask(person: User | None) -> str:
    """Return a sentence that names a person, but never by an e-mail address."""
    name = (person.get_full_name() or person.get_username()) if person else ""
    if not name or "@" in name:
        return _("Ask whoever sent it to you for a new one.")
    return _("Ask {name} for a new one.").format(name=name)


@transaction.atomic
def ask_to_read(pair: WithheldPair, user: User) -> ReadingRequest | None:
    """Store a request for a pair, with its history; None where there is one already."""
    assert pair.copy.origin_id
    request, created = ReadingRequest.objects.get_or_create(
        new=pair.submission, old_id=pair.copy.origin_id, defaults={"similarity": pair.similarity, "asked_by": user}
    )
    if not created:
        return None
    request.changes.create(who=user.get_username(), field="state", after=State.ASKED)
    return request


@transaction.atomic
def answer_request(request: ReadingRequest, user: User, state: str) -> bool:
    """Store the answer to a request, with its history; return False where its state has no such answer."""
    current = ReadingRequest.objects.select_for_update().get(pk=request.pk)
    if state not in ANSWERS[State(current.state)]:
        return False
    current.changes.create(who=user.get_username(), field="state", before=current.state, after=state)
    request.state = current.state = state
    current.save(update_fields=["state"])
    return True


def announce_request(pair: WithheldPair, user: User, address: str) -> bool:
    """Tell the owner of the old course about a request by mail; return whether the server took it."""
    person = {"name": user.get_username(), "mail": user.email}
    context = {"course": pair.course.name, **person, "address": address}
    subject, names = (
        gettext_lazy("Somebody asks to read a pair with a submission of {course}"),
        {"course": pair.course.name},
    )
    mail = Mail(subject, "submissions/people/reading_request.txt", context, names)
    return mail.send_to(pair.course.owner)


def announce_answer(request: ReadingRequest, address: str) -> bool:
    """Send the answer by mail to the person who asked; return whether the server took it."""
    context = {"state": State(request.state).label, "address": address}
    mail = Mail(gettext_lazy("Your request to read a pair"), "submissions/people/reading_answer.txt", context)
    return mail.send_to(request.asked_by)


def find_request(user: User, pk: int) -> ReadingRequest:
    """Return a request that a user may answer: who may share the work of the old course.

    Raises Http404 when it does not exist, or `user` has no right in the old course at all. Raises
    PermissionDenied when `user` may not share the work of that course.
    """
    rows = ReadingRequest.objects.filter(old__batch__assignment__course__in=visible_courses(user))
    row = get_object_or_404(rows.select_related("old__batch__assignment__course__owner", "asked_by"), pk=pk)
    require(user, Right.SHARE, row.old.batch.assignment.course)
    return row


def requests_of(course: Course) -> QuerySet[ReadingRequest]:
    """Return the requests to read work of a course, newest first, with their changes."""
    rows = ReadingRequest.objects.filter(old__batch__assignment__course=course)
    sides = ("old__batch__assignment__course__roster", "new__batch__assignment__course", "asked_by")
    return rows.select_related(*sides).prefetch_related("changes")


def open_reading_requests(course: Course) -> int:
    """Return the number of requests to read work of a course that nobody has answered."""
    rows = ReadingRequest.objects.filter(old__batch__assignment__course=course)
    return rows.filter(state=ReadingRequest.State.ASKED).count()
