"""Settings of the logs, of `/metrics`, of how long things are kept, and of what is sent to other services."""

from __future__ import annotations

import logging
import os
from datetime import timedelta
from ipaddress import ip_network
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from moss.log_lines import FORMATS, LOG_FORMAT
from moss.variables import value
from submissions.work.kinds import Kind

LOG_LEVEL = value("MOSS_LOG_LEVEL")
# What a request to /metrics has to state; without it there is no such address.
METRICS_TOKEN = value("MOSS_METRICS_TOKEN")

# Warnings of libraries, such as Celery's about root, become lines like the others.
logging.captureWarnings(LOG_FORMAT == "json")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": FORMATS[LOG_FORMAT]}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    # At INFO, these log several lines a task or a sign-in.
    "loggers": {
        name: {"level": "DEBUG" if LOG_LEVEL == "DEBUG" else "WARNING"}
        for name in ("axes", "celery.app.trace", "celery.worker.strategy")
    },
}


# An upload that nobody has had read is deleted this many days after it was last changed.
PREVIEW_DAYS = value("MOSS_PREVIEW_DAYS")
# Months that assignments are kept where a course states none, and that no course exceeds; 0 for no limit.
KEEP_MONTHS, KEEP_MONTHS_MOST = value("MOSS_KEEP_MONTHS"), value("MOSS_KEEP_MONTHS_MOST")
if KEEP_MONTHS_MOST and KEEP_MONTHS > KEEP_MONTHS_MOST:
    raise ImproperlyConfigured("MOSS_KEEP_MONTHS is more than MOSS_KEEP_MONTHS_MOST.")
# Days that sources are kept after the last report, likewise.
KEEP_SOURCES_DAYS = value("MOSS_KEEP_SOURCES_DAYS")
KEEP_SOURCES_DAYS_MOST = value("MOSS_KEEP_SOURCES_DAYS_MOST")
if KEEP_SOURCES_DAYS_MOST and KEEP_SOURCES_DAYS > KEEP_SOURCES_DAYS_MOST:
    raise ImproperlyConfigured("MOSS_KEEP_SOURCES_DAYS is more than MOSS_KEEP_SOURCES_DAYS_MOST.")
# For whom `moss backup` encrypts; empty for nobody.
BACKUP_RECIPIENT = value("MOSS_BACKUP_RECIPIENT")
# Days after which whoever runs the service deletes backups; 0 where it is not stated.
BACKUP_DAYS = value("MOSS_BACKUP_DAYS")


# Where people find the pages: links of mail and webhooks begin with it, and all addresses with its path.
PUBLIC_URL = (value("MOSS_URL") or "http://127.0.0.1:8000").rstrip("/")
PUBLIC_PATH = urlsplit(PUBLIC_URL).path
PUBLIC_ORIGIN = PUBLIC_URL.removesuffix(PUBLIC_PATH)
FORCE_SCRIPT_NAME = PUBLIC_PATH or None
# Gunicorn would read it, but neither workers nor mail would know of it.
if os.environ.get("SCRIPT_NAME", PUBLIC_PATH).rstrip("/") != PUBLIC_PATH:
    raise ImproperlyConfigured(
        f"SCRIPT_NAME says {os.environ['SCRIPT_NAME']!r}, and the path of MOSS_URL is {PUBLIC_PATH!r}: "
        "name it in MOSS_URL, as in https://example.org/moss, and leave SCRIPT_NAME out."
    )
# Networks that webhooks may go to, besides the internet; and by HTTP only to these.
WEBHOOK_NETWORKS = [ip_network(network) for network in value("MOSS_WEBHOOK_NETWORKS")]
# Networks of Git servers besides the internet; and by HTTP only those.
GIT_NETWORKS = [ip_network(network) for network in value("MOSS_GIT_NETWORKS")]
# How long submissions that a learning platform pushes are gathered before they are read together.
LTI_GATHER_TIME = timedelta(minutes=value("MOSS_LTI_GATHER_MINUTES"))

# After all other interactive work.
_LAST = 9
# The kinds of background work that send something to others, or fetch it from them.
# The attempts are one more than the waits between them. Who does not answer holds up no short work twice.
OUTGOING_KINDS = (
    Kind(
        "deliver", "moss.integrations.webhooks.sending", "give_up", seconds=10, grace=20, priority=_LAST,
        attempts=10, is_slow_again=True,
    ),
    Kind("tell_owner", "moss.integrations.webhooks.sending", priority=_LAST),
    Kind("mail_report", "moss.integrations.accounts.report_mail", priority=_LAST),
    Kind(
        "fetch_submission", "moss.integrations.lti.fetching", "give_up", priority=_LAST, attempts=7,
        is_slow_again=True,
    ),
    # One list of a user at a time: each is a job that comes back after the work of others.
    Kind(
        "fetch_repositories", "moss.integrations.repositories.fetching", "give_up", priority=_LAST, at_once=1
    ),
    Kind("gather_submissions", "moss.integrations.lti.gathering", priority=_LAST),
    Kind(
        "report_submission", "moss.integrations.lti.reporting", priority=_LAST, attempts=5,
        is_slow_again=True,
    ),
)  # fmt: skip
