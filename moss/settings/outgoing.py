"""Settings of what this service sends to others, some from the environment."""

from __future__ import annotations

import os
from datetime import timedelta
from ipaddress import ip_network
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from moss.variables import value

# Where people find the pages: links of mail and webhooks begin with it, and all addresses with its path.
OWN_URL = (value("MOSS_URL") or "http://127.0.0.1:8000").rstrip("/")
OWN_PATH = urlsplit(OWN_URL).path
OWN_ORIGIN = OWN_URL.removesuffix(OWN_PATH)
FORCE_SCRIPT_NAME = OWN_PATH or None
# Gunicorn would read it, but neither workers nor mail would know of it.
if os.environ.get("SCRIPT_NAME", OWN_PATH).rstrip("/") != OWN_PATH:
    raise ImproperlyConfigured(
        f"SCRIPT_NAME says {os.environ['SCRIPT_NAME']!r}, and the path of MOSS_URL is {OWN_PATH!r}: "
        "name it in MOSS_URL, as in https://example.org/moss, and leave SCRIPT_NAME out."
    )
# Networks that webhooks may go to, besides the internet; and by HTTP only to these.
WEBHOOK_NETWORKS = [ip_network(network) for network in value("MOSS_WEBHOOK_NETWORKS")]
# Networks of Git servers besides the internet; and by HTTP only those.
GIT_NETWORKS = [ip_network(network) for network in value("MOSS_GIT_NETWORKS")]
# How long submissions that a learning platform pushes are gathered before they are read together.
LTI_GATHER_TIME = timedelta(minutes=value("MOSS_LTI_GATHER_MINUTES"))
