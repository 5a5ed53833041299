"""The WSGI application: `gunicorn moss.wsgi`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from threading import Thread
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import connections

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
    """Refuse the requests that wait, where the database refused all connections; the next one tries anew."""
    if not pool.get_stats()["pool_size"]:
        # The pool waits for the end of its threads, of which one calls this.
        Thread(target=_close, args=(pool,), name="closing connections").start()


def _close(pool: ConnectionPool) -> None:
    pool.close()
    database: Any = connections["default"]  # of Postgres
    if database.pool is pool:
        database.close_pool()


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
