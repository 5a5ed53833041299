"""Middleware that writes the audit log: who saw, decided, exported, shared or deleted whose work."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.http import Http404

from moss.proxies import client_address
from submissions.audit.log import (
    AuditSubject,
    administrator_note,
    audit_subject,
    invitation_subject,
    settings_text,
    shared_subject,
)
from submissions.audit.models import AuditAction
from submissions.courses.change import find_invitation
from submissions.models import Assignment, AuditEntry, Course
from submissions.shares.links import ForgedToken, ShareEnded, share_of_token

if TYPE_CHECKING:
    from collections.abc import Callable

    from django.contrib.auth.models import User
    from django.http import HttpRequest, HttpResponse

SAW, EXPORTED, PEOPLE = AuditAction.SAW, AuditAction.EXPORTED, AuditAction.CHANGED_PEOPLE
DECIDED, SHARED, DELETED = AuditAction.DECIDED, AuditAction.SHARED, AuditAction.DELETED
WEBHOOKS = AuditAction.CHANGED_WEBHOOKS
# What a request is, by the name of its address and its method. A test says which addresses are left out.
ACTIONS = {
    ("GET", "pair"): SAW,
    ("GET", "lines"): SAW,
    ("GET", "case"): SAW,
    ("GET", "submission"): SAW,
    ("GET", "roster"): SAW,
    ("POST", "roster"): AuditAction.UPLOADED,
    ("GET", "shared"): SAW,
    ("GET", "shared_pair"): SAW,
    ("GET", "shared_case"): SAW,
    ("GET", "table"): EXPORTED,
    ("GET", "exports"): EXPORTED,
    ("GET", "export_pair"): EXPORTED,
    ("GET", "export_case"): EXPORTED,
    ("GET", "audit_file"): EXPORTED,
    ("GET", "statement"): SAW,
    ("POST", "add_statement"): AuditAction.UPLOADED,
    ("POST", "delete_statement"): DELETED,
    ("POST", "decide"): DECIDED,
    ("POST", "decide_case"): DECIDED,
    ("POST", "shares"): SHARED,
    ("POST", "revoke_share"): SHARED,
    ("POST", "take_over_share"): SHARED,
    ("POST", "ask_to_read"): AuditAction.ASKED,
    ("POST", "answer_request"): SHARED,
    ("POST", "rename_course"): AuditAction.CHANGED_COURSE,
    ("POST", "assignment_settings"): AuditAction.CHANGED_COURSE,
    ("POST", "choose_threshold"): AuditAction.CHANGED_COURSE,
    ("POST", "upload"): AuditAction.UPLOADED,
    ("POST", "compare"): AuditAction.UPLOADED,
    ("POST", "delete_batch"): DELETED,
    ("POST", "delete_assignment"): DELETED,
    ("POST", "delete_course"): DELETED,
    ("POST", "remove_roster"): DELETED,
    ("POST", "people"): PEOPLE,
    ("POST", "change_role"): PEOPLE,
    ("POST", "remove_member"): PEOPLE,
    ("POST", "transfer_course"): PEOPLE,
    ("POST", "invitation"): PEOPLE,
    ("POST", "withdraw_invitation"): PEOPLE,
    ("POST", "add_group"): PEOPLE,
    ("POST", "remove_group"): PEOPLE,
    ("POST", "state_reason"): AuditAction.STATED_REASON,
    ("POST", "webhooks"): WEBHOOKS,
    ("POST", "webhook"): WEBHOOKS,
    ("POST", "remove_webhook"): WEBHOOKS,
    ("POST", "repositories"): AuditAction.UPLOADED,
    ("GET", "repository_fetch"): SAW,
    ("POST", "retry_repository_fetch"): AuditAction.UPLOADED,
    ("GET", "lti_pushed"): SAW,
    ("POST", "lti_fetch_again"): AuditAction.UPLOADED,
    ("POST", "lti_read_now"): AuditAction.UPLOADED,
}
# The same of the API, whose addresses and arguments have other names.
API = "api/v1/"
API_ACTIONS = {
    ("GET", "api_pair"): SAW,
    ("GET", "api_decision"): SAW,
    ("GET", "api_preview"): SAW,
    ("GET", "api_case_decision"): SAW,
    ("GET", "api_audit"): EXPORTED,
    ("GET", "api_table"): EXPORTED,
    ("GET", "api_document"): EXPORTED,
    ("GET", "api_pair_document"): EXPORTED,
    ("GET", "api_case_document"): EXPORTED,
    ("PUT", "api_decision"): DECIDED,
    ("PUT", "api_case_decision"): DECIDED,
    ("POST", "api_reading_request"): AuditAction.ASKED,
    ("PATCH", "api_course"): AuditAction.CHANGED_COURSE,
    ("DELETE", "api_course"): DELETED,
    ("PATCH", "api_member"): PEOPLE,
    ("DELETE", "api_member"): PEOPLE,
    ("POST", "api_invitations"): PEOPLE,
    ("DELETE", "api_invitation"): PEOPLE,
    ("GET", "api_roster"): SAW,
    ("GET", "api_roster_students"): SAW,
    ("POST", "api_roster"): AuditAction.UPLOADED,
    ("DELETE", "api_roster"): DELETED,
    ("PATCH", "api_assignment"): AuditAction.CHANGED_COURSE,
    ("DELETE", "api_assignment"): DELETED,
    ("POST", "api_shares"): SHARED,
    ("DELETE", "api_share"): SHARED,
    ("POST", "api_uploads"): AuditAction.UPLOADED,
    ("POST", "api_resumables"): AuditAction.UPLOADED,
    ("POST", "api_repositories"): AuditAction.UPLOADED,
    ("POST", "api_retry_repositories"): AuditAction.UPLOADED,
    ("DELETE", "api_upload"): DELETED,
    ("POST", "api_webhooks"): WEBHOOKS,
    ("PATCH", "api_webhook"): WEBHOOKS,
    ("DELETE", "api_webhook"): WEBHOOKS,
}
API_KINDS = {"courses": "courses", "assignments": "assignments", "uploads": "batches", "shares": "shares"}
LARGEST_ID_DIGITS = 18
# What was sent is part of the subject: who was invited, the new role, the reason.
SENT = {
    "people": ("email", "role"),
    "change_role": ("role",),
    "add_group": ("group", "role"),
    "state_reason": ("reason",),
}
# Pages on which a document is downloaded, and which show only a form without this part of the query.
DOCUMENTS = {"exports", "export_pair", "export_case"}


class AccessLog:
    """Write an entry for each request of ACTIONS that was answered; a request that fails leaves none."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

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

    def process_view(
        self, request: HttpRequest, _view: object, _arguments: object, arguments: dict[str, Any]
    ) -> None:
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
        if action == PEOPLE and name != "invitation" and request.user.is_authenticated:
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
    return audit_subject(
        f"{kind}/", {"name": arguments.get("table", ""), **ids_by_name, "pk": ids_by_name[subject]}
    )


def _ids(arguments: dict[str, Any]) -> dict[str, int]:
    """Return the ids in an address of the API; none where one of them is no number."""
    texts = {name: str(value) for name, value in arguments.items()}
    if not all(text.isdecimal() and len(text) <= LARGEST_ID_DIGITS for text in texts.values()):
        return {}
    return {name: int(text) for name, text in texts.items()}
