"""Sign-in and sign-out by SAML."""

from __future__ import annotations

import logging
import zlib
from typing import TYPE_CHECKING, Any

import xmlsec
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.providers.saml import views as saml
from allauth.socialaccount.providers.saml.provider import SAMLProvider
from allauth.socialaccount.providers.saml.utils import (
    build_auth,
    build_saml_config,
    get_app_or_404,
    prepare_django_request,
)
from django.conf import settings
from django.contrib.auth import logout
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST
from lxml.etree import XMLSyntaxError
from onelogin.saml2.auth import OneLogin_Saml2_Auth
from onelogin.saml2.errors import OneLogin_Saml2_Error
from onelogin.saml2.logout_request import OneLogin_Saml2_Logout_Request
from onelogin.saml2.settings import OneLogin_Saml2_Settings
from onelogin.saml2.utils import OneLogin_Saml2_Utils
from onelogin.saml2.xml_utils import OneLogin_Saml2_XML

from moss.integrations.accounts.campus import time_of_sign_in
from moss.integrations.accounts.models import Session
from moss.integrations.accounts.sessions import SAML, saml_digest

if TYPE_CHECKING:
    from allauth.socialaccount.models import SocialLogin

logger = logging.getLogger(__name__)

# What no valid message of a provider, or no metadata, make the libraries raise.
FAULTS = (OneLogin_Saml2_Error, OSError, ValueError, XMLSyntaxError, xmlsec.Error, zlib.error)

# Bytes of a response of the provider; it is stored until the browser asks for the next page.
LARGEST_RESPONSE = 200_000
ASSERTION = "urn:oasis:names:tc:SAML:2.0:assertion"


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
        address = auth.process_slo(keep_local_session=is_answer, delete_session_cb=lambda: _end_sessions(request, auth))
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


class CampusProvider(SAMLProvider):  # type: ignore[misc] # django-allauth publishes no types
    """Have the provider ask again where that is wanted, and note what it says of the session."""

    def redirect(self, request: HttpRequest, process: str, next_url: str | None = None, **state: Any) -> HttpResponse:
        """Lead to the provider, which asks for the password again where the query has `again`."""
        auth = build_auth(request, self)
        address = auth.login(return_to="", force_authn="again" in request.GET)
        self.stash_redirect_state(request, process, next_url, state_id=auth.get_last_request_id(), **state)
        return HttpResponseRedirect(address)

    def sociallogin_from_response(self, request: HttpRequest, response: OneLogin_Saml2_Auth) -> SocialLogin:
        # Read when the session begins: signing in again ends the one before.
        request.session_names = session_names(response)  # type: ignore[attr-defined]
        request.signed_in_at = _time_of_sign_in(response)  # type: ignore[attr-defined]
        return super().sociallogin_from_response(request, response)


def _time_of_sign_in(response: OneLogin_Saml2_Auth) -> float:
    """Return when the provider asked who this is, from a response that was checked."""
    root = OneLogin_Saml2_XML.to_etree(response.get_last_response_xml())
    statements = root.iter(f"{{{ASSERTION}}}AuthnStatement")
    moments = [OneLogin_Saml2_Utils.parse_SAML_to_time(one.get("AuthnInstant")) for one in statements]
    return time_of_sign_in({"auth_time": min(moments, default=0)})


class BeginView(saml.LoginView):  # type: ignore[misc] # as above
    def get_provider(self) -> CampusProvider:
        return CampusProvider(self.request, app=self.get_app(self.kwargs["organization_slug"]))


class FinishView(saml.FinishACSView):  # type: ignore[misc] # as above
    def get_provider(self, organization_slug: str) -> CampusProvider:
        return CampusProvider(self.request, app=self.get_app(organization_slug))


_begin, _finish = BeginView.as_view(), FinishView.as_view()


@csrf_exempt  # The provider has the browser send it; it is tied to the session by the id of our request.
@require_POST
def take_response(request: HttpRequest, organization_slug: str) -> HttpResponse:
    """Keep a response of the provider until the browser comes with the session that asked for it."""
    get_app_or_404(request, organization_slug)
    if int(request.META.get("CONTENT_LENGTH") or 0) > LARGEST_RESPONSE:
        return HttpResponse("The response is too large.", status=413, content_type="text/plain")
    state_host(request)
    response: HttpResponse = saml.acs(request, organization_slug=organization_slug)
    return response


@require_GET
def begin(request: HttpRequest, organization_slug: str) -> HttpResponse:
    """Lead to the provider, with a request that its response has to answer."""
    state_host(request)
    response: HttpResponse = _begin(request, organization_slug=organization_slug)
    return response


@require_GET
def finish(request: HttpRequest, organization_slug: str) -> HttpResponse:
    """Sign in by the response that was kept; refuse what is no XML, has a DTD, or a signature that breaks."""
    try:
        response: HttpResponse = _finish(request, organization_slug=organization_slug)
    except (ValueError, XMLSyntaxError, xmlsec.Error) as error:
        provider = get_app_or_404(request, organization_slug).get_provider(request)
        response = render_authentication_error(request, provider, exception=error)
    return response


@require_GET
def metadata(request: HttpRequest, organization_slug: str) -> HttpResponse:
    """Return what the provider needs to know of this service."""
    app = get_app_or_404(request, organization_slug)
    config = build_saml_config(request, app.settings, organization_slug)
    # Without an address of the provider or a key, nothing here takes a request to sign somebody out.
    if not (config["idp"].get("singleLogoutService") and "privateKey" in config["sp"]):
        del config["sp"]["singleLogoutService"]
    # Offers the certificate for encryption; that assertions are encrypted is the choice of the provider.
    config["security"]["wantAssertionsEncrypted"] = "x509cert" in config["sp"]
    about = OneLogin_Saml2_Settings(settings=config, sp_validation_only=True)
    return HttpResponse(about.get_sp_metadata(), content_type="application/samlmetadata+xml")


urlpatterns = [
    path("login/", begin, name="saml_login"),
    path("acs/", take_response, name="saml_acs"),
    path("acs/finish/", finish, name="saml_finish_acs"),
    path("metadata/", metadata, name="saml_metadata"),
    path("sls/", take_sign_out, name="saml_sls"),
]
