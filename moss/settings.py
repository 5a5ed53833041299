"""Django settings, many from the environment. An invalid value stops the start and names its variable."""

from __future__ import annotations

import os
import secrets
import socket
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit
from zoneinfo import ZoneInfo

import dj_database_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from environs import Env, ValidationError, validate

from moss.embedded.paths import installation_paths
from submissions.queues import INTERACTIVE, QUEUES, ROUTES

env = Env()


def _origins(values: list[str]) -> None:
    for value in values:
        if urlsplit(value).scheme not in {"http", "https"} or not urlsplit(value).netloc:
            raise ValidationError(f"{value} is not an origin such as https://moss.example.org.")


def _time_zone(name: str) -> None:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise ValidationError(f"{name} is not a time zone such as Europe/Berlin.") from error


def _url(name: str, default: str, schemes: tuple[str, ...]) -> str:
    """Return the URL of a service. An empty variable counts as not set, as in compose files."""
    value = env.str(name, default="") or default
    if urlsplit(value).scheme not in schemes:
        raise ImproperlyConfigured(f"{name} must start with {' or '.join(s + '://' for s in schemes)}.")
    return value


def _secret_key(folder: Path) -> str:
    """Return SECRET_KEY, or a key that is generated once for a private installation."""
    if secret_key := env.str("SECRET_KEY", default=""):
        return secret_key
    if os.environ.get("DATABASE_URL"):
        raise ImproperlyConfigured(
            "SECRET_KEY must be set to a long random string, because DATABASE_URL is set."
        )
    path = folder / "secret_key"
    if not path.exists():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = folder / f"secret_key.{secrets.token_hex(8)}"
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(64))
        # Two processes may start together: both use the key that was put in place first.
        if not path.exists():
            draft.rename(path)
        draft.unlink(missing_ok=True)
    return path.read_text()


def _broker(redis_url: str) -> str:
    """Return the broker's URL in the form that Celery expects."""
    if not redis_url.startswith("unix://"):
        return redis_url
    return f"redis+socket://{quote(unquote(urlsplit(redis_url).path))}"


# Folders and services
BASE_DIR = Path(__file__).resolve().parent.parent
PATHS = installation_paths()
MOSS_HOME = PATHS.home
MEDIA_ROOT = MOSS_HOME / "media"
STATIC_ROOT = Path(env.str("MOSS_STATIC_ROOT", default="") or MOSS_HOME / "static")
DATABASE_URL = _url("DATABASE_URL", PATHS.database_url, ("postgresql", "postgres"))
REDIS_URL = _url("REDIS_URL", PATHS.redis_url, ("redis", "rediss", "unix"))

# Access
DEBUG = env.bool("MOSS_DEBUG", default=False)
SECRET_KEY = _secret_key(MOSS_HOME)
ALLOWED_HOSTS = env.list("MOSS_ALLOWED_HOSTS", subcast=str.strip, default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("MOSS_CSRF_TRUSTED_ORIGINS", subcast=str.strip, default=[], validate=_origins)
# Set to true behind a proxy that terminates HTTPS and always sets X-Forwarded-Proto itself.
HTTPS = env.bool("MOSS_HTTPS", default=False)
MAX_UPLOAD_MB = env.int("MOSS_MAX_UPLOAD_MB", default=200, validate=validate.Range(1, 100_000))
# Wrong passwords for one account from one address, after which both have to wait.
SIGN_IN_FAILURES = env.int("MOSS_SIGN_IN_FAILURES", default=10, validate=validate.Range(1, 1000))
# Number of proxies in front, each of which adds the address of its client to X-Forwarded-For.
PROXIES = env.int("MOSS_PROXIES", default=0, validate=validate.Range(0, 9))
# Time limit in seconds for reading one file; a file that takes longer is skipped and named in the report.
FILE_SECONDS = env.int("MOSS_FILE_SECONDS", default=20, validate=validate.Range(1, 30))
# Address space in bytes of a child process that reads or unpacks what students send; 0.15 GB are its own.
READER_MEMORY = env.int("MOSS_READER_MEMORY", default=1000, validate=validate.Range(500, 100_000)) * 1_000_000
# Number of worker processes for any work; 0 for one for each core.
WORKERS = env.int("MOSS_WORKERS", default=0, validate=validate.Range(0, 256))
LOG_LEVEL = env.str(
    "MOSS_LOG_LEVEL", default="INFO", validate=validate.OneOf(("DEBUG", "INFO", "WARNING", "ERROR"))
)

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "csp",
    "django_htmx",
    "submissions",
    "moss",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "submissions.pages.middleware.PrivateCacheControl",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "submissions.pages.request_bodies.LimitRequestBodies",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "submissions.pages.middleware.HtmxLoginRedirect",
    "axes.middleware.AxesMiddleware",
]
# The first one refuses an account with too many wrong passwords before the second one hashes another.
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
ROOT_URLCONF = "moss.urls"
WSGI_APPLICATION = "moss.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "libraries": {
                name: f"submissions.pages.templatetags.{name}" for name in ("charting", "pages", "paper")
            },
        },
    }
]

