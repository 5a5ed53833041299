"""The checks of `moss doctor`, in the order of its lines. A new check is a function in `CHECKS`."""

from __future__ import annotations

import ctypes
import gzip
import os
import re
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from ctypes.util import find_library
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from smtplib import SMTPException
from subprocess import SubprocessError
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from allauth.mfa.models import Authenticator
from allauth.socialaccount.adapter import get_adapter
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from django.conf import settings
from django.core.checks import ERROR, run_checks
from django.core.mail import get_connection
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone
from redis.exceptions import RedisError

import fingerprint
from fingerprint import engine
from moss.embedded.client import private_servers
from moss.integrations.lti.models import ToolKey
from moss.integrations.repositories.git import OLDEST, GitMissing, version
from moss.integrations.webhooks.models import Webhook
from moss.operations.backups import why_not
from moss.operations.database import (
    ADVICE,
    MEND,
    OTHER_ORDER,
    SHARED,
    database_locale,
    differences,
    schema_problem,
    sessions_are_shared,
    unknown_migrations,
)
from moss.operations.dumps import NO_SPACE
from moss.operations.maintenance import is_maintained
from submissions.audit.log import service_may_erase_log
from submissions.audit.models import REPLACED, AuditAction, Verdict, verify
from submissions.core.database import is_no_room, opened_or_empty
from submissions.models import AuditEntry
from submissions.work import heartbeats
from submissions.work.heartbeats import package_version
from submissions.work.kinds import QUEUES

if TYPE_CHECKING:
    from django.db.migrations import Migration

State = Literal["ok", "warning", "problem"]

CLOCK_WARNING_SECONDS, CLOCK_PROBLEM_SECONDS = 2.0, 30.0
# Of maintenance, the listener for MOSS clients, commands and a backup.
OTHER_CONNECTIONS = 10
WELL_KNOWN = "/.well-known/openid-configuration"
REINDEX = (
    "The system was upgraded: stop the service, and run REINDEX DATABASE {name} and then "
    "ALTER DATABASE {name} REFRESH COLLATION VERSION as the owner."
)
STOP_FIRST = "Stop web servers, workers and maintenance of the version before. "

ANSWER_SECONDS = 10
# A certificate that ends sooner has to be replaced.
SOON = timedelta(days=30)
ASK = "Ask the provider for the next certificate."
PEM = "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n"

OLD_BACKUP = timedelta(days=2)
BACKUP_EVERY_NIGHT = "Have `moss backup` run every night: docs/do/backup.md."

DISK_PROBLEM_BYTES, DISK_WARNING_BYTES = 1_000_000_000, 5_000_000_000
OPEN_FILES = 1024
FONT_SECONDS = 30
# In a child: the printing library reads the system's fonts and libraries.
HAS_FONTS = """from submissions.matches.printing import add_fonts, has_fonts
add_fonts()
raise SystemExit(not has_fonts())"""
RESTORE = "Somebody changed the log in the database. Compare it with a backup."
OTHER_LOG = "The audit log begins with another SECRET_KEY, or its first entry was changed or removed"
KEEP = "Keep this line elsewhere, and compare it later: the database role of the service could cut the end off."
SEPARATE = "Name an owner of the tables in DATABASE_OWNER_URL: docs/do/running.md, The two roles of the database."
FORMER_KEY = "Add the former SECRET_KEY to SECRET_KEY_FALLBACKS; or "
LINKS = "send share links of then again, whose addresses `moss links` lists."
FORMER = f"{FORMER_KEY}make these webhooks and second factors anew, and {LINKS}"
SETTINGS_ADVICE = "Set MOSS_ALLOWED_HOSTS, MOSS_HTTPS and MOSS_PROXIES: docs/do/running.md."
KEY_ADVICE = "If you change it, name the present one in SECRET_KEY_FALLBACKS: docs/know/security.md, Keys."
NO_HSTS = "browsers may come back to HTTP (MOSS_HSTS_DAYS)"
HSTS_ADVICE = "Delete MOSS_HSTS_DAYS=0 when the certificate stays: docs/do/operations.md, HTTPS."

