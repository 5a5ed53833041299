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

from moss.integrations.lti.keys import NOTICES, access_token, sign
from moss.integrations.lti.models import AttachedActivity, DeepLinkRequest
from moss.integrations.lti.refusals import LaunchRefused
from moss.integrations.lti.requests_out import put_json
from moss.integrations.lti.states import open_again
from moss.integrations.lti.texts import is_id
from moss.integrations.lti.tokens import CLAIM, VERSION

if TYPE_CHECKING:
    from django.contrib.auth.models import User

    from moss.integrations.lti.models import Platform, PlatformCourse
    from moss.integrations.lti.tokens import Launch
    from submissions.models import Assignment

SETTINGS = "dl/claim/deep_linking_settings"
DL = "https://purl.imsglobal.org/spec/lti-dl/claim/"
LINK, PROCESSOR = "ltiResourceLink", "ltiAssetProcessor"
# The parameter of a link that names its assignment, and how many digits it may have.
ASSIGNMENT = "moss_assignment"
LONGEST_NUMBER = 18
# The notice of a submission, and the kind of reports on it.
SUBMISSION_NOTICE = "LtiAssetProcessorSubmissionNotice"
REPORT_TYPE = "moss"
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
    wanted = _wanted(launch, settings)
    if not wanted or len(str(data or "")) > LONGEST_DATA:
        raise LaunchRefused(
            _("Your learning platform asks for something else than a link."),
            open_again(),
            "no link asked for",
        )
    DeepLinkRequest.objects.filter(created__lt=timezone.now() - HOLDS).delete()
    row = DeepLinkRequest.objects.create(
        platform_course=platform_course,
        user=user,
        return_url=url,
        notices_url=_notices_url(launch, platform_course.platform) if wanted == PROCESSOR else "",
        activity=_activity(launch) if wanted == PROCESSOR else "",
        data=None if data is None else str(data),
    )
    return reverse("lti_deep_linking", args=[row.pk])


def _wanted(launch: Launch, settings: dict[str, Any]) -> str:
    """Return the kind of item to answer with; empty where the platform takes none that there is."""
    accepted = settings.get("accept_types") or ()
    # A platform that takes both and names an activity has this service attached to it.
    if PROCESSOR in accepted and (LINK not in accepted or _activity(launch)):
        return PROCESSOR
    return LINK if LINK in accepted else ""


def _activity(launch: Launch) -> str:
    activity = launch.fields("activity").get("id")
    return activity if is_id(activity) else ""


def _notices_url(launch: Launch, platform: Platform) -> str:
    """Return where a platform is told to send its notices.

    Raises
    ------
    LaunchRefused
        When it sends none of submissions, or has this address at a host that is not stored.
    """
    service = launch.fields("platformnotificationservice")
    url = service.get("platform_notification_service_url")
    if SUBMISSION_NOTICE not in (service.get("notice_types_supported") or ()) or not isinstance(url, str):
        raise LaunchRefused(
            _("Your learning platform does not tell this service of submissions."),
            _("Ask its administrator to allow this tool the notices of the Asset Processor."),
            f"no {SUBMISSION_NOTICE} offered",
        )
    if len(url) > LONGEST_URL or not platform.has_address(url):
        raise LaunchRefused(
            _("The notices of {platform} are at an address that is not stored of it.").format(
                platform=platform
            ),
            _("Ask the administrator of this service to add it to the other addresses: {address}").format(
                address=url[:200]
            ),
            f"notices at {url!r:.200}",
        )
    return url


def subscribe(row: DeepLinkRequest, handler: str) -> None:
    """Have the platform send its notices of submissions to an address of this service.

    Raises
    ------
    PlatformFailed
        When it does not answer, or does not take the address.
    """
    platform = row.platform_course.platform
    headers = {"Authorization": f"Bearer {access_token(platform, NOTICES)}"}
    put_json(platform, row.notices_url, {"notice_type": SUBMISSION_NOTICE, "handler": handler}, headers)


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
    """Return the signed answer: a link that opens an assignment, or a processor of its submissions."""
    item: dict[str, Any] = {
        "type": PROCESSOR if row.notices_url else LINK,
        "title": assignment.name,
        "url": launch_url,
        "custom": {ASSIGNMENT: str(assignment.pk)},
        "window": {"targetName": "_blank"},
    }
    if row.notices_url:
        AttachedActivity.objects.get_or_create(
            platform_course=row.platform_course, activity=row.activity, assignment=assignment
        )
        # Neither shown to students nor with an indicator: no report says how similar something is.
        item["report"] = {
            "url": launch_url,
            "custom": item["custom"],
            "supportedTypes": [REPORT_TYPE],
            "released": False,
            "indicator": False,
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
