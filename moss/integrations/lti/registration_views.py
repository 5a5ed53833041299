"""The page on which a platform is registered by itself, and the address of it for administrators."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from csp.decorators import csp_replace
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST

from moss.integrations.lti.refusals import PlatformFailed, RegistrationRefused
from moss.integrations.lti.registration import OwnAddresses, check_configuration, check_key, new_key, register
from submissions.pages.views.access import staff_only

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

    from submissions.pages.views.access import AuthenticatedRequest

logger = logging.getLogger(__name__)

LONGEST_TOKEN = 10_000


def own_addresses(request: HttpRequest) -> OwnAddresses:
    """Return where a platform finds this service."""
    names = (f"lti_{name}" for name in OwnAddresses._fields)
    return OwnAddresses(*(request.build_absolute_uri(reverse(name)) for name in names))


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
        platform = register(key, configuration, token[:LONGEST_TOKEN], own_addresses(request))
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
