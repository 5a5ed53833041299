"""Settings of passwords, campus accounts, the second factor and mail, some from the environment."""

from __future__ import annotations

from datetime import timedelta
from importlib.util import find_spec
from typing import Any, NamedTuple

from django.core.exceptions import ImproperlyConfigured

from moss.variables import value

# The id of the identity provider, and its metadata; or, without these, its address and its certificate.
SAML_ENTITY_ID = value("MOSS_SAML_ENTITY_ID")
SAML_METADATA_URL = value("MOSS_SAML_METADATA_URL")
SAML_SSO_URL = value("MOSS_SAML_SSO_URL")
SAML_CERTIFICATE = value("MOSS_SAML_CERTIFICATE")
SAML_SLO_URL = value("MOSS_SAML_SLO_URL")
SAML_NAME = value("MOSS_SAML_NAME") or "your campus account"
# Attributes with an id that an account keeps: subject-id, pairwise-id, eduPersonPrincipalName, Entra ID's.
SAML_UIDS = [
    "urn:oasis:names:tc:SAML:attribute:subject-id",
    "urn:oasis:names:tc:SAML:attribute:pairwise-id",
    "urn:oid:1.3.6.1.4.1.5923.1.1.1.6",
    "http://schemas.microsoft.com/identity/claims/objectidentifier",
]
if _UID := value("MOSS_SAML_UID"):
    SAML_UIDS = [_UID]
# The attribute that lists the groups of an account; isMemberOf of eduMember without it.
IS_MEMBER_OF = "urn:oid:1.3.6.1.4.1.5923.1.5.1.1"
SAML_GROUPS_ATTRIBUTE = value("MOSS_SAML_GROUPS_ATTRIBUTE") or IS_MEMBER_OF
# Whether the campus vouches for the mail addresses that it sends.
SAML_VERIFIED_MAIL = value("MOSS_SAML_VERIFIED_MAIL")
# The key and certificate of this service: with them it signs its requests and reads encrypted assertions.
SAML_SERVICE_KEY = value("MOSS_SAML_SERVICE_KEY")
SAML_SERVICE_CERTIFICATE = value("MOSS_SAML_SERVICE_CERTIFICATE")
SAML_INSTALLED = find_spec("onelogin") is not None

if SAML_ENTITY_ID and not (SAML_METADATA_URL or (SAML_SSO_URL and SAML_CERTIFICATE)):
    raise ImproperlyConfigured(
        "MOSS_SAML_ENTITY_ID needs MOSS_SAML_METADATA_URL, or MOSS_SAML_SSO_URL and MOSS_SAML_CERTIFICATE."
    )
if bool(SAML_SERVICE_KEY) != bool(SAML_SERVICE_CERTIFICATE):
    raise ImproperlyConfigured("MOSS_SAML_SERVICE_KEY and MOSS_SAML_SERVICE_CERTIFICATE need each other.")
if SAML_SLO_URL and not SAML_SERVICE_KEY:
    raise ImproperlyConfigured(
        "MOSS_SAML_SLO_URL needs MOSS_SAML_SERVICE_KEY and MOSS_SAML_SERVICE_CERTIFICATE, to sign with."
    )
if SAML_ENTITY_ID and not SAML_INSTALLED:
    raise ImproperlyConfigured('MOSS_SAML_ENTITY_ID needs more packages: pip install "moss-server[saml]".')


class KeyPair(NamedTuple):
    """The private key of this service in PEM, and its certificate in PEM or as its Base64 alone."""

    key: str
    certificate: str


def saml_app(
    slug: str, name: str, provider: dict[str, str], key_pair: KeyPair | None = None, *, verified_mail: bool
) -> dict[str, Any]:
    """Return the settings of one provider, as django-allauth reads them; `slug` is in its addresses."""
    return {
        "client_id": slug,
        "provider_id": provider["entity_id"],
        "name": name,
        "settings": {
            "idp": provider,
            "verified_email": verified_mail,
            "attribute_mapping": {
                "uid": SAML_UIDS,
                "email": [
                    "urn:oid:0.9.2342.19200300.100.1.3",
                    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
                ],
                "username": ["urn:oid:0.9.2342.19200300.100.1.1", "urn:oid:1.3.6.1.4.1.5923.1.1.1.6"],
                "first_name": [
                    "urn:oid:2.5.4.42",
                    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname",
                ],
                "last_name": [
                    "urn:oid:2.5.4.4",
                    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname",
                ],
            },
            "advanced": {
                "strict": True,
                "want_assertion_signed": True,
                "reject_idp_initiated_sso": True,
                # Names of hosts within a campus need no dot.
                "allow_single_label_domains": True,
                **(_signing(key_pair) if key_pair else {}),
            },
        },
    }


def _signing(pair: KeyPair) -> dict[str, Any]:
    signed = {f"{name}_signed": True for name in ("authn_request", "logout_request", "logout_response")}
    return {"private_key": pair.key, "x509cert": pair.certificate, **signed}


def saml_key_pair() -> KeyPair | None:
    return KeyPair(SAML_SERVICE_KEY, SAML_SERVICE_CERTIFICATE) if SAML_SERVICE_KEY else None


