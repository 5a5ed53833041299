"""Django settings, many from the environment. An invalid value stops the start and names its variable.

A variable is a row of `moss/environment.py`, read here by `value`.
"""

from __future__ import annotations

import logging
import os
import re
import socket
from datetime import timedelta
from importlib.util import find_spec
from ipaddress import ip_network
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from redis.backoff import NoBackoff
from redis.retry import Retry

from moss.embedded.client import installation_paths
from moss.environment import (
    POSTGRES,
    broker_url,
    check_names,
    owner_url,
    read_secret_key,
    service_url,
    upload_storage,
    value,
)
from moss.log_lines import FORMATS, LOG_FORMAT, OneAMinute
from submissions.work.kinds import INTERACTIVE, KINDS, QUEUES, Kind

# The id of the identity provider, and its metadata; or, without these, its address and its certificate.
SAML_ENTITY_ID = value("MOSS_SAML_ENTITY_ID")
SAML_METADATA_URL = value("MOSS_SAML_METADATA_URL")
SAML_SSO_URL = value("MOSS_SAML_SSO_URL")
SAML_CERTIFICATE = value("MOSS_SAML_CERTIFICATE")
SAML_SLO_URL = value("MOSS_SAML_SLO_URL")
SAML_NAME = value("MOSS_SAML_NAME") or "your campus account"
# Attributes with an id that an account keeps: subject-id, pairwise-id, eduPersonPrincipalName, Entra ID's.
SAML_UIDS = [
    "urn:oasis:names:tc:SAML:attribute:subject-id", "urn:oasis:names:tc:SAML:attribute:pairwise-id",
    "urn:oid:1.3.6.1.4.1.5923.1.1.1.6", "http://schemas.microsoft.com/identity/claims/objectidentifier",
]  # fmt: skip

# The attribute that lists the groups of an account; isMemberOf of eduMember without it.
IS_MEMBER_OF = "urn:oid:1.3.6.1.4.1.5923.1.5.1.1"
SAML_GROUPS_ATTRIBUTE = value("MOSS_SAML_GROUPS_ATTRIBUTE") or IS_MEMBER_OF
# Whether the campus vouches for the mail addresses that it sends.
SAML_VERIFIED_MAIL = value("MOSS_SAML_VERIFIED_MAIL")
# The key and certificate of this service: with them it signs its requests and reads encrypted assertions.
SAML_SERVICE_KEY = value("MOSS_SAML_SERVICE_KEY")
SAML_SERVICE_CERTIFICATE = value("MOSS_SAML_SERVICE_CERTIFICATE")
SAML_INSTALLED = find_spec("onelogin") is not None

# Passwords and wrong ones; how many are too many is in `moss.settings`.
# No rule asks for kinds of characters: length and surprise make a password.
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "moss.integrations.accounts.campus.ServiceWordsValidator"},
]
AXES_HANDLER = "moss.integrations.accounts.signing_in.Failures"
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"], "ip_address"]
AXES_COOLOFF_TIME = timedelta(minutes=5)
# An attempt that is refused does not start the time again.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_CLIENT_IP_CALLABLE = "submissions.pages.requests.client_address"
AXES_USERNAME_CALLABLE = "moss.integrations.accounts.signing_in.user_name"
AXES_CLIENT_STR_CALLABLE = "moss.integrations.accounts.signing_in.client"
AXES_LOCKOUT_CALLABLE = "moss.integrations.accounts.signing_in.refusal"
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

