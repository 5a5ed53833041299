"""Settings of passwords, campus accounts, the second factor and mail, some from the environment."""

from __future__ import annotations

from datetime import timedelta

from django.core.exceptions import ImproperlyConfigured

from moss.settings.saml import (
    SAML_ENTITY_ID,
    SAML_NAME,
    SAML_VERIFIED_MAIL,
    saml_app,
    saml_key_pair,
    saml_provider,
)
from moss.variables import value

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
MFA_ADAPTER = "moss.integrations.accounts.second_factor.SealingAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "moss"
# No address is ever verified here, and an administrator can turn a factor off.
MFA_ALLOW_UNVERIFIED_EMAIL = True
