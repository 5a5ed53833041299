"""Deep linking: an instructor chooses or makes the assignment that a link of the platform opens."""

from __future__ import annotations

import secrets
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from moss.lti.keys import sign
from moss.lti.models import DeepLinkRequest
from moss.lti.refusals import LaunchRefused
from moss.lti.states import open_again
from moss.lti.tokens import CLAIM, VERSION

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from moss.lti.models import PlatformCourse
    from moss.lti.tokens import Launch
    from submissions.models import Assignment

SETTINGS = "dl/claim/deep_linking_settings"
DL = "https://purl.imsglobal.org/spec/lti-dl/claim/"
LINK = "ltiResourceLink"
# The parameter of a link that names its assignment, and how many digits it may have.
ASSIGNMENT = "moss_assignment"
LONGEST_NUMBER = 18
# How long a platform's question can be answered, and the signature of an answer is valid.
HOLDS, ANSWER_HOLDS = timedelta(hours=2), timedelta(minutes=10)
LONGEST_URL, LONGEST_DATA = 2000, 20_000


def receive(launch: Launch, user: User, platform_course: PlatformCourse) -> str:
    """Store a platform's question, and return the address of the page that asks it."""
    settings = launch.service(SETTINGS)
    url, data = settings.get("deep_link_return_url"), settings.get("data")
    if not isinstance(url, str) or len(url) > LONGEST_URL or not platform_course.platform.has_address(url):
        raise LaunchRefused(
            _("The answer would go to an address that is not stored of {platform}.").format(
                platform=platform_course.platform
            ),
            _("Ask the administrator of this service to add it to the other addresses: {address}").format(
                address=str(url)[:200]
            ),
            f"deep link returns to {url!r:.200}",
        )
    if LINK not in (settings.get("accept_types") or ()) or len(str(data or "")) > LONGEST_DATA:
        raise LaunchRefused(
            _("Your learning platform asks for something else than a link."),
            open_again(),
            "no link asked for",
        )
    DeepLinkRequest.objects.filter(created__lt=timezone.now() - HOLDS).delete()
    row = DeepLinkRequest.objects.create(
        platform_course=platform_course, user=user, return_url=url, data=None if data is None else str(data)
    )
    return reverse("lti_deep_linking", args=[row.pk])


def find_request(user: User, pk: int) -> DeepLinkRequest:
    """Return a question that is not answered yet, for the user who was asked; raise Http404 for others."""
    rows = DeepLinkRequest.objects.filter(user=user, created__gt=timezone.now() - HOLDS)
    row = get_object_or_404(
        rows.select_related("platform_course__platform", "platform_course__course"), pk=pk
    )
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
        f"{CLAIM}message_type": "LtiDeepLinkingResponse",
        f"{CLAIM}version": VERSION,
        f"{CLAIM}deployment_id": row.platform_course.deployment,
        f"{DL}content_items": [item],
    }
    if row.data is not None:
        claims[f"{DL}data"] = row.data
    return sign(claims)