ACCOUNT_ADAPTER = "moss.integrations.accounts.campus.AccountAdapter"
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["email", "username*", "password1*", "password2*"]
# How long the link of an invitation works, and one for a new password.
LINK_DAYS = 3
PASSWORD_RESET_TIMEOUT = LINK_DAYS * 86_400
# Nobody learns by mail whether somebody else has an account here.
ACCOUNT_EMAIL_UNKNOWN_ACCOUNTS = False
SOCIALACCOUNT_ADAPTER = "moss.integrations.accounts.campus.CampusAdapter"
# A GET only leads to the provider; what comes back is tied to the session by a secret.
SOCIALACCOUNT_LOGIN_ON_GET = True
# A campus account signs in to an account that an administrator created with the same, verified address.
SOCIALACCOUNT_EMAIL_AUTHENTICATION = SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
SOCIALACCOUNT_STORE_TOKENS = False
CAMPUS = "campus"
MFA_ADAPTER = "moss.integrations.accounts.campus.SealingAdapter"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "moss"
# No address is ever verified here, and an administrator can turn a factor off.
MFA_ALLOW_UNVERIFIED_EMAIL = True

LOG_LEVEL = value("MOSS_LOG_LEVEL")
# What a request to /metrics has to state; without it there is no such address.
METRICS_TOKEN = value("MOSS_METRICS_TOKEN")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": FORMATS[LOG_FORMAT]}},
    "filters": {"one": {"()": OneAMinute}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    # At INFO, these log several lines a task or a sign-in.
    "loggers": {
        name: {"level": "DEBUG" if LOG_LEVEL == "DEBUG" else "WARNING"}
        for name in ("axes", "celery.app.trace", "celery.worker.strategy")
    }
    | {"psycopg.pool": {"level": "WARNING", "filters": ["one"]}},
}


# An upload that nobody has had read is deleted this many days after it was last changed.
PREVIEW_DAYS = value("MOSS_PREVIEW_DAYS")
# Months that assignments are kept where a course states none, and that no course exceeds; 0 for no limit.
KEEP_MONTHS, KEEP_MONTHS_MOST = value("MOSS_KEEP_MONTHS"), value("MOSS_KEEP_MONTHS_MOST")

# Days that sources are kept after the last report, likewise.
KEEP_SOURCES_DAYS = value("MOSS_KEEP_SOURCES_DAYS")
KEEP_SOURCES_DAYS_MOST = value("MOSS_KEEP_SOURCES_DAYS_MOST")

# For whom `moss backup` encrypts; empty for nobody.
BACKUP_RECIPIENT = value("MOSS_BACKUP_RECIPIENT")
# Days after which whoever runs the service deletes backups; 0 where it is not stated.
BACKUP_DAYS = value("MOSS_BACKUP_DAYS")


# Where people find the pages: links of mail and webhooks begin with it, and all addresses with its path.
PUBLIC_URL = (value("MOSS_URL") or "http://127.0.0.1:8000").rstrip("/")
HAS_PUBLIC_URL = bool(value("MOSS_URL"))
PUBLIC_PATH = urlsplit(PUBLIC_URL).path
PUBLIC_ORIGIN = PUBLIC_URL.removesuffix(PUBLIC_PATH)
FORCE_SCRIPT_NAME = PUBLIC_PATH or None

# Networks that webhooks may go to, besides the internet; and by HTTP only to these.
WEBHOOK_NETWORKS = [ip_network(network) for network in value("MOSS_WEBHOOK_NETWORKS")]
# Networks of Git servers besides the internet; and by HTTP only those.
GIT_NETWORKS = [ip_network(network) for network in value("MOSS_GIT_NETWORKS")]

# After all other interactive work.
_LAST = 9
# The kinds of background work that send something to others, or fetch it from them.
# The attempts are one more than the waits between them. Who does not answer holds up no short work twice.
OUTGOING_KINDS = (
    Kind(
        "deliver", "moss.integrations.webhooks.sending", "give_up", seconds=10, grace=20, priority=_LAST,
        attempts=10, is_slow_again=True,
    ),
    Kind("tell_owner", "moss.integrations.webhooks.sending", priority=_LAST),
    Kind("mail_report", "moss.integrations.accounts.report_mail", priority=_LAST),
    # One list of a user at a time: each is a job that comes back after the work of others.
    Kind(
        "fetch_repositories", "moss.integrations.repositories.fetching", "give_up", priority=_LAST, at_once=1
    ),
)  # fmt: skip

