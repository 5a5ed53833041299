"""Addresses of sign-in by SAML: what django-allauth has for it, and signing out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import xmlsec
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.providers.saml import views as saml
from allauth.socialaccount.providers.saml.provider import SAMLProvider
from allauth.socialaccount.providers.saml.utils import build_auth, build_saml_config, get_app_or_404
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST
from lxml.etree import XMLSyntaxError
from onelogin.saml2.settings import OneLogin_Saml2_Settings
from onelogin.saml2.utils import OneLogin_Saml2_Utils
from onelogin.saml2.xml_utils import OneLogin_Saml2_XML

from moss.integrations.accounts.proofs import time_of_sign_in
from moss.integrations.accounts.saml_sign_out import session_names, state_host, take_sign_out

if TYPE_CHECKING:
    from allauth.socialaccount.models import SocialLogin
    from django.http import HttpRequest
    from onelogin.saml2.auth import OneLogin_Saml2_Auth

# Bytes of a response of the provider; it is stored until the browser asks for the next page.
LARGEST_RESPONSE = 200_000
ASSERTION = "urn:oasis:names:tc:SAML:2.0:assertion"


class CampusProvider(SAMLProvider):  # type: ignore[misc] # django-allauth publishes no types
    """Have the provider ask again where that is wanted, and note what it says of the session."""

    def redirect(
        self, request: HttpRequest, process: str, next_url: str | None = None, **state: Any
    ) -> HttpResponse:
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
