"""Notices of platforms (Platform Notification Service): signed by them, checked, and stored to be worked on.

A notice that came before does nothing; one of a submission that could not be fetched has it fetched again.
"""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import jwt
from django.db import transaction
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from moss.integrations.lti.deep_linking import ASSIGNMENT, LONGEST_NUMBER, SUBMISSION_NOTICE
from moss.integrations.lti.fetching import start_again
from moss.integrations.lti.models import (
    LONGEST_ID,
    AttachedActivity,
    Platform,
    PlatformCourse,
    PushedSubmission,
)
from moss.integrations.lti.refusals import LaunchRefused, NoticeRefused
from moss.integrations.lti.states import is_first_use
from moss.integrations.lti.texts import is_id, text_of
from moss.integrations.lti.tokens import CLAIM, LARGEST_TOKEN, UNREADABLE, as_object, signed_claims
from submissions.work import jobs

if TYPE_CHECKING:
    from collections.abc import Iterable

logger = logging.getLogger(__name__)

# Notices that are taken at once; each may ask for the keys of its platform.
MOST_NOTICES = 100
# A notice that holds longer is refused: its nonce is stored until then.
LONGEST_VALID = timedelta(days=2)
LONGEST_NAME, LONGEST_URL = 400, 2000
MOST_ASSETS = 200


def take(token: str) -> None:
    """Check a notice and store what it tells.

    Raises
    ------
    NoticeRefused
        When it is not signed by a platform of this service, or tells of no assignment here.
    """
    platform = _platform(token)
    try:
        claims = signed_claims(platform, token)
    except LaunchRefused as refused:
        raise NoticeRefused(refused.detail or str(refused)) from refused
    kind = text_of(as_object(claims.get(CLAIM + "notice")), "type")
    with transaction.atomic():
        if not is_first_use(_nonce(platform, claims), _expiry(claims)):
            logger.info("a notice of platform %s came again", platform.pk)
        elif kind == SUBMISSION_NOTICE:
            _take_submission(platform, claims)
        else:
            logger.info("platform %s sent %r: not used", platform.pk, kind[:100])


def _platform(token: str) -> Platform:
    """Return the platform that a notice says it is of; nothing of it is checked yet."""
    if len(token) > LARGEST_TOKEN:
        raise NoticeRefused(f"more than {LARGEST_TOKEN:,} characters")
    try:
        claims = jwt.decode(token, options={"verify_signature": False})
    except UNREADABLE as error:
        raise NoticeRefused(f"no token: {error!s:.200}") from error
    audience = claims.get("aud")
    clients = [one for one in (audience if isinstance(audience, list) else [audience]) if is_id(one)]
    issuer = claims.get("iss")
    known = Platform.objects.filter(issuer=issuer, client_id__in=clients) if is_id(issuer) else None
    platform = known.first() if known else None
    if platform is None:
        raise NoticeRefused("its issuer and audience are not registered here")
    return platform


def _nonce(platform: Platform, claims: dict[str, Any]) -> str:
    return sha256(f"notice {platform.pk} {claims['nonce']}".encode()).hexdigest()


def _expiry(claims: dict[str, Any]) -> datetime:
    # PyJWT checked that it is a number, and in the future.
    left = int(claims["exp"]) - timezone.now().timestamp()
    if left > LONGEST_VALID.total_seconds():
        raise NoticeRefused(f"it holds longer than {LONGEST_VALID.days} days")
    return timezone.now() + timedelta(seconds=left) + timedelta(minutes=5)


def _take_submission(platform: Platform, claims: dict[str, Any]) -> None:
    attached = _attached(platform, claims)
    notice = as_object(claims.get(CLAIM + "notice"))
    assets = [_asset(one) for one in _listed_assets(claims)]
    subject = as_object(claims.get(CLAIM + "for_user")).get("user_id")
    identifier = as_object(claims.get(CLAIM + "submission")).get("id") or notice.get("id")
    if not is_id(subject) or not is_id(identifier):
        raise NoticeRefused("it names no student (for_user) or no submission")
    fields = {
        "subject": subject,
        "name": _name(as_object(claims.get(CLAIM + "for_user"))),
        "assets": assets,
        "report_url": _address(as_object(claims.get(CLAIM + "assetreport")), "report_url"),
        "submitted": _submitted([*_listed_assets(claims), notice]),
    }
    row, is_new = PushedSubmission.objects.get_or_create(
        platform_course=attached.platform_course,
        assignment=attached.assignment,
        submission=identifier,
        defaults=fields,
    )
    if is_new:
        jobs.enqueue("fetch_submission", row.pk)
    else:
        start_again(row, **fields)
    logger.info("%s of platform %s: %s", row, platform.pk, "new" if is_new else "told again")


