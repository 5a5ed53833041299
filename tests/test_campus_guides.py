"""The addresses, variables and names in the guides to sign-in and platforms are those of the code."""

import re
from urllib.parse import urlsplit

import pytest
from django.urls import resolve, reverse

from moss.environment import VARIABLES
from tests.support.paths import ROOT

DOCUMENTS = {name: (ROOT / "docs" / "do" / f"{name}.md").read_text() for name in ("campus", "sign-in", "lti")}
OURS = re.compile(r"https://HOST(/[^\s`\"*]*)")
CAMPUS = {"provider_id": "campus"}
SAML = {"organization_slug": "campus"}


def addresses(name: str) -> set[str]:
    """Return the paths of this service that a document names."""
    return set(OURS.findall(DOCUMENTS[name]))


def test_the_guides_name_the_addresses_of_the_configuration() -> None:
    assert addresses("campus") == {
        reverse("lti_launch"),
        reverse("lti_login"),
        reverse("lti_keys"),
        reverse("openid_connect_callback", kwargs=CAMPUS),
        reverse("saml_metadata", kwargs=SAML),
    }
    assert addresses("sign-in") == {
        reverse("openid_connect_callback", kwargs=CAMPUS),
        *(reverse(f"saml_{name}", kwargs=SAML) for name in ("metadata", "acs", "sls")),
    }


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_address_of_a_guide_leads_to_a_view(name: str) -> None:
    for path in addresses(name):
        assert callable(resolve(urlsplit(path).path).func)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_variable_of_a_guide_is_one_of_the_settings(name: str) -> None:
    named = set(re.findall(r"\bMOSS_[A-Z_]+\b", DOCUMENTS[name]))
    assert named <= VARIABLES.keys()
    assert named or name == "lti"