# Postgres shows it for each session. The children of a worker have the name of their parent.
SESSION_NAME = f"moss {socket.gethostname()[:40]} {os.getpid()}"
DATABASE = dj_database_url.parse(DATABASE_URL, conn_max_age=60, conn_health_checks=True)
DATABASES = {
    "default": {**DATABASE, "OPTIONS": {**DATABASE.get("OPTIONS", {}), "application_name": SESSION_NAME}}
}
# Used only for the progress of rankings and signs of life, which may be lost when the server stops.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": env.str("MOSS_QUEUE_PREFIX", default="moss:"),
        # JSON, not pickle: unpickling would run code that any other client of that server could store there.
        "OPTIONS": {"serializer": "django.core.signing.JSONSerializer"},
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
AXES_HANDLER = "moss.sign_in.Failures"
AXES_FAILURE_LIMIT = SIGN_IN_FAILURES
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"], "ip_address"]
AXES_COOLOFF_TIME = timedelta(minutes=5)
# An attempt that is refused does not start the time again.
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_CLIENT_IP_CALLABLE = "moss.sign_in.client_address"
AXES_USERNAME_CALLABLE = "moss.sign_in.user_name"
AXES_CLIENT_STR_CALLABLE = "moss.sign_in.client"
AXES_LOCKOUT_CALLABLE = "moss.sign_in.refusal"
# Only failures are stored, and no address for longer than they count.
AXES_DISABLE_ACCESS_LOG = True
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "courses"
LOGOUT_REDIRECT_URL = "login"

LANGUAGE_CODE = "en"
USE_TZ = True
TIME_ZONE = env.str("MOSS_TIME_ZONE", default="UTC", validate=_time_zone)

STATIC_URL = "static/"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
FILE_UPLOAD_PERMISSIONS = 0o600
MAX_UPLOAD_BYTES = MAX_UPLOAD_MB * 1_000_000
# A folder that is dropped on the upload form arrives as one field with many files.
DATA_UPLOAD_MAX_NUMBER_FILES = 10_000

SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
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

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    # At INFO, these log several lines a task or a sign-in.
    "loggers": {
        name: {"level": "DEBUG" if LOG_LEVEL == "DEBUG" else "WARNING"}
        for name in ("axes", "celery.app.trace", "celery.worker.strategy")
    },
}

CELERY_BROKER_URL = _broker(REDIS_URL)
CELERY_TASK_QUEUES = {name: {"exchange": name, "routing_key": name} for name in QUEUES}
CELERY_TASK_DEFAULT_QUEUE = INTERACTIVE
CELERY_TASK_ROUTES = ROUTES
CELERY_TASK_SOFT_TIME_LIMIT = 9 * 60
CELERY_TASK_TIME_LIMIT = 10 * 60
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # Several installations may share one server.
    "global_keyprefix": env.str("MOSS_QUEUE_PREFIX", default="moss:"),
    # A message whose worker was killed is delivered again after this time, in seconds. So is one whose task
    # takes longer: every task locks what it works on, and the second one does nothing.
    "visibility_timeout": 60,
}
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
