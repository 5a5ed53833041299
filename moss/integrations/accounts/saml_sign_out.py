"""Signing out by SAML: of the provider too when somebody signs out here, and here when the provider asks."""

from __future__ import annotations

import logging
import zlib
from typing import TYPE_CHECKING

import xmlsec
from allauth.socialaccount.providers.saml.utils import (
    build_saml_config,
    get_app_or_404,
    prepare_django_request,
)
from django.conf import settings
from django.contrib.auth import logout
from django.http import Http404
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET
from lxml.etree import XMLSyntaxError
from onelogin.saml2.auth import OneLogin_Saml2_Auth
from onelogin.saml2.errors import OneLogin_Saml2_Error
from onelogin.saml2.logout_request import OneLogin_Saml2_Logout_Request

from moss.integrations.accounts.models import Session
from moss.integrations.accounts.sessions import SAML, saml_digest

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponse

logger = logging.getLogger(__name__)

# What no valid message of a provider, or no metadata, make the libraries raise.
FAULTS = (OneLogin_Saml2_Error, OSError, ValueError, XMLSyntaxError, xmlsec.Error, zlib.error)


def session_names(auth: OneLogin_Saml2_Auth) -> dict[str, dict[str, str | None]]:
    """Return what a session keeps: by which names the provider knows it, from a response that was checked."""
    if not auth.get_nameid():
        return {}
    names = {
        "name_id": auth.get_nameid(),
        "name_id_format": auth.get_nameid_format(),
        "nq": auth.get_nameid_nq(),
        "spnq": auth.get_nameid_spnq(),
        "session_index": auth.get_session_index(),
    }
    return {SAML: names}


def sign_out_address(request: HttpRequest) -> str:
    """Return the address with a request to sign out of the provider the session came from; or ""."""
    try:
        auth = _auth(request, settings.CAMPUS)
        if not signs_out(auth):
            return ""
        address: str = auth.logout(request.build_absolute_uri(reverse("login")), **request.session[SAML])
    except FAULTS as error:  # Who signs out here has to be signed out here.
        logger.warning("nobody can be signed out of the provider: %.200s", error)
        return ""
    return address


def signs_out(auth: OneLogin_Saml2_Auth) -> bool:
    """Return whether the provider has an address for signing out, and this service a key to sign with."""
    return bool(auth.get_slo_url() and auth.get_settings().get_sp_key())


@require_GET
def take_sign_out(request: HttpRequest, organization_slug: str) -> HttpResponse:
    """Sign out whom the provider names, and answer it; or end a sign-out that began here.

    What the provider sends has to be signed.
    """
    auth = _auth(request, organization_slug)
    if not signs_out(auth):
        raise Http404("The provider has no address for signing out.")
    is_answer = "SAMLResponse" in request.GET
    try:
        address = auth.process_slo(
            keep_local_session=is_answer, delete_session_cb=lambda: _end_sessions(request, auth)
        )
        faults = auth.get_errors()
    except FAULTS as error:
        faults = [str(error)]
    if faults:
        logger.warning("a sign-out by the provider failed: %.200s", "; ".join(faults))
        return render(request, "accounts/sign_out_failed.html", status=400)
    return redirect(address or "login")


def _end_sessions(request: HttpRequest, auth: OneLogin_Saml2_Auth) -> None:
    """End the sessions that a checked request names: of all browsers, since frames send no cookie."""
    text, key = auth.get_last_request_xml(), auth.get_settings().get_sp_key()
    name = OneLogin_Saml2_Logout_Request.get_nameid(text, key)
    indexes = OneLogin_Saml2_Logout_Request.get_session_indexes(text)
    for row in Session.objects.filter(saml_name=saml_digest(name), user__isnull=False):
        if indexes and row.get_decoded().get(SAML, {}).get("session_index") not in indexes:
            continue
        if row.session_key == request.session.session_key:
            logout(request)
        row.delete()
        logger.info("the provider signed account %s out", row.user_id)


def _auth(request: HttpRequest, slug: str) -> OneLogin_Saml2_Auth:
    app = get_app_or_404(request, slug)
    state_host(request)
    config = build_saml_config(request, app.settings, slug)
    config["security"]["wantMessagesSigned"] = True
    return OneLogin_Saml2_Auth(prepare_django_request(request), config)


def state_host(request: HttpRequest) -> None:
    """State the host of a request by HTTP/1.0, which need not have the header that django-allauth reads."""
    request.META.setdefault("HTTP_HOST", request.get_host())
