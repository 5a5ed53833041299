"""Settings of what this service sends to others, some from the environment."""

from __future__ import annotations

from ipaddress import ip_network

from moss.environment import check_address, check_networks, env
from submissions.queues import INTERACTIVE

# Where people find the pages: the links of mail and webhooks begin with it.
OWN_URL = (env.str("MOSS_URL", default="", validate=check_address) or "http://127.0.0.1:8000").rstrip("/")
# Networks that webhooks may go to, besides the internet; and by HTTP only to these.
WEBHOOK_NETWORKS = [
    ip_network(value)
    for value in env.list("MOSS_WEBHOOK_NETWORKS", subcast=str.strip, default=[], validate=check_networks)
]
# After all other interactive work.
OUTGOING_ROUTES = {
    f"moss.{task}": {"queue": INTERACTIVE, "priority": 9}
    for task in ("webhooks.tasks.deliver", "webhooks.tasks.tell_owner", "accounts.tasks.mail_report")
}