def saml_provider() -> dict[str, str]:
    """Return what is known of the identity provider."""
    if SAML_METADATA_URL:
        return {"entity_id": SAML_ENTITY_ID, "metadata_url": SAML_METADATA_URL}
    addresses = {"sso_url": SAML_SSO_URL, "slo_url": SAML_SLO_URL}
    return {"entity_id": SAML_ENTITY_ID, "x509cert": SAML_CERTIFICATE, **addresses}


# Passwords and wrong ones; how many are too many is in `moss.settings`.
# No rule asks for kinds of characters: length and surprise make a password.
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "moss.integrations.accounts.passwords.ServiceWordsValidator"},
]
AXES_HANDLER = "moss.sign_in.Failures"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"], "ip_address"]
AXES_COOLOFF_TIME = timedelta(minutes=5)
# An attempt that is refused does not start the time again.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_CLIENT_IP_CALLABLE = "moss.proxies.client_address"
AXES_USERNAME_CALLABLE = "moss.sign_in.user_name"
AXES_CLIENT_STR_CALLABLE = "moss.sign_in.client"
AXES_LOCKOUT_CALLABLE = "moss.sign_in.refusal"
# Only failures are stored, and no address for longer than they count.
AXES_DISABLE_ACCESS_LOG = True
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "courses"
LOGOUT_REDIRECT_URL = "login"

# Mail: without a host, pages show links that would otherwise be sent, and no password can be reset by mail.
EMAIL_HOST = value("MOSS_MAIL_HOST")
MAIL = bool(EMAIL_HOST)
_SECURITY = value("MOSS_MAIL_SECURITY")
EMAIL_USE_TLS, EMAIL_USE_SSL = _SECURITY == "starttls", _SECURITY == "tls"
EMAIL_PORT = value("MOSS_MAIL_PORT") or (465 if EMAIL_USE_SSL else 587)
EMAIL_HOST_USER = value("MOSS_MAIL_USER")
EMAIL_HOST_PASSWORD = value("MOSS_MAIL_PASSWORD")
# Seconds for the mail server to answer: a page may wait for it.
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = SERVER_EMAIL = value("MOSS_MAIL_FROM")
if MAIL and not DEFAULT_FROM_EMAIL:
    raise ImproperlyConfigured("MOSS_MAIL_HOST needs MOSS_MAIL_FROM: the address that mail is sent from.")

# Campus accounts: a provider of OpenID Connect, by its address without `/.well-known/…`.
OIDC_URL = value("MOSS_OIDC_URL")
OIDC_NAME = value("MOSS_OIDC_NAME") or "your campus account"
OIDC_CLIENT_ID = value("MOSS_OIDC_CLIENT_ID")
OIDC_SECRET = value("MOSS_OIDC_SECRET")
# The claim that lists the groups of an account.
OIDC_GROUPS_CLAIM = value("MOSS_OIDC_GROUPS_CLAIM") or "groups"
# Of OpenID Connect and of SAML: the groups that may sign in (none: everybody), and those whose members are
# administrators.
CAMPUS_GROUPS = value("MOSS_CAMPUS_GROUPS")
CAMPUS_ADMINISTRATORS = value("MOSS_CAMPUS_ADMINISTRATORS")
if OIDC_URL and not (OIDC_CLIENT_ID and OIDC_SECRET):
    raise ImproperlyConfigured(
        "MOSS_OIDC_URL needs MOSS_OIDC_CLIENT_ID and MOSS_OIDC_SECRET, which the provider gave for it."
    )

ACCOUNT_ADAPTER = "moss.integrations.accounts.campus.AccountAdapter"
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["email", "username*", "password1*", "password2*"]
# Nobody learns by mail whether somebody else has an account here.
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
SOCIALACCOUNT_ADAPTER = "moss.integrations.accounts.campus.CampusAdapter"
# A GET only leads to the provider; what comes back is tied to the session by a secret.
SOCIALACCOUNT_LOGIN_ON_GET = True
# An account that an administrator created is that of the campus account with the same, verified address.
SOCIALACCOUNT_EMAIL_AUTHENTICATION = SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
SOCIALACCOUNT_STORE_TOKENS = False
CAMPUS = "campus"
SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [
            {
                "provider_id": CAMPUS,
                "name": OIDC_NAME,
                "client_id": OIDC_CLIENT_ID,
                "secret": OIDC_SECRET,
                "settings": {"server_url": OIDC_URL.rstrip("/")},
            }
        ]
        if OIDC_URL
        else [],
    },
    "saml": {
        "APPS": [
            saml_app(CAMPUS, SAML_NAME, saml_provider(), saml_key_pair(), verified_mail=SAML_VERIFIED_MAIL)
        ]
        if SAML_ENTITY_ID
        else []
    },
}
MFA_ADAPTER = "moss.integrations.accounts.passwords.SealingAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "moss"
# No address is ever verified here, and an administrator can turn a factor off.
MFA_ALLOW_UNVERIFIED_EMAIL = True
