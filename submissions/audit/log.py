"""The audit log: what an address is about, and the middleware that writes who saw or changed whose work."""

from __future__ import annotations

from datetime import date, datetime
from http import HTTPStatus
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Case, F, Q, QuerySet, TextField, Value, When
from django.http import Http404, HttpRequest, HttpResponse

from submissions.audit.models import AuditAction, cut_text
from submissions.core.rights import Right, acts_as_administrator, courses_with, stated_reason
from submissions.courses.change import find_invitation
from submissions.matches.file_formats import ExportTable
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
from submissions.pages.requests import Middleware, client_address
from submissions.shares.links import ForgedToken, ShareEnded, share_of_token
from submissions.work.locks import Work, transaction_lock

SAW, EXPORTED, ADDRESSES_OF_PEOPLE = AuditAction.SAW, AuditAction.EXPORTED, AuditAction.CHANGED_PEOPLE
DECIDED, SHARED, DELETED = AuditAction.DECIDED, AuditAction.SHARED, AuditAction.DELETED
WEBHOOKS = AuditAction.CHANGED_WEBHOOKS


def _by_request(*rows: tuple[AuditAction, str, str]) -> dict[tuple[str, str], AuditAction]:
    """Return the action of each method and address name; a row has an action, a method and names."""
    return {(method, name): action for action, method, names in rows for name in names.split()}


# What a request is, by the name of its address and its method. A test says which addresses are left out.
ACTIONS = _by_request(
    (SAW, "GET", "pair lines case submission roster shared shared_pair shared_case statement"),
    (SAW, "GET", "repository_fetch"),
    (AuditAction.UPLOADED, "POST", "roster add_statement upload compare repositories retry_repository_fetch"),
    (EXPORTED, "GET", "table exports export_pair export_case audit_file"),
    (DELETED, "POST", "delete_statement delete_batch delete_assignment delete_course remove_roster"),
    (DECIDED, "POST", "decide decide_case"),
    (SHARED, "POST", "shares revoke_share take_over_share answer_request"),
    (AuditAction.ASKED, "POST", "ask_to_read"),
    (AuditAction.CHANGED_COURSE, "POST", "rename_course assignment_settings choose_threshold"),
    (ADDRESSES_OF_PEOPLE, "POST", "people change_role remove_member transfer_course invitation"),
    (ADDRESSES_OF_PEOPLE, "POST", "withdraw_invitation add_group remove_group"),
    (AuditAction.STATED_REASON, "POST", "state_reason"),
    (WEBHOOKS, "POST", "webhooks webhook remove_webhook"),
)
# Acts whose subject may name students, and what stands for it where the reader may not see names.
NAMING = (SAW, DECIDED, EXPORTED, SHARED, AuditAction.UPLOADED, DELETED, AuditAction.ASKED)
HIDDEN, WHOLE_LOG = "not shown", "audit log"
# The same of the API, whose addresses and arguments have other names.
API = "api/v1/"
API_ACTIONS = _by_request(
    (SAW, "GET", "api_pair api_decision api_preview api_case_decision api_roster api_roster_students"),
    (EXPORTED, "GET", "api_audit api_table api_document api_pair_document api_case_document"),
    (DECIDED, "PUT", "api_decision api_case_decision"),
    (AuditAction.ASKED, "POST", "api_reading_request"),
    (AuditAction.CHANGED_COURSE, "PATCH", "api_course api_assignment"),
    (DELETED, "DELETE", "api_course api_roster api_assignment api_upload"),
    (ADDRESSES_OF_PEOPLE, "PATCH", "api_member"),
    (ADDRESSES_OF_PEOPLE, "DELETE", "api_member api_invitation"),
    (ADDRESSES_OF_PEOPLE, "POST", "api_invitations"),
    (AuditAction.UPLOADED, "POST", "api_roster api_uploads api_resumables api_repositories"),
    (AuditAction.UPLOADED, "POST", "api_retry_repositories"),
    (SHARED, "POST", "api_shares"),
    (SHARED, "DELETE", "api_share"),
    (WEBHOOKS, "POST", "api_webhooks"),
    (WEBHOOKS, "PATCH", "api_webhook"),
    (WEBHOOKS, "DELETE", "api_webhook"),
)
API_KINDS = {"courses": "courses", "assignments": "assignments", "uploads": "batches", "shares": "shares"}
LARGEST_ID_DIGITS = 18
# What was sent is part of the subject: who was invited, the new role, the reason.
SENT = {
    "people": ("email", "role"), "change_role": ("role",), "add_group": ("group", "role"),
    "state_reason": ("reason",),
}  # fmt: skip
# Pages on which a document is downloaded, and which show only a form without this part of the query.
DOCUMENTS = {"exports", "export_pair", "export_case"}