CORRECT = {"database": "correct DATABASE_URL and DATABASE_PASSWORD.", "broker": "correct REDIS_URL and REDIS_PASSWORD."}
# What Postgres and Valkey answer to a wrong name or password.
REFUSED = re.compile('password|pg_hba|(role|database) "[^"]*+" does not exist|WRONGPASS|NOAUTH|Authentication required')
FULL = "Make room on the disk of Postgres: until then, nothing can be stored."
BUSY = "The machine may be too busy: try again."
# Faults of libarchive's readers of RAR, and the first versions without them. Distributions mend older
# versions, and name the faults in the changelog of their package.
RAR_FAULTS = {
    "CVE-2024-26256": 3_007_005,
    "CVE-2025-5914": 3_008_001,
    "CVE-2025-5915": 3_008_001,
    "CVE-2026-14164": 3_008_008,
}
DOC, CHANGELOG = Path("/usr/share/doc"), "libarchive13*/changelog.Debian.gz"


class Advices(NamedTuple):
    """The advice for one kind of installation: how its parts are started and stopped, its services, and its schema."""

    start: str
    stop: str
    database: str
    broker: str
    migrate: str


POD, CONTAINER, UNITS = ("KUBERNETES_SERVICE_HOST", Path("/.dockerenv"), Path("/etc/systemd/system/moss.target"))
SERVE = Advices("Start `moss serve`.", "Run `moss stop`.", "Start Postgres.", "Start Valkey.", "Run `moss setup`.")
SYSTEMD = SERVE._replace(
    start="Run `systemctl start moss.target`.",
    stop="Run `systemctl stop moss.target`.",
    database="Run `systemctl start postgresql`.",
    broker="Run `systemctl start valkey-server` (or `redis-server`).",
)
COMPOSE = Advices(
    "Run `docker compose up -d worker interactive maintenance`.",
    "Run `docker compose --profile listen stop web worker interactive maintenance listen`.",
    "Run `docker compose up -d postgres`.",
    "Run `docker compose up -d valkey`.",
    "Run `docker compose run --rm migrate`.",
)
KUBERNETES = Advices(
    "Look at `kubectl -n moss get pods`.", "Run `kubectl -n moss scale deploy --all --replicas=0`.",
    "Start Postgres.", "Start Valkey.",
    "Run the Job `migrate` again: docs/do/kubernetes.md.",
)  # fmt: skip


def advices() -> Advices:
    """Return what to run in the kind of installation that this process is in."""
    if POD in os.environ:
        return KUBERNETES
    if private_servers():
        return SERVE
    return COMPOSE if CONTAINER.exists() else SYSTEMD if UNITS.exists() else SERVE


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check; `advice` says what to do where the state is not ok."""

    check: str
    state: State
    message: str
    advice: str = ""


def ok(check: str, message: str) -> Finding:
    return Finding(check, "ok", message)


def warning(check: str, message: str, advice: str) -> Finding:
    return Finding(check, "warning", message, advice)


def problem(check: str, message: str, advice: str) -> Finding:
    return Finding(check, "problem", message, advice)


def database() -> Finding:
    """Check that the database answers and has a version that Django supports."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        name = f"Postgres {cursor.fetchone()[0]}"
    least = connection.features.minimum_database_version
    if least and connection.get_database_version() < least:
        return problem("database", f"{name} is too old", f"Upgrade it to Postgres {least[0]} or newer.")
    return ok("database", f"{name} answers")


def collation() -> Finding:
    """Check that the database takes any text, and orders it as when its indexes were made."""
    locale = database_locale()
    if locale.encoding != "UTF8":
        message = f"the database has the encoding {locale.encoding}"
        return problem("collation", message, "Restore a backup into a database that is created with UTF8.")
    if locale.made_with != locale.is_now:
        message = f"indexes were made with version {locale.made_with} of the collation; now it is {locale.is_now}"
        return problem("collation", message, REINDEX.format(name=connection.settings_dict["NAME"]))
    if others := differences(locale):
        return warning("collation", others[0], OTHER_ORDER)
    return ok("collation", locale.name)


def pooling() -> Finding:
    """Check that no pooler gives this service's sessions to others."""
    if sessions_are_shared():
        return problem("pooling", SHARED, ADVICE)
    return ok("pooling", "each connection has a session of its own")


