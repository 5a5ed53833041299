"""Dynamic registration of LTI: a platform says its addresses and takes those of this service by itself.

An administrator of this service makes an address for it, which works once and for an hour, and gives it to
the administrator of the platform. Whoever has it can register a platform.
"""

from __future__ import annotations

import logging
import secrets
from datetime import timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from csp.decorators import csp_replace
from django.db import IntegrityError, transaction
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from moss.integrations.lti.addresses import origin
from moss.integrations.lti.deep_linking import SUBMISSION_NOTICE
from moss.integrations.lti.keys import ASSETS, MEMBERSHIPS, NOTICES, REPORTS
from moss.integrations.lti.models import LONGEST_ADDRESS, LONGEST_ID, Platform, RegistrationAddress
from moss.integrations.lti.refusals import PlatformFailed, RegistrationRefused
from moss.integrations.lti.requests_out import get_json, post_json
from moss.integrations.lti.texts import is_id
from moss.integrations.lti.tokens import DEEP_LINKING, RESOURCE, REVIEW, SETTINGS
from submissions.pages.requests import staff_only

if TYPE_CHECKING:
    from django.db.models import QuerySet
    from django.http import HttpRequest, HttpResponse

    from submissions.pages.requests import AuthenticatedRequest

HOLDS = timedelta(hours=1)
NAME = "moss"
PLATFORM = "https://purl.imsglobal.org/spec/lti-platform-configuration"
TOOL = "https://purl.imsglobal.org/spec/lti-tool-configuration"
CLAIMS = ["iss", "sub", "name", "given_name", "family_name", "email"]

SCOPES = (MEMBERSHIPS,)
MESSAGES: tuple[dict[str, Any], ...] = ({"type": RESOURCE}, {"type": DEEP_LINKING})
# Asked for besides where a platform sends notices of submissions: others may refuse what they do not know.
PROCESSOR_SCOPES = (NOTICES, ASSETS, REPORTS)
PROCESSOR_MESSAGES: tuple[dict[str, Any], ...] = (
    {"type": DEEP_LINKING, "placements": ["ActivityAssetProcessor"]},
    {"type": SETTINGS},
    {"type": REVIEW},
)


class ServiceAddresses(NamedTuple):
    """Addresses at which a platform finds this service."""

    login: str
    launch: str
    keys: str
    notices: str


def new_key(username: str) -> str:
    """Return the key of a new address for a registration; only its digest is stored."""
    RegistrationAddress.objects.filter(created__lt=timezone.now() - HOLDS).delete()
    key = secrets.token_urlsafe(32)
    RegistrationAddress.objects.create(digest=_digest(key), created_by=username)
    return key


def _digest(key: str) -> str:
    return sha256(key.encode()).hexdigest()


def _valid(key: str) -> QuerySet[RegistrationAddress]:
    return RegistrationAddress.objects.filter(digest=_digest(key), created__gte=timezone.now() - HOLDS)


def check_key(key: str) -> None:
    """Raise RegistrationRefused for a key that was used, is too old, or was never made."""
    if not _valid(key).exists():
        raise _used()


def _used() -> RegistrationRefused:
    return RegistrationRefused(
        _("This address for a registration was used already, or is older than an hour."),
        _("Ask the administrator of this service for a new one."),
    )


def check_configuration(address: str) -> str:
    """Return the host of the address at which a platform says its configuration.

    Raises
    ------
    RegistrationRefused
        When it is no address with HTTPS.
    """
    if len(address) > LONGEST_ADDRESS or not origin(address):
        raise RegistrationRefused(
            _("The learning platform did not say where its configuration is."),
            _("Enter this address where the platform registers a tool of LTI 1.3 by dynamic registration."),
            f"configuration at {address!r:.200}",
        )
    return urlsplit(address).netloc


@transaction.atomic
def register(key: str, configuration: str, token: str, addresses: ServiceAddresses) -> Platform:
    """Register this service at a platform, store the platform, and use up the key.

    `configuration` and `token` are what the platform handed over.

    Raises
    ------
    RegistrationRefused
        When the key does not hold, or the platform is registered already.
    PlatformFailed
        When the platform does not answer as LTI says; then the key still holds.
    """
    # Locked, so that two windows with one key do not register twice.
    address = _valid(key).select_for_update(skip_locked=True).first()
    if address is None:
        raise _used()
    platform, content = _read_configuration(configuration)
    endpoint = _address(content, "registration_endpoint")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = _object(post_json(platform, endpoint, _wishes(addresses, content), headers).content)
    platform.client_id = _text(answer, "client_id")
    deployment = _object(answer.get(TOOL)).get("deployment_id")
    platform.deployments = str(deployment)[:LONGEST_ID] if isinstance(deployment, str | int) else ""
    _store(platform)
    address.delete()
    return platform