# Folders and services
BASE_DIR = Path(__file__).resolve().parents[1]
PATHS = installation_paths()
MOSS_HOME = PATHS.home
MEDIA_ROOT = MOSS_HOME / "media"
STATIC_ROOT = Path(value("MOSS_STATIC_ROOT") or MOSS_HOME / "static")
DATABASE_URL = service_url("DATABASE_URL", "DATABASE_PASSWORD", PATHS.database_url, POSTGRES)
# Who migrates and owns the tables; where it is not named, the service itself.
DATABASE_OWNER_URL = owner_url(PATHS.database_owner_url)
REDIS_URL = service_url("REDIS_URL", "REDIS_PASSWORD", PATHS.redis_url, ("redis", "rediss", "unix"))

# Access
DEBUG = value("MOSS_DEBUG")
SECRET_KEY = read_secret_key(MOSS_HOME)
# Former keys, which still open what was sealed or signed with them.
SECRET_KEY_FALLBACKS = value("SECRET_KEY_FALLBACKS")
ALLOWED_HOSTS = [
    *value("MOSS_ALLOWED_HOSTS"),
    "localhost",  # the health check's
]
CSRF_TRUSTED_ORIGINS = value("MOSS_CSRF_TRUSTED_ORIGINS")
HTTPS = value("MOSS_HTTPS")
# Other services share the host where this one has a path: its promise would bind them too.
HSTS_DAYS = 0 if PUBLIC_PATH and not os.environ.get("MOSS_HSTS_DAYS") else value("MOSS_HSTS_DAYS")
MAX_UPLOAD_MB = value("MOSS_MAX_UPLOAD_MB")
# What the courses of an instructor may hold, and how often an instructor may upload.
STORAGE_BYTES = value("MOSS_STORAGE_GB") * 1_000_000_000
UPLOADS_AN_HOUR = value("MOSS_UPLOADS_AN_HOUR")
API_REQUESTS_A_MINUTE = value("MOSS_API_REQUESTS_A_MINUTE")
SIGN_IN_FAILURES = value("MOSS_SIGN_IN_FAILURES")
# Number of proxies in front, each of which adds the address of its client to X-Forwarded-For.
PROXIES = value("MOSS_PROXIES")
# Where the innermost of them connects from: by default this machine and private networks.
PRIVATE_NETWORKS = ["127.0.0.0/8", "::1", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]
PROXY_ADDRESSES = value("MOSS_PROXY_ADDRESSES") or PRIVATE_NETWORKS

# A session ends after this time without use, and this long after signing in.
SESSION_IDLE_HOURS = value("MOSS_SESSION_IDLE_HOURS")
SESSION_LONGEST_DAYS = value("MOSS_SESSION_DAYS")
# Time limit in seconds for reading one file; a file that takes longer is skipped and named in the report.
FILE_SECONDS = value("MOSS_FILE_SECONDS")
# Address space in bytes of a child process that reads or unpacks what students send; 0.15 GB are its own.
READER_MEMORY = value("MOSS_READER_MEMORY") * 1_000_000
# A ranking whose scoring takes more processor time than this, by an estimate in seconds, is cut into shards
# of at most that, which all workers score.
SHARD_SECONDS = value("MOSS_SHARD_SECONDS")
# Bytes of memory that a ranking may use; 0 for the memory of the container or the machine.
RANKING_MEMORY = value("MOSS_RANKING_MEMORY") * 1_000_000
# Rankings of one assignment in a minute that follow an upload; one that somebody asks for starts at once.
RANKINGS_A_MINUTE = value("MOSS_RANKINGS_A_MINUTE")
# Number of worker processes for any work; 0 for one for each core.
WORKERS = value("MOSS_WORKERS")
# Whether `moss serve` takes the uploads of MOSS clients, and where. What they send is not encrypted.
LISTEN = value("MOSS_LISTEN")
LISTEN_HOST = value("MOSS_LISTEN_HOST")
LISTEN_PORT = value("MOSS_LISTEN_PORT")
# Where those clients find their results, and whether these are also answered without HTTPS.
RESULTS_URL = value("MOSS_RESULTS_URL") or "http://127.0.0.1:8000"
RESULTS_HTTP = value("MOSS_RESULTS_HTTP")
# How long these answer (0: as long as the assignment is there), and whether they ask for an account.
RESULTS_DAYS = value("MOSS_RESULTS_DAYS")
RESULTS_SIGN_IN = value("MOSS_RESULTS_SIGN_IN")