# Such a role can switch the trigger off that keeps the log, empty or drop the table, or become who can.
MAY_ERASE = """
SELECT rolsuper OR rolcreaterole
    OR pg_has_role(rolname, relowner, 'MEMBER') OR pg_has_role(rolname, nspowner, 'MEMBER')
    OR has_table_privilege(rolname, pg_class.oid, 'DELETE, TRUNCATE, TRIGGER')
    OR has_any_column_privilege(rolname, pg_class.oid, 'UPDATE')
FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace, pg_roles
WHERE pg_class.oid = 'submissions_auditentry'::regclass AND rolname = session_user
"""
# Rows of people of a course, by the first word of their addresses.
PEOPLE: dict[str, type[Membership | Invitation | CampusGroup]] = {
    "memberships": Membership, "invitations": Invitation, "campus-groups": CampusGroup,
}  # fmt: skip

# The settings that decide what is deleted when, and who may find it.
SETTINGS: dict[type[Course | Assignment], tuple[str, ...]] = {
    Course: ("keep_months", "keep_sources_days", "in_archive"),
    Assignment: ("hold", "compare_archive", "threshold"),
}

COLUMNS = (
    "number", "created", "who", "address", "action", "course", "assignment", "subject", "page", "digest",
)  # fmt: skip

# Only the owner of the audit log may, so that no page and no task of the service can.
UNPROTECT = "ALTER TABLE submissions_auditentry DISABLE TRIGGER append_only"
PROTECT = "ALTER TABLE submissions_auditentry ENABLE TRIGGER append_only"


class AccessLog(Middleware):
    """Write an entry for each request of ACTIONS that was answered; a request that fails leaves none."""

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        entry: AuditEntry | None = getattr(request, "audit_entry", None)
        if entry and _was_done(request, response):
            if entry.action == AuditAction.CHANGED_COURSE:
                entry.subject = _settings_now(request)
            else:
                entry.subject = getattr(request, "audit_subject", entry.subject)
            note = getattr(request, "audit_note", "")
            entry.subject = "; ".join(filter(None, [entry.subject, note]))
            entry.save()
        return response

    def process_view(self, request: HttpRequest, _view: object, _arguments: object, arguments: dict[str, Any]) -> None:
        """Note what the request is about before the view deletes it.

        Views that write their own entries, about one student, only get the address.
        """
        address = client_address(request)
        request.audit_address = address  # type: ignore[attr-defined] # read by views
        match = request.resolver_match
        name = (match.url_name if match else "") or ""
        action = (ACTIONS | API_ACTIONS).get((request.method or "", name))
        if not match or not action or (name in DOCUMENTS and "format" not in request.GET):
            return
        who, subject = _person(request, name, arguments), _subject(match.route, name, arguments)
        if name in SENT:
            sent = [subject.subject, *(request.POST.get(field, "") for field in SENT[name])]
            subject = subject._replace(subject="; ".join(filter(None, sent)).replace("\0", ""))
        if action == ADDRESSES_OF_PEOPLE and name != "invitation" and request.user.is_authenticated:
            note = _administrator_note(match.route, arguments, request.user)
            request.audit_note = note  # type: ignore[attr-defined] # read by __call__
        if who:
            request.audit_entry = AuditEntry(  # type: ignore[attr-defined] # read by __call__
                who=who, address=address, action=action, page=name, **subject._asdict()
            )


def _administrator_note(route: str, arguments: dict[str, Any], user: User) -> str:
    if not route.startswith(API):
        return administrator_note(route, arguments["pk"], user)
    course = _ids(arguments).get("course_id")
    return administrator_note("courses/", course, user) if course else ""


def _settings_now(request: HttpRequest) -> str:
    """Return the settings that decide what is deleted when, as they are after a request that changed some."""
    assert request.resolver_match
    name, (pk, *_) = request.resolver_match.url_name or "", request.resolver_match.kwargs.values()
    return settings_text(Course if name in {"rename_course", "api_course"} else Assignment, int(pk))


def _was_done(request: HttpRequest, response: HttpResponse) -> bool:
    if request.resolver_match and request.resolver_match.url_name == "assignment_settings":
        return response.status_code == HTTPStatus.FOUND  # otherwise it asks whether to read files again
    return response.status_code == 200 if request.method == "GET" else response.status_code < 400  # noqa: PLR2004


def _person(request: HttpRequest, name: str, arguments: dict[str, Any]) -> str:
    """Return who sends a request: a user, or whoever has a share link."""
    if name.startswith("shared"):
        return f"link {arguments['token'].partition('-')[0]}"[:150]
    return request.user.get_username() if request.user.is_authenticated else ""


def _subject(route: str, name: str, arguments: dict[str, Any]) -> AuditSubject:
    if name.startswith("api_"):
        return _api_subject(route, arguments)
    if name == "invitation":
        return _invitation_subject(arguments["token"])
    if not name.startswith("shared"):
        return audit_subject(route, arguments)
    try:
        return shared_subject(share_of_token(arguments["token"]))
    except (ForgedToken, ShareEnded):
        return AuditSubject()