def _read_configuration(address: str) -> tuple[Platform, dict[str, Any]]:
    """Return a platform, which is not stored and has no client id yet, and what it says of itself."""
    host = urlsplit(address).hostname
    content = _object(get_json(Platform(name=address, auth_url=address), address).content)
    issuer = _text(content, "issuer")
    if urlsplit(issuer).hostname != host:
        raise PlatformFailed(f"the issuer {issuer:.200} is not at {host}, where the configuration is")
    product = _object(content.get(PLATFORM)).get("product_family_code")
    platform = Platform(
        name=f"{product} ({host})"[:100] if isinstance(product, str) else str(host)[:100],
        issuer=issuer,
        auth_url=_address(content, "authorization_endpoint"),
        token_url=_address(content, "token_endpoint"),
        jwks_url=_address(content, "jwks_uri"),
    )
    if not platform.has_address(address):
        platform.service_urls = origin(address)
    return platform, content


def _wishes(addresses: ServiceAddresses, configuration: dict[str, Any]) -> dict[str, Any]:
    """Return what a platform is to store of this service."""
    notices = _object(configuration.get(PLATFORM)).get("notice_types_supported")
    pushes = isinstance(notices, list) and SUBMISSION_NOTICE in notices
    messages = MESSAGES + (PROCESSOR_MESSAGES if pushes else ())
    return {
        "application_type": "web",
        "response_types": ["id_token"],
        "grant_types": ["implicit", "client_credentials"],
        "client_name": NAME,
        "initiate_login_uri": addresses.login,
        "redirect_uris": [addresses.launch],
        "jwks_uri": addresses.keys,
        "token_endpoint_auth_method": "private_key_jwt",
        "scope": " ".join(SCOPES + (PROCESSOR_SCOPES if pushes else ())),
        TOOL: {
            "domain": urlsplit(addresses.launch).netloc,
            "target_link_uri": addresses.launch,
            "claims": CLAIMS,
            "messages": [{**one, "target_link_uri": addresses.launch, "label": NAME} for one in messages],
        },
    }


def _store(platform: Platform) -> None:
    names = set(Platform.objects.values_list("name", flat=True))
    plain, number = platform.name, 1
    while platform.name in names:
        number += 1
        platform.name = f"{plain[:90]} {number}"
    try:
        with transaction.atomic():
            platform.save()
    except IntegrityError as error:
        reason = _("A platform with this issuer and client id is stored already.")
        remedy = _("Ask the administrator of this service to remove it first.")
        raise RegistrationRefused(reason, remedy, f"{platform.issuer} again") from error


def _object(content: Any) -> dict[str, Any]:
    return content if isinstance(content, dict) else {}


def _text(content: dict[str, Any], name: str) -> str:
    value = content.get(name)
    if not is_id(value):
        raise PlatformFailed(f"{name} is {value!r:.200}")
    return value


def _address(content: dict[str, Any], name: str) -> str:
    value = content.get(name)
    if not is_id(value, LONGEST_ADDRESS) or set(value) & set(" \t\r\n") or not origin(value):
        raise PlatformFailed(f"{name} is no address with HTTPS: {value!r:.200}")
    return value


logger = logging.getLogger(__name__)

LONGEST_TOKEN = 10_000


def service_addresses(request: HttpRequest) -> ServiceAddresses:
    """Return where a platform finds this service."""
    names = (f"lti_{name}" for name in ServiceAddresses._fields)
    return ServiceAddresses(*(request.build_absolute_uri(reverse(name)) for name in names))


@staff_only
@require_POST
def offer_registration(request: AuthenticatedRequest) -> HttpResponse:
    """Show the address of a new registration, once."""
    key = new_key(request.user.get_username())
    logger.info("account %s made an address for the registration of a platform", request.user.pk)
    address = request.build_absolute_uri(reverse("lti_register", args=[key]))
    return render(request, "lti/offer.html", {"address": address})


@csrf_exempt  # In a frame of the platform there is no cookie; the key in the address says who may do it.
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})  # type: ignore[arg-type] # its type has no view with arguments
@require_http_methods(["GET", "POST"])
def register_platform(request: HttpRequest, key: str) -> HttpResponse:
    """Ask whether to register a platform that came with its key; do it on a POST."""
    fields = request.POST if request.method == "POST" else request.GET
    configuration, token = fields.get("openid_configuration", ""), fields.get("registration_token", "")
    try:
        check_key(key)
        context = {"host": check_configuration(configuration)}
        if request.method == "GET":
            context |= {"configuration": configuration, "token": token[:LONGEST_TOKEN]}
            return render(request, "lti/register.html", context)
        platform = register(key, configuration, token[:LONGEST_TOKEN], service_addresses(request))
    except RegistrationRefused as refused:
        logger.warning("registration refused: %s", refused.detail or refused)
        return _refusal(request, str(refused), refused.remedy, 403)
    except PlatformFailed as failed:
        logger.warning("registration failed: %s", failed)
        reason = _("The platform did not answer as LTI 1.3 says. The log of this service says more.")
        remedy = _("Try again, or have the administrator of this service enter its addresses by hand.")
        return _refusal(request, reason, remedy, 422)
    logger.info("platform %s was registered by itself", platform.pk)
    return render(request, "lti/registered.html", {"platform": platform})


def _refusal(request: HttpRequest, reason: str, remedy: str, status: int) -> HttpResponse:
    return render(request, "lti/refused.html", {"reason": reason, "remedy": remedy}, status=status)