INSTALLED_APPS = [
    "django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.messages",
    "django.contrib.staticfiles", "allauth", "allauth.account", "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    *(["allauth.socialaccount.providers.saml"] if SAML_INSTALLED else []), "allauth.mfa", "axes", "csp",
    "django_htmx", "submissions.apps.SubmissionsConfig", "submissions.apps.ArchiveConfig",
    "moss.apps.AccountsConfig", "moss.apps.MossProtocolConfig", "moss.apps.LtiConfig",
    "moss.apps.WebhooksConfig", "moss.apps.RepositoriesConfig", "moss.apps.MossConfig",
]  # fmt: skip
# Middleware that sets headers comes first, so that every answer has these headers.
MIDDLEWARE = [
    "moss.middleware.RequestIds",
    "moss.operations.monitoring.RequestMetrics",
    "submissions.pages.requests.TrustedProxies",
    "moss.middleware.DefaultHeaders",
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "moss.integrations.accounts.sessions.SessionUse",
    "submissions.pages.language.PageLanguage",
    "django.middleware.common.CommonMiddleware",
    # Before all that asks for the user: a session of the API is only known once its form was read.
    "submissions.pages.requests.RequestBodyLimits",
    "submissions.pages.requests.ReadersPlaces",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "submissions.pages.requests.HtmxLoginRedirect",
    "allauth.account.middleware.AccountMiddleware",
    "submissions.audit.log.AccessLog",
    "axes.middleware.AxesMiddleware",
    "moss.integrations.api.ApiRequests",
    "submissions.pages.requests.ConflictAnswers",
    # After ConflictAnswers, so that it gets exceptions first: an error of a provider is no conflict.
    "moss.integrations.accounts.campus.SilentProviders",
]
# The first backend refuses an account with too many wrong passwords before the second one hashes a password.
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
ROOT_URLCONF = "moss.urls"
WSGI_APPLICATION = "moss.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "submissions" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "libraries": {
                "audit": "submissions.audit.views",
                "charting": "submissions.reports.charts",
                "commits": "submissions.pages.filters",
                "pages": "submissions.pages.filters",
                "paper": "submissions.reports.charts",
                "uploads": "submissions.pages.filters",
            },
        },
    }
]

# Postgres shows it for each session. The children of a worker have the name of their parent.
SESSION_NAME = f"moss {socket.gethostname()[:40]} {os.getpid()}"
DATABASE = dj_database_url.parse(DATABASE_URL, conn_max_age=60, conn_health_checks=True)
DATABASE_OWNER = dj_database_url.parse(DATABASE_OWNER_URL) if DATABASE_OWNER_URL else {}
DATABASES = {"default": {**DATABASE, "OPTIONS": {**DATABASE.get("OPTIONS", {}), "application_name": SESSION_NAME}}}
# Connections of a process of the web server, which its threads share. Every other process has one: session
# locks of workers would stay on a connection that others take over.
WEB_CONNECTIONS = value("MOSS_WEB_CONNECTIONS")
# As gunicorn is told, which does not read these settings.
WEB_PROCESSES = 2
# Seconds that a request waits for a connection before it is answered with 503.
CONNECTION_SECONDS = 10.0
# Time in seconds for an answer of Valkey, so that a server that hangs holds no thread for long.
BROKER_SECONDS = 2.0
# Used only for the progress of rankings, signs of life and counts of requests, which may be lost when the server stops.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": value("MOSS_QUEUE_PREFIX"),
        "OPTIONS": {
            # JSON, not pickle: unpickling would run code that another client of the server could store there.
            "serializer": "django.core.signing.JSONSerializer",
            "socket_timeout": BROKER_SECONDS,
            "socket_connect_timeout": BROKER_SECONDS,
            "retry": Retry(NoBackoff(), 0),
        },
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AXES_FAILURE_LIMIT = SIGN_IN_FAILURES

