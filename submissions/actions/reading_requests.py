"""Ask to read a pair with work of another course, and answer such a request."""

from __future__ import annotations

import logging
from smtplib import SMTPException
from typing import TYPE_CHECKING

from django.core.mail import send_mail
from django.db import transaction
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from submissions.models import ReadingRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from django.contrib.auth.models import User

    from submissions.queries.withheld import WithheldPair

logger = logging.getLogger(__name__)

State = ReadingRequest.State
# The answers that a state leaves open.
ANSWERS = {
    State.ASKED: {State.AGREED, State.REFUSED},
    State.AGREED: {State.WITHDRAWN},
    State.REFUSED: {State.AGREED},
    State.WITHDRAWN: {State.AGREED},
}


@transaction.atomic
def ask_to_read(pair: WithheldPair, user: User) -> ReadingRequest | None:
    """Store a request for a pair, with its history; None where there is one already."""
    assert pair.copy.origin_id
    request, created = ReadingRequest.objects.get_or_create(
        new=pair.submission,
        old_id=pair.copy.origin_id,
        defaults={"similarity": pair.similarity, "asked_by": user},
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
    subject = _("Somebody asks to read a pair with a submission of {course}").format(course=pair.course.name)
    return _send(pair.course.owner.email, subject, "submissions/people/reading_request.txt", context)


def announce_answer(request: ReadingRequest, address: str) -> bool:
    """Send the answer by mail to the person who asked; return whether the server took it."""
    context = {"state": request.get_state_display(), "address": address}
    return _send(
        request.asked_by.email,
        _("Your request to read a pair"),
        "submissions/people/reading_answer.txt",
        context,
    )


def _send(email: str, subject: str, template: str, context: Mapping[str, object]) -> bool:
    if not email:
        return False
    try:
        send_mail(" ".join(subject.split()), render_to_string(template, {**context}), None, [email])
    except (OSError, SMTPException) as error:
        logger.warning("a mail about a request to read a pair could not be sent: %s", error)
        return False
    return True
