"""The WSGI application: `gunicorn moss.wsgi`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from moss.embedded.client import ensure_services

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse

    Application = Callable[[dict[str, Any], StartResponse], Iterable[bytes]]

# Seconds that a request waits for rows that another process has locked; workers do not wait at all.
LOCK_SECONDS = 5


def share_connections() -> None:
    """Have the threads of this process share connections, which wait for locks only so long."""
    database: dict[str, Any] = settings.DATABASES["default"]
    options = database["OPTIONS"].get("options", "")
    database["CONN_MAX_AGE"] = 0
    database["OPTIONS"]["options"] = f"{options} -c lock_timeout={LOCK_SECONDS}s".strip()
    database["OPTIONS"]["pool"] = {
        "min_size": 1,
        "max_size": settings.WEB_CONNECTIONS,
        "timeout": settings.CONNECTION_SECONDS,
        # After this, the next request tries: the pause between attempts would grow to minutes.
        "reconnect_timeout": settings.CONNECTION_SECONDS,
    }


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