def _invitation_subject(token: str) -> AuditSubject:
    try:
        invitation = find_invitation(token)
    except Http404:
        return AuditSubject()
    return invitation_subject(invitation)


def _api_subject(route: str, arguments: dict[str, Any]) -> AuditSubject:
    """Return what an address of the API is about; its arguments were not checked yet."""
    if not arguments:  # the view names the subject
        return AuditSubject()
    subject, *others = arguments
    ids = [subject, *(name for name in others if name.endswith("_id"))]
    ids_by_name = _ids({name: arguments[name] for name in ids})
    if not ids_by_name:
        return AuditSubject()
    kind = API_KINDS[route.removeprefix(API).partition("/")[0]]
    return audit_subject(f"{kind}/", {"name": arguments.get("table", ""), **ids_by_name, "pk": ids_by_name[subject]})


def _ids(arguments: dict[str, Any]) -> dict[str, int]:
    """Return the ids in an address of the API; none where one of them is no number."""
    texts = {name: str(value) for name, value in arguments.items()}
    if not all(text.isdecimal() and len(text) <= LARGEST_ID_DIGITS for text in texts.values()):
        return {}
    return {name: int(text) for name, text in texts.items()}


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
    return AuditSubject(assignment.course.name, assignment.name, _subject_of_row(kind, pk, assignment, arguments))


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
    return _stored_note(user, course) if course else ""


def _stored_note(user: User, course: Course) -> str:
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


def _subject_of_row(kind: str, pk: int, assignment: Assignment, arguments: dict[str, Any]) -> str:
    if kind == "batches":
        return Batch.objects.get(pk=pk).name
    ids = [arguments[name] for name in ("left_id", "right_id", "submission_id") if name in arguments]
    names = Submission.objects.filter(Q(batch__assignment=assignment), pk__in=ids).order_by("name")
    return "; ".join(names.values_list("name", flat=True)) or str(arguments.get("name", ""))


def settings_text(model: type[Course | Assignment], pk: int) -> str:
    """Return settings of a course or an assignment as a subject, such as `hold: an appeal`."""
    values = model.objects.filter(pk=pk).values(*SETTINGS[model]).first() or {}
    return "; ".join(f"{name}: {'' if value is None else value}" for name, value in values.items())


def shared_subject(share: Share) -> AuditSubject:
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


def _shown_subject(user: User) -> Case:
    """Return the subject as a user may see it: names only of courses in which the user sees them."""
    readable = courses_with(user, Right.SEE_NAMES)
    others = Course.objects.exclude(pk__in=readable.values("pk"))
    open_ = Q(course__in=readable.values("name")) & ~Q(course__in=others.values("name"))
    names_nobody = ~Q(action__in=NAMING) | Q(subject=WHOLE_LOG)
    return Case(When(open_ | names_nobody, then=F("subject")), default=Value(HIDDEN), output_field=TextField())


def audit_entries(chosen: AuditFilter, user: User) -> QuerySet[AuditEntry]:
    """Return entries with the subject that a user may see, `shown`, newest first.

    A text is looked for in all names, shown subjects and addresses.
    """
    rows = AuditEntry.objects.filter(action=chosen.action) if chosen.action else AuditEntry.objects.all()
    if chosen.since:
        rows = rows.filter(created__date__gte=chosen.since)
    if chosen.until:
        rows = rows.filter(created__date__lte=chosen.until)
    rows, matches = rows.annotate(shown=_shown_subject(user)), Q()
    for field in ("who", "course", "assignment", "shown", "address") if chosen.text else ():
        matches |= Q(**{f"{field}__icontains": chosen.text})
    return rows.filter(matches)


def audit_table(chosen: AuditFilter, user: User) -> ExportTable:
    """Return entries as a table with every column, the oldest first."""
    columns = ["shown" if name == "subject" else name for name in COLUMNS]
    rows = audit_entries(chosen, user).order_by("number", "pk").values_list(*columns).iterator()
    texts = (
        [value.isoformat() if isinstance(value, datetime) else "" if value is None else value for value in row]
        for row in rows
    )
    return ExportTable("entries", COLUMNS, texts, {})


@transaction.atomic
def shorten_log(before: datetime, who: str) -> int:
    """Delete the entries of the audit log from before a time; return how many.

    A new entry says so, and joins the chain. Raises ProgrammingError when the role of the database does not
    own the table.
    """
    transaction_lock(Work.AUDIT, wait=True)
    last = AuditEntry.objects.filter(created__lt=before).order_by("-number").first()
    if last is None:
        return 0
    page, cut = "shorten_log", cut_text(last.number, last.digest)
    # Written before the deletion: it follows the newest entry, which may be deleted too.
    AuditEntry.objects.create(who=who, action=AuditAction.SHORTENED, assignment=cut, page=page)
    with connection.cursor() as cursor:
        cursor.execute(UNPROTECT)
        cursor.execute("DELETE FROM submissions_auditentry WHERE number <= %s", [last.number])
        number: int = cursor.rowcount
        cursor.execute(PROTECT)
    return number
