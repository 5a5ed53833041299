"""Settings from environment variables, or from the files that NAME_FILE names; one row a variable."""

from __future__ import annotations

import os
import re
import secrets
import sys
from collections.abc import Callable
from contextlib import suppress
from difflib import get_close_matches
from ipaddress import ip_network
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit
from zoneinfo import ZoneInfo

from django.core.exceptions import ImproperlyConfigured
from environs import FileAwareEnv, ValidationError, validate

SHORTEST_TOKEN = 20
POSTGRES = ("postgresql", "postgres")
OF_OWNER = ("DATABASE_OWNER_URL", "DATABASE_OWNER_PASSWORD")
env = FileAwareEnv(strip_whitespace=True)
UPLOAD_STORAGES = {
    "database": "submissions.uploads.files.DatabaseStorage",
    "folder": "django.core.files.storage.FileSystemStorage",
}

# Values of variables that are not set, by their kind; a path is read before the settings, where it is needed.
UNSET: dict[str, Any] = {"str": "", "bool": False, "list": (), "path": ""}

TABLE = re.compile(r"(<!-- variables: (\w+) -->\n)[^<]*(<!-- end -->\n)")
HEAD = "\n| variable | default | meaning |\n|---|---|---|\n"
LOG_LEVELS, LOG_FORMATS = ("DEBUG", "INFO", "WARNING", "ERROR"), ("text", "json")


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

        An empty variable counts as not set. Raises environs.EnvError when the value is not of its kind, or
        its check refuses it; the message names the variable.
        """
        if not os.environ.get(self.name, "unset").strip() and f"{self.name}_FILE" not in os.environ:
            return self._unset
        if self.kind == "list":
            return env.list(self.name, list(self._unset), subcast=str.strip, validate=self.check)
        return getattr(env, self.kind)(self.name, self._unset, validate=self.check)

    @property
    def row(self) -> str:
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


def without_owner() -> dict[str, str]:
    """Return the environment for a part of the service, which does not know the owner of the tables."""
    return {name: text for name, text in os.environ.items() if name.removesuffix("_FILE") not in OF_OWNER}


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
    options = env.json("MOSS_UPLOADS_OPTIONS", default={}) if env.str("MOSS_UPLOADS_OPTIONS", default="") else {}
    if not isinstance(options, dict):
        raise ImproperlyConfigured('MOSS_UPLOADS_OPTIONS must be a JSON object such as {"location": "/mnt"}.')
    return {"BACKEND": backend, "OPTIONS": options}


def read_secret_key(folder: Path) -> str:
    """Return SECRET_KEY, or a key that is generated once for a private installation."""
    if secret_key := env.str("SECRET_KEY", default=""):
        return secret_key
    if env.str("DATABASE_URL", default=""):
        raise ImproperlyConfigured(
            "SECRET_KEY must be set, because DATABASE_URL is set. If the service ran before, take its key from your "
            "copy of /etc/moss or of its variables; a new service takes a long random text."
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


V, Range, OneOf = Variable, validate.Range, validate.OneOf

# The tables of the documentation, with the rows in their order.
TABLES: dict[str, tuple[Variable, ...]] = {
    "service": (
        V("DATABASE_URL", "the database: `postgresql://user:password@host:5432/name`",
            in_words="a private Postgres"),
        V("REDIS_URL", "the broker: `redis://host:6379/0`", in_words="a private Valkey"),
        V("DATABASE_OWNER_URL",
            "the database as the owner of its tables, for what migrates: `moss setup`, `moss serve`, `moss "
            "manage migrate` and `moss restore` ([below](#the-two-roles-of-the-database))",
            in_words="none, for a private Postgres its own"),
        V("DATABASE_PASSWORD", "a password that is not written in `DATABASE_URL`"),
        V("DATABASE_OWNER_PASSWORD", "a password that is not written in `DATABASE_OWNER_URL`"),
        V("REDIS_PASSWORD", "a password that is not written in `REDIS_URL`"),
        V("SECRET_KEY",
            "signs sessions and share links, and seals the secrets in the database; required where "
            "`DATABASE_URL` is set", in_words="generated once in `MOSS_HOME`"),
        V("SECRET_KEY_FALLBACKS",
            "former keys, with commas: they still open what was sealed or signed with them", "list"),
        V("MOSS_HOME", "data of the private servers, logs",
            "path", in_words="`.moss` in the source checkout, else a folder in the user's data folder"),
        V("MOSS_ALLOWED_HOSTS", "host names of this service",
            "list", ("127.0.0.1", "[::1]"), in_words="localhost"),
        V("MOSS_CSRF_TRUSTED_ORIGINS", "`https://moss.example.org`, behind a proxy",
            "list", check=check_origins),
        V("MOSS_HTTPS", "true behind a proxy that speaks HTTPS and sets `X-Forwarded-Proto` itself; needs "
            "`MOSS_PROXIES`", "bool"),
        V("MOSS_HSTS_DAYS",
            "with `MOSS_HTTPS`, how long browsers use HTTPS alone for this host and, without a path in "
            "`MOSS_URL`, its subdomains; 0 for no such promise", "int", 365, check=Range(0, 3650),
            in_words="365; 0 with a path"),
        V("MOSS_MAX_UPLOAD_MB", "the largest upload", "int", 200, check=Range(1, 100_000)),
        V("MOSS_UPLOADS",
            "the place of uploads until they are read: `database`, `folder` (`MOSS_HOME/media`, which "
            "all workers must share) or the class of a Django storage ([decision "
            "6](../work/decisions/06-uploads.md))", in_words="`database`"),
        V("MOSS_UPLOADS_OPTIONS", "options of the class of `MOSS_UPLOADS`, as a JSON object"),
        V("MOSS_STORAGE_GB", "what the courses of one instructor may hold (unpacked)",
            "int", 50, check=Range(1, 1_000_000)),
        V("MOSS_UPLOADS_AN_HOUR", "uploads that one user may make in an hour",
            "int", 300, check=Range(1, 1_000_000)),
        V("MOSS_API_REQUESTS_A_MINUTE",
            "requests to the API that one token may make in a minute ([api.md](api.md))",
            "int", 300, check=Range(1, 1_000_000)),
        V("MOSS_URL",
            "where people find the pages: the links in mail and webhooks begin with it. With a path, as in "
            "`https://example.org/moss`, the service is under it "
            "([operations.md](operations.md#under-a-path))",
            check=check_address, in_words="`http://127.0.0.1:8000`"),
        V("MOSS_WEBHOOK_NETWORKS",
            "networks of webhooks and learning platforms besides the internet, and by HTTP, such as "
            "`10.20.0.0/16` ([webhooks.md](webhooks.md))", "list", check=check_networks),
        V("MOSS_GIT_NETWORKS", "networks of Git servers besides the internet, and by HTTP ([git.md](git.md))",
            "list", check=check_networks),
        V("MOSS_PROXIES",
            "number of proxies in front; each must add its client's address to `X-Forwarded-For`",
            "int", 0, check=Range(0, 9), in_words="0 (1 in `compose.yaml`)"),
        V("MOSS_PROXY_ADDRESSES",
            "addresses or networks from which the nearest proxy connects; `X-Forwarded-*` of others "
            "is ignored", "list", check=check_networks, in_words="this machine and private networks"),
        V("MOSS_SESSION_IDLE_HOURS", "hours without use after which a session ends",
            "int", 12, check=Range(1, 720)),
        V("MOSS_SESSION_DAYS", "days after signing in after which a session ends in any case",
            "int", 7, check=Range(1, 365)),
        V("MOSS_WEB_CONNECTIONS",
            "connections to the database that a process of the web server may have; two run in each "
            "server ([operations.md](operations.md#connections-to-the-database))",
            "int", 12, check=Range(1, 1000)),
        V("MOSS_SIGN_IN_FAILURES", "wrong passwords for an account from an address, after which both wait",
            "int", 10, check=Range(1, 1000)),
        V("MOSS_FILE_SECONDS", "time limit for reading one file; a file that takes longer is refused",
            "int", 20, check=Range(1, 30)),
        V("MOSS_READER_MEMORY",
            "MB of address space for a child process that reads or unpacks what students send; a file "
            "that needs more is refused", "int", 1000, check=Range(500, 100_000)),
        V("MOSS_PREVIEW_DAYS", "days after which an upload that nobody has had read is deleted",
            "int", 14, check=Range(1, 3650)),
        V("MOSS_KEEP_MONTHS", "months that assignments are kept in courses that state no number "
            "([roles.md](roles.md#retention))", "int", 0, check=Range(0, 240), in_words="0, without an end"),
        V("MOSS_KEEP_MONTHS_MOST", "months that no course may exceed",
            "int", 0, check=Range(0, 240), in_words="0, none"),
        V("MOSS_KEEP_SOURCES_DAYS",
            "days that sources are kept after the last report in courses that state no number "
            "([roles.md](roles.md#retention))",
            "int", 0, check=Range(0, 3650), in_words="0, as long as the assignment"),
        V("MOSS_KEEP_SOURCES_DAYS_MOST", "days that no course may exceed",
            "int", 0, check=Range(0, 3650), in_words="0, none"),
        V("MOSS_BACKUP_RECIPIENT", "for whom `moss backup` encrypts: a recipient of age or a key of GnuPG "
            "([backup.md](backup.md))", in_words="nobody"),
        V("MOSS_BACKUP_DAYS",
            "days after which backups are deleted, by `moss backup` in its folder and elsewhere by you; "
            "owners of courses and receipts of erasures say it",
            "int", 0, check=Range(0, 3650), in_words="0, not stated"),
        V("MOSS_RANKING_MEMORY",
            "MB that a ranking may use; a class that needs more is refused before it is ranked, with "
            "the figure",
            "int", 0, check=Range(0, 10**7), in_words="0, for that of the container or the machine"),
        V("MOSS_SHARD_SECONDS",
            "processor seconds, by an estimate, above which a ranking is cut into shards for all "
            "workers; no shard is estimated to take longer",
            "float", 20.0, check=Range(1e-6, 3600), in_words="20"),
        V("MOSS_RANKINGS_A_MINUTE",
            "how often a minute hand-ins have an assignment ranked; what comes meanwhile is in the next "
            "ranking", "int", 2, check=Range(1, 1_000)),
        V("MOSS_WORKERS",
            "number of worker processes for any work (`moss serve --workers`); one more takes only "
            "short work", "int", 0, check=Range(0, 256), in_words="0, for one for each core"),
        V("MOSS_TIME_ZONE", "time zone of the pages, and of the times in zip archives",
            default="UTC", check=check_time_zone),
        V("MOSS_LOG_LEVEL", "DEBUG, INFO, WARNING or ERROR", default="INFO", check=OneOf(LOG_LEVELS)),
        V("MOSS_LOG_FORMAT", "`json` for a JSON object a line ([operations.md](operations.md#logs))",
            default="text", check=OneOf(LOG_FORMATS)),
        V("MOSS_METRICS_TOKEN", "what a request to `/metrics` must state, 20 characters or more "
            "([operations.md](operations.md#monitoring))",
            check=check_metrics_token, in_words="none: no such address"),
        V("MOSS_LISTEN",
            "whether `moss serve` takes the uploads of scripts of the MOSS service (`--listen`), and "
            "the account page says how ([moss-clients.md](moss-clients.md))", "bool"),
        V("MOSS_LISTEN_HOST", "the address at which it takes them; 0.0.0.0 for every network of the machine",
            default="127.0.0.1"),
        V("MOSS_LISTEN_PORT", "the port at which it takes them", "int", 7690, check=Range(1, 65535)),
        V("MOSS_RESULTS_URL", "the address of the web pages in the answer to these scripts",
            check=check_address, in_words="the address of `moss serve`, else `http://127.0.0.1:8000`"),
        V("MOSS_RESULTS_HTTP",
            "with `MOSS_HTTPS`, whether the result pages of these scripts are also answered without "
            "HTTPS, which some of them need", "bool"),
        V("MOSS_RESULTS_DAYS", "days after the upload at which these result pages end",
            "int", 0, check=Range(0, 3650), in_words="0, with the assignment"),
        V("MOSS_RESULTS_SIGN_IN", "whether they ask for an account that sees the names of the course",
            "bool"),
        V("MOSS_STATIC_ROOT", "folder of the collected static files", in_words="in `MOSS_HOME`"),
        V("MOSS_QUEUE_PREFIX",
            "prefix of all keys in Valkey (queues and progress), for several installations on one server",
            default="moss:", in_words="`moss:`"),
        V("MOSS_DEBUG", "never in production", "bool"),
        V("MOSS_CACHE",
            "where `moss check` caches the tokens of files, and `moss submit` the ids of uploads that "
            "it began; `off` disables both", "path", in_words="the user's cache folder"),
    ),
    "mail": (
        V("MOSS_MAIL_HOST", "the mail server; without it no mail is sent, and pages show the links"),
        V("MOSS_MAIL_FROM", "the address that mail is sent from"),
        V("MOSS_MAIL_SECURITY", "`starttls`, `tls` or `none`",
            default="starttls", check=OneOf(("starttls", "tls", "none")), in_words="`starttls`"),
        V("MOSS_MAIL_PORT", "the port of the mail server",
            "int", 0, check=Range(0, 65535), in_words="587, or 465 for `tls`"),
        V("MOSS_MAIL_USER", "the account at the mail server, where it asks for one"),
        V("MOSS_MAIL_PASSWORD", "the password of that account"),
    ),
    "oidc": (
        V("MOSS_OIDC_URL", "the address of the provider, without `/.well-known/openid-configuration`"),
        V("MOSS_OIDC_CLIENT_ID", "the client id that the provider gave for this service"),
        V("MOSS_OIDC_SECRET", "the secret that the provider gave for this service"),
        V("MOSS_OIDC_NAME", "the name on the button: *Sign in with …*", in_words="your campus account"),
        V("MOSS_OIDC_GROUPS_CLAIM", "the claim that lists the groups", in_words="`groups`"),
    ),
    "saml": (
        V("MOSS_SAML_ENTITY_ID", "the entity id of the identity provider"),
        V("MOSS_SAML_METADATA_URL",
            "the address of its metadata, read again every four hours; or, instead of it, the next two"),
        V("MOSS_SAML_SSO_URL", "the address at which people sign in (HTTP-Redirect)"),
        V("MOSS_SAML_CERTIFICATE",
            "the certificate that the provider signs with, in Base64 as in its metadata"),
        V("MOSS_SAML_NAME", "the name on the button: *Sign in with …*", in_words="your campus account"),
        V("MOSS_SAML_UID",
            "the attribute with the id. A NameID alone is not enough: many change at every sign-in",
            in_words="the first of subject-id, pairwise-id, eduPersonPrincipalName (as OIDs or URNs) and "
            "Entra ID's `objectidentifier`"),
        V("MOSS_SAML_GROUPS_ATTRIBUTE", "the attribute with the groups",
            in_words="`isMemberOf` (`urn:oid:1.3.6.1.4.1.5923.1.5.1.1`)"),
        V("MOSS_SAML_VERIFIED_MAIL",
            "`true` where the campus vouches for the mail addresses that it sends. Only then does an "
            "address lead to a local account that has it", "bool"),
    ),
    "saml_signing": (
        V("MOSS_SAML_SERVICE_KEY", "the private key in PEM"),
        V("MOSS_SAML_SERVICE_CERTIFICATE", "its certificate"),
        V("MOSS_SAML_SLO_URL", "the address of the provider for signing out, where its metadata name none"),
    ),
    "groups": (
        V("MOSS_CAMPUS_GROUPS", "the groups that may sign in, separated by commas",
            "list", in_words="none: **every account of the provider**, students among them"),
        V("MOSS_CAMPUS_ADMINISTRATORS",
            "the groups whose members are administrators, for as long as they are in one", "list"),
    ),
}  # fmt: skip
VARIABLES = {variable.name: variable for table in TABLES.values() for variable in table}

# Read by `moss submit`, by compose files and by the tests; and what Kubernetes sets for a service `moss`.
ELSEWHERE = {"SERVER", "TOKEN", "ASSIGNMENT", "BACKUP_FOLDER", "PROXY_MAX_BODY", "TEST_HOME", "TEST_QUEUES"}
ELSEWHERE |= {"WEB_CPUS", "WORKER_CPUS", "WEB_MEMORY", "WORKER_MEMORY", "POSTGRES_MEMORY"}
KNOWN = VARIABLES.keys() | {f"MOSS_{name}" for name in ELSEWHERE}
PREFIXES, NEARLY = ("MOSS_", "DATABASE_", "REDIS_", "SECRET_"), 0.9
OF_A_SERVICE = re.compile(r"SERVICE_(HOST|PORT)|PORT$|PORT_[0-9]")


def check_names() -> None:
    """Raise ImproperlyConfigured for a wrong name: it begins with MOSS_, or is nearly one that is not set itself."""
    ours = {name for name in os.environ if name.startswith(PREFIXES) or name.upper().startswith("MOSS_")}
    ours = {name.removesuffix("_FILE") for name in ours}
    for name in sorted(ours - KNOWN):
        is_wrong = name.upper().startswith("MOSS_") or {*get_close_matches(name, VARIABLES, 1, NEARLY)} - ours
        if is_wrong and not OF_A_SERVICE.search(name):
            near = get_close_matches(name.upper(), KNOWN, 1)
            advice = f"is it {near[0]}?" if near else "leave it out."
            raise ImproperlyConfigured(f"{name} is set, and there is no such variable: {advice}")


def value(name: str) -> Any:
    """Return the value of a variable; see `Variable.read`."""
    return VARIABLES[name].read()


def with_tables(page: str) -> str:
    """Return a page of the documentation with its tables of variables as they are now."""
    return TABLE.sub(lambda match: f"{match[1]}{HEAD}{_rows(match[2])}\n{match[3]}", page)


def _rows(table: str) -> str:
    return "".join(variable.row for variable in TABLES[table])


if __name__ == "__main__":
    for path in Path(sys.argv[1]).glob("*.md"):
        path.write_text(with_tables(path.read_text()))
