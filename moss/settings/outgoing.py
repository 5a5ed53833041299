"""Settings of what this service sends to others, some from the environment."""

from __future__ import annotations

from datetime import timedelta
from ipaddress import ip_network

from moss.variables import value

# Where people find the pages: the links of mail and webhooks begin with it.
OWN_URL = (value("MOSS_URL") or "http://127.0.0.1:8000").rstrip("/")
# Networks that webhooks may go to, besides the internet; and by HTTP only to these.
WEBHOOK_NETWORKS = [ip_network(network) for network in value("MOSS_WEBHOOK_NETWORKS")]
# How long submissions that a learning platform pushes are gathered before they are read together.
LTI_GATHER_TIME = timedelta(minutes=value("MOSS_LTI_GATHER_MINUTES"))
