"""The way of a person from a platform: sign-in, launch, and deep linking.

By deep linking an instructor chooses or makes the assignment that a link of the platform opens.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from allauth.account.utils import perform_login
from csp.decorators import csp_replace
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from moss.integrations.lti import tokens
from moss.integrations.lti.models import DeepLinkRequest, Platform, PlatformCourse
from moss.integrations.lti.people import Arrival, arrive
from moss.integrations.lti.requests_out import LaunchRefused
from submissions.audit.models import AuditAction
from submissions.models import Assignment, AuditEntry
from submissions.pages.requests import client_address

DL = "https://purl.imsglobal.org/spec/lti-dl/claim/"
LINK = "ltiResourceLink"
# The parameter of a link that names its assignment, and how many digits it may have.
ASSIGNMENT = "moss_assignment"
LONGEST_NUMBER = 18
# How long a platform's question can be answered, and the signature of an answer is valid.
HOLDS, ANSWER_HOLDS = timedelta(hours=2), timedelta(minutes=10)
LONGEST_URL, LONGEST_DATA = 2000, 20_000

logger = logging.getLogger(__name__)

# The longest value from a platform, in characters, and the values that are sent back to the platform.
LONGEST_VALUE = 4000
HANDED_BACK = ("login_hint", "lti_message_hint")
FRAMES = {"iframe", "frame", "object", "embed"}


def receive(launch: tokens.Launch, user: User, platform_course: PlatformCourse) -> str:
    """Store a platform's question, and return the address of the page that asks it."""
    url, data = launch.question.deep_link_return_url, launch.question.data
    if len(url) > LONGEST_URL or not platform_course.platform.has_address(url):
        raise LaunchRefused(
            _("The answer would go to an address that is not stored for {platform}.").format(
                platform=platform_course.platform
            ),
            _("Ask the administrator of this service to add it to the other addresses: {address}").format(
                address=url[:200]
            ),
            f"deep link returns to {url!r:.200}",
        )
    if LINK not in launch.question.accept_types or len(data or "") > LONGEST_DATA:
        raise LaunchRefused(
            _("Your learning platform asks for something else than a link."), tokens.open_again(), "no link asked for"
        )
    DeepLinkRequest.objects.filter(created__lt=timezone.now() - HOLDS).delete()
    row = DeepLinkRequest.objects.create(platform_course=platform_course, user=user, return_url=url, data=data)
    return reverse("lti_deep_linking", args=[row.pk])


def find_request(user: User, pk: int) -> DeepLinkRequest:
    """Return a question that is not answered yet, for the user who was asked; raise Http404 for others."""
    rows = DeepLinkRequest.objects.filter(user=user, created__gt=timezone.now() - HOLDS)
    row = get_object_or_404(rows.select_related("platform_course__platform", "platform_course__course"), pk=pk)
    if not row.platform_course.platform.has_address(row.return_url):
        raise Http404("The platform has another address now.")
    return row


def answer(row: DeepLinkRequest, assignment: Assignment, launch_url: str) -> str:
    """Return the signed answer: a link that opens an assignment."""
    item = {
        "type": LINK,
        "title": assignment.name,
        "url": launch_url,
        "custom": {ASSIGNMENT: str(assignment.pk)},
        "window": {"targetName": "_blank"},
    }
    platform, now = row.platform_course.platform, int(timezone.now().timestamp())
    claims: dict[str, Any] = {
        "iss": platform.client_id,
        "aud": platform.issuer,
        "iat": now,
        "exp": now + int(ANSWER_HOLDS.total_seconds()),
        "nonce": secrets.token_urlsafe(16),
        f"{tokens.CLAIM}message_type": "LtiDeepLinkingResponse",
        f"{tokens.CLAIM}version": tokens.VERSION,
        f"{tokens.CLAIM}deployment_id": row.platform_course.deployment,
        f"{DL}content_items": [item],
    }
    if row.data is not None:
        claims[f"{DL}data"] = row.data
    return tokens.sign(claims)


def _refuses(view: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Answer a refused launch with a page that shows the reason and the remedy."""

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
    browser = tokens.browser_key(request)
    state, nonce = tokens.new_state(platform, browser)
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
    tokens.set_cookie(response, browser)
    return response


def _platform(fields: Mapping[str, str]) -> Platform:
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
            tokens.open_again(),
            f"platform answered {request.POST['error']!r:.100}",
        )
    state = tokens.read_state(request.POST.get("state", ""), request)
    platform = Platform.objects.filter(pk=state.platform).first()
    if platform is None:
        reason = _("This learning platform is not registered here any more.")
        raise LaunchRefused(reason, _("Ask the administrator of this service."), "platform was removed")
    claims = tokens.read_token(platform, request.POST.get("id_token", ""), state.nonce)
    tokens.use_nonce(state.nonce)
    arrival = arrive(platform, claims)
    _log(request, arrival)
    address = _destination(request, claims, arrival)
    request.signed_in_at = time.time()  # type: ignore[attr-defined] # noted in the session by the accounts
    response: HttpResponse = perform_login(request, arrival.user, redirect_url=address)
    return response


def _destination(request: HttpRequest, claims: tokens.Launch, arrival: Arrival) -> str:
    """Return the address of what a launch opens. Nothing of another course is opened."""
    course = arrival.platform_course.course
    if claims.kind == tokens.DEEP_LINKING:
        return receive(claims, arrival.user, arrival.platform_course)
    chosen = claims.custom.get(ASSIGNMENT)
    if not chosen:
        return course.get_absolute_url()
    known = str(chosen).isdecimal() and len(str(chosen)) <= LONGEST_NUMBER
    assignment = Assignment.objects.filter(course=course, pk=int(chosen)).first() if known else None
    if assignment:
        return assignment.get_absolute_url()
    messages.warning(request, _("The assignment of this link was deleted, or belongs to another course."))
    return course.get_absolute_url()


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
    return JsonResponse(tokens.public_keys())
