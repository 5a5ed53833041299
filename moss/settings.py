"""Settings, all from the environment; a bad value stops the start and says which variable to mend."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit
from zoneinfo import ZoneInfo

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from moss.embedded import client as embedded

env = environ.Env()


def _flag(name: str) -> bool:
    value = env.str(name, default="false").lower()
    if value not in {"true", "false", "1", "0", "yes", "no", "on", "off"}:
        raise ImproperlyConfigured(f"{name} is {value!r}; it can be true or false.")
    return value in {"true", "1", "yes", "on"}


def _whole(name: str, default: int, low: int, high: int) -> int:
    value = env.str(name, default=str(default))
    if not value.isdecimal() or not low <= int(value) <= high:
        raise ImproperlyConfigured(f"{name} is {value!r}; it can be a whole number from {low} to {high}.")
    return int(value)


def _one_of(name: str, default: str, allowed: tuple[str, ...]) -> str:
    value = env.str(name, default=default)
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} is {value!r}; it can be {', '.join(allowed)}.")
    return str(value)


def _time_zone(name: str) -> str:
    value = env.str(name, default="UTC")
    try:
        return ZoneInfo(value).key
    except (KeyError, ValueError, OSError) as error:
        raise ImproperlyConfigured(f"{name} is {value!r}; it can be a zone such as Europe/Berlin.") from error


def _address(name: str, default: str, schemes: tuple[str, ...]) -> str:
    """Give the URL in a variable; an empty variable counts as none."""
    value = env.str(name, default="") or default
    if urlsplit(value).scheme not in schemes:
        raise ImproperlyConfigured(f"{name} has to start with {' or '.join(s + '://' for s in schemes)}.")
    return str(value)


def _origins(name: str) -> list[str]:
    values = [str(value) for value in env.list(name, default=[])]
    for value in values:
        if urlsplit(value).scheme not in {"http", "https"} or not urlsplit(value).netloc:
            raise ImproperlyConfigured(
                f"{name} has {value!r}; each origin looks like https://moss.example.org."
            )
    return values


def _secret_key(folder: Path) -> str:
    """Give SECRET_KEY, else a key made once for a private installation."""
    if given := env.str("SECRET_KEY", default=""):
        return str(given)
    if os.environ.get("DATABASE_URL"):
        raise ImproperlyConfigured("SECRET_KEY has to be set where DATABASE_URL is: a long random string.")
    path = folder / "secret_key"
    if not path.exists():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = folder / f"secret_key.{secrets.token_hex(8)}"
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(64))
        # Of two processes that start at once, one key wins, and both read that.
        if not path.exists():
            draft.rename(path)
        draft.unlink(missing_ok=True)
    return path.read_text()


def _broker(redis_url: str) -> str:
    """Write a redis-py address the way Celery wants it."""
    if not redis_url.startswith("unix://"):
        return redis_url
    return f"redis+socket://{quote(unquote(urlsplit(redis_url).path))}"


# Where things are
BASE_DIR = Path(__file__).resolve().parent.parent
PLACE = embedded.place()
MOSS_HOME = PLACE.home
MEDIA_ROOT = MOSS_HOME / "media"
STATIC_ROOT = Path(env.str("MOSS_STATIC_ROOT", default="") or MOSS_HOME / "static")
DATABASE_URL = _address("DATABASE_URL", PLACE.database_url, ("postgresql", "postgres"))
REDIS_URL = _address("REDIS_URL", PLACE.redis_url, ("redis", "rediss", "unix"))

# Who may come in
DEBUG = _flag("MOSS_DEBUG")
SECRET_KEY = _secret_key(MOSS_HOME)
ALLOWED_HOSTS = env.list("MOSS_ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = _origins("MOSS_CSRF_TRUSTED_ORIGINS")
# True behind a proxy that speaks HTTPS and sets X-Forwarded-Proto itself.
HTTPS = _flag("MOSS_HTTPS")
MAX_UPLOAD_MB = _whole("MOSS_MAX_UPLOAD_MB", 200, 1, 100_000)
# Seconds that reading one file may take before it is cut off and named.
FILE_SECONDS = _whole("MOSS_FILE_SECONDS", 20, 1, 30)
LOG_LEVEL = _one_of("MOSS_LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR"))

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "django_htmx",
    "submissions",
    "moss",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "submissions.pages.middleware.KeptToOneself",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "submissions.pages.middleware.WholePageSignIn",
]
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

DATABASES = {
    "default": {
        **environ.Env.db_url_config(DATABASE_URL),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
    }
}
# How far a ranking has come; nothing that must outlive the server.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": env.str("MOSS_QUEUE_PREFIX", default="moss:"),
        # Plain data: whoever else may write to that server must not have code run here, as pickles would.
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
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "courses"
LOGOUT_REDIRECT_URL = "login"

LANGUAGE_CODE = "en"
USE_TZ = True
TIME_ZONE = _time_zone("MOSS_TIME_ZONE")

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
# A folder dropped on the form is one file field with many files.
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
}

CELERY_BROKER_URL = _broker(REDIS_URL)
CELERY_TASK_SOFT_TIME_LIMIT = 9 * 60
CELERY_TASK_TIME_LIMIT = 10 * 60
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # Several installations may share one server.
    "global_keyprefix": env.str("MOSS_QUEUE_PREFIX", default="moss:"),
    # Longer than any task may run, so that none is handed out twice while it runs.
    "visibility_timeout": 2 * CELERY_TASK_TIME_LIMIT,
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = TIME_ZONE
CELERY_BEAT_SCHEDULE_FILENAME = str(MOSS_HOME / "beat-schedule")
CELERY_BEAT_SCHEDULE = {"sweep": {"task": "submissions.tasks.sweep", "schedule": 60.0}}
