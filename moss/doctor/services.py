"""Checks of what runs beside this process: database, broker, workers, maintenance and mail server."""

from __future__ import annotations

from smtplib import SMTPException
from typing import TYPE_CHECKING

import redis
from allauth.socialaccount.adapter import get_adapter
from django.conf import settings
from django.core.mail import get_connection
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from moss.database_locale import OTHER_ORDER, database_locale, differences
from moss.database_pooling import ADVICE, SHARED, sessions_are_shared
from moss.database_schema import MEND, schema_problem, unknown_migrations
from moss.doctor.findings import Finding, ok, problem, warning
from moss.embedded.client import private_servers
from moss.maintenance import is_maintained
from submissions.work import heartbeats
from submissions.work.heartbeats import package_version
from submissions.work.kinds import QUEUES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from django.db.migrations import Migration

CLOCK_WARNING_SECONDS, CLOCK_PROBLEM_SECONDS = 2.0, 30.0
# Of maintenance, the listener for MOSS clients, commands and a backup.
OTHER_CONNECTIONS = 10
WELL_KNOWN = "/.well-known/openid-configuration"
REINDEX = (
    "The system was upgraded: stop the service, and run REINDEX DATABASE {name} and then "
    "ALTER DATABASE {name} REFRESH COLLATION VERSION as the owner."
)
MIGRATE = "Run `moss setup`, or `docker compose run --rm migrate`."
STOP_FIRST = "Stop web servers, workers and maintenance of the version before. "
START = "Start `moss serve`, or the containers worker, interactive and maintenance."


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
        message = (
            f"indexes were made with version {locale.made_with} of the collation; now it is {locale.is_now}"
        )
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
        return problem("migrations", message, (STOP_FIRST if stopping else "") + MIGRATE)
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
    """Check that the broker answers."""
    with redis.Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=settings.BROKER_SECONDS,
        socket_connect_timeout=settings.BROKER_SECONDS,
    ) as client:
        info = client.info("server")
    name = (
        f"Valkey {info['valkey_version']}" if "valkey_version" in info else f"Redis {info['redis_version']}"
    )
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
    """Check that lost work is looked for."""
    if is_maintained():
        return ok("maintenance", "runs")
    return _not_running("maintenance", "nothing looks for lost work")


def clock() -> Finding:
    """Check that the clock of the database and that of this machine agree."""
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
    return (warning if private_servers() else problem)(check, message, START)
