"""Read settings from environment variables, or from the file that NAME_FILE names, and check them."""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from ipaddress import ip_network
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit
from zoneinfo import ZoneInfo

from django.core.exceptions import ImproperlyConfigured
from environs import FileAwareEnv, ValidationError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SHORTEST_TOKEN = 20
POSTGRES = ("postgresql", "postgres")
env = FileAwareEnv(strip_whitespace=True)
UPLOAD_STORAGES = {
    "database": "submissions.uploads.files.DatabaseStorage",
    "folder": "django.core.files.storage.FileSystemStorage",
}

# Values of variables that are not set, by their kind; a path is read before the settings, where it is needed.
UNSET: dict[str, Any] = {"str": "", "bool": False, "list": (), "path": ""}


class Variable(NamedTuple):
    """A variable of the environment.

    `meaning` and `in_words`, the default in words, are Markdown. `kind` is one of environs, or `path`.
    """

    name: str
    meaning: str
    kind: str = "str"
    default: Any = None
    check: Callable[[Any], Any] | None = None
    in_words: str = ""

    def read(self) -> Any:
        """Return the value, from the variable or from the file that `NAME_FILE` names.

        Raises
        ------
        environs.EnvError
            When it is not of its kind, or its check refuses it; the message names the variable.
        """
        if self.kind == "list":
            return env.list(self.name, list(self._unset), subcast=str.strip, validate=self.check)
        return getattr(env, self.kind)(self.name, self._unset, validate=self.check)

    @property
    def row(self) -> str:
        """The row of a table in Markdown."""
        unset = str(self._unset).lower() if isinstance(self._unset, bool) else str(self._unset or "none")
        return f"| `{self.name}` | {self.in_words or unset} | {self.meaning} |\n"

    @property
    def _unset(self) -> Any:
        return UNSET[self.kind] if self.default is None else self.default


def check_origins(values: list[str]) -> None:
    for value in values:
        if urlsplit(value).scheme not in {"http", "https"} or not urlsplit(value).netloc:
            raise ValidationError(f"{value} is not an origin such as https://moss.example.org.")


def check_address(value: str) -> None:
    if value:
        check_origins([value])


def check_networks(values: list[str]) -> None:
    for value in values:
        try:
            ip_network(value)
        except ValueError as error:
            raise ValidationError(f"{value} is not an address or a network such as 10.0.0.0/8.") from error


def check_metrics_token(value: str) -> None:
    if value and not re.fullmatch(rf"[!-~]{{{SHORTEST_TOKEN},}}", value):
        raise ValidationError(
            f"The token must have at least {SHORTEST_TOKEN} characters, all of them ASCII and none a space."
        )


def check_time_zone(name: str) -> None:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise ValidationError(f"{name} is not a time zone such as Europe/Berlin.") from error


def service_url(name: str, password_name: str, default: str, schemes: tuple[str, ...]) -> str:
    """Return the URL of a service, with the password of the other variable in it where that is set.

    An empty variable counts as not set, as in compose files.
    """
    value = env.str(name, default="") or default
    parts = urlsplit(value)
    if parts.scheme not in schemes:
        raise ImproperlyConfigured(f"{name} must start with {' or '.join(s + '://' for s in schemes)}.")
    password = env.str(password_name, default="")
    if not password or not parts.hostname:
        return value
    host = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=f"{parts.username or ''}:{quote(password, safe='')}@{host}").geturl()


def owner_url(private: str) -> str:
    """Return the URL of the owner of the tables; "" where the database is foreign and no owner is set."""
    default = "" if env.str("DATABASE_URL", default="") else private
    if not (default or env.str("DATABASE_OWNER_URL", default="")):
        return ""
    return service_url("DATABASE_OWNER_URL", "DATABASE_OWNER_PASSWORD", default, POSTGRES)


def upload_storage() -> dict[str, Any]:
    """Return the storage of uploads for Django: MOSS_UPLOADS is `database`, `folder` or the path of a class.

    `folder` is MOSS_HOME/media. MOSS_UPLOADS_OPTIONS are the options of the class, as JSON.
    """
    name = env.str("MOSS_UPLOADS", default="") or "database"
    backend = UPLOAD_STORAGES.get(name, name)
    if "." not in backend:
        raise ImproperlyConfigured(
            f"MOSS_UPLOADS is {name}; it must be database, folder or the path of a class such as a.b.Storage."
        )
    options = (
        env.json("MOSS_UPLOADS_OPTIONS", default={}) if env.str("MOSS_UPLOADS_OPTIONS", default="") else {}
    )
    if not isinstance(options, dict):
        raise ImproperlyConfigured('MOSS_UPLOADS_OPTIONS must be a JSON object such as {"location": "/mnt"}.')
    return {"BACKEND": backend, "OPTIONS": options}


def read_secret_key(folder: Path) -> str:
    """Return SECRET_KEY, or a key that is generated once for a private installation."""
    if secret_key := env.str("SECRET_KEY", default=""):
        return secret_key
    if env.str("DATABASE_URL", default=""):
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
        with suppress(FileExistsError):
            path.hardlink_to(draft)
        draft.unlink()
    return path.read_text()


def broker_url(redis_url: str) -> str:
    """Return the broker's URL in the form that Celery expects."""
    if not redis_url.startswith("unix://"):
        return redis_url
    return f"redis+socket://{quote(unquote(urlsplit(redis_url).path))}"
