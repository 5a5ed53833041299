"""Django settings, many from the environment. An invalid value stops the start and names its variable.

A variable is a row of `moss/variables.py`, read here by `value`.
"""

from __future__ import annotations

import os
import re
import socket
from pathlib import Path

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from redis.backoff import NoBackoff
from redis.retry import Retry

from moss.embedded.paths import installation_paths
from moss.environment import (
    POSTGRES,
    broker_url,
    owner_url,
    read_secret_key,
    service_url,
    upload_storage,
)
from moss.settings.accounts import *  # noqa: F403 - settings of their own file
from moss.settings.accounts import SAML_INSTALLED
from moss.settings.operation import *  # noqa: F403 - as above
from moss.settings.operation import OUTGOING_KINDS, PUBLIC_PATH
from moss.variables import value
from submissions.work.kinds import INTERACTIVE, KINDS, QUEUES

# Folders and services
BASE_DIR = Path(__file__).resolve().parents[2]
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
# Set to true behind a proxy that terminates HTTPS and always sets X-Forwarded-Proto itself.
HTTPS = value("MOSS_HTTPS")
HSTS_DAYS = value("MOSS_HSTS_DAYS")
MAX_UPLOAD_MB = value("MOSS_MAX_UPLOAD_MB")
# What the courses of an instructor may hold, and how often an instructor may upload.
STORAGE_BYTES = value("MOSS_STORAGE_GB") * 1_000_000_000
UPLOADS_AN_HOUR = value("MOSS_UPLOADS_AN_HOUR")
# Requests to the API that one token may make in a minute.
API_REQUESTS_A_MINUTE = value("MOSS_API_REQUESTS_A_MINUTE")
# Wrong passwords for one account from one address, after which both have to wait.
SIGN_IN_FAILURES = value("MOSS_SIGN_IN_FAILURES")
# Number of proxies in front, each of which adds the address of its client to X-Forwarded-For.
PROXIES = value("MOSS_PROXIES")
# Where the innermost of them connects from: by default this machine and private networks.
PRIVATE_NETWORKS = ["127.0.0.0/8", "::1", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"]
PROXY_ADDRESSES = value("MOSS_PROXY_ADDRESSES") or PRIVATE_NETWORKS
if HTTPS and not PROXIES:
    raise ImproperlyConfigured(
        "MOSS_HTTPS needs MOSS_PROXIES: the number of proxies in front, one of which speaks HTTPS."
    )
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
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    *(["allauth.socialaccount.providers.saml"] if SAML_INSTALLED else []),
    "allauth.mfa",
    "axes",
    "csp",
    "django_htmx",
    "submissions",
    "submissions.archive",
    "moss.integrations.accounts",
    "moss.integrations.moss_protocol",
    "moss.integrations.lti",
    "moss.integrations.webhooks",
    "moss.integrations.repositories",
    "moss",
]
# Those that set headers come first, so that every answer has them, whichever part it is from.
MIDDLEWARE = [
    "moss.middleware.RequestIds",
    "moss.metrics.requests.RequestMetrics",
    "moss.proxies.TrustedProxies",
    "moss.middleware.DefaultHeaders",
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "moss.integrations.accounts.activity.SessionUse",
    "submissions.pages.language.PageLanguage",
    "django.middleware.common.CommonMiddleware",
    "submissions.pages.requests.RequestBodyLimits",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "submissions.pages.requests.HtmxLoginRedirect",
    "allauth.account.middleware.AccountMiddleware",
    "moss.audit.AccessLog",
    "axes.middleware.AxesMiddleware",
    "moss.integrations.api.middleware.ApiRequests",
    "submissions.pages.requests.ConflictAnswers",
    # After it, so that it is asked first: what a provider answers is no conflict.
    "moss.integrations.accounts.campus.SilentProviders",
]
# The first one refuses an account with too many wrong passwords before the second one hashes another.
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
DATABASES = {
    "default": {**DATABASE, "OPTIONS": {**DATABASE.get("OPTIONS", {}), "application_name": SESSION_NAME}}
}
# Connections of a process of the web server, which its threads share. Every other process has one: session
# locks of workers would stay on a connection that others take over.
WEB_CONNECTIONS = value("MOSS_WEB_CONNECTIONS")
# As gunicorn is told, which does not read these settings.
WEB_PROCESSES = 2
# Seconds that a request waits for a connection before it is answered with 503.
CONNECTION_SECONDS = 10.0
# Time in seconds for an answer of Valkey, so that one that hangs holds no thread for long.
BROKER_SECONDS = 2.0
# Used only for the progress of rankings, signs of life and counts of requests, which may be lost when the
# server stops.
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
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
# Whether its domain is built into browsers is for the owner of the domain to say.
SILENCED_SYSTEM_CHECKS = ["security.W021"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "form-action": [SELF],
    }
}

CELERY_BROKER_URL = broker_url(REDIS_URL)
CELERY_TASK_QUEUES = {name: {"exchange": name, "routing_key": name} for name in QUEUES}
CELERY_TASK_DEFAULT_QUEUE = INTERACTIVE
WORK_KINDS = {kind.name: kind for kind in (*KINDS, *OUTGOING_KINDS)}
CELERY_TASK_ROUTES = {
    kind.task: {"queue": INTERACTIVE, "priority": kind.priority} for kind in WORK_KINDS.values()
}
CELERY_TASK_SOFT_TIME_LIMIT = 9 * 60
CELERY_TASK_TIME_LIMIT = 10 * 60
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # Several installations may share one server.
    "global_keyprefix": value("MOSS_QUEUE_PREFIX"),
    # A message whose worker was killed is delivered again after this time, in seconds. So is one whose task
    # takes longer: every task locks what it works on, and the second one does nothing.
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
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = TIME_ZONE
