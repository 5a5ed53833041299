"""Addresses of sign-in by SAML: what django-allauth has for it, without logging out by the provider."""

from __future__ import annotations

from typing import TYPE_CHECKING

import xmlsec
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.providers.saml import views as saml
from allauth.socialaccount.providers.saml.utils import build_saml_config, get_app_or_404
from django.http import HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST
from django.views.generic import RedirectView
from lxml.etree import XMLSyntaxError
from onelogin.saml2.settings import OneLogin_Saml2_Settings

if TYPE_CHECKING:
    from django.http import HttpRequest

# Bytes of a response of the provider; it is stored until the browser asks for the next page.
LARGEST_RESPONSE = 200_000


@csrf_exempt  # The provider has the browser send it; it is tied to the session by the id of our request.
@require_POST
def take_response(request: HttpRequest, organization_slug: str) -> HttpResponse:
    """Keep a response of the provider until the browser comes with the session that asked for it."""
    get_app_or_404(request, organization_slug)
    if int(request.META.get("CONTENT_LENGTH") or 0) > LARGEST_RESPONSE:
        return HttpResponse("The response is too large.", status=413, content_type="text/plain")
    _state_host(request)
    response: HttpResponse = saml.acs(request, organization_slug=organization_slug)
    return response


@require_GET
def begin(request: HttpRequest, organization_slug: str) -> HttpResponse:
    """Lead to the provider, with a request that its response has to answer."""
    _state_host(request)
    response: HttpResponse = saml.login(request, organization_slug=organization_slug)
    return response


@require_GET
def finish(request: HttpRequest, organization_slug: str) -> HttpResponse:
    """Sign in by the response that was kept; refuse what is no XML, has a DTD, or a signature that breaks."""
    try:
        response: HttpResponse = saml.finish_acs(request, organization_slug=organization_slug)
    except (ValueError, XMLSyntaxError, xmlsec.Error) as error:
        provider = get_app_or_404(request, organization_slug).get_provider(request)
        response = render_authentication_error(request, provider, exception=error)
    return response


@require_GET
def metadata(request: HttpRequest, organization_slug: str) -> HttpResponse:
    """Return what the provider needs to know of this service."""
    app = get_app_or_404(request, organization_slug)
    config = build_saml_config(request, app.settings, organization_slug)
    # Nothing here takes a request to sign somebody out.
    del config["sp"]["singleLogoutService"]
    # Offers the certificate for encryption; that assertions are encrypted is the choice of the provider.
    config["security"]["wantAssertionsEncrypted"] = "x509cert" in config["sp"]
    about = OneLogin_Saml2_Settings(settings=config, sp_validation_only=True)
    return HttpResponse(about.get_sp_metadata(), content_type="application/samlmetadata+xml")


def _state_host(request: HttpRequest) -> None:
    """State the host of a request by HTTP/1.0, which need not have the header that django-allauth reads."""
    request.META.setdefault("HTTP_HOST", request.get_host())


urlpatterns = [
    path("login/", begin, name="saml_login"),
    path("acs/", take_response, name="saml_acs"),
    path("acs/finish/", finish, name="saml_finish_acs"),
    path("metadata/", metadata, name="saml_metadata"),
    # django-allauth asks for this address by its name.
    path("sls/", RedirectView.as_view(pattern_name="login"), name="saml_sls"),
]