LANGUAGE_CODE = "en"
# The languages of the pages, each named in itself. docs/work/languages-of-the-pages.md says how to add one.
LANGUAGES = [("en", "English"), ("de", "Deutsch"), ("es", "Español")]
LOCALE_PATHS = [BASE_DIR / "moss" / "locale"]
USE_TZ = True
TIME_ZONE = value("MOSS_TIME_ZONE")

STATIC_URL = f"{PUBLIC_PATH}/static/"
STORAGES = {
    # Uploads until they are read: by default in the database, where every worker reaches them.
    "default": upload_storage(),
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
WHITENOISE_ALLOW_ALL_ORIGINS = False
FILE_UPLOAD_PERMISSIONS = 0o600
MAX_UPLOAD_BYTES = MAX_UPLOAD_MB * 1_000_000
# A folder that is dropped on the upload form arrives as one field with many files.
DATA_UPLOAD_MAX_NUMBER_FILES = 10_000

SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
CSRF_COOKIE_HTTPONLY = True
SESSION_ENGINE = "moss.integrations.accounts.sessions"
SESSION_COOKIE_AGE = SESSION_IDLE_HOURS * 60 * 60
SESSION_LONGEST_SECONDS = SESSION_LONGEST_DAYS * 24 * 60 * 60
# Messages name files of students, so they are kept here and not in a cookie.
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
# Browsers take a cookie with this prefix only over HTTPS, and from this host alone.
COOKIE_PREFIX = "__Host-" if HTTPS else ""
SESSION_COOKIE_NAME = f"{COOKIE_PREFIX}sessionid"
CSRF_COOKIE_NAME = f"{COOKIE_PREFIX}csrftoken"
LANGUAGE_COOKIE_NAME = f"{COOKIE_PREFIX}language"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
# Asked over HTTP by the supervisor and the container.
_UNDER = re.escape(f"{PUBLIC_PATH}/".lstrip("/"))
SECURE_REDIRECT_EXEMPT = [f"^{_UNDER}healthz$", *([f"^{_UNDER}results/"] if RESULTS_HTTP else [])]
SECURE_HSTS_SECONDS = HSTS_DAYS * 24 * 60 * 60 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS and not PUBLIC_PATH
# Whether its domain is built into browsers is for the owner of the domain to say; so is its promise, under a path.
# Former keys, of which W025 is, cannot be made longer.
SILENCED_SYSTEM_CHECKS = ["security.W021", "security.W025", *["security.W004", "security.W005"] * bool(PUBLIC_PATH)]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF], "img-src": [SELF, "data:"], "object-src": [NONE], "base-uri": [NONE],
        "frame-ancestors": [NONE], "form-action": [SELF],
    }
}  # fmt: skip

