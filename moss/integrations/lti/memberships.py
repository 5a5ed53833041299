"""Names and Roles: the students whom a platform lists in a course."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from django.utils.translation import ngettext

from moss.integrations.lti.keys import MEMBERSHIPS, access_token
from moss.integrations.lti.people import is_learner
from moss.integrations.lti.refusals import PlatformFailed
from moss.integrations.lti.requests_out import get_json
from moss.integrations.lti.texts import text_of
from submissions.intake.rosters import Roster, RosterProblem, RosterStudent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from moss.integrations.lti.models import Platform, PlatformCourse

MEDIA_TYPE = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json"
# Seconds for a whole list.
LIST_SECONDS = 60
MOST_PAGES = 200
LONGEST = 400


def students(platform_course: PlatformCourse) -> Roster:
    """Return the students whom the platform lists as active in its course.

    Raises
    ------
    PlatformFailed
        When the platform does not answer, refuses, or answers with no list of people.
    """
    platform = platform_course.platform
    token = access_token(platform, MEMBERSHIPS)
    listed = [_student(member) for member in _members(platform, platform_course.memberships_url, token)]
    learners = [student for student in listed if student]
    named = dict.fromkeys(student for student in learners if student.display_name)
    problems = []
    if nameless := sum(not student.name for student in named):
        text = ngettext(
            "The platform gave no name for {n} student: its settings may keep names private.",
            "The platform gave no names for {n} students: its settings may keep names private.",
            nameless,
        )
        problems.append(RosterProblem(0, text.format(n=f"{nameless:,}")))
    return Roster(tuple(named), tuple(problems))


def _members(platform: Platform, address: str, token: str) -> Iterator[dict[str, Any]]:
    """Yield the people of all pages of a list."""
    headers = {"Authorization": f"Bearer {token}", "Accept": MEDIA_TYPE}
    deadline = time.monotonic() + LIST_SECONDS
    for _page in range(MOST_PAGES):
        answer = get_json(platform, address, headers)
        members = answer.content.get("members") if isinstance(answer.content, dict) else None
        if not isinstance(members, list):
            raise PlatformFailed(f"{address:.200} lists no members")
        yield from (member for member in members if isinstance(member, dict))
        if not answer.next_page:
            return
        if time.monotonic() > deadline:
            raise PlatformFailed(f"the list of people took longer than {LIST_SECONDS} s")
        address = answer.next_page
    raise PlatformFailed(f"the list of people has more than {MOST_PAGES} pages")


def _student(member: dict[str, Any]) -> RosterStudent | None:
    """Return a student of a list; None for people who teach or are no longer active."""

    def text(name: str) -> str:
        return text_of(member, name)[:LONGEST]

    roles = member.get("roles")
    named = [role for role in roles if isinstance(role, str)] if isinstance(roles, list) else []
    if not is_learner(named) or (text("status") or "Active") != "Active":
        return None
    name = text("name") or f"{text('given_name')} {text('family_name')}".strip()
    sourced, subject = text("lis_person_sourcedid"), text("user_id")
    return RosterStudent(
        name,
        sourced or subject,
        text("ext_user_username"),
        text("email"),
        other_ids=(subject,) if sourced and subject else (),
    )
