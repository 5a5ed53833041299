"""The WSGI application: `gunicorn moss.wsgi`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from threading import Thread
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connections
from psycopg.conninfo import make_conninfo
from psycopg.pq import PGconn, Ping

from moss.embedded.client import ensure_services

if TYPE_CHECKING:
    from wsgiref.types import StartResponse

    from psycopg_pool import ConnectionPool

    Application = Callable[[dict[str, Any], StartResponse], Iterable[bytes]]

# Seconds that a request waits for rows that another process has locked; workers do not wait at all.
LOCK_SECONDS = 5
# A host that drops all packets is given up in seconds, before and after a connection to it was made.
SILENT_HOST = {"connect_timeout": 3, "tcp_user_timeout": 5_000}


def share_connections() -> None:
    """Have the threads of this process share connections, which wait for locks only so long."""
    database: dict[str, Any] = settings.DATABASES["default"]
    options = database["OPTIONS"].get("options", "")
    database["CONN_MAX_AGE"] = 0
    database["OPTIONS"] = SILENT_HOST | database["OPTIONS"]
    database["OPTIONS"]["options"] = f"{options} -c lock_timeout={LOCK_SECONDS}s".strip()
    database["OPTIONS"]["pool"] = {
        "min_size": 1,
        "max_size": settings.WEB_CONNECTIONS,
        "timeout": settings.CONNECTION_SECONDS,
        # The next request tries: the pause between attempts would grow to minutes.
        "reconnect_timeout": 0.0,
        "reconnect_failed": leave_pool,
    }


def leave_pool(pool: ConnectionPool) -> None:
    """Refuse the requests that wait, where no database takes connections; the next one tries anew."""
    # The pool waits for the end of its threads, of which one calls this.
    Thread(target=_leave, args=(pool,), name="closing connections").start()


def _leave(pool: ConnectionPool) -> None:
    if pool.get_stats()["pool_size"] and _takes_connections(pool):
        return
    # Who begins to wait from now on is refused, too: a closed pool would have him wait to the end.
    pool.max_waiting = -1
    pool.close()
    database: Any = connections["default"]  # of Postgres
    if database.pool is pool:
        database.close_pool()


def _takes_connections(pool: ConnectionPool) -> bool:
    """Return whether Postgres answers; one with as many connections as it may have does."""
    known: Any = pool.kwargs
    host: Any = {name: known[name] for name in ("host", "port") if name in known}
    return PGconn.ping(make_conninfo(**SILENT_HOST | host).encode()) == Ping.OK


class UnderPath:
    """Serve under a path: requests have it before their addresses, unless a proxy took it away."""

    def __init__(self, application: Application, path: str) -> None:
        self.application, self.path = application, path

    def __call__(self, environ: dict[str, Any], start_response: StartResponse) -> Iterable[bytes]:
        asked = environ["PATH_INFO"]
        environ["SCRIPT_NAME"] = self.path
        if asked == self.path or asked.startswith(f"{self.path}/"):
            environ["PATH_INFO"] = asked.removeprefix(self.path)
        return self.application(environ, start_response)


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "moss.settings")

share_connections()
ensure_services()
application: Application = get_wsgi_application()
if settings.PUBLIC_PATH:
    application = UnderPath(application, settings.PUBLIC_PATH)