CELERY_BROKER_URL = broker_url(REDIS_URL)
CELERY_TASK_QUEUES = {name: {"exchange": name, "routing_key": name} for name in QUEUES}
CELERY_TASK_DEFAULT_QUEUE = INTERACTIVE
WORK_KINDS = {kind.name: kind for kind in (*KINDS, *OUTGOING_KINDS)}
CELERY_TASK_ROUTES = {kind.task: {"queue": INTERACTIVE, "priority": kind.priority} for kind in WORK_KINDS.values()}
CELERY_TASK_SOFT_TIME_LIMIT = 9 * 60
CELERY_TASK_TIME_LIMIT = 10 * 60
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # Several installations may share one server.
    "global_keyprefix": value("MOSS_QUEUE_PREFIX"),
    # A message whose worker was killed is delivered again after this time, in seconds. So is a message whose
    # task takes longer: every task takes a lock, and the second task does nothing.
    "visibility_timeout": 60,
    "socket_timeout": BROKER_SECONDS,
    "socket_connect_timeout": BROKER_SECONDS,
    # A connection is tried once. The consumer of a worker has its own retries.
    "max_retries": 0,
}
# A message that cannot be sent is not tried again: maintenance finds work without a message.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_CONCURRENCY = WORKERS or None
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_TASK_SERIALIZER = "json"
# Celery closes the connection of a worker after so many tasks; `moss.celery` closes those that were lost.
CELERY_DB_REUSE_MAX = 2**31
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = TIME_ZONE

if _UID := value("MOSS_SAML_UID"):
    SAML_UIDS = [_UID]

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
                "first_name": ["urn:oid:2.5.4.42", "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname"],
                "last_name": ["urn:oid:2.5.4.4", "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/surname"],
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
    if SAML_METADATA_URL:
        return {"entity_id": SAML_ENTITY_ID, "metadata_url": SAML_METADATA_URL}
    addresses = {"sso_url": SAML_SSO_URL, "slo_url": SAML_SLO_URL}
    return {"entity_id": SAML_ENTITY_ID, "x509cert": SAML_CERTIFICATE, **addresses}


if MAIL and not DEFAULT_FROM_EMAIL:
    raise ImproperlyConfigured("MOSS_MAIL_HOST needs MOSS_MAIL_FROM: the address that mail is sent from.")

if OIDC_URL and not (OIDC_CLIENT_ID and OIDC_SECRET):
    raise ImproperlyConfigured(
        "MOSS_OIDC_URL needs MOSS_OIDC_CLIENT_ID and MOSS_OIDC_SECRET, which the provider gave for it."
    )

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
        "APPS": [saml_app(CAMPUS, SAML_NAME, saml_provider(), saml_key_pair(), verified_mail=SAML_VERIFIED_MAIL)]
        if SAML_ENTITY_ID
        else []
    },
}

check_names()

# Warnings of libraries, such as Celery's about root, become lines like the others.
logging.captureWarnings(LOG_FORMAT == "json")

if KEEP_MONTHS_MOST and KEEP_MONTHS > KEEP_MONTHS_MOST:
    raise ImproperlyConfigured("MOSS_KEEP_MONTHS is more than MOSS_KEEP_MONTHS_MOST.")

if KEEP_SOURCES_DAYS_MOST and KEEP_SOURCES_DAYS > KEEP_SOURCES_DAYS_MOST:
    raise ImproperlyConfigured("MOSS_KEEP_SOURCES_DAYS is more than MOSS_KEEP_SOURCES_DAYS_MOST.")

# Gunicorn would read it, but neither workers nor mail would know of it.
if os.environ.get("SCRIPT_NAME", PUBLIC_PATH).rstrip("/") != PUBLIC_PATH:
    raise ImproperlyConfigured(
        f"SCRIPT_NAME says {os.environ['SCRIPT_NAME']!r}, and the path of MOSS_URL is {PUBLIC_PATH!r}: "
        "name it in MOSS_URL, as in https://example.org/moss, and leave SCRIPT_NAME out."
    )

if HTTPS and not PROXIES:
    raise ImproperlyConfigured(
        "MOSS_HTTPS needs MOSS_PROXIES: the number of proxies in front, one of which speaks HTTPS."
    )
