"""Views that platforms send people to: the start of a sign-in, the launch, and the public keys."""

from __future__ import annotations

import logging
import time
from functools import wraps
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from allauth.account.utils import perform_login
from csp.decorators import csp_replace
from django.contrib import messages
from django.http import HttpResponseRedirect, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from moss.integrations.lti import deep_linking
from moss.integrations.lti.keys import public_keys
from moss.integrations.lti.models import Platform
from moss.integrations.lti.people import arrive
from moss.integrations.lti.refusals import LaunchRefused
from moss.integrations.lti.states import browser_key, new_state, open_again, read_state, set_cookie, use_nonce
from moss.integrations.lti.tokens import DEEP_LINKING, REVIEW, read_token
from moss.proxies import client_address
from submissions.audit.models import AuditAction
from submissions.models import Assignment, AuditEntry

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from django.http import HttpRequest, HttpResponse

    from moss.integrations.lti.people import Arrival
    from moss.integrations.lti.tokens import Launch

logger = logging.getLogger(__name__)

# What a platform may hand over, in characters, and what is handed back to it.
LONGEST_VALUE = 4000
HANDED_BACK = ("login_hint", "lti_message_hint")
FRAMES = {"iframe", "frame", "object", "embed"}


def _refuses(view: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Answer a launch that is refused with a page that says why, and what to do."""

    @wraps(view)
    def wrapper(request: HttpRequest) -> HttpResponse:
        try:
            return view(request)
        except LaunchRefused as refused:
            logger.warning("launch refused: %s", refused.detail or refused)
            context = {"reason": str(refused), "remedy": refused.remedy}
            return render(request, "lti/refused.html", context, status=403)

    return wrapper


@csrf_exempt  # A platform sends the form. It only leads to the stored address of the platform.
# In a frame of the platform there is a link or a refusal, and nothing of any account.
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})
@require_http_methods(["GET", "POST"])
@_refuses
def login(request: HttpRequest) -> HttpResponse:
    """Send a person who comes from a platform back there to sign in: OpenID Connect's third-party login."""
    fields = request.POST if request.method == "POST" else request.GET
    if request.headers.get("Sec-Fetch-Dest", "") in FRAMES:
        return _in_new_window(request, fields)
    platform = _platform(fields)
    browser = browser_key(request)
    state, nonce = new_state(platform, browser)
    query = {
        "scope": "openid",
        "response_type": "id_token",
        "response_mode": "form_post",
        "prompt": "none",
        "client_id": platform.client_id,
        "redirect_uri": request.build_absolute_uri(reverse("lti_launch")),
        "state": state,
        "nonce": nonce,
        **{name: fields[name][:LONGEST_VALUE] for name in HANDED_BACK if name in fields},
    }
    separator = "&" if "?" in platform.auth_url else "?"
    response = HttpResponseRedirect(f"{platform.auth_url}{separator}{urlencode(query)}")
    set_cookie(response, browser)
    return response


def _platform(fields: Mapping[str, str]) -> Platform:
    """Return the platform that a person comes from."""
    platforms = Platform.objects.filter(issuer=fields.get("iss", "")[:LONGEST_VALUE])
    if client_id := fields.get("client_id", ""):
        platforms = platforms.filter(client_id=client_id)
    known = list(platforms[:2])
    if len(known) == 1 and fields.get("login_hint"):
        return known[0]
    reason = _("This learning platform is not registered here, or its link is incomplete.")
    remedy = _("Ask the administrator of this service to register it: issuer {issuer}, client id {client}.")
    raise LaunchRefused(
        reason,
        remedy.format(issuer=fields.get("iss", "")[:200] or "?", client=client_id[:200] or "?"),
        f"{len(known)} platforms with issuer {fields.get('iss', '')!r:.200}",
    )


def _in_new_window(request: HttpRequest, fields: Mapping[str, str]) -> HttpResponse:
    """Return a page for a frame of the platform: only a link, which opens a window of its own."""
    names = ("iss", "client_id", "target_link_uri", "lti_deployment_id", *HANDED_BACK)
    query = urlencode({name: fields[name][:LONGEST_VALUE] for name in names if name in fields})
    return render(request, "lti/framed.html", {"address": f"{reverse('lti_login')}?{query}"})


@csrf_exempt  # A platform sends the form. Its state is bound to the browser, and used once.
@require_POST
@_refuses
def launch(request: HttpRequest) -> HttpResponse:
    """Take the signed token of a platform: sign in who comes, and open the course or the assignment."""
    if "error" in request.POST:
        raise LaunchRefused(
            _("Your learning platform did not sign you in."),
            open_again(),
            f"platform answered {request.POST['error']!r:.100}",
        )
    state = read_state(request.POST.get("state", ""), request)
    platform = Platform.objects.filter(pk=state.platform).first()
    if platform is None:
        reason = _("This learning platform is not registered here any more.")
        raise LaunchRefused(reason, _("Ask the administrator of this service."), "platform was removed")
    claims = read_token(platform, request.POST.get("id_token", ""), state.nonce)
    use_nonce(state.nonce)
    arrival = arrive(platform, claims)
    _log(request, arrival)
    address = _destination(request, claims, arrival)
    request.signed_in_at = time.time()  # type: ignore[attr-defined] # noted in the session by the accounts
    response: HttpResponse = perform_login(request, arrival.user, redirect_url=address)
    return response


def _destination(request: HttpRequest, claims: Launch, arrival: Arrival) -> str:
    """Return the address of what a launch opens. Nothing of another course is opened."""
    course = arrival.platform_course.course
    if claims.lti("message_type") == DEEP_LINKING:
        return deep_linking.receive(claims, arrival.user, arrival.platform_course)
    if claims.lti("message_type") == REVIEW:
        return _reviewed(request, claims, arrival)
    chosen = claims.fields("custom").get(deep_linking.ASSIGNMENT)
    if not chosen:
        return course.get_absolute_url()
    known = str(chosen).isdecimal() and len(str(chosen)) <= deep_linking.LONGEST_NUMBER
    assignment = Assignment.objects.filter(course=course, pk=int(chosen)).first() if known else None
    if assignment:
        return assignment.get_absolute_url()
    messages.warning(request, _("The assignment of this link was deleted, or belongs to another course."))
    return course.get_absolute_url()


def _reviewed(request: HttpRequest, claims: Launch, arrival: Arrival) -> str:
    """Return the address of the submission whose report is opened; of its assignment until it is read."""
    identifier = str(claims.fields("submission").get("id", ""))
    rows = arrival.platform_course.pushed.filter(submission=identifier).select_related("assignment")
    pushed = rows.order_by("-pk").first()
    if pushed is None:
        messages.warning(request, _("This submission is not known here, or its student was erased."))
        return arrival.platform_course.course.get_absolute_url()
    submission = pushed.read_submission()
    if submission is None:
        messages.info(request, _("This submission is in no report yet."))
        return pushed.assignment.get_absolute_url()
    return reverse("submission", args=[pushed.assignment_id, submission.pk])


def _log(request: HttpRequest, arrival: Arrival) -> None:
    """Write to the audit log who became what."""
    user, course = arrival.user, arrival.platform_course.course
    logger.info("account %s came from platform %s", user.pk, arrival.platform_course.platform_id)
    if arrival.change:
        AuditEntry.objects.create(
            who=user.get_username(),
            address=client_address(request),
            action=AuditAction.CHANGED_PEOPLE,
            course=course.name,
            subject=f"{user.get_username()}: {arrival.change}",
            page="lti_launch",
        )


@require_GET
def keys(_request: HttpRequest) -> HttpResponse:
    """List the public key of this service, with which platforms check what it sends."""
    return JsonResponse(public_keys())
