"""The audit log, and what an address is about."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import connection
from django.db.models import Q

from submissions.core.rights import acts_as_administrator, stated_reason
from submissions.matches.export_formats import ExportTable
from submissions.models import (
    Assignment,
    AuditEntry,
    Batch,
    CampusGroup,
    Course,
    Invitation,
    Membership,
    ReadingRequest,
    Share,
    Submission,
)

if TYPE_CHECKING:
    from datetime import date

    from django.contrib.auth.models import User
    from django.db.models import QuerySet

# Such a role can switch the trigger off that keeps the log, empty or drop the table, or become who can.
MAY_ERASE = """
SELECT rolsuper OR rolcreaterole
    OR pg_has_role(rolname, relowner, 'MEMBER') OR pg_has_role(rolname, nspowner, 'MEMBER')
    OR has_table_privilege(rolname, pg_class.oid, 'UPDATE, DELETE, TRUNCATE, TRIGGER')
FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace, pg_roles
WHERE pg_class.oid = 'submissions_auditentry'::regclass AND rolname = session_user
"""
# Rows of people of a course, by the first word of their addresses.
PEOPLE: dict[str, type[Membership | Invitation | CampusGroup]] = {
    "memberships": Membership,
    "invitations": Invitation,
    "campus-groups": CampusGroup,
}


class AuditSubject(NamedTuple):
    """The subject of an address, by names: course, assignment, and submissions or another object."""

    course: str = ""
    assignment: str = ""
    subject: str = ""


def audit_subject(route: str, arguments: dict[str, Any]) -> AuditSubject:
    """Return what an address is about; empty names where there is no such row."""
    kind, pk = route.partition("/")[0], int(arguments.get("pk", 0))
    if kind == "reading-requests":
        return _of_request(pk)
    if kind == "courses" or kind in PEOPLE:
        return _of_people(kind, pk, route)
    assignment = _assignment(kind, pk)
    if not assignment:
        return AuditSubject()
    return AuditSubject(assignment.course.name, assignment.name, _subject(kind, pk, assignment, arguments))


def _of_people(kind: str, pk: int, route: str) -> AuditSubject:
    if kind == "courses":
        course = Course.objects.filter(pk=pk).first()
        what = "roster" if "/roster/" in route else ""
        return AuditSubject(course.name, subject=what) if course else AuditSubject()
    row = _people_row(kind, pk)
    return AuditSubject(row.course.name, subject=str(row)) if row else AuditSubject()


def _people_row(kind: str, pk: int) -> Membership | Invitation | CampusGroup | None:
    return PEOPLE[kind].objects.filter(pk=pk).select_related("course").first()


def administrator_note(route: str, pk: int, user: User) -> str:
    """Return that a user changes the people of a course as its administrator, and why; "" as its member."""
    kind = route.partition("/")[0]
    row = None if kind == "courses" else _people_row(kind, pk)
    course = row.course if row else Course.objects.filter(pk=pk).first()
    return _administrator_note(user, course) if course else ""


def _administrator_note(user: User, course: Course) -> str:
    if not acts_as_administrator(user, course):
        return ""
    reason = stated_reason(user, course)
    return f"as an administrator: {reason.reason}" if reason else "as an administrator"


def invitation_subject(invitation: Invitation) -> AuditSubject:
    """Return what an invitation gives and who made it, and whether only as an administrator."""
    course, maker = invitation.course, invitation.invited_by
    as_administrator = " as an administrator" if acts_as_administrator(maker, course) else ""
    return AuditSubject(course.name, subject=f"{invitation}; invited by {maker}{as_administrator}")


def _of_request(pk: int) -> AuditSubject:
    rows = ReadingRequest.objects.select_related("old__batch__assignment__course")
    row = rows.filter(pk=pk).first()
    if not row:
        return AuditSubject()
    assignment = row.old.batch.assignment
    return AuditSubject(assignment.course.name, assignment.name, row.old.name)


def _assignment(kind: str, pk: int) -> Assignment | None:
    rows = Assignment.objects.select_related("course")
    if kind == "batches":
        return rows.filter(batches=pk).first()
    return rows.filter(**{"shares" if kind == "shares" else "pk": pk}).first()


def _subject(kind: str, pk: int, assignment: Assignment, arguments: dict[str, Any]) -> str:
    if kind == "batches":
        return Batch.objects.get(pk=pk).name
    ids = [arguments[name] for name in ("left_id", "right_id", "submission_id") if name in arguments]
    names = Submission.objects.filter(Q(batch__assignment=assignment), pk__in=ids).order_by("name")
    return "; ".join(names.values_list("name", flat=True)) or str(arguments.get("name", ""))


# The settings that decide what is deleted when, and who may find it.
SETTINGS: dict[type[Course | Assignment], tuple[str, ...]] = {
    Course: ("keep_months", "keep_sources_days", "in_archive"),
    Assignment: ("hold", "compare_archive", "threshold"),
}


def settings_text(model: type[Course | Assignment], pk: int) -> str:
    """Return settings of a course or an assignment as a subject, such as `hold: an appeal`."""
    values = model.objects.filter(pk=pk).values(*SETTINGS[model]).first() or {}
    return "; ".join(f"{name}: {'' if value is None else value}" for name, value in values.items())


def shared_subject(share: Share) -> AuditSubject:
    """Return what a share link is about."""
    pair = "; ".join(filter(None, (share.left, share.right)))
    return AuditSubject(share.assignment.course.name, share.assignment.name, pair)


def service_may_erase_log() -> bool:
    """Return whether the database lets the role of the service change or remove entries of the log."""
    with connection.cursor() as cursor:
        cursor.execute(MAY_ERASE)
        return bool(cursor.fetchone()[0])


class AuditFilter(NamedTuple):
    """Entries of an action, or all, with a text, and of days: from `since` on, to `until` with that day."""

    text: str = ""
    action: str = ""
    since: date | None = None
    until: date | None = None


def audit_entries(chosen: AuditFilter) -> QuerySet[AuditEntry]:
    """Return entries, newest first; a text is looked for in all names, subjects and addresses."""
    rows = AuditEntry.objects.filter(action=chosen.action) if chosen.action else AuditEntry.objects.all()
    if chosen.since:
        rows = rows.filter(created__date__gte=chosen.since)
    if chosen.until:
        rows = rows.filter(created__date__lte=chosen.until)
    matches = Q()
    for field in ("who", "course", "assignment", "subject", "address") if chosen.text else ():
        matches |= Q(**{f"{field}__icontains": chosen.text})
    return rows.filter(matches)


COLUMNS = (
    "number",
    "created",
    "who",
    "address",
    "action",
    "course",
    "assignment",
    "subject",
    "page",
    "digest",
)


def audit_table(chosen: AuditFilter) -> ExportTable:
    """Return entries as a table with every column, the oldest first."""
    rows = audit_entries(chosen).order_by("number", "pk").values_list(*COLUMNS).iterator()
    texts = (
        [
            value.isoformat() if isinstance(value, datetime) else "" if value is None else value
            for value in row
        ]
        for row in rows
    )
    return ExportTable("entries", COLUMNS, texts, {})
