"""The accounts and roles of people who come from a platform, and the students whom it lists in a course."""

from __future__ import annotations

import hashlib
import logging
import re
import time
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _, ngettext

from moss.integrations.lti.models import LONGEST_ID, GivenRole, Platform, PlatformAccount, PlatformCourse
from moss.integrations.lti.requests_out import LaunchRefused, PlatformFailed, get_json, is_id, text_of
from moss.integrations.lti.tokens import MEMBERSHIPS, Launch, access_token
from submissions.courses.models import Role
from submissions.intake.entries import without_accents
from submissions.intake.rosters import Roster, RosterProblem, RosterStudent
from submissions.models import Course, Membership

logger = logging.getLogger(__name__)

LONGEST_NAME, LONGEST_COURSE, LONGEST_URL = 100, 200, 2000

# Roles in a context. Roles in a whole institution or system give no rights: they are not about this course.
CONTEXT = "http://purl.imsglobal.org/vocab/lis/v2/membership"
ASSISTANT = "instructor#teachingassistant"
TEACHING = {"instructor", "administrator"}
LEARNER = "learner"

MEDIA_TYPE = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json"
# Seconds for a whole list.
LIST_SECONDS = 60
MOST_PAGES = 200
LONGEST = 400


class Arrival(NamedTuple):
    """The user of a launch, the course, and what the launch changed: empty if nothing."""

    user: User
    platform_course: PlatformCourse
    change: str


def arrive(platform: Platform, launch: Launch) -> Arrival:
    """Find or create account, course and membership of a launch.

    Raises LaunchRefused when the person is no instructor or teaching assistant there, or the account is closed.
    """
    role = role_of(launch.roles)
    if role is None:
        _withdraw(platform, launch)
        remedy = _("If you teach this course, ask whoever manages it in {platform} to give you that role there.")
        raise LaunchRefused(
            _("This service is for instructors and teaching assistants. Students have no access to it."),
            remedy.format(platform=platform),
            "neither instructor nor teaching assistant",
        )
    with transaction.atomic():
        # One launch of a platform after the other: two launches of one person would create two accounts.
        type(platform).objects.select_for_update(no_key=True).get(pk=platform.pk)
        return _arrive(platform, launch, role)


def _arrive(platform: Platform, launch: Launch, role: Role) -> Arrival:
    context = _context(platform, launch)
    existing = PlatformCourse.objects.select_related("course__owner").filter(**context).first()
    if not existing and role == Role.ASSISTANT:
        raise LaunchRefused(
            _("This course is not known here yet."),
            _("An instructor of the course has to open the link first."),
            "an assistant came first",
        )
    user = find_account(platform, launch)
    platform_course = existing or _create_course(context, launch, user)
    _note_memberships_url(platform_course, launch)
    change = _give_role(platform_course.course, user, role) if existing else "owner"
    return Arrival(user, platform_course, change)


def _context(platform: Platform, launch: Launch) -> dict[str, object]:
    identifier = launch.context.id
    if not is_id(identifier):
        raise LaunchRefused(
            _("The launch names no course."), _("Open the link from a course of your learning platform."), "no context"
        )
    return {"platform": platform, "deployment": launch.deployment, "context": identifier}


def find_account(platform: Platform, launch: Launch) -> User:
    """Return the account of a person of a platform, or create it.

    An existing account is found by its mail address only if the platform verifies addresses; an
    administrator's account is never found by mail.
    """
    row = PlatformAccount.objects.select_related("user").filter(platform=platform, subject=launch.subject)
    if stored := row.first():
        _check_open(stored.user)
        return stored.user
    mail = _verified_mail(platform, launch)
    known = list(User.objects.filter(email__iexact=mail)[:2]) if mail else []
    for one in known:
        _check_open(one)
    if len(known) == 1 and not (known[0].is_staff or known[0].is_superuser):
        user = known[0]
    else:
        # An address that another account has is not stored again: it would lead to two accounts.
        user = _create_account(platform, launch, "" if known else mail)
    PlatformAccount.objects.create(platform=platform, subject=launch.subject, user=user)
    return user


def _check_open(user: User) -> None:
    if not user.is_active:
        raise LaunchRefused(
            _("Your account was closed."), _("Ask the administrator of this service."), f"account {user.pk} is closed"
        )


def _verified_mail(platform: Platform, launch: Launch) -> str:
    mail = launch.email
    if not platform.trusts_mail or not launch.email_verified:
        return ""
    try:
        validate_email(mail)
    except ValidationError:
        return ""
    return mail if len(mail) <= LONGEST_ID - 1 else ""


