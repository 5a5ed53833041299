"""The WSGI application: `gunicorn moss.wsgi`."""

from __future__ import annotations

import os

from django.core.wsgi import get_wsgi_application

from moss.embedded.client import ensure_services

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "moss.settings")

ensure_services()
application = get_wsgi_application()
