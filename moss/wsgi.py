"""The WSGI application: `gunicorn moss.wsgi`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from django.core.wsgi import get_wsgi_application
from django.db.backends.signals import connection_created

from moss.embedded.client import ensure_services

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

# Seconds that a request waits for rows that another process has locked; workers do not wait at all.
LOCK_SECONDS = 5


def limit_lock_waits(connection: BaseDatabaseWrapper, **_: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET lock_timeout = '{LOCK_SECONDS}s'")


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "moss.settings")

connection_created.connect(limit_lock_waits)
ensure_services()
application = get_wsgi_application()