def connections() -> Finding:
    """Check that Postgres takes the connections of all processes, and say for how many web servers."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT sum(setting::int) FROM pg_settings WHERE name LIKE '%reserved_connections'")
        reserved = int(cursor.fetchone()[0])
        cursor.execute("SHOW max_connections")
        most = int(cursor.fetchone()[0])
    a_server = settings.WEB_PROCESSES * settings.WEB_CONNECTIONS
    workers = sum(worker.processes + 1 for worker in heartbeats.workers() if worker.answers)
    servers = max(0, most - reserved - OTHER_CONNECTIONS - workers) // a_server
    parts = f"a web server takes up to {a_server}, the workers {workers}, all else {OTHER_CONNECTIONS}"
    message = f"max_connections is {most}, {reserved} of them reserved: {parts}"
    if servers:
        return ok("connections", f"{message}; enough for {servers} web servers")
    needed = reserved + OTHER_CONNECTIONS + workers + a_server
    advice = f"Raise max_connections of Postgres to {needed}, or lower MOSS_WEB_CONNECTIONS."
    return problem("connections", message, advice)


def migrations() -> Finding:
    """Check that the tables are those of this version, neither older nor newer."""
    executor = MigrationExecutor(connection)
    graph = executor.loader.graph
    missing = executor.migration_plan(graph.leaf_nodes())
    if newer := unknown_migrations():
        message = f"the database was migrated by another version ({newer[-1]})"
        return problem("migrations", message, "Install that version of moss-server, or restore a backup.")
    if missing:
        stopping = need_stop(migration for migration, _backwards in missing)
        message = f"{len(missing)} migrations are not applied" + (
            f", {len(stopping)} of which need a stop" if stopping else ""
        )
        return problem("migrations", message, (STOP_FIRST if stopping else "") + advices().migrate)
    if differing := schema_problem():
        return problem("migrations", differing, MEND)
    return ok("migrations", "all applied, and the tables are as they make them")


def need_stop(plan: Iterable[Migration]) -> list[str]:
    """Return the names of the migrations that need a full stop."""
    return [f"{one.app_label}.{one.name}" for one in plan if phase_of(one) == "stop"]


def phase_of(migration: Migration) -> str:
    """Return what a migration declares; those of other packages declare nothing, so they need a stop."""
    return getattr(migration, "phase", "stop")


def broker() -> Finding:
    with heartbeats.connected() as valkey:
        info = valkey.info("server")
    name = f"Valkey {info['valkey_version']}" if "valkey_version" in info else f"Redis {info['redis_version']}"
    return ok("broker", f"{name} answers")


def workers() -> Finding:
    """Check that each queue has a worker, and that all workers are of this version."""
    alive = [worker for worker in heartbeats.workers() if worker.answers]
    others = [worker.title for worker in alive if worker.version != package_version()]
    if others:
        message = f"this is version {package_version()}, but there are {', '.join(others)}"
        return problem("workers", message, "Restart these workers with the version of the server.")
    unserved = [queue for queue in QUEUES if not any(queue in worker.queues for worker in alive)]
    if unserved:
        return _not_running("workers", f"no worker answers for: {', '.join(unserved)}")
    return ok("workers", f"{len(alive)} answer, version {package_version()}")


def maintenance() -> Finding:
    if is_maintained():
        return ok("maintenance", "runs")
    return _not_running("maintenance", "nothing looks for lost work")


def clock() -> Finding:
    with connection.cursor() as cursor:
        before = timezone.now()
        cursor.execute("SELECT clock_timestamp()")
        there, after = cursor.fetchone()[0], timezone.now()
    seconds = abs((there - (before + (after - before) / 2)).total_seconds())
    message = f"{seconds:.1f} s between the database and this machine"
    if seconds < CLOCK_WARNING_SECONDS:
        return ok("clock", message)
    state = problem if seconds >= CLOCK_PROBLEM_SECONDS else warning
    return state("clock", message, "Let both machines set their clocks by NTP.")


def mail() -> Finding:
    """Check that the mail server takes a connection and the password, where one is set."""
    if not settings.MAIL:
        return ok("mail", "not set (MOSS_MAIL_HOST); links are shown on pages instead")
    address = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
    server = get_connection()
    try:
        server.open()
    except (OSError, SMTPException) as error:
        message = f"{address} cannot be used: {error}"
        return problem("mail", message, "Correct MOSS_MAIL_HOST, _PORT, _SECURITY, _USER and _PASSWORD.")
    server.close()
    return ok("mail", f"{address} takes mail from {settings.DEFAULT_FROM_EMAIL}")


def campus() -> Finding:
    """Check that the configuration of the campus provider can be fetched, where one is set."""
    if not settings.OIDC_URL:
        return ok("campus", "not set (MOSS_OIDC_URL); people sign in with local accounts")
    url = settings.OIDC_URL if WELL_KNOWN in settings.OIDC_URL else settings.OIDC_URL.rstrip("/") + WELL_KNOWN
    try:
        with get_adapter().get_requests_session() as session:
            answer = session.get(url)
            answer.raise_for_status()
            issuer = answer.json()["issuer"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        message = f"no configuration at {url} ({type(error).__name__})"
        return problem("campus", message, "Correct MOSS_OIDC_URL, or ask the provider whether it runs.")
    return ok("campus", f"{issuer} answers")


def _not_running(check: str, message: str) -> Finding:
    """Return a warning where nothing may run between two calls of `moss serve`, else a problem."""
    return (warning if private_servers() else problem)(check, message, advices().start)


def saml() -> Finding:
    """Check that the provider's metadata can be read, and how long both sides' certificates are valid."""
    if not settings.SAML_ENTITY_ID:
        return ok("saml", "not set (MOSS_SAML_ENTITY_ID)")
    providers: Any = settings.SOCIALACCOUNT_PROVIDERS
    app = providers["saml"]["APPS"][0]["settings"]
    try:
        ends = max(_certificate(one).not_valid_after_utc for one in _certificates(app["idp"]))
    except Exception as error:  # noqa: BLE001 - whatever the answer is, the finding says it
        message = f"{settings.SAML_ENTITY_ID}: no metadata with a certificate ({type(error).__name__})"
        return problem("saml", message, "Correct MOSS_SAML_METADATA_URL, or MOSS_SAML_CERTIFICATE.")
    provider = _validity(f"{settings.SAML_ENTITY_ID}, its certificate", ends, ASK)
    key_pair = _service_key_pair(app["advanced"]) if "x509cert" in app["advanced"] else provider
    return key_pair if provider.state == "ok" else provider


def _service_key_pair(advanced: dict[str, str]) -> Finding:
    """Check the certificate of this service, and that its key is the one of the certificate."""
    try:
        certificate = _certificate(advanced["x509cert"])
        key = serialization.load_pem_private_key(advanced["private_key"].encode(), None)
    except Exception as error:  # noqa: BLE001 - as above
        message = f"the key or the certificate of this service cannot be read ({type(error).__name__})"
        return problem("saml", message, "Correct MOSS_SAML_SERVICE_KEY and MOSS_SAML_SERVICE_CERTIFICATE.")
    if key.public_key() != certificate.public_key():
        message = "the key of this service is not the one of its certificate"
        return problem("saml", message, "Correct MOSS_SAML_SERVICE_KEY or MOSS_SAML_SERVICE_CERTIFICATE.")
    advice = "Make a new one, and give the provider the metadata of this service again."
    whose = f"{settings.SAML_ENTITY_ID}; the certificate of this service"
    return _validity(whose, certificate.not_valid_after_utc, advice)


def _validity(whose: str, ends: datetime, advice: str) -> Finding:
    left = ends - datetime.now(UTC)
    if left < timedelta():
        return problem("saml", f"{whose} was valid until {ends:%Y-%m-%d}: nobody can sign in", advice)
    message = f"{whose} is valid until {ends:%Y-%m-%d}"
    return warning("saml", message, advice) if left < SOON else ok("saml", message)


def _certificates(provider: dict[str, Any]) -> Iterable[str]:
    if "x509cert" in provider:
        return [provider["x509cert"]]
    from onelogin.saml2.idp_metadata_parser import OneLogin_Saml2_IdPMetadataParser  # noqa: PLC0415 - optional

    read = OneLogin_Saml2_IdPMetadataParser.parse_remote(
        provider["metadata_url"], entity_id=provider["entity_id"], timeout=ANSWER_SECONDS
    )
    idp = read["idp"]
    return [idp["x509cert"]] if "x509cert" in idp else idp["x509certMulti"]["signing"]


def _certificate(text: str) -> x509.Certificate:
    """Read a certificate: PEM, or its Base64 alone, as metadata have it."""
    whole = text if "-----BEGIN" in text else PEM.format(text.strip())
    return x509.load_pem_x509_certificate(whole.encode())


def backups() -> Finding:
    """Check that the last backup was written, and not long ago."""
    written, failed = heartbeats.last_end(heartbeats.WRITTEN), heartbeats.last_end(heartbeats.FAILED)
    if failed and (not written or failed > written):
        message = f"the last one failed, on {failed:%Y-%m-%d %H:%M} UTC"
        return problem("backups", message, "Run `moss backup`: it says why.")
    message = f"the last one was written on {written:%Y-%m-%d %H:%M} UTC" if written else "Valkey knows of none"
    is_old = not written or timezone.now() - written > OLD_BACKUP
    return warning("backups", message, BACKUP_EVERY_NIGHT) if is_old else ok("backups", message)


def home() -> Finding:
    """Check that this user may write MOSS_HOME and the folders in it that the service writes."""
    home, advice = settings.MOSS_HOME, "Logs, backups and uploads that are kept there fail."
    for folder in (home, settings.MEDIA_ROOT, home / "backups", home / "log"):
        try:
            with suppress(FileNotFoundError), TemporaryFile(dir=folder):
                pass
        except OSError as error:
            return problem("home", why_not(error, folder).rstrip("."), advice)
    return ok("home", f"{settings.MOSS_HOME} can be written")


def disk() -> Finding:
    free = shutil.disk_usage(settings.MOSS_HOME).free
    message = f"{free / 1e9:.1f} GB free in {settings.MOSS_HOME}"
    if free >= DISK_WARNING_BYTES:
        return ok("disk", message)
    state = problem if free < DISK_PROBLEM_BYTES else warning
    return state("disk", message, "Make room: uploads stop when the disk is full.")


def limits() -> Finding:
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if files == resource.RLIM_INFINITY or files >= OPEN_FILES:
        return ok("limits", f"{files if files >= 0 else 'any number of'} open files a process")
    message = f"a process may open only {files} files"
    return warning("limits", message, f"Raise the limit to {OPEN_FILES} (ulimit -n, LimitNOFILE of systemd).")


def fonts() -> Finding:
    command = [sys.executable, "-c", HAS_FONTS]
    root = Path(fingerprint.__file__).parent.parent
    done = subprocess.run(command, cwd=root, capture_output=True, timeout=FONT_SECONDS, check=False)  # noqa: S603 - a constant
    if done.returncode == 0:
        return ok("fonts", "PDF documents can be printed")
    return warning("fonts", "PDF documents cannot be printed", "Install the service again: its fonts are missing.")


def libarchive() -> Finding:
    """Check that 7z, RAR and Zstandard archives can be read, by readers without known faults."""
    library = find_library("archive")
    if not library:
        message = "7z, RAR and Zstandard archives are refused"
        return warning("libarchive", message, "Debian: apt install libarchive13")
    number = int(ctypes.CDLL(library).archive_version_number())  # 3008001 is 3.8.1
    mended = "".join(gzip.decompress(one.read_bytes()).decode(errors="replace") for one in DOC.glob(CHANGELOG))
    faults = [name for name, first in RAR_FAULTS.items() if number < first and name not in mended]
    version = f"{number // 1_000_000}.{number // 1_000 % 1_000}.{number % 1_000}"
    if faults:
        message = f"{library} {version} has faults in its readers of RAR archives: {', '.join(faults)}"
        return warning("libarchive", message, "Install the security updates of the distribution.")
    return ok("libarchive", f"{library} {version}")


def git() -> Finding:
    oldest = ".".join(map(str, OLDEST))
    try:
        numbers = version()
    except GitMissing as error:
        return warning("git", "submissions cannot be fetched from Git repositories", str(error))
    installed = ".".join(map(str, numbers))
    if numbers >= OLDEST:
        return ok("git", f"version {installed} fetches submissions from Git repositories")
    return warning("git", f"version {installed} is too old to fetch submissions", f"Install {oldest} or later.")


def kernels() -> Finding:
    if library := engine.compiled_library():
        return ok("kernels", f"compiled in {library.parent}")
    message = "the engine is not compiled for this processor; the first who needs it waits until it is"
    return warning("kernels", message, "Run moss setup.")


def sealed() -> Finding:
    """Check that the secrets in the database can be read with SECRET_KEY."""
    rows = [row.secret for row in Webhook.objects.all()] + [row.private_key for row in ToolKey.objects.all()]
    factors = [one.data.get("secret") or one.data.get("seed") for one in Authenticator.objects.all()]
    lost = sum(not text for text in rows) + sum(not opened_or_empty(text) for text in factors if text)
    if lost:
        message = f"{lost} secrets in the database were sealed with another SECRET_KEY, and share links signed"
        return problem("secrets", message, FORMER)
    if _chain(1).broken:
        return warning("secrets", OTHER_LOG, f"{FORMER_KEY}{LINKS}")
    return ok("secrets", f"{len(rows) + len(factors)} secrets in the database can be read")


def deployment() -> Finding:
    warnings = [message for message in run_checks(include_deployment_checks=True) if not message.is_silenced()]
    if not warnings:
        return ok("settings", "SECRET_KEY, host names and HTTPS are set")
    own = {"security.W009": ("SECRET_KEY is short or simple", KEY_ADVICE)}
    if settings.HTTPS:
        own["security.W004"] = (NO_HSTS, HSTS_ADVICE)
    said = [own[one] for one in own if one in {message.id for message in warnings}]  # Django has them in no order
    if others := [message for message in warnings if message.id not in own]:
        first = max(others, key=lambda message: message.level).msg.split(". ")[0].rstrip(".")
        said.insert(0, (f"{first} ({', '.join(message.id or '' for message in others)})", SETTINGS_ADVICE))
    texts, advice = zip(*said, strict=True)
    state = problem if any(message.level >= ERROR for message in warnings) else warning
    return state("settings", "; ".join(texts), " ".join(advice))


def rights() -> Finding:
    if service_may_erase_log():
        return warning("rights", "the database role of the service can change and erase the audit log", SEPARATE)
    return ok("rights", "the service can only add entries to the audit log")


def audit() -> Finding:
    chain = _chain()
    if chain.broken:
        advice = RESTORE if chain.entries else f"{OTHER_LOG}. {FORMER_KEY}compare it with a backup."
        return problem("audit", f"the log is broken at entry {chain.broken:,}", advice)
    text = f"{chain.entries:,} entries without a gap, up to {chain.digest[:16] or 'none'}"
    return warning("audit", text, KEEP) if service_may_erase_log() else ok("audit", text)


def _chain(most: int | None = None) -> Verdict:
    """Follow the chain of the audit log, or of its first entries."""
    cuts = AuditEntry.objects.filter(action=AuditAction.SHORTENED).values_list("assignment", flat=True)
    entries = AuditEntry.objects.order_by("number", "pk")
    proofs = entries.filter(page=REPLACED).values_list("subject", flat=True)
    return verify(entries[:most].iterator(), cuts, proofs)


CHECKS: tuple[Callable[[], Finding], ...] = (
    database, broker, collation, pooling, connections, migrations, rights, workers, maintenance, clock, mail,
    campus, saml, backups, home, disk, limits, fonts, libarchive, git, kernels, deployment, sealed,
)  # fmt: skip
# These are asked of the broker; maintenance says there that it lives after what it did in the database.
NEEDS = dict.fromkeys(("connections", "workers", "backups"), ("broker",)) | {"maintenance": ("database", "broker")}


def findings(*, with_audit: bool = False) -> list[Finding]:
    """Return what each check found, and the one of the audit log, if it is asked for.

    A database or a broker that does not answer is one problem, which names the checks that need it.
    """
    found, silent = list[Finding](), dict[str, list[str]]()
    for check in (*CHECKS, *([audit] if with_audit else ())):
        if missing := next((part for part in NEEDS.get(check.__name__, ()) if part in silent), ""):
            silent[missing].append(check.__name__)
            continue
        try:
            found.append(check())
        except (DatabaseError, RedisError) as error:
            part = "database" if isinstance(error, DatabaseError) else "broker"
            if part not in silent:
                silent[part] = []
                found.append(problem(part, _reason(error), _advice(part, error)))
            if check.__name__ != part:
                silent[part].append(check.__name__)
        except (OSError, SubprocessError) as error:
            advice = BUSY if isinstance(error, SubprocessError) else "Check the rights of the user who runs moss."
            found.append(problem(check.__name__, _reason(error), advice))
    unchecked = {part: f"; not checked: {', '.join(names)}" for part, names in silent.items() if names}
    return [replace(one, message=one.message + unchecked.get(one.check, "")) for one in found]


def _advice(part: str, error: Exception) -> str:
    """Return what to do where a service refuses or does not answer."""
    if is_no_room(error) or NO_SPACE in str(error):  # an error of connecting has no code
        return FULL
    if REFUSED.search(str(error)):
        return f"It runs: {CORRECT[part]}"
    if "FATAL: " in str(error) or getattr(error.__cause__, "sqlstate", None):  # such as too many connections
        return "Postgres runs; its log may say more."
    return f"{getattr(advices(), part)} Else {CORRECT[part]}"


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).strip().splitlines()[0].rstrip('.')}"
