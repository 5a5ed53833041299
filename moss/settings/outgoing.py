"""Settings of what this service sends to others, some from the environment."""

from __future__ import annotations

from datetime import timedelta
from ipaddress import ip_network

from environs import validate

from moss.environment import check_address, check_networks, env

# Where people find the pages: the links of mail and webhooks begin with it.
OWN_URL = (env.str("MOSS_URL", default="", validate=check_address) or "http://127.0.0.1:8000").rstrip("/")
# Networks that webhooks may go to, besides the internet; and by HTTP only to these.
WEBHOOK_NETWORKS = [
    ip_network(value)
    for value in env.list("MOSS_WEBHOOK_NETWORKS", subcast=str.strip, default=[], validate=check_networks)
]
# How long submissions that a learning platform pushes are gathered before they are read together.
LTI_GATHER_TIME = timedelta(
    minutes=env.int("MOSS_LTI_GATHER_MINUTES", default=10, validate=validate.Range(0, 24 * 60))
)