def _attached(platform: Platform, claims: dict[str, Any]) -> AttachedActivity:
    """Return which assignment the activity of a notice was attached to here.

    By the id of the activity, which deep linking stored. Where the platform named none then, by its course:
    what a link says of the assignment can be copied to another course.
    """
    deployment = claims[CLAIM + "deployment_id"]
    chosen = str(as_object(claims.get(CLAIM + "custom")).get(ASSIGNMENT, ""))
    assignment_id = int(chosen) if chosen.isdecimal() and len(chosen) <= LONGEST_NUMBER else None
    activity = as_object(claims.get(CLAIM + "activity")).get("id")
    rows = AttachedActivity.objects.select_related("platform_course", "assignment").filter(
        platform_course__platform=platform, platform_course__deployment=deployment
    )
    known = rows.filter(activity=activity).order_by("-pk") if is_id(activity) else rows.none()
    attached = (known.filter(assignment=assignment_id) if assignment_id else known).first()
    if attached is None:
        attached = _of_course(platform, deployment, claims, assignment_id)
    if attached is None:
        raise NoticeRefused("its activity belongs to no assignment here: attach this service to it again")
    return attached


def _of_course(
    platform: Platform, deployment: str, claims: dict[str, Any], assignment_id: int | None
) -> AttachedActivity | None:
    """Return the assignment that a notice names, of the course that it names, where no activity is stored."""
    context = as_object(claims.get(CLAIM + "context")).get("id")
    if assignment_id is None or not is_id(context):
        return None
    course = PlatformCourse.objects.filter(platform=platform, deployment=deployment, context=context).first()
    attached = AttachedActivity.objects.filter(platform_course=course, activity="", assignment=assignment_id)
    return attached.select_related("platform_course", "assignment").first() if course else None


def _listed_assets(claims: dict[str, Any]) -> list[dict[str, Any]]:
    assets = as_object(claims.get(CLAIM + "assetservice")).get("assets")
    listed = assets if isinstance(assets, list) else []
    if len(listed) > MOST_ASSETS:
        raise NoticeRefused(f"it lists {len(listed):,} files; at most {MOST_ASSETS} are taken")
    return [one for one in listed if isinstance(one, dict)]


def _asset(asset: dict[str, Any]) -> dict[str, Any]:
    size = asset.get("size")
    return {
        "asset_id": text_of(asset, "asset_id")[:LONGEST_ID],
        "url": _address(asset, "url"),
        "sha256_checksum": text_of(asset, "sha256_checksum")[:LONGEST_ID],
        "size": size if isinstance(size, int) and not isinstance(size, bool) and size >= 0 else None,
        "content_type": text_of(asset, "content_type")[:100],
        "name": (text_of(asset, "filename") or text_of(asset, "title"))[:200],
        "is_file": bool(text_of(asset, "filename")),
    }


def _address(fields: dict[str, Any], name: str) -> str:
    value = text_of(fields, name)
    return value if len(value) <= LONGEST_URL else ""


def _name(person: dict[str, Any]) -> str:
    name = text_of(person, "name") or f"{text_of(person, 'given_name')} {text_of(person, 'family_name')}"
    return " ".join(name.split())[:LONGEST_NAME]


def _submitted(dated: Iterable[dict[str, Any]]) -> datetime:
    """Return the latest time of the files or of the notice; now where there is none, or in the future."""
    now = timezone.now()
    times = []
    for one in dated:
        try:
            time = datetime.fromisoformat(text_of(one, "timestamp"))
        except ValueError:
            continue
        times.append(time if time.tzinfo else time.replace(tzinfo=UTC))
    return min(max(times, default=now), now)


@csrf_exempt  # A platform sends it: each notice is signed, and there is no session.
@require_POST
def notices(request: HttpRequest) -> JsonResponse:
    """Take a list of notices; the work is done in workers. One that is refused keeps no other one back."""
    tokens = _tokens(request)
    if tokens is None:
        return JsonResponse({"error": f"Send at most {MOST_NOTICES} notices, as JSON."}, status=400)
    refused = []
    for number, token in enumerate(tokens):
        try:
            take(token)
        except NoticeRefused as error:
            logger.warning("notice refused: %s", error)
            refused.append({"notice": number, "reason": str(error)})
    return JsonResponse(
        {"taken": len(tokens) - len(refused), "refused": refused}, status=400 if refused else 200
    )


def _tokens(request: HttpRequest) -> list[str] | None:
    """Return the tokens of `{"notices": [{"jwt": …}]}`; None for anything else."""
    try:
        content = json.loads(request.body)
    except (ValueError, RecursionError):
        return None
    listed = content.get("notices") if isinstance(content, dict) else None
    if not isinstance(listed, list) or len(listed) > MOST_NOTICES:
        return None
    tokens = [one.get("jwt") if isinstance(one, dict) else None for one in listed]
    return [one if isinstance(one, str) else "" for one in tokens]