def _create_account(platform: Platform, launch: Launch, mail: str) -> User:
    user = User(
        username=_free_username(platform, launch),
        email=mail,
        first_name=launch.given_name[:LONGEST_NAME],
        last_name=launch.family_name[:LONGEST_NAME],
    )
    user.set_unusable_password()
    user.save()
    logger.info("account %s was created for a person of platform %s", user.pk, platform.pk)
    return user


def _free_username(platform: Platform, launch: Launch) -> str:
    """Return a user name like the person's name, with a number where somebody has it."""
    name = launch.name or f"{launch.given_name} {launch.family_name}"
    words = re.findall(r"[a-z0-9]+", without_accents(name.casefold()))
    # Without a name, and without saying anything else of the person.
    digest = hashlib.sha256(f"{platform.pk} {launch.subject}".encode()).hexdigest()[:8]
    base = ".".join(words)[:LONGEST_NAME] or f"lti-{digest}"
    taken = {
        one.casefold() for one in User.objects.filter(username__istartswith=base).values_list("username", flat=True)
    }
    numbered = (f"{base}{number}" for number in range(2, len(taken) + 3))
    return next(one for one in (base, *numbered) if one not in taken)


def _create_course(context: dict[str, object], launch: Launch, owner: User) -> PlatformCourse:
    """Create the course of a context, which belongs to who came first."""
    titles = (launch.context.title, launch.context.label, _("Course"))
    title = next(text for text in (_clean(one) for one in titles) if text)
    taken = {*Course.objects.filter(owner=owner).values_list("name", flat=True)}
    numbered = (f"{title} ({number})" for number in range(2, len(taken) + 3))
    name = next(one for one in (title, *numbered) if one not in taken)
    course = Course.objects.create(owner=owner, name=name)
    return PlatformCourse.objects.create(**context, course=course)


def _clean(text: str) -> str:
    """Return a text without control characters, short enough for a name with a number after it."""
    printable = "".join(char for char in text if char.isprintable())
    return printable.strip()[: LONGEST_COURSE - 10]


def _note_memberships_url(platform_course: PlatformCourse, launch: Launch) -> None:
    url = launch.memberships.context_memberships_url
    url = url if is_id(url, LONGEST_URL) else ""
    if url != platform_course.memberships_url:
        platform_course.memberships_url = url
        platform_course.save(update_fields=["memberships_url"])


def _give_role(course: Course, user: User, role: Role) -> str:
    """Set the role of a user in a course, unless a person chose another role; return the role if set."""
    if course.owner_id == user.pk:
        return ""
    membership, created = Membership.objects.get_or_create(course=course, user=user, defaults={"role": role})
    if created:
        GivenRole.objects.create(membership=membership, role=role)
        return role.value
    granted = GivenRole.objects.filter(membership=membership).first()
    if not granted or granted.role != membership.role or granted.role == role:
        return ""
    membership.role = granted.role = role
    membership.save(update_fields=["role"])
    granted.save(update_fields=["role"])
    return role.value


def _withdraw(platform: Platform, launch: Launch) -> None:
    """End the membership that a launch gave to somebody who does not teach the course any more."""
    context = _context(platform, launch)
    Membership.objects.filter(
        course__platform_course__in=PlatformCourse.objects.filter(**context),
        user__platform_accounts__in=PlatformAccount.objects.filter(platform=platform, subject=launch.subject),
        given_role__role=F("role"),
    ).delete()


def role_of(roles: Iterable[str]) -> Role | None:
    """Return the role that LTI's roles give in a course; None for learners and for everybody else.

    Platforms name a teaching assistant as an instructor, too: the one with fewer rights counts.
    """
    named = {_context_role(role) for role in roles}
    if ASSISTANT in named or "teachingassistant" in named:
        return Role.ASSISTANT
    return Role.INSTRUCTOR if named & TEACHING else None


def is_learner(roles: Iterable[str]) -> bool:
    named = {_context_role(role) for role in roles}
    return LEARNER in named and not named & {*TEACHING, ASSISTANT}


def _context_role(role: str) -> str:
    """Return `instructor` for `…/membership#Instructor` and for `Instructor`; empty for roles elsewhere."""
    if not role.startswith(("http:", "https:", "urn:")):
        return role.casefold()
    if not role.casefold().startswith(CONTEXT):
        return ""
    return role[len(CONTEXT) :].lstrip("/#").casefold()


def students(platform_course: PlatformCourse) -> Roster:
    """Return the students whom the platform lists as active in its course.

    Raises PlatformFailed when the platform does not answer, refuses, or answers with no list of people.
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
